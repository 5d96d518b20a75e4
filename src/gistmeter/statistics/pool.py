"""The weighted pool: whatever a score asks of its rows, answered for many weightings at once.

Every question of a `rows.Pool` is a sum over rows, so it is a sum over clusters of rows. A
resample is a row of weights, one per cluster, and all resamples of all questions are one product:

    sums (resamples x questions) = weights (resamples x clusters) @ totals (clusters x questions)

`Clustered` keeps each question's totals by cluster; `Resample` is the pool that a metric sees, with
an array, one number per resample, in place of each number. The bootstrap weighs a cluster by how
often it was drawn; a paired test exchanges the clusters of two systems (see `comparison.paired`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gistmeter.errors import GistmeterError
from gistmeter.rows import Counts, Floats, Labelled, Pool, Rows, Value, divide, positions

Ints = npt.NDArray[np.int64]
Question = tuple[str, ...]  # the part of the rows it is about, what is asked, of which column
Sums = Mapping[Question, Floats]
PoolFunction = Callable[[Pool], Mapping[str, Value]]


class NeedsValues(GistmeterError):
    """A pool asked for a column, which a resample of sums cannot give."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Sparse totals: one number of `Counts`, with the cluster and the label of each entry."""

    cluster: Ints
    label: Ints
    number: Floats
    labels: int

    def weigh(self, weights: Floats, start: int) -> Floats:
        """Totals by label, resamples x labels, of the clusters from `start` on."""
        place = self.cluster - start
        inside = np.flatnonzero((place >= 0) & (place < weights.shape[1]))
        place, label, number = place[inside], self.label[inside], self.number[inside]
        found = np.empty((len(weights), self.labels))
        for at, row in enumerate(weights):
            found[at] = np.bincount(label, row[place] * number, minlength=self.labels)
        return found

    def alone(self, first: int, last: int) -> Floats:
        """Totals by label of single clusters, clusters x labels."""
        found = np.zeros((last - first, self.labels))
        inside = (self.cluster >= first) & (self.cluster < last)
        place = self.cluster[inside] - first
        np.add.at(found, (place, self.label[inside]), self.number[inside])
        return found


@dataclass(slots=True)
class Clustered:
    """Rows with the cluster of each, and the totals by cluster of all that was ever asked."""

    rows: Rows
    cluster: Ints  # of each row
    size: int  # number of clusters
    totals: dict[Question, Floats] = field(default_factory=dict)
    entries: dict[Question, _Entries] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, labels: Sequence[str] | None = None) -> Clustered:
        """By the rows' own cluster key, or by other labels."""
        cluster = codes(labels or rows.keys["cluster"])
        return cls(rows, cluster, int(cluster.max(initial=-1)) + 1)

    @property
    def width(self) -> int:
        """How many numbers a resample has, at most: those of all questions asked so far."""
        return len(self.totals) + sum(one.labels for one in self.entries.values())

    def total(self, question: Question, column: Floats, places: Ints | None) -> Floats:
        """The sums by cluster of a column's defined cells, worked out once."""
        if question not in self.totals:
            kept = np.flatnonzero(~np.isnan(column)) if places is None else places
            kept = kept[~np.isnan(column[kept])]
            summed = np.bincount(self.cluster[kept], column[kept], self.size)
            self.totals[question] = summed.astype(np.float64)  # integers where nothing was kept
        return self.totals[question]

    def entry(self, question: Question, table: Counts, places: Ints | None) -> _Entries:
        """The entries of sparse counts, sorted out once."""
        if question not in self.entries:
            inside = np.ones(len(self.rows), np.bool_)
            if places is not None:
                inside[:] = False
                inside[places] = True
            number, row = table.numbers[question[-1]], table.row
            kept = np.flatnonzero(inside[row] & ~np.isnan(number))
            self.entries[question] = _Entries(
                self.cluster[row[kept]], table.label[kept], number[kept], len(table.labels)
            )
        return self.entries[question]

    def weigh(self, weights: Floats, start: int = 0) -> Sums:
        """The weighted sums of all questions; weights are those of the clusters from `start` on."""
        stop = start + weights.shape[1]
        # Columns without gaps have the same counts, which need not be weighed twice.
        place: dict[bytes, int] = {}
        parts = {key: total[start:stop] for key, total in self.totals.items()}
        at = [place.setdefault(part.tobytes(), len(place)) for part in parts.values()]
        sums: dict[Question, Floats] = {}
        if parts:
            product = weights @ np.column_stack([np.frombuffer(content) for content in place])
            sums |= {key: product[:, column] for key, column in zip(parts, at, strict=True)}
        return sums | {key: one.weigh(weights, start) for key, one in self.entries.items()}

    def alone(self, first: int, last: int) -> Sums:
        """Every cluster by itself, as if each were a resample."""
        return {key: total[first:last] for key, total in self.totals.items()} | {
            key: one.alone(first, last) for key, one in self.entries.items()
        }


@dataclass(frozen=True, slots=True)
class Resample:
    """Many resamples at once: a `Pool` whose numbers are arrays, one entry per resample.

    Sums that are not known yet are made with the weights; so a first call teaches `clustered`
    what will be asked.
    """

    clustered: Clustered
    weights: Floats  # resamples x clusters: how often each cluster counts
    sums: Sums = field(default_factory=dict)
    path: Question = ()  # the keys and labels by which the rows were split
    places: Ints | None = None  # the rows of this part; None: all

    @property
    def names(self) -> tuple[str, ...]:
        return self.clustered.rows.names

    def __contains__(self, name: str) -> bool:
        return name in self.clustered.rows

    def sum(self, name: str) -> Value:
        return self._sum("sum", self.clustered.rows.values(name), name)

    def mean(self, name: str) -> Value:
        column = self.clustered.rows.values(name)
        ones = np.where(np.isnan(column), np.nan, 1.0)
        return np.asarray(divide(self.sum(name), self._sum("count", ones, name)))

    def ratio(self, numerator: str, denominator: str) -> Value:
        above, below = (self.clustered.rows.values(name) for name in (numerator, denominator))
        both = ~(np.isnan(above) | np.isnan(below))
        sides = (("above", above), ("below", below))
        top, bottom = (
            self._sum(kind, np.where(both, column, np.nan), numerator, denominator)
            for kind, column in sides
        )
        return np.asarray(divide(top, bottom))

    def labelled(self, name: str) -> Labelled:
        table = self.clustered.rows.counts[name]
        numbers = {}
        for number in table.numbers:
            question = (*self.path, "labelled", name, number)
            entries = self.clustered.entry(question, table, self.places)
            known = self.sums.get(question)
            numbers[number] = entries.weigh(self.weights, 0) if known is None else known
        return Labelled(table.labels, numbers)

    def by(self, key: str) -> dict[str, Resample]:
        labels = self.clustered.rows.labels(key)
        inside = np.arange(len(labels)) if self.places is None else self.places
        found = positions([labels[at] for at in inside.tolist()])
        return {
            label: Resample(
                self.clustered, self.weights, self.sums, (*self.path, key, label), inside[places]
            )
            for label, places in found.items()
        }

    def values(self, name: str) -> Floats:
        raise NeedsValues(f"The column '{name}' was asked for while resampling sums")

    def _sum(self, kind: str, column: Floats, *names: str) -> Floats:
        question = (*self.path, kind, *names)
        known = self.sums.get(question)
        if known is None:
            known = self.weights @ self.clustered.total(question, column, self.places)
        return known


def codes(labels: Sequence[str]) -> Ints:
    """Labels as numbers, in the order of their first occurrence."""
    number: dict[str, int] = {}
    return np.asarray([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
