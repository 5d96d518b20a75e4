"""The comparisons of a large run's systems, from tallies alone.

Resamples weigh a cluster by its key, so systems of the same items are weighed alike, and the
difference between two of them in every resample is that of their values in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gistmeter.core.comparison import significance
from gistmeter.core.comparison.paired import conclude
from gistmeter.core.comparison.results import Options, PairedDifference
from gistmeter.core.rows import Floats
from gistmeter.core.statistics import Tally, percentile_interval, pooled
from gistmeter.core.statistics.summary import pool_all
from gistmeter.core.types import Metric, ScoreInfo, SystemScores

MOST_SCORES, MOST_SYSTEMS = 12, 8  # beyond these, all are compared with the best alone
FEWEST = 100  # resamples of a test
APART = "systems were scored on different items: gistmeter compare takes those that they share"


def compare_tallies(
    systems: Mapping[str, SystemScores],
    tally: Tally,
    metrics: Mapping[str, Metric],
    headline: Sequence[str],
    statistics: Mapping[str, Any],
) -> dict[str, Any]:
    """The comparisons as plain data, as `findings` gives them of rows."""
    if len(systems) < 2 or statistics["resamples"] < FEWEST:
        return {"comparisons": []}
    drawn_often = {name: statistics[name] for name in ("resamples", "confidence", "seed")}
    options = Options(test="bootstrap", **drawn_often)
    own = [set(held.scores) for held in systems.values()]
    first = [name for name in headline if name in own[0]]
    names = [name for name in dict.fromkeys([*first, *next(iter(systems.values())).scores])
             if all(name in held for held in own)]  # fmt: skip
    drawn = {system: pool_all(metrics, pooled(held)[1]) for system, held in tally.systems.items()}
    bases = {info.name: info.basis for metric in metrics.values() for info in metric.scores}
    found = []
    for name in names[:MOST_SCORES]:
        scores = {system: held.scores[name] for system, held in systems.items()}
        one = next(iter(scores.values()))
        info = ScoreInfo(name, higher_is_better=one.higher_is_better, unit=one.unit)
        values = {system: score.value for system, score in scores.items()}
        basis = bases.get(name) or name
        results = []
        for a, b in _pairs(values, info.higher_is_better):
            n = min(scores[a].n, scores[b].n)
            result = PairedDifference(a, b, values[a] - values[b], n=n)
            if tally.systems[a].items.get(basis) != tally.systems[b].items.get(basis):
                results.append(replace(result, test="none", note=APART))
            else:
                gaps = np.atleast_1d(np.asarray(drawn[a][name] - drawn[b][name]))
                results.append(_tested(result, gaps, options.confidence))
        found.append(conclude(name, results, values, info, options).to_dict())
    return {"comparisons": found}


def _tested(pair: PairedDifference, gaps: Floats, confidence: float) -> PairedDifference:
    """A difference with what its resamples say."""
    low, high = percentile_interval(gaps, confidence)
    return replace(
        pair,
        low=low,
        high=high,
        p_value=significance.bootstrap_p(pair.difference, gaps),
        detectable=significance.detectable(gaps, confidence),
        clusters=pair.n,
        test="bootstrap",
    )


def _pairs(values: Mapping[str, float], higher: bool) -> list[tuple[str, str]]:
    if len(values) <= MOST_SYSTEMS:
        return list(itertools.combinations(values, 2))
    best = max(values, key=lambda system: (values[system] if higher else -values[system], system))
    return [(system, best) for system in values if system != best]
