"""What a comparison asks and what it answers; `to_dict` is the shape of `compare --format json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from gistmeter.core.comparison import significance
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.types import SEED, defined
from gistmeter.core.wording import gap

REAL = 0.05  # the corrected p-value below which a difference counts as real


@dataclass(frozen=True, slots=True)
class Options:
    """How to compare."""

    test: str = "permutation"
    correction: str = "bh"
    resamples: int = 10_000
    confidence: float = 0.95
    seed: int = SEED
    baseline: str = ""

    def __post_init__(self) -> None:
        if self.test not in significance.TESTS:
            raise UnknownName("test", self.test, significance.TESTS)
        if self.correction not in significance.CORRECTIONS:
            raise UnknownName("correction", self.correction, significance.CORRECTIONS)
        if self.resamples < 100:
            raise InputError(f"{self.resamples} resamples are too few: at least 100 are needed")


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """What the data say of a against b on one score; the difference is a - b."""

    a: str
    b: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    p_corrected: float = math.nan
    effect: float = math.nan  # paired d over clusters; positive: a's values are higher
    superiority: float = math.nan  # probability that a does better than b on a cluster
    detectable: float = math.nan  # the smallest difference these items would show
    n: int = 0
    clusters: int = 0
    left_out: int = 0
    test: str = "permutation"
    note: str = ""

    @property
    def is_real(self) -> bool:
        """Was a difference shown, after correction?"""
        return self.p_corrected < REAL

    @property
    def has_too_few(self) -> bool:
        """So few clusters that no exchange of systems could be rare."""
        few = 0 < self.clusters < 40 and 2 ** (1 - self.clusters) >= REAL
        return self.test == "permutation" and few

    def other(self, system: str) -> str:
        """The system that one of the two is compared with."""
        return self.b if self.a == system else self.a

    def to_dict(self) -> dict[str, Any]:
        plain = {part.name: getattr(self, part.name) for part in fields(self)}
        return {
            name: defined(value) if isinstance(value, float) else value
            for name, value in plain.items()
            if name != "note" or value
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs on one score, and the ranks that follow."""

    metric: str
    pairs: tuple[PairedDifference, ...]
    ranks: Mapping[str, int]
    values: Mapping[str, float]
    higher_is_better: bool = True
    unit: str = ""
    confidence: float = 0.95
    correction: str = "bh"
    resamples: int = 10_000
    forced: tuple[str, ...] = ()  # differences of the signatures that the user accepted
    notes: tuple[str, ...] = ()

    def between(self, first: str, second: str) -> PairedDifference | None:
        """The pair of two systems, in either order."""
        both = {first, second}
        return next((pair for pair in self.pairs if {pair.a, pair.b} == both), None)

    def to_dict(self) -> dict[str, Any]:
        """The shape of `compare --format json`."""
        return {
            "metric": self.metric,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "ranks": dict(self.ranks),
            "values": {name: defined(value) for name, value in self.values.items()},
            "higher_is_better": self.higher_is_better,
            "unit": self.unit,
            "confidence": self.confidence,
            "correction": self.correction,
            "resamples": self.resamples,
            "forced": list(self.forced),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """The comparisons of a run's systems, one for each score, the headline's first."""

    comparisons: tuple[Comparison, ...] = ()

    def on(self, score: str) -> Comparison | None:
        """The comparison on a score."""
        return next((one for one in self.comparisons if one.metric == score), None)


def loss(comparison: Comparison, pair: PairedDifference, margin: float | None) -> str:
    """What is lost against the baseline `pair.b`; empty where the gate stays open.

    Without a margin the gate closes where the interval shows a loss. With one it closes unless the
    interval excludes a loss of more than the margin (non-inferiority).
    """
    sign = 1 if comparison.higher_is_better else -1
    low, high = sorted((sign * pair.low, sign * pair.high))
    label, unit = f"{pair.a}: {comparison.metric}", comparison.unit
    if math.isnan(low):
        return f"{label} could not be compared with {pair.b} {pair.note}".rstrip()
    if margin is None:
        least, most = gap(high, unit), gap(low, unit)
        return f"{label} is worse than {pair.b} by {least} to {most}" if high < 0 else ""
    if low >= -margin:
        return ""
    return (
        f"{label} may be worse than {pair.b} by up to {gap(low, unit)}, more than the margin of "
        f"{margin:g}"
    )
