"""Several references for one candidate: every pair is judged, then the judgements are put together.

A candidate is compared with each of its references r_1 … r_k, and the values v_1 … v_k become one:
their maximum ("some reference agrees") or their mean ("the references agree on the whole"). Values
that a model could not give are left out; without any value the result is undefined. Where a system
was made to be compared with the whole cell of its references (`against`), that is one reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError
from gistmeter.core.item_columns import kept_texts
from gistmeter.core.rows import Rows, Value, divide
from gistmeter.core.types import Pair
from gistmeter.core.views import Row
from gistmeter.languages import Polarity
from gistmeter.metrics.missing import NO_PREDICTION, NO_REFERENCE
from gistmeter.text import BETWEEN, CELL, STRUCTURE

Aggregate = Literal["max", "mean"]
AGGREGATES: tuple[Aggregate, ...] = ("max", "mean")
Floats = npt.NDArray[np.float64]

NO_WORDS = "no words in prediction or reference"
REFERENCES = "references"  # a column: the list of references, where a joined text hides it
Against = Literal["references", "cell"]  # what a candidate is compared with


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every candidate with every reference of its own, one after another."""

    candidates: list[str]
    references: list[str]
    owner: npt.NDArray[np.int64]  # the row that each comparison belongs to; never decreases
    rows: int
    reasons: Mapping[int, str]  # rows without any comparison

    @classmethod
    def of(cls, pairs: Sequence[Pair], against: Against = "references") -> Comparisons:
        candidates: list[str] = []
        references: list[str] = []
        owner: list[int] = []
        reasons: dict[int, str] = {}
        for at, pair in enumerate(pairs):
            known = [reference for reference in pair.references if reference.strip()]
            if known and against == "cell":
                known = [pair.fields.get(CELL) or BETWEEN.join(known)]
            if not (pair.candidate or "").strip():
                reasons[at] = NO_PREDICTION
            elif not known:
                reasons[at] = NO_REFERENCE
            else:
                candidates += [pair.candidate or ""] * len(known)
                references += known
                owner += [at] * len(known)
        return cls(candidates, references, np.asarray(owner, dtype=np.int64), len(pairs), reasons)

    def __len__(self) -> int:
        return len(self.candidates)

    def aggregate(self, values: npt.ArrayLike, how: Aggregate) -> Floats:
        """One value per row, NaN where no comparison of the row has one."""
        column = np.asarray(values, dtype=np.float64)
        seen = ~np.isnan(column)
        owner, column = self.owner[seen], column[seen]
        result = np.full(self.rows, np.nan)
        if how == "mean":
            counts = np.bincount(owner, minlength=self.rows)
            sums = np.bincount(owner, column, minlength=self.rows)
            np.divide(sums, counts, out=result, where=counts > 0)
        elif len(owner):
            starts = np.flatnonzero(np.diff(owner, prepend=-1))
            result[owner[starts]] = np.maximum.reduceat(column, starts)
        return result

    def best(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """For each row the comparison whose value is highest (the first of equals), or -1."""
        column = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=-np.inf)
        order = np.lexsort((-np.arange(len(column)), column, self.owner))
        found = np.full(self.rows, -1, dtype=np.int64)
        if len(order):
            ends = np.flatnonzero(np.diff(self.owner[order], append=self.rows))
            found[self.owner[order][ends]] = order[ends]
        return found

    def without_value(self, column: Floats, failures: Mapping[int, str]) -> dict[int, str]:
        """Why rows have no value: no text, a model's failure, or no words."""
        known = {**failures, **self.reasons}
        return {at: known.get(at, NO_WORDS) for at in np.flatnonzero(np.isnan(column)).tolist()}

    def blame(self, failures: Mapping[int, str]) -> dict[int, str]:
        """Failures by comparison as reasons by row."""
        return {int(self.owner[at]): why for at, why in sorted(failures.items(), reverse=True)}


def mean_of_defined(values: Sequence[Value] | Floats) -> Value:
    """The mean of numbers, or of columns cell by cell, that skips what is undefined."""
    stacked = np.asarray(values, dtype=np.float64)
    seen = ~np.isnan(stacked)
    mean: Value = divide(np.where(seen, stacked, 0.0).sum(axis=0), seen.sum(axis=0))
    return mean


def base_rows(pairs: Sequence[Pair]) -> Rows:
    """A row for each pair, with its texts and the input's further columns."""
    return Rows.of(pairs).with_texts({**kept_texts(pairs), **shown_texts(pairs)})


def shown_texts(pairs: Sequence[Pair]) -> dict[str, list[str | None]]:
    """The texts that a reader wants beside the numbers."""
    columns: dict[str, list[str | None]] = {
        "prediction": [pair.candidate for pair in pairs],
        "reference": [BETWEEN.join(pair.references) or None for pair in pairs],
    }
    if any(pair.stripped for pair in pairs):
        columns["stripped"] = [pair.stripped or None for pair in pairs]
    if any(STRUCTURE in pair.fields for pair in pairs):
        columns[STRUCTURE] = [pair.fields.get(STRUCTURE) for pair in pairs]
    hidden = [any(BETWEEN.strip() in text for text in pair.references) for pair in pairs]
    if any(hidden):
        columns[REFERENCES] = [
            json.dumps(pair.references, ensure_ascii=False) if ambiguous else None
            for pair, ambiguous in zip(pairs, hidden, strict=True)
        ]
    return columns


def stored_references(row: Row) -> list[str]:
    """The references one by one: as the list that was kept, or else as the joined text has them."""
    joined, kept = row.text("reference"), row.document(REFERENCES)
    if isinstance(kept, list):
        return [str(text) for text in kept]
    return joined.split(BETWEEN) if joined else []


def require_known(what: str, value: str, known: Iterable[str]) -> None:
    """An error where a setting has none of its values."""
    if value not in known:
        raise InputError(f"{what} '{value}': expected one of {', '.join(known)}")


class TextReader(Protocol):
    """A language as metrics see it: a pack's own answers, possibly remembered."""

    @property
    def id(self) -> str: ...
    @property
    def lists(self) -> str:
        """The name of its word lists."""

    @property
    def plain(self) -> bool:
        """Whether content words are taken as the analyser gives them."""

    def content_words(self, text: str) -> list[str]: ...
    def words(self, text: str) -> list[str]: ...
    def normalise(self, text: str) -> str: ...
    def polarity(self, text: str) -> Polarity: ...


def normal_words(reader: TextReader, text: str) -> list[str]:
    """All words of the normalised text."""
    return reader.words(reader.normalise(text))


def assign_readers(pairs: Sequence[Pair], readers: Mapping[str, TextReader]) -> list[TextReader]:
    """The language of each pair, the first where it names none that is there.

    A reader that looks up many texts at once gets all of its own.
    """
    first = next(iter(readers.values()))
    chosen = [readers.get(pair.language, first) for pair in pairs]
    for reader in dict.fromkeys(chosen):
        prepare = getattr(reader, "prepare", None)
        if prepare is not None:
            own = [pair for pair, one in zip(pairs, chosen, strict=True) if one is reader]
            prepare(text for pair in own for text in (pair.candidate or "", *pair.references))
    return chosen
