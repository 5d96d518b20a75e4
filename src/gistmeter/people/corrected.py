"""The mean that people would give, from their labels of some items and the scores of all.

With y what people say, f what the judge says (both between 0 and 1), labels of n of N items, and
w = n / (N p) for an item that was drawn with probability p:

    mean = lambda mean(f) + sum_h W_h  sum(w (y - lambda f)) / sum(w)

- PPI++ (Angelopoulos, Duchi and Zrnic 2023) for a uniform sample: one stratum, w = 1, and mean(f)
  over the items without a label; lambda, between 0 and 1, is the one of least variance. Mean and
  standard error are those of the package `ppi-python`.
- Stratified: h runs over strata with the share W_h of the items; lambda is shared.
- Active inference (Zrnic and Candes 2024): w from the recorded probabilities. The weights are
  normed by their sum (Hajek), which is their estimator with a judge set right by a constant: a
  judge that is always too mild costs nothing.

The truth is the mean over items like these, so N counts too: the variance V is that of the second
term, with one degree of freedom less for each stratum and one for a lambda between 0 and 1, and
that of what judge and strata predict, over N. The interval of a difference has Student's quantile
t. That of a mean m between 0 and 1 is Wilson's, for as many yes/no items as would be as uncertain.
Its quantile lies between t and the normal one z: labels that are yes or no, with no judge, need no
estimate of their variance, so with r = V n / (m (1 - m)), at most 1, it is r z + (1 - r) t. Weights
count as Kish's number of items. All this was chosen by simulation
(`benchmarks/people_coverage.py`), on shapes other than those of the tests.

Items of one cluster count as one. A label holds for all items with the same texts: p is that of
drawing any of them, and they are one cluster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError
from gistmeter.core.rows import Floats
from gistmeter.core.statistics.interval import student

Codes = npt.NDArray[np.int64]
FEWEST = 8  # labelled items below which there is no interval
ENDS = (0.0, 1.0)
NO_ENDS = (-math.inf, math.inf)
TINY = 1e-14


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """What people and judge say of the labelled items of a system, and the judge of all items."""

    human: Floats
    judge: Floats  # of the same items
    rest: Floats  # the judge on the items without a label
    weight: Floats  # n / (N p), 1 for a uniform sample
    stratum: Codes  # of each, counted from 0
    share: Floats  # of each stratum in the whole; they sum to 1
    cluster: Codes  # items of one cluster depend on each other
    ends: tuple[float, float] = ENDS  # between which a mean lies; of differences: none
    labels: int = 0  # fewer than labelled items where texts occur again; 0: as many

    @classmethod
    def uniform(
        cls, human: Floats, judge: Floats, rest: Floats, *, ends: tuple[float, float] = ENDS
    ) -> LabelledItems:
        """A uniform sample of items that do not depend on each other."""
        human, judge = np.asarray(human, np.float64), np.asarray(judge, np.float64)
        size = len(human)
        return cls(human, judge, np.asarray(rest, np.float64), np.ones(size),
                   np.zeros(size, np.int64), np.ones(1), np.arange(size), ends)  # fmt: skip

    @property
    def every(self) -> Floats:
        return np.concatenate([self.judge, self.rest])

    @property
    def is_uniform(self) -> bool:
        return len(self.share) == 1 and bool(np.all(self.weight == 1))


@dataclass(frozen=True, slots=True)
class CorrectedValue:
    """A mean, or a difference of means, that people would give."""

    value: float
    low: float
    high: float
    standard_error: float
    judge_weight: float  # lambda: how much of the judge's variation counts
    labelled: int
    population: int
    freedom: float  # degrees of freedom of the interval
    label_variance: float  # the part of the variance that more labels make smaller
    judge_variance: float  # the part that they do not: of what the judge says of all items

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def corrected_mean(
    data: LabelledItems, *, confidence: float = 0.95, judge_weight: float | None = None
) -> CorrectedValue:
    """The mean with its interval; `judge_weight` sets lambda, 0 being labels alone.

    Below eight labelled items there is no interval.
    """
    size, total = len(data.human), len(data.human) + len(data.rest)
    if size < 2:
        raise InputError(f"{size} labelled items: two at least are needed for a mean")
    if not len(data.rest):
        judge_weight = 0.0  # people have said all
    value, tuned = _estimate(data, judge_weight)
    plain, rectified, imputed = _variances(data, tuned)
    freedom = _freedom(data)
    if judge_weight is None and 0 < tuned < 1 and freedom > 1:
        rectified *= freedom / (freedom - 1)
        freedom -= 1
    low = high = math.nan
    if size >= FEWEST and freedom >= 1:
        low, high = _limits(data, value, rectified + imputed, freedom, confidence)
    return CorrectedValue(
        value,
        low,
        high,
        math.sqrt(plain + imputed),
        tuned,
        data.labels or size,
        total,
        freedom,
        rectified,
        imputed,
    )


def _limits(
    data: LabelledItems, value: float, variance: float, freedom: float, confidence: float
) -> tuple[float, float]:
    t = student(confidence, freedom)
    if data.ends != ENDS or not 0 <= value <= 1:
        return value - t * math.sqrt(variance), value + t * math.sqrt(variance)
    spread, count = value * (1 - value), len(np.unique(data.cluster))
    binary = min(1.0, variance * count / spread) if spread > 0 else 1.0
    quantile = t - (t - NormalDist().inv_cdf((1 + confidence) / 2)) * binary
    m = spread / variance if variance > TINY and spread > 0 else float(count)
    half = quantile * math.sqrt(spread / m + quantile**2 / (4 * m * m))
    middle, scale = value + quantile**2 / (2 * m), 1 + quantile**2 / m
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def more_labels(found: CorrectedValue, half_width: float, confidence: float = 0.95) -> int | None:
    """How many more labels of the same design it takes; 0: enough. None: all items do not do."""
    if not math.isfinite(found.low):
        return None
    if found.half_width <= half_width:
        return 0
    size = low = found.labelled
    high = found.population

    def reach(count: int) -> float:
        """Half the width to expect; labels that are all alike have Wilson's."""
        t = student(confidence, max(1.0, found.freedom + count - size))
        if found.label_variance <= TINY:
            return t * t / (2 * (count + t * t))
        return t * math.sqrt(found.label_variance * size / count + found.judge_variance)

    while low < high:
        middle = (low + high) // 2
        if reach(middle) <= half_width:
            high = middle
        else:
            low = middle + 1
    return high - size if reach(high) <= half_width * 1.0001 else None


