"""What a run's scores are: which one to judge by, who stands where, what a row is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gistmeter.types import Score

if TYPE_CHECKING:
    from gistmeter.run import Run

Comparison = Mapping[str, Any]
HEADINGS = {
    "text": "Text: does it mean what it should?",
    "book": "Book: is the abridgement faithful?",
    "parse": "Parse: morphology, syntax, semantics",
    "speech": "Speech: what was heard of what was said",
}
NOUNS = {"book": "summary sentence", "parse": "sentence", "speech": "clip"}
CLUSTERS = {"book": "book", "text": "item", "parse": "sentence", "speech": "clip"}
REAL = 0.05


def noun(run: Run) -> str:
    """What a row of the run is."""
    if run.command == "speech" and run.rows is not None and len(set(run.rows.item)) < len(run.rows):
        return "segment"
    return NOUNS.get(run.command, "item")


def score_names(run: Run) -> list[str]:
    """All scores of the run, the headline first."""
    return list(dict.fromkeys(name for held in run.systems.values() for name in held.scores))


def headline(run: Run) -> str:
    """The score to judge by: the first that some system has a value for."""
    held = score_names(run)
    first = [name for name in run.headline if name in held]
    names = [*first, *held]
    for name in names:
        if any(math.isfinite(score.value) for score in held_by(run, name).values()):
            return name
    return names[0] if names else ""


def held_by(run: Run, name: str) -> dict[str, Score]:
    return {
        system: held.scores[name] for system, held in run.systems.items() if name in held.scores
    }


def ordered(run: Run, name: str) -> list[str]:
    """The systems, best first, those without a value last."""

    def rank(system: str) -> tuple[bool, float]:
        score = run.systems[system].scores.get(name)
        if score is None or not math.isfinite(score.value):
            return True, 0.0
        return False, -score.value if score.higher_is_better else score.value

    return sorted(run.systems, key=rank)


def number(value: Any) -> float:
    """A number of a comparison; NaN where it is null."""
    return float(value) if isinstance(value, int | float) else math.nan


def is_real(pair: Mapping[str, Any]) -> bool:
    """Was a difference shown, after correction?"""
    return number(pair.get("p_corrected")) < REAL
