"""The weighted pool: whatever a score asks of its rows, answered for many weightings at once.

Every question of a `rows.Pool` is a sum over rows, so it is a sum over clusters of rows. A
resample is a row of weights, one per cluster, and all resamples of all questions are one product:

    sums (resamples x questions) = weights (resamples x clusters) @ totals (clusters x questions)

`Clustered` keeps each question's totals by cluster; `Resample` is the pool that a metric sees, with
an array, one number per resample, in place of each number. The bootstrap weighs a cluster by how
often it was drawn; a paired test exchanges the clusters of two systems (see `comparison.paired`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import GistmeterError
from gistmeter.core.rows import Counts, Floats, Labelled, Pool, Rows, Value, divide, positions

Ints = npt.NDArray[np.int64]
Question = tuple[str, ...]  # the part of the rows it is about, what is asked, of which column
Sums = Mapping[Question, Floats]
Cells = Callable[[Ints], Floats]  # the cells of some rows
GATHERED = 131_072  # weights gathered at once: few enough for a processor's cache
PoolFunction = Callable[[Pool], Mapping[str, Value]]


class NeedsValues(GistmeterError):
    """A pool asked for a column, which a resample of sums cannot give."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Sparse totals: the numbers of `Counts`, with the cluster of each entry, label by label."""

    cluster: Ints
    numbers: Floats  # numbers x entries
    bounds: Ints  # where the entries of each label begin; one more at the end

    @classmethod
    def of(cls, table: Counts, cluster: Ints) -> _Entries:
        """Of rows in clusters; cluster -1 is left out."""
        owner = cluster[table.row]
        kept = np.flatnonzero(owner >= 0)
        order = kept[np.argsort(table.label[kept], kind="stable")]
        numbers = np.zeros((len(table.numbers), len(order)))
        for at, column in enumerate(table.numbers.values()):
            numbers[at] = np.nan_to_num(column[order])
        bounds = np.searchsorted(table.label[order], np.arange(len(table.labels) + 1))
        return cls(owner[order], numbers, bounds)

    @property
    def width(self) -> int:
        return len(self.numbers) * (len(self.bounds) - 1)

    def weigh(self, weights: Floats, start: int) -> Floats:
        """Totals of the clusters from `start` on: numbers x resamples x labels."""
        stop, step = start + weights.shape[1], max(1, GATHERED // max(1, len(weights)))
        found = np.zeros((len(self.bounds) - 1, len(self.numbers), len(weights)))
        inside = (self.cluster >= start) & (self.cluster < stop)
        by_cluster = np.ascontiguousarray(weights.T)
        for label, (first, last) in enumerate(itertools.pairwise(self.bounds.tolist())):
            own = first + np.flatnonzero(inside[first:last])
            for part in (own[at : at + step] for at in range(0, len(own), step)):
                found[label] += self.numbers[:, part] @ by_cluster[self.cluster[part] - start]
        return found.transpose(1, 2, 0)

    def content(self, start: int, stop: int) -> bytes:
        """What decides the totals of some clusters."""
        inside = (self.cluster >= start) & (self.cluster < stop)
        label = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))[inside]
        parts = (self.cluster[inside] - start, self.numbers[:, inside], label, self.bounds.shape)
        return b"".join(np.asarray(part).tobytes() for part in parts)

    def alone(self, first: int, last: int) -> Floats:
        """Totals of single clusters: numbers x clusters x labels."""
        width, size = len(self.bounds) - 1, last - first
        label = np.repeat(np.arange(width), np.diff(self.bounds))
        inside = np.flatnonzero((self.cluster >= first) & (self.cluster < last))
        cell = (self.cluster[inside] - first) * width + label[inside]
        found = [np.bincount(cell, row[inside], size * width) for row in self.numbers]
        return np.reshape(found, (len(found), size, width)).astype(np.float64)


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
        return len(self.totals) + sum(one.width for one in self.entries.values())

    def total(self, question: Question, cells: Cells, places: Ints | None) -> Floats:
        """The sums by cluster of the defined cells of a part's rows, worked out once."""
        if question not in self.totals:
            own = np.arange(len(self.rows)) if places is None else places
            column = cells(own)
            kept = ~np.isnan(column)
            summed = np.bincount(self.cluster[own[kept]], column[kept], self.size)
            self.totals[question] = summed.astype(np.float64)  # integers where nothing was kept
        return self.totals[question]

    def entry(self, question: Question, table: Counts, places: Ints | None) -> _Entries:
        """The entries of sparse counts, sorted out once."""
        if question not in self.entries:
            cluster = self.cluster
            if places is not None:
                cluster = np.full(len(self.rows), -1)
                cluster[places] = self.cluster[places]
            self.entries[question] = _Entries.of(table, cluster)
        return self.entries[question]

    def weigh(
        self, weights: Floats, start: int = 0, known: dict[bytes, Floats] | None = None
    ) -> Sums:
        """The weighted sums of all questions; weights are those of the clusters from `start` on.

        `known` remembers products of the same weights, for others that have the same columns.
        """
        stop, known = start + weights.shape[1], {} if known is None else known
        # Columns without gaps have the same counts, which need not be weighed twice.
        parts = {key: total[start:stop].tobytes() for key, total in self.totals.items()}
        new = [content for content in dict.fromkeys(parts.values()) if content not in known]
        if new:
            product = weights @ np.column_stack([np.frombuffer(content) for content in new])
            known |= zip(new, product.T, strict=True)
        sums = {key: known[content] for key, content in parts.items()}
        for key, one in self.entries.items():
            content = one.content(start, stop)
            if content not in known:
                known[content] = one.weigh(weights, start)
            sums[key] = known[content]
        return sums

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
    whole: range | None = None  # the clusters that are the data as they are; None: all
    path: Question = ()  # the keys and labels by which the rows were split
    places: Ints | None = None  # the rows of this part; None: all

    @property
    def names(self) -> tuple[str, ...]:
        return self.clustered.rows.names

    def __contains__(self, name: str) -> bool:
        return name in self.clustered.rows

    def sum(self, name: str) -> Value:
        column = self.clustered.rows.values(name)
        return self._sum("sum", lambda own: column[own], name)

    def mean(self, name: str) -> Value:
        column = self.clustered.rows.values(name)
        count = self._sum("count", lambda own: np.where(np.isnan(column[own]), np.nan, 1.0), name)
        return np.asarray(divide(self.sum(name), count))

    def ratio(self, numerator: str, denominator: str) -> Value:
        above, below = (self.clustered.rows.values(name) for name in (numerator, denominator))
        names = (numerator, denominator)
        top = self._sum(
            "above", lambda own: np.where(np.isnan(below[own]), np.nan, above[own]), *names
        )
        bottom = self._sum(
            "below", lambda own: np.where(np.isnan(above[own]), np.nan, below[own]), *names
        )
        return np.asarray(divide(top, bottom))

    def labelled(self, name: str) -> Labelled:
        table = self.clustered.rows.counts[name]
        question = (*self.path, "labelled", name)

        def answer() -> Floats:
            known = self.sums.get(question)
            if known is None:
                entries = self.clustered.entry(question, table, self.places)
                known = entries.weigh(self.weights, 0)
            return known

        numbers = _Asked(tuple(table.numbers), answer)
        return Labelled(table.labels, numbers, table.take(self._rows()).totals())

    def _rows(self) -> Ints:
        """The rows of this part among the data as they are."""
        cluster = self.clustered.cluster
        own = np.arange(len(cluster)) if self.places is None else self.places
        if self.whole is None:
            return own
        inside = (cluster[own] >= self.whole.start) & (cluster[own] < self.whole.stop)
        return own[inside]

    def by(self, key: str) -> dict[str, Resample]:
        labels = self.clustered.rows.labels(key)
        inside = np.arange(len(labels)) if self.places is None else self.places
        found = positions([labels[at] for at in inside.tolist()])
        return {
            label: replace(self, path=(*self.path, key, label), places=inside[places])
            for label, places in found.items()
        }

    def values(self, name: str) -> Floats:
        raise NeedsValues(f"The column '{name}' was asked for while resampling sums")

    def _sum(self, kind: str, cells: Cells, *names: str) -> Floats:
        question = (*self.path, kind, *names)
        known = self.sums.get(question)
        if known is None:
            known = self.weights @ self.clustered.total(question, cells, self.places)
        return known


class _Asked(Mapping[str, Floats]):
    """Numbers by name, worked out together when the first of them is asked for."""

    def __init__(self, names: Sequence[str], answer: Callable[[], Floats]) -> None:
        self._place = {name: at for at, name in enumerate(names)}
        self._answer = functools.cache(answer)

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self._answer()[self._place[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def codes(labels: Iterable[Hashable]) -> Ints:
    """Labels as numbers, in the order of their first occurrence."""
    number: dict[Hashable, int] = {}
    return np.asarray([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
