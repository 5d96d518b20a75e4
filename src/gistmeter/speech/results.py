"""What is said of one pair of texts: the results that custom metrics give, and the pair's report.

All rates are percentages: 12.5 means 12.5%. Lower is better for every error rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.metrics.facts.verdicts import SemanticFact, count_facts


@dataclass(frozen=True)
class CustomMetricResult:
    """The outcome of a custom metric on one pair; derive from it for HTML of your own.

    >>> CustomMetricResult(12.5, "one name in eight is lost").score
    12.5
    """

    score: float  # percent, lower is better; NaN where there is none
    detail: str  # in words, for logs and tables

    def to_html(self) -> str:
        """A fragment for the diff; it may use the classes panel, stats, stat, stat-label,
        stat-value and stat-detail."""
        from gistmeter.report.diff import render_custom

        return render_custom(self.score, self.detail)


@dataclass(frozen=True)
class SemanticMetricResult(CustomMetricResult):
    """The semantic error rate of one pair with the facts behind it; `score` is the SER."""

    facts: tuple[SemanticFact, ...] = field(default=())

    @property
    def facts_both(self) -> int:
        """Facts in both texts."""
        return count_facts(self.facts).both

    @property
    def facts_missing(self) -> int:
        """Facts only in the expected text: lost."""
        return count_facts(self.facts).missing

    @property
    def facts_extra(self) -> int:
        """Facts only in the transcript."""
        return count_facts(self.facts).extra

    @property
    def total_expected(self) -> int:
        return self.facts_both + self.facts_missing

    @property
    def total_got(self) -> int:
        return self.facts_both + self.facts_extra

    @property
    def understanding(self) -> float:
        """Share of the expected facts that is preserved; NaN where there is no score."""
        return 100 - self.score

    @property
    def pct_missing(self) -> float:
        """The score, under the name that says what it counts."""
        return self.score

    @property
    def pct_extra(self) -> float:
        """Share of the transcript's facts that were not said; NaN where it has none."""
        return count_facts(self.facts).pct_extra

    def to_html(self) -> str:
        """The Semantic Understanding section: four cards and the list of facts."""
        from gistmeter.report.diff import render_understanding

        return render_understanding(
            ser=self.score,
            understanding=self.understanding,
            extra=self.pct_extra,
            facts=[fact.to_dict() for fact in self.facts],
            note=self.detail,
        )


@dataclass(frozen=True)
class DiffReport:
    """One transcript against what was said. Rates are percentages."""

    provider: str
    file: str
    chars_expected: int = 0
    chars_got: int = 0
    words_expected: int = 0
    words_got: int = 0
    wer: float = math.nan
    cer: float = math.nan
    match_percent: float = math.nan
    insertions: int = 0
    deletions: int = 0
    substitutions: int = 0
    latency: float = math.nan  # seconds from the last sound to the last final text
    custom_metric: CustomMetricResult | None = None
    diff_report: Path | None = None  # the HTML page
    error: str = ""  # why there is no transcript or no rate
    text_expected: str = ""
    text_got: str = ""
