"""Intervals of nine scores in one pass, against nine calls of scipy's bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from benchmarks.harness import Goal, Work, fresh, need
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import ScoreInfo

NAMES = tuple(f"score{number}" for number in range(9))
ITEMS = RESAMPLES = 10_000


@dataclass(frozen=True)
class Nine:
    """Nine scores of the same items."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(ScoreInfo(name) for name in NAMES)

    def measure(self, items: Sequence[Any]) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {name: rows.mean(name) for name in NAMES}


def nine_rows(size: int = ITEMS, system: str = "a", shift: float = 0.0) -> Rows:
    seeded = np.random.default_rng(1)
    ids = [f"item{number}" for number in range(size)]
    keys = {"id": ids, "system": [system] * size, "group": [""] * size, "cluster": ids}
    columns = {name: seeded.normal(0.5 + shift, 0.2, size) for name in NAMES}
    return Rows(keys, np.arange(size)).with_numbers(columns)


def bootstrap(folder: Path) -> Iterator[Work]:
    del folder
    need("scipy")
    from scipy import stats

    from gistmeter.core.statistics import intervals

    rows = nine_rows()

    def ours() -> float:
        """How far our intervals are from scipy's, at most: two seeds of one thing."""
        mine = intervals(Nine().pool, rows, seed=1, resamples=RESAMPLES)
        apart = (abs(a - b) for n in theirs for a, b in zip(mine[n], theirs[n], strict=True))
        return max(apart, default=0.0)

    theirs: dict[str, tuple[float, float]] = {}

    def scipys() -> None:
        name = NAMES[len(theirs) % len(NAMES)]
        found = stats.bootstrap(
            (rows.values(name),), np.mean, n_resamples=RESAMPLES, batch=500, method="percentile",
            rng=1,
        ).confidence_interval  # fmt: skip
        theirs[name] = (found.low, found.high)

    yield Work(
        "nine scores, 10,000 items, 10,000 resamples", fresh(ours), fresh(scipys), "scipy",
        goals=(Goal("ratio", 4, least=True), Goal("megabytes", 500), Goal("value", 0.001)),
        peer_share=1 / len(NAMES),
    )  # fmt: skip


PARTS = (bootstrap,)
