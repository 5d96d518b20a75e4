"""What a comparison asks and what it answers, in shapes that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gistmeter.core.comparison import significance
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.types import SEED, defined


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

    def to_dict(self) -> dict[str, Any]:
        names = [name for name in self.__slots__ if name != "note" or self.note]
        plain = {name: getattr(self, name) for name in names}
        return {
            name: defined(value) if isinstance(value, float) else value
            for name, value in plain.items()
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
    forced: tuple[str, ...] = ()  # differences of the signatures that were waved through
    notes: tuple[str, ...] = ()

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
