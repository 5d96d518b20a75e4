"""Intervals on pooled scores, by resampling rows and never a model.

The bootstrap (Efron 1979) over clusters: items that depend on each other (an idiom in its 24
arrangements, a book's sentences) are drawn together. A draw is how often each cluster was taken;
a sum over the resampled rows is then a product of that count vector with the clusters' own sums.
So `Resample` answers the questions of `rows.Pool` with an array, one number a resample, and a
metric's `pool` runs unchanged on it: many scores share one matrix of counts. A `pool` that needs a
whole column (`values`) is called once a resample instead.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from gistmeter.errors import GistmeterError
from gistmeter.rows import Floats, Pool, Rows, Value, divide, positions
from gistmeter.types import Metric, Score, ScoreInfo, SystemScores

BLOCK_BYTES = 64 * 1024**2  # of counts held at once
CHUNK = 16_384  # draws counted at once: few enough for a processor's cache
Intervals = dict[str, tuple[float, float]]


class NeedsValues(GistmeterError):
    """A pool asked for a column, which a resample of sums cannot give."""


@dataclass(slots=True)
class Clustered:
    """Rows with the cluster of each, and the clusters' sums, computed once and kept."""

    rows: Rows
    cluster: npt.NDArray[np.int64]  # of each row
    size: int  # number of clusters
    _sums: dict[tuple[str, ...], Floats] = field(default_factory=dict)
    _parts: dict[str, dict[str, Clustered]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, labels: Sequence[str] | None = None) -> Clustered:
        """By the rows' own cluster key, or by other labels."""
        number: dict[str, int] = {}
        cluster = np.asarray(
            [number.setdefault(label, len(number)) for label in labels or rows.keys["cluster"]],
            dtype=np.int64,
        )
        return cls(rows, cluster, len(number))

    def sums(self, name: str, defined_with: str = "") -> Floats:
        """A column's sum in each cluster, over rows where it (and another) is defined."""
        return self._keep((name, defined_with), lambda column, seen: np.where(seen, column, 0.0))

    def counts(self, name: str) -> Floats:
        """How many rows of each cluster define the column."""
        return self._keep((name, "", "#"), lambda _, seen: seen.astype(np.float64))

    def _keep(
        self, key: tuple[str, ...], weigh: Callable[[Floats, npt.NDArray[np.bool_]], Floats]
    ) -> Floats:
        if key not in self._sums:
            column = self.rows.values(key[0])
            seen = ~np.isnan(column)
            if key[1]:
                seen &= ~np.isnan(self.rows.values(key[1]))
            weights = weigh(column, seen)
            summed = np.bincount(self.cluster, weights, minlength=self.size)
            self._sums[key] = summed.astype(np.float64)
        return self._sums[key]

    def by(self, key: str) -> dict[str, Clustered]:
        if key not in self._parts:
            self._parts[key] = {
                label: Clustered(self.rows.take(places), self.cluster[places], self.size)
                for label, places in positions(self.rows.keys[key]).items()
            }
        return self._parts[key]

    def vectors(self) -> list[Floats]:
        """All sums and counts that were ever asked for, those of the parts included."""
        parts = [part for split in self._parts.values() for part in split.values()]
        return [*self._sums.values(), *(vector for part in parts for vector in part.vectors())]

    def products(self, weights: Floats) -> dict[int, Floats]:
        """The weighted totals of what was ever asked for, by the vector's identity: one product of
        matrices is many times faster than a product for each question."""
        known = self.vectors()
        if not known:
            return {}
        # Columns without gaps have the same counts, which need not be weighed twice.
        place: dict[bytes, int] = {}
        at = [place.setdefault(vector.tobytes(), len(place)) for vector in known]
        distinct = [np.frombuffer(content) for content in place]
        totals = weights @ np.column_stack(distinct)
        return {id(vector): totals[:, column] for vector, column in zip(known, at, strict=True)}


