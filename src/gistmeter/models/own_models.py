"""The caller's own model: an object with an `id` and the one method that its role asks for.

It need not know anything of caches, batches or windows: here it is asked for distinct inputs only,
a part at a time, and what it answers is checked. What is wrong with an answer (too few rows, no
numbers, out of range) is the reason of the items it was asked about, and so is an error that it
raises. A call that fails is tried input by input, to find the one at fault; after a few failures in
a row the rest is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError, ModelError
from gistmeter.models.batching import NOT_FINITE, Failure, describe_failure
from gistmeter.models.encoders import TextVectors, to_unit
from gistmeter.models.protocols import TextPair

Float64 = npt.NDArray[np.float64]
Row = Float64 | Failure
Input = TypeVar("Input")
METHODS = {
    "embedder": ("embed", "Embedder"),
    "matcher": ("match", "TokenMatcher"),
    "cross_encoder": ("score", "CrossEncoder"),
    "nli": ("classify", "EntailmentModel"),
    "llm": ("ask", "LanguageModel"),
}
COLUMNS = {
    "matcher": ("precision", "recall", "f1"),
    "cross_encoder": ("values",),
    "nli": ("entailment", "neutral", "contradiction"),
}
PART = 256  # inputs in a call, so that a run that is killed keeps what was answered
PATIENCE = 5  # failures in a row after which the rest is not asked
SLACK = 1e-6  # by which rounding may leave a range
DECIMALS = 7


def serves(role: str, model: Any) -> bool:
    """Whether an object has the method that a role asks for."""
    return callable(getattr(model, METHODS[role][0], None))


def check(role: str, model: Any) -> None:
    """Refuse an object that cannot play a role, and say what it lacks."""
    method, protocol = METHODS[role]
    lacks = [] if serves(role, model) else [f"no method '{method}'"]
    if not isinstance(name := getattr(model, "id", None), str) or not name.strip():
        lacks.append("no 'id' (a text that names all that could change an answer)")
    if isinstance(model, type):
        lacks = ["to be made first: it is a class, not an object"]
    if lacks:
        raise InputError(
            f"The {role.replace('_', '-')} given is of type {_type_of(model)} and has "
            f"{' and '.join(lacks)}. See {protocol} in gistmeter.models.protocols"
        )


class PlainEmbedder:
    """Sentence vectors of a model that gives nothing else; brought to unit length."""

    def __init__(self, model: Any) -> None:
        self.model, self.width = model, 0

    def read(self, texts: Sequence[str]) -> Iterator[tuple[int, TextVectors | Failure]]:
        none = np.zeros((0, 0), np.float32), np.zeros(0, np.int64), np.zeros(0, np.bool_)
        for index, row in ask(texts, self.model.embed, self._take):
            if isinstance(row, Failure):
                yield index, row
            else:
                vector = to_unit(row[:-1].astype(np.float32))
                yield index, TextVectors(*none, vector, float(row[-1]))

    def _take(self, answer: Any, count: int) -> list[Row]:
        vectors = numbers_of(answer, "vectors")
        if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
            raise ModelError(f"the model gave vectors of shape {vectors.shape} for {count} texts")
        if self.width and vectors.shape[1] != self.width:
            raise ModelError(
                f"the model gave {vectors.shape[1]} numbers per text after {self.width}"
            )
        self.width = vectors.shape[1]
        zeros = Failure("the model gave a vector of zeros")
        return [
            row if isinstance(row, Failure) or row[:-1].any() else zeros
            for row in finish(answer, vectors)
        ]


class PlainPairs:
    """Numbers of pairs, by a matcher, a cross-encoder or an entailment model."""

    def __init__(self, model: Any, role: str) -> None:
        self.method: Callable[[Sequence[TextPair]], Any] = getattr(model, METHODS[role][0])
        self.role = role

    def read(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Row]]:
        return ask(pairs, self.method, self._take)

    def _take(self, answer: Any, count: int) -> list[Row]:
        columns = [numbers_of(answer, name) for name in COLUMNS[self.role]]
        for name, column in zip(COLUMNS[self.role], columns, strict=True):
            if column.shape != (count,):
                raise ModelError(f"the model gave '{name}' of shape {column.shape} for {count}")
        rows = finish(answer, np.stack(columns, axis=1))
        return [row if isinstance(row, Failure) else self._bound(row) for row in rows]

    def _bound(self, row: Float64) -> Row:
        values = row[:-1]
        low = -1.0 if self.role == "matcher" else 0.0
        if values.min() < low - SLACK or values.max() > 1 + SLACK:
            return Failure(f"the model left the range [{low:g}, 1]")
        if self.role == "nli" and abs(values.sum() - 1) > 0.01:
            return Failure("the model gave probabilities that do not sum to 1")
        return np.round(np.append(values.clip(low, 1), row[-1]), DECIMALS)


def ask(
    inputs: Sequence[Input],
    method: Callable[[Sequence[Input]], Any],
    take: Callable[[Any, int], list[Row]],
) -> Iterator[tuple[int, Row]]:
    """Rows of numbers, the unseen share last, as they come."""
    failed, reason = 0, ""
    for start in range(0, len(inputs), PART):
        part = inputs[start : start + PART]
        rows = Failure("") if failed >= PATIENCE else _call(part, method, take)
        if not isinstance(rows, Failure):
            yield from enumerate(rows, start)
            continue
        for at, entry in enumerate(part, start):
            if failed >= PATIENCE:
                yield at, Failure(f"not asked: after {PATIENCE} failures in a row ({reason})")
                continue
            alone = _call([entry], method, take)
            row = alone if isinstance(alone, Failure) else alone[0]
            if isinstance(row, Failure):
                failed, reason = failed + 1, row.reason
            else:
                failed = 0
            yield at, row


def _call(
    part: Sequence[Input],
    method: Callable[[Sequence[Input]], Any],
    take: Callable[[Any, int], list[Row]],
) -> list[Row] | Failure:
    """The rows of a part; one failure where the call failed as a whole."""
    try:
        return take(method(list(part)), len(part))
    except InputError:
        raise
    except ModelError as error:
        return [Failure(str(error))] * len(part)
    except Exception as error:
        return Failure(describe_failure(error))


def numbers_of(answer: Any, name: str) -> Float64:
    """A field of an answer as an array."""
    if not hasattr(answer, name):
        raise ModelError(f"the model answered with {_type_of(answer)}, which has no '{name}'")
    try:
        return np.asarray(getattr(answer, name), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the model gave '{name}' that are not numbers") from error


def finish(answer: Any, table: Float64) -> list[Row]:
    """Each row with its unseen share, or with the reason why there is none."""
    unseen = np.zeros(len(table)) if not hasattr(answer, "unseen") else numbers_of(answer, "unseen")
    if unseen.shape != (len(table),):
        raise ModelError(f"the model gave 'unseen' of shape {unseen.shape} for {len(table)}")
    failures = getattr(answer, "failures", None) or {}
    if not isinstance(failures, Mapping):
        raise ModelError("the model gave 'failures' that are not reasons by position")
    rows: list[Row] = []
    for at, numbers in enumerate(table):
        if at in failures:
            rows.append(Failure(str(failures[at])[:200]))
        elif np.isfinite(numbers).all():
            rows.append(np.append(numbers, np.nan_to_num(unseen[at]).clip(0, 1)))
        else:
            rows.append(NOT_FINITE)
    return rows


def _type_of(value: Any) -> str:
    return type(value).__qualname__
