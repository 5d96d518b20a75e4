"""Who is compared with whom, and on which items.

Systems of one run or of several are matched by what names an item: its id and its group (a text
in one arrangement). Items that only one side has are counted and left out, and a cell that one
side leaves undefined is left out of both, so that a system cannot win by failing on hard items.
Items that have several rows (a book's sentences, which differ from summary to summary) are
matched by cluster.

Runs whose signatures differ were measured with different rulers: comparing them is refused, with
the parts that differ, unless the user insists.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Rows
from gistmeter.core.types import Metric, Score, ScoreInfo

if TYPE_CHECKING:
    from gistmeter.core.run import Run

Bools = npt.NDArray[np.bool_]
_BLOCK = re.compile(r"#\d+$")
OF_THE_SYSTEM = {"system", "recognizer", "recognizers"}  # parts that name the system under test


@dataclass(frozen=True, slots=True)
class Contender:
    """One system of one run, under a name that no other has."""

    name: str
    system: str
    run: Run
    rows: Rows

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return self.run.metrics

    @property
    def scores(self) -> Mapping[str, Score]:
        return self.run.systems[self.system].scores

    def score(self, name: str) -> Score:
        """A score, undefined where there is none."""
        return self.scores.get(name, Score(name, math.nan))

    def metric_of(self, score: str) -> str:
        """The metric that makes a score, or the only one; empty where none declares it."""
        makers = [
            name
            for name, metric in self.metrics.items()
            if len(self.metrics) == 1 or any(info.name == score for info in metric.scores)
        ]
        return makers[0] if makers else ""

    def info(self, score: str) -> ScoreInfo:
        infos = (info for metric in self.metrics.values() for info in metric.scores)
        unknown = ScoreInfo(score, higher_is_better=self.scores[score].higher_is_better)
        return next((info for info in infos if info.name == score), unknown)


@dataclass(frozen=True, slots=True)
class Matched:
    """The rows of two systems on the items they share, cluster by cluster."""

    first: Rows
    second: Rows
    clusters: tuple[str, ...]
    left_out: int  # items that only one of them has
    parts: bool = False  # items have several rows, which pair by item

    def codes(self, rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The number of each row's cluster."""
        number = {label: at for at, label in enumerate(self.clusters)}
        return np.asarray([number[label] for label in rows.keys["cluster"]], dtype=np.int64)


def contenders(runs: Sequence[Run]) -> list[Contender]:
    """All systems of all runs. A name that occurs twice gets its run's folder."""
    pairs = [(run, system) for run in runs for system in run.systems]
    often = Counter(system for _, system in pairs)
    found: list[Contender] = []
    for number, (run, system) in enumerate(pairs, start=1):
        name = system
        if often[system] > 1:
            place = run.path.name if run.path else f"run {number}"
            name = place if len(run.systems) == 1 else f"{place}/{system}"
        while any(name == other.name for other in found):
            name = f"{name} ({number})"
        own = np.flatnonzero(np.asarray(run.measured.keys["system"]) == system)
        found.append(Contender(name, system, run, run.measured.take(own)))
    return found


def shared_scores(among: Sequence[Contender]) -> list[str]:
    """The scores that all of them have, the headline first."""
    return [name for name in known_scores(among) if all(name in one.scores for one in among)]


def known_scores(among: Sequence[Contender]) -> list[str]:
    """The scores that two of them have at least, the headline first, then those with values."""
    often = Counter(name for one in among for name in one.scores)
    valued = Counter(
        name for one in among for name, score in one.scores.items() if math.isfinite(score.value)
    )
    first = [name for name in among[0].run.headline if name in often] if among else []
    names = [name for name in dict.fromkeys([*first, *often]) if often[name] > 1]
    return sorted(names, key=lambda name: valued[name] < 2)


