"""Facts, where they were told, and the four percentages.

    SER           = missing / (both + missing) · 100     lower is better
    understanding = 100 − SER
    missing       = SER, under the name that says what it counts
    extra         = got / (both + got) · 100             what the transcript adds

A percentage without facts below its bar is undefined, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Where a fact is told."""

    BOTH = "both"  # in what was said and in the transcript
    EXPECTED = "expected"  # only in what was said: lost
    GOT = "got"  # only in the transcript: added


@dataclass(frozen=True, slots=True)
class SemanticFact:
    """Something that is told, as subject, predicate and object."""

    subject: str
    predicate: str
    object: str
    verdict: Verdict

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same fact in two answers of a model."""
        subject, predicate, thing = (
            " ".join(part.casefold().split())
            for part in (self.subject, self.predicate, self.object)
        )
        return subject, predicate, thing

    def to_dict(self) -> dict[str, str]:
        return {
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
            "verdict": self.verdict.value,
        }


@dataclass(frozen=True, slots=True)
class FactCounts:
    """How many facts are in both texts, missing from the transcript, or extra in it."""

    both: int
    missing: int
    extra: int

    @property
    def ser(self) -> float:
        """In percent; NaN where nothing was said that could be lost."""
        return percent(self.missing, self.both + self.missing)

    @property
    def pct_extra(self) -> float:
        return percent(self.extra, self.both + self.extra)


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else math.nan


def count_facts(facts: Iterable[SemanticFact]) -> FactCounts:
    verdicts = [fact.verdict for fact in facts]
    return FactCounts(
        verdicts.count(Verdict.BOTH), verdicts.count(Verdict.EXPECTED), verdicts.count(Verdict.GOT)
    )