@dataclass(frozen=True, slots=True)
class Resample:
    """Many resamples at once: a `Pool` whose numbers are arrays, one entry a resample."""

    clustered: Clustered
    weights: Floats  # (resamples, clusters): how often each cluster was drawn
    products: Mapping[int, Floats] = field(default_factory=dict)  # totals that are known already

    @property
    def names(self) -> tuple[str, ...]:
        return self.clustered.rows.names

    def __contains__(self, name: str) -> bool:
        return name in self.clustered.rows

    def sum(self, name: str) -> Value:
        return self._total(self.clustered.sums(name))

    def mean(self, name: str) -> Value:
        return np.asarray(divide(self.sum(name), self._total(self.clustered.counts(name))))

    def ratio(self, numerator: str, denominator: str) -> Value:
        above = self._total(self.clustered.sums(numerator, denominator))
        below = self._total(self.clustered.sums(denominator, numerator))
        return np.asarray(divide(above, below))

    def _total(self, vector: Floats) -> Floats:
        known = self.products.get(id(vector))
        return np.asarray(self.weights @ vector) if known is None else known

    def by(self, key: str) -> dict[str, Resample]:
        parts = self.clustered.by(key)
        return {label: Resample(part, self.weights, self.products) for label, part in parts.items()}

    def values(self, name: str) -> Floats:
        raise NeedsValues(f"The column '{name}' was asked for while resampling sums")


