"""Models that read two texts together: cross-encoder and entailment.

A pair that is longer than the model's maximum is cut (the longer text first), for a joint reading
cannot be pooled from windows; the share of its tokens that was cut off is reported with each
answer, stored with it, and never silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.models.batching import NOT_FINITE, Failure, run_in_batches
from gistmeter.models.protocols import TextPair

Float64 = npt.NDArray[np.float64]
DECIMALS = 7


@dataclass(frozen=True, slots=True)
class PairTokens:
    """A pair as the model reads it."""

    ids: Sequence[int]
    types: Sequence[int]  # 0 for the first text, 1 for the second, where the model wants them
    unseen: float  # share of the two texts' tokens that was cut off


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
        lengths = [len(one.ids) for one in tokens]

        def run(batch: Sequence[int]) -> list[Float64 | Failure]:
            table = reader.read([tokens[at] for at in batch])
            unseen = [[tokens[at].unseen] for at in batch]
            rows = np.round(np.concatenate([table, unseen], axis=1), DECIMALS)
            return [row if np.isfinite(row).all() else NOT_FINITE for row in rows]

        yield from run_in_batches(lengths, run, budget=reader.budget, pads=reader.pads)
