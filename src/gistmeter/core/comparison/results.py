"""What a comparison asks and what it answers; `to_dict` is the shape of `compare --format json`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from gistmeter.core.comparison import significance
from gistmeter.core.comparison.ranking import Ranking, rank
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.statistics.interval import FEWEST
from gistmeter.core.types import SEED, Score, defined
from gistmeter.core.wording import gap

RANKS = (
    "Rank: 1 + the number of systems shown to be better. Systems that share a letter cannot be told"
    " apart by these items."
)
SHARED = (
    "A score is of all items that a system has a value for; differences, tests and ranks are of"
    " the items that both systems of a pair have"
)


@dataclass(frozen=True, slots=True)
class Options:
    """How to compare."""

    test: str = "permutation"
    correction: str = "bh"
    resamples: int = 10_000
    confidence: float = 0.95
    seed: int = SEED
    baseline: str = ""
    difference: float | None = None  # say how many items would show one of this size

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
    left_out: int = 0  # items that only one of the two has a value for
    test: str = "permutation"
    note: str = ""
    samples: float = 1.0  # answers to an item
    sample_share: float = 0.0  # of the squared standard error, due to the choice of answers
    level: float = 0.05  # the corrected p-value below which the difference counts as real

    @property
    def is_real(self) -> bool:
        """Was a difference shown, after correction?"""
        return self.p_corrected < self.level

    @property
    def has_too_few(self) -> bool:
        """So few clusters that no exchange of systems could be rare."""
        few = 0 < self.clusters < 40 and 2 ** (1 - self.clusters) >= self.level
        return self.test == "permutation" and few

    @property
    def never_differs(self) -> bool:
        """Have both the same value on every cluster?"""
        return self.difference == 0 and self.detectable == 0

    def items_for(self, difference: float, more: float = 1.0) -> int:
        """The items that would show a difference, with so many times the answers to each."""
        noise = 1 - self.sample_share + self.sample_share / more
        return math.ceil(self.clusters * noise * (self.detectable / difference) ** 2)

    def other(self, system: str) -> str:
        """The system that one of the two is compared with."""
        return self.b if self.a == system else self.a

    def to_dict(self) -> dict[str, Any]:
        plain = {
            part.name: getattr(self, part.name) for part in fields(self) if part.name != "level"
        }
        return {
            name: defined(value) if isinstance(value, float) else value
            for name, value in plain.items()
            if name != "note" or value
        } | {"real": self.is_real}


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs on one score, the ranking that follows, and both in a sentence."""

    metric: str
    pairs: tuple[PairedDifference, ...]
    scores: Mapping[str, Score] = field(default_factory=dict)  # of all systems, on their own items
    ranking: Ranking = Ranking()
    answer: str = ""
    plan: str = ""  # how many items would show the difference that was asked about
    baseline: str = ""
    higher_is_better: bool = True
    unit: str = ""
    confidence: float = 0.95
    correction: str = "bh"
    resamples: int = 10_000
    forced: tuple[str, ...] = ()  # differences of the signatures that the user accepted
    notes: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """On which items the differences stand, where the systems do not all have the same."""
        compared = (pair for pair in self.pairs if math.isfinite(pair.difference))
        most = max((pair.left_out for pair in compared), default=0)
        return f"{SHARED} (left out: up to {most:,})." if most else ""

    @property
    def ranks(self) -> Mapping[str, int]:
        return self.ranking.ranks

    @property
    def values(self) -> dict[str, float]:
        return {system: score.value for system, score in self.scores.items()}

    def corrected(self, p_values: Sequence[float]) -> Comparison:
        """The same with other corrected p-values, ranked anew; its sentence is to be said anew."""
        pairs = tuple(
            replace(pair, p_corrected=p) for pair, p in zip(self.pairs, p_values, strict=True)
        )
        ranking = rank(self.scores, pairs, baseline=self.baseline)
        return replace(self, pairs=pairs, ranking=ranking, answer="")

    def between(self, first: str, second: str) -> PairedDifference | None:
        """The pair of two systems, in either order."""
        both = {first, second}
        return next((pair for pair in self.pairs if {pair.a, pair.b} == both), None)

    def to_dict(self) -> dict[str, Any]:
        """The shape of `compare --format json`."""
        return {
            "metric": self.metric,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "answer": self.answer,
            **({"plan": self.plan} if self.plan else {}),
            "rule": self.rule,
            "order": list(self.ranking.order),
            "ranks": dict(self.ranking.ranks),
            "letters": dict(self.ranking.letters),
            "not_ranked": dict(self.ranking.excluded),
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

    def ranking(self, score: str, held: Mapping[str, Score]) -> Ranking:
        """Who stands where on a score; by the systems' values alone where it was not tested."""
        tested = self.on(score)
        return tested.ranking if tested else rank(held)


def loss(comparison: Comparison, pair: PairedDifference, margin: float | None) -> str:
    """What is lost against the baseline `pair.b`; empty where the gate stays open.

    Without a margin the gate closes where the interval shows a loss. With one it closes unless the
    interval excludes a loss of more than the margin (non-inferiority). It stays open where no item
    changed.
    """
    if pair.never_differs:
        return ""
    sign = 1 if comparison.higher_is_better else -1
    low, high = sorted((sign * pair.low, sign * pair.high))
    label, unit = f"{pair.a}: {comparison.metric}", comparison.unit
    if math.isnan(low):
        few = f"an interval needs {FEWEST} independent parts, and they share {pair.clusters}"
        return f"{label} could not be compared with {pair.b}: {pair.note or few}"
    if margin is None:
        least, most = gap(high, unit), gap(low, unit)
        return f"{label} is worse than {pair.b} by {least} to {most}" if high < 0 else ""
    if low >= -margin:
        return ""
    return (
        f"{label} may be worse than {pair.b} by up to {gap(low, unit)}, more than the margin of "
        f"{margin:g}"
    )
