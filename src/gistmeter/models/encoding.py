"""Texts to vectors of their tokens, once for all who ask.

A back end (`TokenEncoder`) cuts a text into windows that fit its maximum length and turns windows
into hidden states. `SharedEncoder` puts the windows of many texts into batches and the windows of
a text together again: the text's vector is the mean of its windows' vectors weighted by their
tokens, at unit length (for mean pooling, exactly the mean over all tokens); its token vectors stand
one after another. Vectors of tokens are kept for a while, within a bound, so that an embedder and a
matcher with the same model read a text once between them.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import GistmeterError
from gistmeter.models.batching import NOT_FINITE, Failure, describe_failure, run_in_batches

Float32 = npt.NDArray[np.float32]
STORE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Window:
    """What a model reads at once: token ids, and which of them are not of the text itself."""

    ids: Sequence[int]
    special: Sequence[bool]


@dataclass(frozen=True, slots=True)
class States:
    """What a model made of a window; a part that was not asked for is empty."""

    tokens: Float32  # (tokens, width), of the layer that is matched
    vector: Float32  # (width,), the window's sentence vector


class TokenEncoder(Protocol):
    """A back end that reads one text at a time."""

    @property
    def id(self) -> str:
        """Weights, revision and how texts are cut; not what is done with the vectors."""

    @property
    def pooling(self) -> str:
        """How a sentence vector is made, and `layer`, where token vectors come from."""

    @property
    def layer(self) -> int: ...

    @property
    def pads(self) -> bool:
        """Whether windows of different lengths may share a batch."""

    @property
    def budget(self) -> int:
        """Tokens in a batch."""

    def tokenize(self, texts: Sequence[str]) -> list[list[Window]]: ...
    def encode(self, windows: Sequence[Window]) -> list[States]: ...


@dataclass(frozen=True, slots=True)
class TextVectors:
    """A text as the model sees it; without tokens where the model gives none."""

    tokens: Float32  # unit rows
    ids: npt.NDArray[np.int64]
    special: npt.NDArray[np.bool_]
    vector: Float32  # unit length
    unseen: float = 0.0  # share of the text beyond what the model could see

    @property
    def nbytes(self) -> int:
        return self.tokens.nbytes + self.ids.nbytes + self.special.nbytes + self.vector.nbytes


def cut(length: int, room: int) -> list[slice]:
    """Windows of nearly equal size over `length` tokens, none above `room`; one for an empty text.

    >>> cut(10, 4)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    number = max(1, -(-length // room))
    edges = [length * part // number for part in range(number + 1)]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def to_unit(vectors: Float32) -> Float32:
    """Rows at unit length; a row of zeros stays."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(norms == 0, np.float32(1), norms), dtype=np.float32)


def assemble(windows: Sequence[Window], states: Sequence[States]) -> TextVectors:
    """A text from its windows."""
    ids = np.concatenate([np.asarray(window.ids, dtype=np.int64) for window in windows])
    special = np.concatenate([np.asarray(window.special, dtype=np.bool_) for window in windows])
    tokens = to_unit(np.concatenate([state.tokens for state in states]))
    sizes = np.asarray([len(window.ids) for window in windows], dtype=np.float32)
    vector = states[0].vector
    if len(states) > 1:
        stacked = np.stack([state.vector for state in states])
        vector = np.asarray(sizes @ stacked / sizes.sum(), dtype=np.float32)
    return TextVectors(tokens, ids, special, to_unit(vector))


class VectorStore:
    """Texts' vectors within a bound, for all threads of a process.

    A text that had to be read twice is kept longer than others.

    Predictions come once, references again and again with many predictions between: so texts seen
    before go to a half of their own, from which the flood of new ones cannot wash them out.
    """

    def __init__(self, memory: int = STORE_BYTES) -> None:
        self._halves: tuple[dict[str, TextVectors], ...] = ({}, {})
        self._held = [0, 0]
        self._memory = memory // 2
        self._seen: set[int] = set()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[VectorStore], tuple[int]]:
        return VectorStore, (2 * self._memory,)  # another process begins with none

    def get(self, text: str) -> TextVectors | None:
        with self._lock:
            for half in self._halves:
                if text in half:
                    half[text] = found = half.pop(text)  # now the youngest
                    return found
        return None

    def put(self, text: str, vectors: TextVectors) -> None:
        mark = hash(text)
        with self._lock:
            at = int(mark in self._seen)
            self._seen.add(mark)
            half = self._halves[at]
            self._held[at] += vectors.nbytes - (half.pop(text).nbytes if text in half else 0)
            half[text] = vectors
            while self._held[at] > self._memory:
                self._held[at] -= half.pop(next(iter(half))).nbytes


class SharedEncoder:
    """One back end for all roles it plays in a run."""

    def __init__(self, backend: TokenEncoder, *, store: VectorStore | None = None) -> None:
        self.backend, self.store = backend, store

    def read(self, texts: Sequence[str]) -> Iterator[tuple[int, TextVectors | Failure]]:
        """Vectors of distinct texts as they come, each with the text's index."""
        # What another model read with the same weights on its way need not be read again.
        stores = [s for s in (self.store, getattr(self.backend, "elsewhere", None)) if s]
        todo = []
        for index, text in enumerate(texts):
            known = next((found for store in stores if (found := store.get(text))), None)
            if known is None:
                todo.append(index)
            else:
                yield index, known
        for index, answer in self._compute([texts[index] for index in todo]):
            if self.store is not None and isinstance(answer, TextVectors):
                self.store.put(texts[todo[index]], answer)
            yield todo[index], answer

    def _compute(self, texts: Sequence[str]) -> Iterator[tuple[int, TextVectors | Failure]]:
        windows: list[list[Window]] = []
        for index, cut_text in enumerate(self._tokenize(texts) if texts else ()):
            if isinstance(cut_text, Failure):
                yield index, cut_text
            windows.append([] if isinstance(cut_text, Failure) else cut_text)
        flat = [(index, part) for index, parts in enumerate(windows) for part in range(len(parts))]
        lengths = [len(windows[index][part].ids) for index, part in flat]
        partial: dict[int, dict[int, States | Failure]] = {}

        def run(batch: Sequence[int]) -> list[States]:
            return self.backend.encode([windows[flat[at][0]][flat[at][1]] for at in batch])

        done = run_in_batches(lengths, run, budget=self.backend.budget, pads=self.backend.pads)
        for at, states in done:
            index, part = flat[at]
            held = partial.setdefault(index, {})
            held[part] = states
            if len(held) == len(windows[index]):
                yield index, _join(windows[index], [held[key] for key in sorted(held)])
                del partial[index]

    def _tokenize(self, texts: Sequence[str]) -> Sequence[list[Window] | Failure]:
        """Windows of each text; one that the tokenizer cannot take does not harm the others."""
        try:
            return self.backend.tokenize(texts)
        except GistmeterError:
            raise
        except Exception as error:  # whatever a tokenizer makes of half a character
            if len(texts) == 1:
                return [Failure(describe_failure(error))]
            return [self._tokenize([text])[0] for text in texts]


def _join(windows: Sequence[Window], states: Sequence[States | Failure]) -> TextVectors | Failure:
    for state in states:
        if isinstance(state, Failure):
            return state
    answer = assemble(windows, [state for state in states if isinstance(state, States)])
    if np.isfinite(answer.tokens).all() and np.isfinite(answer.vector).all():
        return answer
    return NOT_FINITE
