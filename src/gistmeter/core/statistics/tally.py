"""Tallies: all that a part of the rows adds to the scores of a run.

A tally holds sums and counts, never rows, and tallies of parts add up to that of the whole. So the
parts of a large run are tallied where they lie, and adding them up needs memory for the scores and
their resamples alone. A score that sums cannot give raises `NeedsValues`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from gistmeter.core.rows import Floats, Labelled, Rows, Value, divide
from gistmeter.core.statistics.bootstrap import FEWEST, ROWS, keyed_sums, scaled
from gistmeter.core.statistics.pool import Clustered, NeedsValues, PoolFunction, Question, Resample
from gistmeter.core.types import Metric

Sums = dict[Question, Floats]
MOST = 2000  # questions: a pool that asks as many as there are items needs the items


@dataclass(slots=True)
class SystemTally:
    """One system's part: its sums (first as they are, then by resample) and its counts."""

    names: set[str]
    sums: Sums
    groups: dict[str, Sums]
    counts: Counter[tuple[str, str]]  # (column, "n" or "unscored") -> rows
    reasons: dict[str, Counter[str]]  # column -> reason -> rows
    items: dict[str, int]  # column -> the sum of its defined rows' hashes: equal for the same items
    clusters: set[str]  # some, as many as are enough

    @classmethod
    def of(cls, rows: Rows, pool: PoolFunction, resamples: int, seed: int) -> Self:
        clustered = _asked(rows, pool)
        parts = {group: _asked(part, pool) for group, part in rows.by("group").items()}
        labels = list(dict.fromkeys(rows.keys["cluster"]))
        named = zip(rows.keys["id"], rows.keys["group"], strict=True)
        hashes = np.array([hash_of(*name) for name in named], np.uint64)
        return cls(
            set(rows.names),
            keyed_sums(clustered, labels, resamples, seed),
            {
                group: {key: sums.sum(keepdims=True) for key, sums in asked.totals.items()}
                for group, asked in parts.items()
            },
            Counter({
                (name, kind): number
                for name in rows.names
                for kind, number in zip(("n", "unscored"), count_rows(rows, name), strict=True)
            }),
            {name: Counter(cells.values()) for name, cells in rows.reasons.items()},
            {
                name: int(hashes[~np.isnan(column)].sum(dtype=np.uint64))
                for name, column in rows.numbers.items()
            },
            set(labels[:FEWEST]),
        )  # fmt: skip

    def add(self, other: SystemTally) -> None:
        """Add what another part holds of the same system."""
        self._refuse_unasked(other)
        self.names |= other.names
        _add(self.sums, other.sums)
        for group, sums in other.groups.items():
            _add(self.groups.setdefault(group, {}), sums)
        self.counts.update(other.counts)
        for name, reasons in other.reasons.items():
            self.reasons.setdefault(name, Counter()).update(reasons)
        for name, hashed in other.items.items():
            self.items[name] = (self.items.get(name, 0) + hashed) % (1 << 64)
        self.clusters = set(sorted(self.clusters | other.clusters)[:FEWEST])

    @property
    def rows(self) -> int:
        return int(self.sums[ROWS][0])

    def count(self, basis: str) -> tuple[int, int]:
        """Rows with a value, and rows that lack one; of no column all rows have one."""
        if basis not in self.names:
            return self.rows, 0
        return self.counts[basis, "n"], self.counts[basis, "unscored"]

    def why(self, basis: str) -> dict[str, int]:
        return dict(self.reasons.get(basis, {}))

    def explain(self, metric: Metric, name: str) -> str | None:
        if getattr(metric, "explain", None) is None:
            return None
        raise NeedsValues(f"Why {name} is undefined is said by its rows")

    def _refuse_unasked(self, other: SystemTally) -> None:
        """A pool that asks different questions of different parts cannot be added up."""
        for first, second in ((self, other), (other, self)):
            paths = {_path(question) for question in second.sums}
            for question in first.sums.keys() - second.sums.keys():
                columns = question[len(_path(question)) + 1 :]
                if _path(question) in paths and second.names.issuperset(columns):
                    raise NeedsValues(f"{question} was asked of one part and not of another")


