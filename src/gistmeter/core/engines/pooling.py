"""A large run from its shards: each is tallied where it lies, and the tallies are added up.

No process ever holds all rows. What a report shows of single items is an even sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.rows import Rows
from gistmeter.core.runs.layout import SHARDS
from gistmeter.core.runs.shards import Shard
from gistmeter.core.statistics import NeedsValues, Tally, hash_of
from gistmeter.core.statistics.summary import pool_all
from gistmeter.core.types import Metric

if TYPE_CHECKING:
    from gistmeter.core.engines import Engine

SAMPLE = 20_000  # rows that a report shows, about
Count = Callable[[Rows], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Tallying:
    """What is done with each shard: its tally, and its rows of the sample."""

    folder: Path
    metrics: Mapping[str, Metric]
    count: Count
    resamples: int
    seed: int
    share: float  # of the items in the sample

    def __call__(self, shard: Shard) -> tuple[int, Tally | None, Rows]:
        """Where the shard begins, its tally (none where sums do not do), and its sample."""
        rows = shard.read(self.folder)
        try:
            tally = Tally.of(rows, partial(pool_all, self.metrics), self.resamples, self.seed)
        except NeedsValues:
            return shard.first, None, rows.take([])
        tally.counted = dict(self.count(rows))
        limit = self.share * 2**64
        shown = [at for at, name in enumerate(rows.keys["id"]) if hash_of(name) < limit]
        return shard.first, tally, rows.take(shown)


def add_tallies(
    engine: Engine, here: Engine, tallying: Tallying, shards: Sequence[Shard]
) -> tuple[Tally, Rows]:
    """The tally of all shards, and the sample in the order of the input.

    They are added in the order of the input, whatever order they come in: sums of the same numbers
    in another order differ in their last bits. `here` does it where workers do not see the folder.
    """
    at_work = engine if engine.sees([tallying.folder / SHARDS / shards[0].name]) else here
    whole, sample = Tally(), list[Rows]()
    waiting: dict[int, tuple[Tally, Rows]] = {}
    firsts = iter([shard.first for shard in shards])
    following = next(firsts)
    for first, tally, rows in at_work.run(tallying, shards):
        if tally is None:
            raise NeedsValues("A score needs all rows at once")
        waiting[first] = (tally, rows)
        while following in waiting:
            own, shown = waiting.pop(following)
            whole.add(own)
            sample.append(shown)
            following = next(firsts, -1)
    return whole, Rows.merge(sample)
