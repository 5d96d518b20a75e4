"""Models that read two texts together, through the cache: cross-encoder and entailment.

A pair that is longer than the model's maximum is cut (the longer text first), for a joint reading
cannot be pooled from windows; the share of its tokens that was cut off is reported with each
answer, stored with it, and never silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.cache import Cache
from gistmeter.models.batching import Failure, run_in_batches
from gistmeter.models.protocols import Judgements, PairScores, TextPair
from gistmeter.models.recall import Numbers, Progress, Recall, recall_or_compute

Float64 = npt.NDArray[np.float64]
DECIMALS = 7


@dataclass(frozen=True, slots=True)
class PairTokens:
    """A pair as the model reads it."""

    ids: Sequence[int]
    types: Sequence[int]  # 0 for the first text, 1 for the second, where the model wants them
    unseen: float  # share of the two texts' tokens that was cut off


class PairReader(Protocol):
    """A back end that reads pairs: one number a pair (cross-encoder) or three (entailment)."""

    @property
    def id(self) -> str: ...
    @property
    def pads(self) -> bool: ...
    @property
    def budget(self) -> int: ...
    def tokenize(self, pairs: Sequence[TextPair]) -> list[PairTokens]: ...
    def read(self, pairs: Sequence[PairTokens]) -> Float64:
        """(pairs, numbers); for entailment in the order entailment, neutral, contradiction."""


class _CachedPairs:
    """What both wrappers share: the numbers of each pair, its unseen share last."""

    stage, numbers = "", 1

    def __init__(
        self,
        name: str,
        reader: Callable[[], PairReader],
        cache: Cache,
        *,
        progress: Progress | None = None,
    ) -> None:
        self._id, self._reader, self._progress = name, reader, progress
        self.recall = Recall(cache, name, "f8", self.numbers + 1)

    @property
    def id(self) -> str:
        return self._id

    def _answer(self, pairs: Sequence[TextPair]) -> tuple[Float64, dict[int, str]]:
        answers, failures = recall_or_compute(
            self.recall, pairs, self._compute, stage=self.stage, progress=self._progress
        )
        table = np.full((len(pairs), self.numbers + 1), np.nan)
        for at, answer in enumerate(answers):
            if answer is not None:
                table[at] = answer
        return table, failures

    def _compute(self, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Numbers | Failure]]:
        reader = self._reader()
        tokens = reader.tokenize(pairs)
        lengths = [len(one.ids) for one in tokens]

        def run(batch: Sequence[int]) -> list[Numbers | Failure]:
            table = reader.read([tokens[at] for at in batch])
            unseen = [[tokens[at].unseen] for at in batch]
            rows = np.round(np.concatenate([table, unseen], axis=1), DECIMALS)
            return [row if np.isfinite(row).all() else NOT_FINITE for row in rows]

        yield from run_in_batches(lengths, run, budget=reader.budget, pads=reader.pads)


NOT_FINITE = Failure("the model gave numbers that are not finite")


class CachedCrossEncoder(_CachedPairs):
    """A score in [0, 1] for each pair."""

    stage, numbers = "cross-encoding", 1

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        table, failures = self._answer(pairs)
        return PairScores(table[:, 0].copy(), table[:, 1].copy(), failures)


class CachedEntailment(_CachedPairs):
    """Entailment, neutral and contradiction of each (premise, hypothesis)."""

    stage, numbers = "entailment", 3

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        table, failures = self._answer(pairs)
        yes, neutral, no, unseen = (table[:, at].copy() for at in range(4))
        return Judgements(yes, neutral, no, unseen, failures)