@dataclass(slots=True)
class Tally:
    """What a part of a run holds, by system; also what is counted for the run's notes."""

    systems: dict[str, SystemTally] = field(default_factory=dict)
    unscored: Counter[str] = field(default_factory=Counter)  # reason -> rows
    counted: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, pool: PoolFunction, resamples: int, seed: int) -> Self:
        return cls({
            system: SystemTally.of(own, pool, resamples, seed)
            for system, own in rows.by("system").items()
        }, Counter(count_reasons(rows)))  # fmt: skip

    def add(self, other: Tally) -> None:
        for system, own in other.systems.items():
            if system in self.systems:
                self.systems[system].add(own)
            else:
                self.systems[system] = own
        self.unscored.update(other.unscored)
        self.counted = add_up(self.counted, other.counted)


@dataclass(frozen=True, slots=True)
class Tallied:
    """A pool of sums that are known: what a metric sees of a tally."""

    sums: Mapping[Question, Floats]
    names: tuple[str, ...]
    path: Question = ()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def sum(self, name: str) -> Value:
        return self._sum("sum", name)

    def mean(self, name: str) -> Value:
        return np.asarray(divide(self._sum("sum", name), self._sum("count", name)))

    def ratio(self, numerator: str, denominator: str) -> Value:
        sides = (self._sum(kind, numerator, denominator) for kind in ("above", "below"))
        return np.asarray(divide(*sides))

    def by(self, key: str) -> dict[str, Tallied]:
        depth = len(self.path)
        found = {
            question[depth + 1]: Tallied(self.sums, self.names, question[: depth + 2])
            for question in self.sums
            if question[:depth] == self.path and _path(question)[depth : depth + 1] == (key,)
        }
        if not found:
            raise NeedsValues(f"nothing was asked by '{key}'")
        return found

    def labelled(self, name: str) -> Labelled:
        raise NeedsValues(f"The counts '{name}' were asked of sums")

    def values(self, name: str) -> Floats:
        raise NeedsValues(f"The column '{name}' was asked of sums")

    def _sum(self, kind: str, *names: str) -> Floats:
        try:
            return self.sums[*self.path, kind, *names]
        except KeyError:
            raise NeedsValues(f"'{kind}' of {', '.join(names)} is not known") from None


def pooled(own: SystemTally) -> tuple[Tallied, Tallied, dict[str, Tallied]]:
    """What metrics pool: the data as they are, all resamples, and each group as it is."""
    if len(own.clusters) < FEWEST:
        raise NeedsValues("There are too few clusters to add up part by part")
    names = tuple(sorted(own.names))
    resampled = {question: sums[1:] for question, sums in scaled(own.sums).items()}
    first = {question: sums[:1] for question, sums in own.sums.items()}
    groups = {group: Tallied(sums, names) for group, sums in own.groups.items()}
    return Tallied(first, names), Tallied(resampled, names), groups


def count_rows(rows: Rows, basis: str) -> tuple[int, int]:
    """How many rows have a value, and how many lack one.

    An item with parts may have its value in one of them: the others, without a reason, lack none.
    """
    undefined = np.isnan(rows.values(basis))
    silent = undefined & np.isin(rows.item, rows.item[~undefined])
    silent[list(rows.reasons.get(basis, {}))] = False
    return int((~undefined).sum()), int((undefined & ~silent).sum())


def count_reasons(rows: Rows) -> dict[str, int]:
    """How many rows carry each reason, whichever of their cells it is about."""
    pairs = {(at, why) for cells in rows.reasons.values() for at, why in cells.items()}
    return dict(Counter(why for _, why in sorted(pairs)))


def add_up(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by name, which may be nested, added to others."""
    total = dict(first)
    for name, value in second.items():
        nested = isinstance(value, Mapping)
        total[name] = add_up(total.get(name, {}), value) if nested else total.get(name, 0) + value
    return total


def hash_of(*parts: str) -> int:
    """64 bits that a name always has."""
    named = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "little")


def _asked(rows: Rows, pool: PoolFunction) -> Clustered:
    """The totals by cluster of all that a pool asks."""
    clustered = Clustered.of(rows)
    pool(Resample(clustered, np.ones((1, clustered.size))))
    if clustered.entries or len(clustered.totals) > MOST:
        raise NeedsValues("More was asked for than a few sums")
    return clustered


def _add(held: Sums, further: Mapping[Question, Floats]) -> None:
    for question, sums in further.items():
        held[question] = held[question] + sums if question in held else sums
    if len(held) > MOST:
        raise NeedsValues(f"More than {MOST} questions were asked")


def _path(question: Question) -> Question:
    """The keys and labels before what is asked: of one column ("sum", name), or of two."""
    return question[: len(question) - (3 if len(question) % 2 else 2)]
