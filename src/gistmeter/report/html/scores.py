"""One run on the page: which score to judge by, who stands where, what a row is called."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gistmeter.report.drawing import Palette
from gistmeter.types import Score
from gistmeter.views import View, shown

if TYPE_CHECKING:
    from gistmeter.run import Run

Comparison = Mapping[str, Any]
REAL = 0.05


@dataclass(frozen=True)
class Subject:
    """A run, how its family shows it, and the page's colours."""

    run: Run
    view: View = field(default_factory=View)
    palette: Palette = field(default_factory=Palette.of)

    @classmethod
    def of(cls, run: Run, view: View) -> Subject:
        return cls(run, view, Palette.of(run.systems))

    @property
    def has_parts(self) -> bool:
        """Do items have several rows, as a book has sentences?"""
        rows = self.run.rows
        if rows is None:
            return False
        return len(set(zip(rows.keys["system"], rows.item.tolist(), strict=True))) < len(rows)

    @property
    def noun(self) -> str:
        """What a row of the run is."""
        return self.view.part or "part" if self.has_parts else self.view.noun

    @property
    def cluster(self) -> str:
        """What is resampled as a whole."""
        keys = self.run.rows.keys if self.run.rows is not None else {}
        several = len(set(keys.get("cluster", ()))) < len(set(keys.get("id", ())))
        return self.view.cluster if several and self.view.cluster else self.view.noun

    def called(self, name: str) -> str:
        """A score in plain words with its code: "word errors (wer)"."""
        words = self.view.names.get(name)
        return f"{words} ({name})" if words else shown(name, 60)

    @property
    def score_names(self) -> list[str]:
        """All scores of the run."""
        held = self.run.systems.values()
        return list(dict.fromkeys(name for system in held for name in system.scores))

    @property
    def headline(self) -> str:
        """The score to judge by: the first that some system has a value for."""
        held = self.score_names
        names = [*(name for name in self.run.headline if name in held), *held]
        return next((name for name in names if self.has_value(name)), names[0] if names else "")

    @property
    def shown_scores(self) -> list[str]:
        """The scores that have a value somewhere, the headline first."""
        first = self.headline
        known = [name for name in self.score_names if name != first and self.has_value(name)]
        return [first, *known] if first else []

    def has_value(self, name: str) -> bool:
        return any(math.isfinite(score.value) for score in self.held(name).values())

    def held(self, name: str) -> dict[str, Score]:
        """A score of every system that has it."""
        return {
            system: own.scores[name]
            for system, own in self.run.systems.items()
            if name in own.scores
        }

    def score(self, name: str) -> Score:
        """A score of any system, for its unit and direction."""
        return next(iter(self.held(name).values()), Score(name, math.nan))

    def way(self, name: str) -> str:
        """What an axis says of a score: its unit, and which way is better."""
        score = self.score(name)
        unit = f"in {score.unit}, " if score.unit else ""
        return f"{unit}{'higher' if score.higher_is_better else 'lower'} is better"

    @property
    def ordered(self) -> list[str]:
        """The systems, best first by the headline, those without a value last."""
        held = self.held(self.headline)

        def rank(system: str) -> tuple[bool, float]:
            score = held.get(system)
            if score is None or not math.isfinite(score.value):
                return True, 0.0
            return False, -score.value if score.higher_is_better else score.value

        return sorted(self.run.systems, key=rank)


def subjects(runs: Sequence[Run], views: Sequence[View]) -> list[Subject]:
    """All runs of a page, with one palette for the systems of all of them."""
    palette = Palette.of(*(run.systems for run in runs))
    return [
        Subject(run, views[at] if at < len(views) else View(), palette)
        for at, run in enumerate(runs)
    ]


def number(value: Any) -> float:
    """A number of a comparison; NaN where it is null."""
    return float(value) if isinstance(value, int | float) else math.nan


def is_real(pair: Mapping[str, Any]) -> bool:
    """Was a difference shown, after correction?"""
    return number(pair.get("p_corrected")) < REAL
