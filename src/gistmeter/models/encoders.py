"""Texts to vectors of their tokens, once for all who ask; and pairs of texts read together.

A back end (`TokenEncoder`) cuts a text into windows that fit its maximum length and turns windows
into hidden states. `SharedEncoder` puts the windows of many texts into batches and the windows of
a text together again: the text's vector is the mean of its windows' vectors weighted by their
tokens, at unit length (for mean pooling, exactly the mean over all tokens); its token vectors stand
one after another. They stay in the run's memory for a while, so that embedder, matcher and judge
read a text once between them where they have the same model.

A pair that is read jointly (`PairReader`) and is longer than the model's maximum is cut, the longer
text first, for such a reading cannot be pooled from windows. The share of its tokens that was cut
off is reported with each answer and stored with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from gistmeter.core.cache import Cache
from gistmeter.core.errors import GistmeterError
from gistmeter.models.batching import NOT_FINITE, Failure, describe_failure, run_in_batches
from gistmeter.models.products import times
from gistmeter.models.protocols import TextPair

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
DECIMALS = 7


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
    layers: Sequence[Float32] = ()  # (tokens, width) each, what another model reads on from


@runtime_checkable
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

    def size(self) -> int:
        """In bytes."""
        return self.tokens.nbytes + self.ids.nbytes + self.special.nbytes + self.vector.nbytes


def cut(length: int, room: int) -> list[slice]:
    """Windows of nearly equal size over `length` tokens, none above `room`; one for an empty text.

    >>> cut(10, 4)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    number = max(1, -(-length // room))
    edges = [length * part // number for part in range(number + 1)]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def frame_windows(
    ids: Sequence[int], head: Sequence[int], tail: Sequence[int], longest: int
) -> list[Window]:
    """A text's tokens in windows of at most `longest`, each between the same special tokens."""
    windows = []
    for part in cut(len(ids), max(1, longest - len(head) - len(tail))):
        content = ids[part]
        special = [True] * len(head) + [False] * len(content) + [True] * len(tail)
        windows.append(Window([*head, *content, *tail], special))
    return windows


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
        vector = np.asarray(times(stacked.T, sizes) / sizes.sum(), dtype=np.float32)
    return TextVectors(tokens, ids, special, to_unit(vector))


def vectors_name(encoder: str, pooling: str, layer: int) -> str:
    """The name under which a run remembers the vectors of texts."""
    return f"vectors/{encoder}/{pooling}/layer={layer}"


def layers_place(encoder: str, window: Window) -> tuple[str, bytes]:
    """Where a run's spool keeps the layers of a window."""
    return encoder, np.asarray(window.ids, dtype=np.int32).tobytes()


class SharedEncoder:
    """One back end for all roles it plays in a run."""

    def __init__(self, backend: TokenEncoder, cache: Cache | None = None) -> None:
        self.backend, self.cache = backend, cache or Cache(None)

    def read(self, texts: Sequence[str]) -> Iterator[tuple[int, TextVectors | Failure]]:
        """Vectors of distinct texts as they come, each with the text's index."""
        memo, backend = self.cache.memo, self.backend
        name = vectors_name(backend.id, backend.pooling, backend.layer)
        known = memo.find(name, texts)
        yield from ((at, known[text]) for at, text in enumerate(texts) if text in known)
        todo = [at for at, text in enumerate(texts) if text not in known]
        for index, answer in self._compute([texts[at] for at in todo]):
            # What was read for one role alone does not serve another.
            if isinstance(answer, TextVectors) and answer.tokens.size and answer.vector.size:
                memo.keep(name, {texts[todo[index]]: answer}, TextVectors.size)
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
            parts = [windows[flat[at][0]][flat[at][1]] for at in batch]
            states = self.backend.encode(parts)
            if (spool := self.cache.memo.spool) is not None:
                for window, made in zip(parts, states, strict=True):
                    if made.layers:
                        value = b"".join(layer.tobytes() for layer in made.layers)
                        spool.keep(layers_place(self.backend.id, window), value)
            return states

        done = run_in_batches(lengths, run, budget=self.backend.budget, pads=self.backend.pads)
        for at, states in done:
            index, part = flat[at]
            done_parts = partial.setdefault(index, {})
            done_parts[part] = states
            if len(done_parts) == len(windows[index]):
                yield index, _join(windows[index], [done_parts[key] for key in sorted(done_parts)])
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


@dataclass(frozen=True, slots=True)
class PairTokens:
    """A pair as the model reads it."""

    ids: Sequence[int]
    types: Sequence[int]  # 0 for the first text, 1 for the second, where the model wants them
    unseen: float  # share of the two texts' tokens that was cut off


@runtime_checkable
class PairReader(Protocol):
    """A back end that reads pairs: one number per pair (cross-encoder) or three (entailment)."""

    @property
    def id(self) -> str: ...
    @property
    def pads(self) -> bool: ...
    @property
    def budget(self) -> int: ...
    def tokenize(self, pairs: Sequence[TextPair]) -> list[PairTokens]: ...
    def read(self, pairs: Sequence[PairTokens]) -> Float64:
        """(pairs, numbers); for entailment in the order entailment, neutral, contradiction."""


class JointReading:
    """The numbers of each pair, the share that was not seen last."""

    def __init__(self, reader: PairReader) -> None:
        self.reader = reader

    def read(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Float64 | Failure]]:
        reader = self.reader
        tokens = reader.tokenize(pairs)
        lengths = [len(pair.ids) for pair in tokens]

        def run(batch: Sequence[int]) -> list[Float64 | Failure]:
            table = reader.read([tokens[at] for at in batch])
            unseen = [[tokens[at].unseen] for at in batch]
            rows = np.round(np.concatenate([table, unseen], axis=1), DECIMALS)
            return [row if np.isfinite(row).all() else NOT_FINITE for row in rows]

        yield from run_in_batches(lengths, run, budget=reader.budget, pads=reader.pads)
