"""Many weighted sums at once: the machine under paired tests.

Everything that a score asks of its rows is a sum over clusters, so a resample is a row of weights
and all resamples of all scores are one matrix product:

    sums (resamples x questions) = weights (resamples x clusters) @ totals (clusters x questions)

First a metric's `pool` is called with an `Asked` over a `Ledger`, which answers for the data as
they are and writes down each question as a column of totals by cluster; then it is called again
with the products. The bootstrap's weights are how often each cluster was drawn; approximate
randomisation exchanges the two systems within a cluster, which adds
`swaps @ (totals of b - totals of a)` to the sums of a.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gistmeter.rows import Floats, Rows, Value, divide
from gistmeter.statistics import NeedsValues

Question = tuple[str, ...]
Places = npt.NDArray[np.int64]
BLOCK = 4_000_000  # weights in memory at once: 32 MB


@dataclass(slots=True)
class Ledger:
    """A pool over rows with clusters. Asked once, it remembers what the resamples must answer."""

    rows: Rows
    codes: Places  # the cluster of each row
    clusters: int
    totals: dict[Question, Floats] = field(default_factory=dict)

    def matrix(self) -> Floats:
        """Totals, clusters x questions."""
        return np.column_stack(list(self.totals.values()))

    def table(self, like: Ledger) -> Floats:
        """Totals of the questions that another was asked, in its order; 0 for what is not here."""
        nothing = np.zeros(self.clusters)
        return np.column_stack([self.totals.get(key, nothing) for key in like.totals])

    def question(self, key: Question, column: Floats, places: Places | None) -> Floats:
        """The totals by cluster that answer a question, worked out once."""
        if key not in self.totals:
            kept = np.flatnonzero(~np.isnan(column)) if places is None else places
            kept = kept[~np.isnan(column[kept])]
            totals = np.bincount(self.codes[kept], column[kept], self.clusters)
            self.totals[key] = totals.astype(np.float64)  # integers where nothing was kept
        return self.totals[key]


@dataclass(slots=True)
class Asked:
    """The `Pool` that a pooling sees: one answer for the data, or one for each resample."""

    ledger: Ledger
    sums: Mapping[Question, Value] | None = None  # None: the data as they are
    path: Question = ()
    places: Places | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.ledger.rows.names

    def __contains__(self, name: str) -> bool:
        return name in self.ledger.rows

    def sum(self, name: str) -> Value:
        return self._answer("sum", self.ledger.rows.values(name), name)

    def mean(self, name: str) -> Value:
        column = self.ledger.rows.values(name)
        ones = np.where(np.isnan(column), np.nan, 1.0)
        return _quotient(self.sum(name), self._answer("count", ones, name))

    def ratio(self, numerator: str, denominator: str) -> Value:
        above, below = (self.ledger.rows.values(name) for name in (numerator, denominator))
        both = ~(np.isnan(above) | np.isnan(below))
        return _quotient(
            self._answer("above", np.where(both, above, np.nan), numerator, denominator),
            self._answer("below", np.where(both, below, np.nan), numerator, denominator),
        )

    def by(self, key: str) -> dict[str, Asked]:
        inside = range(len(self.ledger.rows)) if self.places is None else self.places.tolist()
        labels = self.ledger.rows.keys[key]
        found: dict[str, list[int]] = {}
        for at in inside:
            found.setdefault(labels[at], []).append(at)
        return {
            label: Asked(self.ledger, self.sums, (*self.path, key, label), np.asarray(places))
            for label, places in found.items()
        }

    def values(self, name: str) -> Floats:
        raise NeedsValues(f"The column '{name}' was asked for while resampling sums")

    def _answer(self, kind: str, column: Floats, *names: str) -> Value:
        key = (*self.path, kind, *names)
        if self.sums is not None:
            return self.sums[key]
        return float(self.ledger.question(key, column, self.places).sum())


def _quotient(above: Value, below: Value) -> Value:
    quotient: Value = divide(above, below)
    return quotient


def swaps(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of exchanges, 1 where a cluster's systems change places.

    All of them, each once, when there are no more than `resamples`: the test is then exact.
    """
    if exact(clusters, resamples):
        numbers = np.arange(2**clusters, dtype=np.int64)[:, None]
        yield ((numbers >> np.arange(clusters)) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(seed)
    for size in _sizes(clusters, resamples):
        packed = generator.integers(0, 256, size=(size, (clusters + 7) // 8), dtype=np.uint8)
        yield np.unpackbits(packed, axis=1)[:, :clusters].astype(np.float64)


def exact(clusters: int, resamples: int) -> bool:
    """Are all exchanges few enough to try each of them?"""
    return clusters < 31 and 2**clusters <= resamples


def _sizes(clusters: int, resamples: int) -> Iterator[int]:
    step = max(1, BLOCK // max(1, clusters))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
