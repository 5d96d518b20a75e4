"""The interval of a score from few items or many, chosen by simulation (`benchmarks/coverage.py`).

Percentile intervals are too short for few items, and have no length at all where all items agree.
Here the bootstrap gives the standard error s of a score v, with n clusters and a range from a to b.
The interval is Wilson's (1927) for a rate, with Student's quantile t of n - 1 degrees of freedom:

    p = (v - a) / (b - a)              the score as a rate
    m = p (1 - p) ((b - a) / s)^2      as many yes/no items as would be as uncertain as the score
    (p + t^2/2m  ±  t sqrt(p (1 - p)/m + t^2/4m^2)) / (1 + t^2/m)

Where all items agree m is n, as for a rate. It is never above n^2/2: few items that happen to be
alike prove little. A score without an upper end (a latency) has the limit for b to infinity; one
without ends has v ± t s. Where the resamples lean to one side more than those of a rate would (a
few long clips with most of the errors), the limit of that side moves further out, by the second
term of the expansion of Johnson (1978), with g for what the skewness has in excess:

    s g (2 t^2 + 1) / 6

A difference of scores has v ± t s, and the limit of a long tail moves out in the same way, but not
across 0: whether there is a difference at all is what the paired test says. Where all items differ
alike s is 0, but a share of up to t^2 / (n + t^2) of other items may differ otherwise (Wilson's
limit for a rate of 0): not at all, or twice as much; by the whole range of the score where no item
was seen to differ.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.core.types import ScoreInfo

FEWEST = 8  # clusters: of fewer, no method was found to hold what it promises
NEAR = 1e-3  # share of a difference to which its tail may come to 0
FLAT = 1e-9  # a spread below this share of the values is one of rounding


def standard_error(drawn: Floats, clusters: int) -> float:
    """Of a score, from its values in the resamples of some clusters."""
    return float(np.std(drawn)) * math.sqrt(clusters / (clusters - 1))


def limits(
    value: Floats | float,
    error: Floats | float,
    clusters: float,
    confidence: float,
    ends: tuple[float, float] = (-math.inf, math.inf),
    *,
    lean: Floats | float = 0.0,
) -> tuple[Floats, Floats]:
    """The limits of one value or of many, each with its standard error; `lean` is the skewness of
    its resamples."""
    value, error, t = np.asarray(value), np.asarray(error), student(confidence, clusters - 1)
    lowest, highest = ends
    if not math.isfinite(lowest):
        low, high = _further(error * lean, 0.0, t)
        return value - t * error + low, value + t * error + high
    bounded = math.isfinite(highest)
    width = highest - lowest if bounded else 1.0
    p = (value - lowest) / width
    spread = p * (1 - p) if bounded else p
    most = clusters**2 / 2 if bounded else math.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        m = np.minimum(spread * (width / error) ** 2, most)
    m = np.where((error > 0) & (m > 0), m, clusters if bounded else np.nan)
    half = t * np.sqrt(spread / m + t * t / (4 * m * m))
    scale = 1 + t * t / m if bounded else 1.0
    low, high = ((p + t * t / (2 * m) + side) / scale for side in (-half, half))
    down, up = _further(error / width * lean, (1 - 2 * p if bounded else 1.0) / m, t)
    top = 1.0 if bounded else math.inf
    low, high = np.maximum(low + down, 0.0), np.minimum(high + up, top)
    return lowest + width * low, lowest + width * high


def _further(skewed: Floats, expected: Floats | float, t: float) -> tuple[Floats, Floats]:
    """How far the limits move out; `skewed` is error x skewness, `expected` that of a rate."""
    step = (2 * t * t + 1) / 6
    return (
        step * np.minimum(skewed - np.minimum(expected, 0.0), 0.0),
        step * np.maximum(skewed - np.maximum(expected, 0.0), 0.0),
    )


def skewness(drawn: Floats) -> Floats:
    """Of values in resamples, along the first axis; 0 where they are all the same."""
    apart = drawn - drawn.mean(0)
    spread = apart.std(0)
    flat = spread <= FLAT * np.abs(drawn).max(0)
    return np.where(flat, 0.0, (apart**3).mean(0) / np.where(flat, 1.0, spread) ** 3)


def difference_limits(
    value: Floats | float,
    error: Floats | float,
    clusters: int,
    confidence: float,
    width: float = math.inf,
    *,
    lean: Floats | float = 0.0,
) -> tuple[Floats, Floats]:
    """The limits of differences of two scores whose range is so wide; NaN where nothing is known:
    no item differs, and the range has no end."""
    value, error, t = np.asarray(value), np.asarray(error), student(confidence, clusters - 1)
    size = np.abs(value)
    otherwise = np.where(size > 0, size, width if math.isfinite(width) else np.nan)
    half = np.where(error > FLAT * size, t * error, t * t / (clusters + t * t) * otherwise)
    down, up = _further(error * lean, 0.0, t)
    low, high = value - half, value + half
    lower = np.where(low > 0, np.maximum(low + down, np.minimum(low, NEAR * value)), low + down)
    upper = np.where(high < 0, np.minimum(high + up, np.maximum(high, NEAR * value)), high + up)
    return np.maximum(lower, -width), np.minimum(upper, width)


def ends_of(info: ScoreInfo | None, value: float, drawn: Floats) -> tuple[float, float]:
    """The range of a score; none where it is not declared or does not hold."""
    if info is None:
        return -math.inf, math.inf
    highest = info.highest
    if info.unit == "%" and value <= 100:
        highest = 100.0  # an error rate may be above, but rarely is
    inside = info.lowest <= min(value, drawn.min()) and max(value, drawn.max()) <= highest
    if inside:
        return info.lowest, highest
    return (info.lowest, math.inf) if info.highest == math.inf else (-math.inf, math.inf)


def student(confidence: float, freedom: float) -> float:
    """The two-sided quantile of Student's t, by Cornish and Fisher's expansion.

    >>> round(student(0.95, 7), 3)
    2.365
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom**power for power, term in enumerate(terms, start=1)))


def student_p(statistic: float, freedom: int) -> float:
    """The level at which an interval of v ± t s just reaches 0, v being so many s."""
    inside, outside = 0.0, 1 - 1e-12
    for _ in range(50):
        middle = (inside + outside) / 2
        if student(middle, freedom) < abs(statistic):
            inside = middle
        else:
            outside = middle
    return 1 - inside