def _estimate(data: LabelledItems, judge_weight: float | None) -> tuple[float, float]:
    """The mean, and lambda: the share of the judge that makes the variance least."""
    w, f, y = (_sums(data, data.weight * values) for values in (1.0, data.judge, data.human))
    f, y = f / w, y / w
    if judge_weight is None:
        judge_weight = _tuned(data, w, f, y)
    value = judge_weight * _outside(data).mean() + ((y - judge_weight * f) @ data.share)
    return float(value), judge_weight


def _tuned(data: LabelledItems, w: Floats, f: Floats, y: Floats) -> float:
    away_f, away_y = data.judge - f[data.stratum], data.human - y[data.stratum]
    part = (data.share / w)[data.stratum] * data.weight
    shared, spread = (float(part**2 @ (away_f * away)) for away in (away_y, away_f))
    if data.is_uniform:  # the judge's variance over all items, as in PPI++
        spread = float(np.var(data.every, ddof=1)) / len(data.human)
        spread *= 1 + len(data.human) / max(len(data.rest), 1)
    return min(1.0, max(0.0, shared / spread)) if spread > TINY else 0.0


def _variances(data: LabelledItems, tuned: float) -> tuple[float, float, float]:
    """Of the labelled term, plain and with its degrees of freedom, and of what is predicted."""
    errors = data.human - tuned * data.judge
    w = _sums(data, data.weight)
    means = _sums(data, data.weight * errors) / w
    parts = (data.share / w)[data.stratum] * data.weight * (errors - means[data.stratum])
    groups, place = np.unique(
        np.stack([data.stratum, data.cluster]), axis=1, return_inverse=True
    )  # fmt: skip
    squares = np.bincount(place.ravel(), parts) ** 2
    number = np.bincount(groups[0], minlength=len(data.share))
    factor = (number / np.maximum(number - 1, 1))[groups[0]]
    return float(squares.sum()), float(squares @ factor), _imputed(data, tuned, errors)


def _imputed(data: LabelledItems, tuned: float, errors: Floats) -> float:
    """The variance of the mean of what judge and strata predict of all items."""
    if data.is_uniform:  # the labelled items are not among those predicted
        return tuned**2 * float(np.var(_outside(data))) / len(_outside(data))
    w = _sums(data, data.weight)

    def mean(values: Floats) -> Floats:
        return _sums(data, data.weight * values) / w

    within = mean(errors**2) - mean(errors) ** 2
    whole = data.share @ mean(data.human**2) - (data.share @ mean(data.human)) ** 2
    return max(0.0, float(whole - data.share @ within)) / len(data.every)


def _sums(data: LabelledItems, values: Floats) -> Floats:
    """By stratum."""
    each = np.broadcast_to(np.asarray(values, np.float64), data.stratum.shape)
    return np.asarray(np.bincount(data.stratum, each, len(data.share)), np.float64)


def _outside(data: LabelledItems) -> Floats:
    """The judge where the mean of all is taken: without the labelled items in PPI++."""
    return data.rest if data.is_uniform and len(data.rest) else data.every


def _freedom(data: LabelledItems) -> float:
    """Degrees of freedom: of Kish's number of clusters, less one per stratum."""
    _, place = np.unique(data.cluster, return_inverse=True)
    weights = np.bincount(place, data.weight)
    return float(weights.sum() ** 2 / (weights**2).sum()) - len(data.share)
