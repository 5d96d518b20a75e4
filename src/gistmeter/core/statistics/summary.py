"""Scores of systems and groups, with intervals, from rows and the metrics that pool them."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gistmeter.core.rows import Floats, Pool, Rows, Value, has_repeats
from gistmeter.core.statistics import bootstrap
from gistmeter.core.statistics.bootstrap import bounds_of, intervals
from gistmeter.core.statistics.pool import codes
from gistmeter.core.statistics.tally import Tally, count_rows, pooled
from gistmeter.core.types import Metric, Score, ScoreInfo, SystemScores


def pool_all(metrics: Mapping[str, Metric], pool: Pool) -> dict[str, Value]:
    """Every metric's scores of the same rows (or resample)."""
    return {name: value for metric in metrics.values() for name, value in metric.pool(pool).items()}


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
    large = len(rows) > bootstrap.LARGE
    return {
        system: _summary(
            metrics, signatures, own, own.by("group"), _OfRows.of(own),
            bounds=lambda metric, own=own: intervals(  # type: ignore[misc]
                metric.pool, own, seed=seed, resamples=resamples, confidence=confidence,
                infos=metric.scores, keyed=large,
            ),
        )
        for system, own in rows.by("system").items()
    }  # fmt: skip


def summarise_tally(
    metrics: Mapping[str, Metric], tally: Tally, *, signatures: Mapping[str, str], confidence: float
) -> dict[str, SystemScores]:
    """The same of sums alone. `NeedsValues` where a score needs more."""
    found: dict[str, SystemScores] = {}
    for system, own in tally.systems.items():
        whole, drawn, groups = pooled(own)
        found[system] = _summary(
            metrics, signatures, whole, groups, own,
            bounds=lambda metric, own=own, whole=whole, drawn=drawn: bounds_of(  # type: ignore[misc]
                metric.pool(whole), metric.pool(drawn), confidence, metric.scores,
                lambda basis: own.count(basis)[0],
            ),
        )  # fmt: skip
    return found


class Counted(Protocol):
    """Who knows how many rows have a value, and why others have none."""

    def count(self, basis: str) -> tuple[int, int]:
        """Rows with a value, and rows that lack one."""

    def why(self, basis: str) -> dict[str, int]:
        """How many rows give each reason."""

    def explain(self, metric: Metric, name: str) -> str | None:
        """Why a score is undefined although rows have values."""


@dataclass(frozen=True, slots=True)
class _OfRows:
    """The rows of one system. Where it answered items several times, items are counted; one that
    lacks some of its answers counts by the share that it has."""

    rows: Rows
    answers: Floats | None  # which share of its item each row is; None where no item has several

    @classmethod
    def of(cls, rows: Rows) -> _OfRows:
        items = codes(zip(rows.keys["id"], rows.keys["group"], strict=True))
        sizes = np.bincount(items)
        return cls(rows, 1 / sizes[items] if has_repeats(rows) else None)

    def count(self, basis: str) -> tuple[int, int]:
        if self.answers is None:
            return count_rows(self.rows, basis) if basis in self.rows else (len(self.rows), 0)
        items = round(float(self.answers.sum()))
        if basis not in self.rows:
            return items, 0
        known = float(self.answers[~np.isnan(self.rows.values(basis))].sum())
        scored = max(round(known), 1 if known else 0)
        return scored, items - scored

    def why(self, basis: str) -> dict[str, int]:
        return dict(collections.Counter(self.rows.reasons.get(basis, {}).values()))

    def explain(self, metric: Metric, name: str) -> str | None:
        tell = getattr(metric, "explain", None)
        return tell(name, self.rows) if tell is not None else None


def _summary(
    metrics: Mapping[str, Metric],
    signatures: Mapping[str, str],
    whole: Pool,
    groups: Mapping[str, Pool],
    counted: Counted,
    *,
    bounds: Callable[[Metric], Mapping[str, tuple[float, float]]],
) -> SystemScores:
    """One system's scores, wherever its sums come from."""
    scores: dict[str, Score] = {}
    for metric_name, metric in metrics.items():
        known = bounds(metric)
        for name, value in metric.pool(whole).items():
            infos = (info for info in metric.scores if info.name == name)
            info = next(infos, ScoreInfo(name))  # an undeclared one is higher-is-better
            score = _score(info, _number(value), known.get(name), counted, metric)
            scores[name] = replace(score, signature=signatures.get(metric_name, ""))
    shown = groups if len(groups) > 1 or "" not in groups else {}
    return SystemScores(scores, {
        group: {name: _number(value) for name, value in pool_all(metrics, part).items()}
        for group, part in shown.items()
    })  # fmt: skip


def _number(value: Value) -> float:
    return float(np.asarray(value).reshape(-1)[0])


def _score(
    info: ScoreInfo,
    value: float,
    bounds: tuple[float, float] | None,
    counted: Counted,
    metric: Metric,
) -> Score:
    basis = info.basis or info.name
    (n, unscored), reasons = counted.count(basis), counted.why(basis)
    if np.isnan(value) and (n or not reasons):
        why = counted.explain(metric, info.name)
        reasons |= {why: 1} if why is not None else {}
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


def reasons_of(known: Mapping[str, int], systems: Mapping[str, SystemScores]) -> dict[str, int]:
    """How many rows carry each reason; one that no row carries, of a score that a whole system
    lacks, counts once per system."""
    further = collections.Counter(
        why
        for held in systems.values()
        for why in dict.fromkeys(why for score in held.scores.values() for why in score.reasons)
        if why not in known
    )
    return {**known, **further}