def bootstrap_weights(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Count matrices of a seeded bootstrap, in blocks that fit in memory."""
    bits = np.random.PCG64(seed)
    step = max(1, BLOCK_BYTES // (16 * max(clusters, 1)))
    rows = max(1, CHUNK // max(clusters, 1))
    left = np.zeros(0, dtype=np.int64)
    for start in range(0, resamples, step):
        counts = np.empty((min(step, resamples - start), clusters))
        for first in range(0, len(counts), rows):
            part = counts[first : first + rows]
            while left.size < part.size:
                left = np.concatenate([left, _draw(bits, clusters, part.size - left.size)])
            drawn, left = left[: part.size], left[part.size :]
            if len(part) > 1:
                drawn = drawn + np.repeat(np.arange(len(part)) * clusters, clusters)
            part[:] = np.bincount(drawn, minlength=part.size).reshape(part.shape)
        yield counts


def _draw(bits: np.random.PCG64, clusters: int, count: int) -> npt.NDArray[np.int64]:
    """About `count` numbers below `clusters`, all equally likely (Lemire, ACM TOMACS 29, 2019).

    The same numbers as `Generator.integers` gives, several times as fast for being computed in
    arrays; the few that would favour some clusters are left out.
    """
    raw = bits.random_raw((count + 1) // 2).view(np.uint32).astype(np.uint64)
    raw *= np.uint64(clusters)
    fair = raw.astype(np.uint32) >= np.uint32((2**32 - clusters) % clusters)
    raw >>= np.uint64(32)
    drawn = raw.view(np.int64)
    return drawn if fair.all() else drawn[fair]


def resampled(
    pool: Callable[[Pool], Mapping[str, Value]],
    rows: Rows,
    *,
    seed: int,
    resamples: int,
    cluster: Sequence[str] | None = None,
) -> dict[str, Floats]:
    """A pool's values in every resample, by score name."""
    clustered = Clustered.of(rows, cluster)
    gathered: dict[str, list[Floats]] = {}
    for weights in bootstrap_weights(clustered.size, resamples, seed):
        try:
            if not gathered:
                pool(Resample(clustered, weights[:1]))  # to learn what will be asked
            values = pool(Resample(clustered, weights, clustered.products(weights)))
        except NeedsValues:
            values = _one_by_one(pool, clustered, weights)
        for name, value in values.items():
            gathered.setdefault(name, []).append(
                np.broadcast_to(np.asarray(value, dtype=np.float64), (len(weights),))
            )
    return {name: np.concatenate(blocks) for name, blocks in gathered.items()}


def _one_by_one(
    pool: Callable[[Pool], Mapping[str, Value]], clustered: Clustered, weights: Floats
) -> dict[str, Floats]:
    drawn: dict[str, list[float]] = {}
    everyone = np.arange(len(clustered.cluster))
    for counts in weights.astype(np.int64):
        rows = clustered.rows.take(np.repeat(everyone, counts[clustered.cluster]))
        for name, value in pool(rows).items():
            drawn.setdefault(name, []).append(float(np.asarray(value)))
    return {name: np.asarray(values) for name, values in drawn.items()}


def intervals(
    pool: Callable[[Pool], Mapping[str, Value]],
    rows: Rows,
    *,
    seed: int,
    resamples: int = 1000,
    confidence: float = 0.95,
    cluster: Sequence[str] | None = None,
) -> Intervals:
    """Percentile intervals of every pooled score; NaN where one cluster is all there is."""
    if resamples < 1 or len(set(cluster or rows.keys["cluster"])) < 2:
        return {}
    tail = (1 - confidence) / 2
    found: Intervals = {}
    for name, values in resampled(
        pool, rows, seed=seed, resamples=resamples, cluster=cluster
    ).items():
        finite = values[np.isfinite(values)]
        # A score that most resamples leave undefined has no honest interval, nor has one that is
        # always the same where it is defined: all of it comes from one cluster.
        if len(finite) * 2 <= len(values) or (len(finite) < len(values) and np.ptp(finite) == 0):
            continue
        low, high = np.quantile(finite, [tail, 1 - tail])
        found[name] = (float(low), float(high))
    return found


@dataclass(frozen=True, slots=True)
class Pooling:
    """How one score comes from rows: `apply` works on `Rows` and on a `Resample` alike."""

    name: str
    metric: Metric

    def apply(self, pool: Pool) -> Value:
        return self.metric.pool(pool).get(self.name, np.nan)

    @property
    def info(self) -> ScoreInfo:
        return score_info(self.metric, self.name)


def trace(metrics: Mapping[str, Metric], rows: Rows) -> dict[str, Pooling]:
    """The pooling of every score that metrics make of these rows.

    To pool many scores at once call `pool_all` instead, which asks each metric only once.
    """
    return {
        name: Pooling(name, metric) for metric in metrics.values() for name in metric.pool(rows)
    }


def pool_all(metrics: Mapping[str, Metric], pool: Pool) -> dict[str, Value]:
    """Every metric's scores of the same rows (or resample)."""
    return {name: value for metric in metrics.values() for name, value in metric.pool(pool).items()}


def score_info(metric: Metric, name: str) -> ScoreInfo:
    """What the metric declares of a score; an undeclared one is higher-is-better."""
    return next((info for info in metric.scores if info.name == name), ScoreInfo(name))


def summarise(
    metrics: Mapping[str, Metric],
    rows: Rows,
    *,
    signatures: Mapping[str, str],
    seed: int,
    resamples: int,
    confidence: float,
) -> dict[str, SystemScores]:
    """Scores with intervals for every system, and plain values for its groups."""
    systems: dict[str, SystemScores] = {}
    for system, own in rows.by("system").items():
        scores: dict[str, Score] = {}
        groups: dict[str, dict[str, float]] = {}
        for metric_name, metric in metrics.items():
            bounds = intervals(
                metric.pool, own, seed=seed, resamples=resamples, confidence=confidence
            )
            for name, value in metric.pool(own).items():
                info = score_info(metric, name)
                score = _score(info, float(np.asarray(value)), bounds.get(name), own, metric)
                scores[name] = replace(score, signature=signatures.get(metric_name, ""))
        parts = own.by("group")
        if len(parts) > 1 or "" not in parts:
            for group, part in parts.items():
                values = pool_all(metrics, part)
                groups[group] = {name: float(np.asarray(value)) for name, value in values.items()}
        systems[system] = SystemScores(scores, groups)
    return systems


def _score(
    info: ScoreInfo, value: float, bounds: tuple[float, float] | None, rows: Rows, metric: Metric
) -> Score:
    basis = info.basis or info.name
    n, unscored = _counts(rows, basis) if basis in rows else (len(rows), 0)
    reasons = dict(collections.Counter(rows.reasons.get(basis, {}).values()))
    explain = getattr(metric, "explain", None)
    if n and np.isnan(value) and explain is not None:
        reasons[explain(info.name, rows)] = 1
    low, high = bounds or (np.nan, np.nan)
    partial: Mapping[str, Sequence[str]] = getattr(metric, "partial", {})
    return Score(
        name=info.name,
        value=value,
        low=low if np.isfinite(value) else np.nan,
        high=high if np.isfinite(value) else np.nan,
        n=n,
        unscored=unscored,
        higher_is_better=info.higher_is_better,
        unit=info.unit,
        partial=tuple(partial.get(info.name, ())),
        reasons=reasons,
    )


def _counts(rows: Rows, basis: str) -> tuple[int, int]:
    """How many rows have a value, and how many lack one.

    An item with parts may have its value in one of them: the others, without a reason, lack none.
    """
    undefined = np.isnan(rows.values(basis))
    silent = undefined & np.isin(rows.item, rows.item[~undefined])
    silent[list(rows.reasons.get(basis, {}))] = False
    return int((~undefined).sum()), int((undefined & ~silent).sum())


def count_reasons(rows: Rows) -> dict[str, int]:
    """How many rows carry each reason, whichever of their cells it is about."""
    pairs: set[tuple[int, str]] = {
        (at, why) for cells in rows.reasons.values() for at, why in cells.items()
    }
    return dict(collections.Counter(why for _, why in sorted(pairs)))
