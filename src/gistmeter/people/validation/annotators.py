"""Do people agree with each other, and how far could any score agree with them?

- Krippendorff's alpha (2011): 1 - observed / expected disagreement over all pairs of judgements of
  the same item, differences squared (interval scale); for yes/no that is the nominal alpha.
- Cohen's kappa (1960) where there are two annotators: unweighted for yes/no, else with quadratic
  weights (Cohen 1968), on the items that both judged.
- The ceiling: the mean correlation of one annotator with the mean of the others on the same items.
  A score that agrees with people as well as that agrees as well as a person does.

Intervals are by bootstrap over items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats
from gistmeter.people.validation.agreement import Estimate, pearson, spearman

MOST_RESAMPLES, LEAST_RESAMPLES = 500, 50  # of what is computed again for each
MOST_DRAWN, MOST_COMPARED = 1_000_000_000, 200_000  # judgements and annotators in all of them
FEWEST = 3  # items that an annotator shares with the others


@dataclass(frozen=True, slots=True)
class Annotators:
    """The agreement of people with each other."""

    names: tuple[str, ...]
    items: int  # that were judged more than once
    alpha: Estimate
    kappa: Estimate | None  # of two annotators
    ceiling_pearson: Estimate
    ceiling_spearman: Estimate


def agree(
    judged: Mapping[str, Floats], *, binary: bool, named: bool, resamples: int, confidence: float,
    seed: int,
) -> Annotators | None:  # fmt: skip
    """What annotators say of each other; None where no item was judged twice.

    `judged` has a judgement of every row by each annotator, NaN where there is none; `named` says
    whether they are people, or only the first and second judgement of an item.
    """
    table = np.array(list(judged.values()), dtype=np.float64)
    if not len(table):
        return None
    twice = np.count_nonzero(~np.isnan(table), axis=0) > 1
    if not twice.any():
        return None
    table = table[:, twice]
    size = table.shape[1]
    random = np.random.default_rng(seed)
    fitting = min(MOST_DRAWN // table.size, MOST_COMPARED // len(table))  # a large table has fewer
    count = min(resamples, MOST_RESAMPLES, max(LEAST_RESAMPLES, fitting))
    drawn = random.integers(0, size, (count, size))
    draws = [np.arange(size), *drawn]

    def estimate(values: Sequence[float]) -> Estimate:
        return Estimate.of(np.asarray(values), confidence)

    two = named and len(table) == 2
    return Annotators(
        tuple(judged),
        size,
        estimate([krippendorff_alpha(table[:, draw]) for draw in draws]),
        estimate([cohen_kappa(table[0, d], table[1, d], binary=binary) for d in draws])
        if two
        else None,
        estimate([ceiling(table[:, draw], pearson) for draw in draws]),
        estimate([ceiling(table[:, draw], spearman) for draw in draws]),
    )


def krippendorff_alpha(table: Floats) -> float:
    """Alpha of annotators x items with NaN for what was not judged; differences are squared."""
    counts = np.count_nonzero(~np.isnan(table), axis=0)
    table = table[:, counts > 1]
    counts = counts[counts > 1]
    total = int(counts.sum())
    if total < 2:
        return math.nan
    filled = np.where(np.isnan(table), 0.0, table)
    # Of m values, the squared differences of all ordered pairs sum to 2 (m Σv² - (Σv)²).
    sums, squares = filled.sum(axis=0), (filled**2).sum(axis=0)
    observed = float((2 * (counts * squares - sums**2) / (counts - 1)).sum()) / total
    every, all_squares = float(sums.sum()), float(squares.sum())
    expected = 2 * (total * all_squares - every**2) / (total * (total - 1))
    return 1 - observed / expected if expected > 1e-12 else math.nan


def cohen_kappa(first: Floats, second: Floats, *, binary: bool) -> float:
    """Kappa of two annotators on what both judged; quadratic weights where it is no yes or no."""
    both = ~np.isnan(first) & ~np.isnan(second)
    a, b = first[both], second[both]
    if not len(a):
        return math.nan
    kinds = np.unique(np.concatenate([a, b]))
    gaps = (kinds[:, None] - kinds[None, :]) ** 2
    weight = (gaps > 0).astype(np.float64) if binary else gaps
    table = np.zeros((len(kinds), len(kinds)))
    np.add.at(table, (np.searchsorted(kinds, a), np.searchsorted(kinds, b)), 1.0)
    table /= len(a)
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    expected = float((weight * by_chance).sum())
    return 1 - float((weight * table).sum()) / expected if expected > 1e-12 else math.nan


def ceiling(table: Floats, correlate: object) -> float:
    """The mean correlation of one annotator with the mean of the others."""
    assert callable(correlate)
    known = ~np.isnan(table)
    filled = np.where(known, table, 0.0)
    sums, counts = filled.sum(axis=0), known.sum(axis=0)
    shared = known & (counts > 1)
    found = []
    for at in np.flatnonzero(shared.sum(axis=1) >= FEWEST).tolist():
        there = shared[at]
        own = table[at, there]
        mean = (sums[there] - own) / (counts[there] - 1)
        once: npt.NDArray[np.float32] = np.ones((1, len(mean)), dtype=np.float32)
        found.append(float(correlate(own, mean, once)[0]))
    known_values = [value for value in found if math.isfinite(value)]
    return float(np.mean(known_values)) if known_values else math.nan