def signature_differences(first: Contender, second: Contender, score: str) -> list[str]:
    """Where the rulers of two systems differ, each as "part: one | other"."""
    if first.run is second.run:
        return []
    one, other = (_parts(side, score) for side in (first, second))
    return [
        f"{key}: {one.get(key, 'absent')} | {other.get(key, 'absent')}"
        for key in dict.fromkeys([*one, *other])
        if key not in OF_THE_SYSTEM and one.get(key) != other.get(key)
    ]


def _parts(side: Contender, score: str) -> dict[str, str]:
    line = side.run.signatures.get(side.metric_of(score)) or side.run.signature
    parts = line.split("|")
    named = {
        key: value
        for key, colon, value in (part.partition(":") for part in parts[1:])
        if colon and not key.startswith("#")
    }
    return {"metric": parts[0], **named}


def match(first: Rows, second: Rows) -> Matched:
    """The items both have, in the order of the first; every cell defined in both or in neither."""
    if _has_parts(first) or _has_parts(second):
        return _match_parts(first, second)
    keys = [_keys(rows) for rows in (first, second)]
    common = set(keys[0]) & set(keys[1])
    left_out = len(set(keys[0]) ^ set(keys[1]))
    one = first.take([at for at, key in enumerate(keys[0]) if key in common])
    where = {key: at for at, key in enumerate(keys[1])}
    two = second.take([where[key] for key in keys[0] if key in common])
    one, two = _undefined(one, two, np.logical_not), _undefined(two, one, np.logical_not)
    # The same item may stand under another cluster name: the first run's names count for both.
    two = replace(two, keys={**two.keys, "cluster": one.keys["cluster"]})
    return Matched(one, two, tuple(dict.fromkeys(one.keys["cluster"])), left_out)


def _has_parts(rows: Rows) -> bool:
    """Do items have several rows, or names that repeat?"""
    return len(np.unique(rows.item)) < len(rows) or len(set(_keys(rows))) < len(rows)


def _match_parts(first: Rows, second: Rows) -> Matched:
    """Items with parts, by cluster. Blocks of one item ("title#3") stand or fall together: a
    summary with more sentences has more blocks, and none of them is to be left out. Several answers
    to one item are matched by what names it, with as many as each side has."""
    items = [set(_wholes(rows)) for rows in (first, second)]
    common = items[0] & items[1]
    one, two = (
        rows.take([at for at, item in enumerate(_wholes(rows)) if item in common])
        for rows in (first, second)
    )
    one, two = _masked_items(one, two), _masked_items(two, one)
    clusters = dict.fromkeys([*one.keys["cluster"], *two.keys["cluster"]])
    return Matched(one, two, tuple(clusters), len(items[0] ^ items[1]), parts=True)


def _masked_items(rows: Rows, other: Rows) -> Rows:
    """The statistics, undefined for items of which the other has none: parts do not pair."""
    ours, theirs = (np.asarray(_wholes(side), dtype=object) for side in (rows, other))

    def without_value(defined: Bools) -> Bools:
        known = set(theirs[defined])
        return np.asarray([item not in known for item in ours], dtype=np.bool_)

    return _undefined(rows, other, without_value)


def _wholes(rows: Rows) -> list[str]:
    """The item that each row belongs to: of blocks the whole, of several answers what names it."""
    if len(np.unique(rows.item)) == len(rows):
        return ["\n".join(key) for key in _keys(rows)]
    return [_BLOCK.sub("", cluster) for cluster in rows.keys["cluster"]]


def _keys(rows: Rows) -> list[tuple[str, ...]]:
    return list(zip(rows.keys["id"], rows.keys["group"], strict=True))


def _undefined(rows: Rows, other: Rows, lacking: Callable[[Bools], Bools]) -> Rows:
    """The statistics that both have, taken back where the other lacks them."""
    return Rows(
        rows.keys,
        rows.item,
        {
            name: np.where(lacking(~np.isnan(other.numbers[name])), np.nan, column)
            for name, column in rows.numbers.items()
            if name in other.numbers
        },
        counts={
            name: table.without(lacking(other.counts[name].known))
            for name, table in rows.counts.items()
            if name in other.counts
        },
    )
