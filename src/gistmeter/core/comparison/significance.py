"""Is a difference real? P-values, effect sizes, corrections and ranks from arrays of numbers.

- Approximate randomisation (Noreen 1989; Riezler and Maxwell 2005): p is the share of exchanges
  whose difference is at least as far from 0 as the one observed, (1 + hits) / (1 + trials), and
  hits / trials when all exchanges were tried.
- Paired bootstrap (Koehn 2004, two-sided with the shift of Efron and Tibshirani 1993, 16.4): p is
  the share of resampled differences that lie as far from the observed difference as that lies
  from 0.
- Wilcoxon's signed ranks (1945) on the differences of the clusters, those of 0 left out: exact for
  up to 50 without ties or up to 13 with, else the normal approximation corrected for ties.
- Effect: d = mean / standard deviation of the clusters' differences (Cohen's d for pairs), and the
  probability that a does better than b on a cluster, ties as halves.
- Smallest difference that could be shown: (z(1 - alpha/2) + z(power)) x standard error.
- Corrections: Holm (1979) holds the family-wise error, Benjamini and Hochberg (1995) the share of
  false discoveries.
- Ranks: 1 + the number of systems shown to be better; systems that do not differ share a rank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np

from gistmeter.core.errors import UnknownName
from gistmeter.core.rows import Floats
from gistmeter.core.statistics.interval import FLAT

TESTS = ("permutation", "bootstrap", "wilcoxon")
CORRECTIONS = ("bh", "holm", "none")
POWER = 0.8
MOST_EXACT, MOST_EXACT_TIED = 50, 13  # differences of Wilcoxon's exact test
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
    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    if not np.any(known):
        return 1.0
    gaps = known[known != 0]
    _, place, often = np.unique(np.abs(gaps), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(often) - (often - 1) / 2)[place]
    positive = float(ranks[gaps > 0].sum())
    plain = len(often) == len(known)  # neither ties nor zeros
    if len(known) <= (MOST_EXACT if plain else MOST_EXACT_TIED):
        return _exact_p(ranks, positive)
    size = len(gaps)
    variance = (size * (size + 1) * (2 * size + 1) - (often**3 - often).sum() / 2) / 24
    distance = abs(positive - size * (size + 1) / 4) / math.sqrt(variance)
    return math.erfc(distance / math.sqrt(2))


def _exact_p(ranks: Floats, positive: float) -> float:
    """Twice the smaller tail of the sum of ranks over all signs; ranks may be halves."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        shifted = np.concatenate([np.zeros(rank), chances[: len(chances) - rank]])
        chances = (chances + shifted) / 2
    at = round(2 * positive)
    return min(1.0, 2 * float(min(chances[: at + 1].sum(), chances[at:].sum())))


def paired_d(differences: Floats) -> float:
    """Cohen's d of paired differences; NaN for fewer than two, and where all are the same."""
    known = differences[np.isfinite(differences)]
    if known.size < 2:
        return math.nan
    spread = float(np.std(known, ddof=1))
    same = spread <= CLOSE * float(np.abs(known).max())
    return math.nan if same else float(known.mean()) / spread


def superiority(differences: Floats) -> float:
    """Share of clusters on which a is above b, ties as halves; NaN for none."""
    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    return float(np.mean((known > 0) + 0.5 * (known == 0)))


def detectable(resampled: Floats, confidence: float, power: float = POWER) -> float:
    """The smallest true difference that these items would show with the given power.

    0 where all items differ alike, and so say nothing of how much others would.
    """
    drawn = resampled[np.isfinite(resampled)]
    if drawn.size < 2:
        return math.nan
    if np.ptp(drawn) <= FLAT * np.abs(drawn).max():
        return 0.0
    normal = NormalDist()
    reach = normal.inv_cdf(1 - (1 - confidence) / 2) + normal.inv_cdf(power)
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


BLOCK = 4_000_000  # numbers in memory at once: 32 MB


def exchanges(clusters: int, resamples: int, seed: int, width: int = 0) -> Iterator[Floats]:
    """Blocks of exchanges, 1 where a cluster's systems change places.

    All of them, each once, when there are no more than `resamples`: the test is then exact.
    `width` is how many numbers will be made of each, where they are more than clusters.
    """
    step = max(1, BLOCK // max(1, clusters, width))
    if exact(clusters, resamples):
        for start in range(0, 2**clusters, step):
            numbers = np.arange(start, min(start + step, 2**clusters), dtype=np.int64)[:, None]
            yield ((numbers >> np.arange(clusters)) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, step):
        size = min(step, resamples - start), (clusters + 7) // 8
        packed = generator.integers(0, 256, size=size, dtype=np.uint8)
        yield np.unpackbits(packed, axis=1)[:, :clusters].astype(np.float64)


def exact(clusters: int, resamples: int) -> bool:
    """Are all exchanges few enough to try each of them?"""
    return clusters < 31 and 2**clusters <= resamples
