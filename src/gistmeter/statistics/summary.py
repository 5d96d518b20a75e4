"""Scores of systems and groups, with intervals, from rows and the metrics that pool them."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gistmeter.rows import Pool, Rows, Value
from gistmeter.statistics.bootstrap import intervals
from gistmeter.types import Metric, Score, ScoreInfo, SystemScores


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
    if np.isnan(value) and explain is not None and (n or not reasons):
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


def count_reasons(rows: Rows, systems: Mapping[str, SystemScores] | None = None) -> dict[str, int]:
    """How many rows carry each reason, whichever of their cells it is about.

    A reason that no row carries, of a score that a whole system lacks, counts once a system.
    """
    pairs: set[tuple[int, str]] = {
        (at, why) for cells in rows.reasons.values() for at, why in cells.items()
    }
    known = collections.Counter(why for _, why in sorted(pairs))
    further = collections.Counter(
        why
        for held in (systems or {}).values()
        for why in dict.fromkeys(why for score in held.scores.values() for why in score.reasons)
        if why not in known
    )
    return {**known, **further}
