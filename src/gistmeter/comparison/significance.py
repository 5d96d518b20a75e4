"""Is a difference real? P-values, effect sizes, corrections and ranks from arrays of numbers.

- Approximate randomisation (Noreen 1989; Riezler and Maxwell 2005): p is the share of exchanges
  whose difference is at least as far from 0 as the one observed, (1 + hits) / (1 + trials), and
  hits / trials when all exchanges were tried.
- Paired bootstrap (Koehn 2004, two-sided with the shift of Efron and Tibshirani 1993, 16.4): p is
  the share of resampled differences that lie as far from the observed difference as that lies
  from 0.
- Wilcoxon's signed ranks on the differences of the clusters (scipy's).
- Effect: d = mean / standard deviation of the clusters' differences (Cohen's d for pairs), and the
  probability that a does better than b on a cluster, ties as halves.
- Smallest difference that could be shown: (z(1 - alpha/2) + z(power)) x standard error.
- Corrections: Holm (1979) holds the family-wise error, Benjamini and Hochberg (1995) the share of
  false discoveries.
- Ranks: 1 + the number of systems shown to be better; who cannot be told apart shares a rank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gistmeter.errors import UnknownName
from gistmeter.rows import Floats

TESTS = ("permutation", "bootstrap", "wilcoxon")
CORRECTIONS = ("bh", "holm", "none")
POWER = 0.8
CLOSE = 1e-9  # differences that agree to this share are equal: sums in another order differ in bits


def permutation_p(observed: float, exchanged: Floats, *, exact: bool) -> float:
    """Two-sided p-value of approximate randomisation; exact when all exchanges were tried."""
    tried = exchanged[np.isfinite(exchanged)]
    if not math.isfinite(observed) or not tried.size:
        return math.nan
    hits = int(np.count_nonzero(np.abs(tried) >= abs(observed) * (1 - CLOSE)))
    return hits / tried.size if exact else (hits + 1) / (tried.size + 1)


def bootstrap_p(observed: float, resampled: Floats) -> float:
    """Two-sided p-value of the paired bootstrap."""
    drawn = resampled[np.isfinite(resampled)]
    if not math.isfinite(observed) or not drawn.size:
        return math.nan
    hits = int(np.count_nonzero(np.abs(drawn - observed) >= abs(observed) * (1 - CLOSE)))
    return (hits + 1) / (drawn.size + 1)


def wilcoxon_p(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's test; 1 where nothing differs."""
    from scipy.stats import wilcoxon

    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    if not np.any(known):
        return 1.0
    return float(wilcoxon(known).pvalue)


def percentile_interval(resampled: Floats, confidence: float) -> tuple[float, float]:
    """The middle share of the resampled values."""
    drawn = resampled[np.isfinite(resampled)]
    if drawn.size < 2:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def paired_d(differences: Floats) -> float:
    """Cohen's d of paired differences; NaN for fewer than two or no spread at all."""
    known = differences[np.isfinite(differences)]
    if known.size < 2:
        return math.nan
    spread = float(np.std(known, ddof=1))
    return float(known.mean()) / spread if spread > 0 else math.nan


def superiority(differences: Floats) -> float:
    """Share of clusters on which a is above b, ties as halves; NaN for none."""
    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    return float(np.mean((known > 0) + 0.5 * (known == 0)))


def detectable(resampled: Floats, confidence: float, power: float = POWER) -> float:
    """The smallest true difference that these items would show with the given power."""
    from scipy.stats import norm

    drawn = resampled[np.isfinite(resampled)]
    if drawn.size < 2:
        return math.nan
    reach = float(norm.ppf(1 - (1 - confidence) / 2) + norm.ppf(power))
    return reach * float(np.std(drawn, ddof=1))


def correct(p_values: Sequence[float], method: str) -> list[float]:
    """P-values adjusted for how many were asked; undefined ones stay so and do not count."""
    if method not in CORRECTIONS:
        raise UnknownName("correction", method, CORRECTIONS)
    given = np.asarray(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given))
    if method == "none" or not known.size:
        return [float(p) for p in given]
    order = known[np.argsort(given[known], kind="stable")]
    count = order.size
    steps = np.arange(1, count + 1)
    if method == "holm":
        adjusted = np.maximum.accumulate(given[order] * (count - steps + 1))
    else:
        adjusted = np.minimum.accumulate((given[order] * count / steps)[::-1])[::-1]
    given[order] = np.minimum(adjusted, 1.0)
    return [float(p) for p in given]


def ranks(systems: Sequence[str], beaten_by: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Each system's rank: 1 + how many were shown to be better than it."""
    return {system: 1 + len(beaten_by.get(system, ())) for system in systems}
