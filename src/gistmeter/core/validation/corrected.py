"""A score corrected by few labels: prediction-powered inference.

Of N items that only the score f judged and n that people judged too (Y),

    theta = mean(Y) + lambda (mean f over the N - mean f over the n)

estimates what people would say of all of them, without bias whatever the score is worth; lambda =
cov(Y, f) / ((1 + n/N) var f) makes its variance least (PPI++, Angelopoulos, Duchi and Zrnic 2023),

    var(Y - lambda f) / n + lambda^2 var(f) / N

both taken over clusters. A score that says nothing of people has lambda 0, and theta is the
labels' own mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats
from gistmeter.core.validation.agreement import Estimate

Codes = npt.NDArray[np.int64]
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Corrected:
    """What people would say of a system's items on the average."""

    system: str
    score: str  # that stands in for people
    estimate: Estimate
    labels_alone: Estimate
    labelled: int
    unlabelled: int
    weight: float  # of the score, lambda


def correct(
    values: Floats, human: Floats, clusters: Codes, *, confidence: float, system: str, score: str
) -> Corrected | None:
    """The corrected mean of one system; None where nothing is left to predict."""
    scored = ~np.isnan(values)
    judged = scored & ~np.isnan(human)
    rest = scored & ~judged
    n, size = int(judged.sum()), int(rest.sum())
    if n < FEWEST or not size:
        return None
    f, y, other = values[judged], human[judged], values[rest]
    spread = float(np.var(np.concatenate([f, other]), ddof=1))
    shared = float(np.cov(y, f, ddof=1)[0, 1]) if n > 1 else 0.0
    weight = shared / ((1 + n / size) * spread) if spread > 0 else 0.0
    value = float(y.mean() + weight * (other.mean() - f.mean()))
    variance = _variance(y - weight * f, clusters[judged])
    variance += weight**2 * _variance(other, clusters[rest])
    return Corrected(
        system,
        score,
        _normal(value, variance, confidence),
        _normal(float(y.mean()), _variance(y, clusters[judged]), confidence),
        n,
        size,
        weight,
    )


def _variance(values: Floats, clusters: Codes) -> float:
    """Of a mean whose items depend on each other within clusters."""
    _, place = np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, values - values.mean())
    groups = len(sums)
    if groups < 2:
        return math.nan
    return float((sums**2).sum()) / len(values) ** 2 * groups / (groups - 1)


def _normal(value: float, variance: float, confidence: float) -> Estimate:
    if not math.isfinite(variance):
        return Estimate(value)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(variance)
    return Estimate(value, value - reach, value + reach)
