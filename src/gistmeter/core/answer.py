"""The answer in a sentence: who is ahead, by how much, and is it real.

The terminal and the report say the same: both ask the family, whose own answer this is by default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gistmeter.core.types import Score
from gistmeter.core.views import View, shown
from gistmeter.core.wording import count, figure, gap, listed, probability, span

if TYPE_CHECKING:
    from gistmeter.core.comparison import Comparison, Findings, PairedDifference
    from gistmeter.core.run import Run

SKIPPED = 0.1  # the share of items, beyond what others skip, from which a system is not ranked


@dataclass(frozen=True)
class Standing:
    """A run and how its family shows it: which score to judge by, who stands where."""

    run: Run
    view: View = field(default_factory=View)

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

    @property
    def _titles(self) -> dict[str, str]:
        """What the run's metrics call their scores."""
        infos = (info for metric in self.run.metrics.values() for info in metric.scores)
        return {info.name: info.title for info in infos if info.title}

    def called(self, name: str) -> str:
        """A score in plain words with its code: "word errors (wer)"."""
        words = self.view.names.get(name) or self._titles.get(name)
        return f"{words} ({name})" if words else shown(name, 60)

    @property
    def score_names(self) -> list[str]:
        """All scores of the run."""
        systems = self.run.systems.values()
        return list(dict.fromkeys(name for system in systems for name in system.scores))

    @property
    def headline(self) -> str:
        """The score to judge by: the first that some system has a value for."""
        known = self.score_names
        names = [*(name for name in self.run.headline if name in known), *known]
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
            system: scored.scores[name]
            for system, scored in self.run.systems.items()
            if name in scored.scores
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
        """The systems, best first by the headline; then who skipped items, then who has no value.

        A system that answers the easy items only would otherwise lead.
        """
        held, skipping = self.held(self.headline), self.skipping

        def rank(system: str) -> tuple[bool, bool, float]:
            score = held.get(system)
            if score is None or not math.isfinite(score.value):
                return True, True, 0.0
            value = -score.value if score.higher_is_better else score.value
            return False, system in skipping, value

        return sorted(self.run.systems, key=rank)

    @property
    def skipping(self) -> list[str]:
        """The systems that left many more items unscored than another did."""
        shares = {
            system: score.unscored / (score.n + score.unscored)
            for system, score in self.held(self.headline).items()
            if score.n
        }
        least = min(shares.values(), default=0.0)
        return [system for system, share in shares.items() if share - least > SKIPPED]

    def lead(self, findings: Findings) -> Comparison | None:
        """The comparison on the score to judge by."""
        return findings.on(self.headline)


def answer(standing: Standing, findings: Findings) -> str:
    """Who is ahead, by how much, and is it real; and who is not ranked, for skipping items."""
    held = standing.held(standing.headline)
    skipped = [
        f" {shown(system, 60)} scored only {held[system].n:,} of"
        f" {held[system].n + held[system].unscored:,} and is not ranked with the others."
        for system in standing.skipping
    ]
    return _answer(standing, findings) + "".join(skipped)


def _answer(standing: Standing, findings: Findings) -> str:
    name = standing.headline
    if not name:
        return "No score could be computed."
    systems, held = standing.ordered, standing.held(name)
    best = held.get(systems[0], Score(name, math.nan))
    if not math.isfinite(best.value):
        return f"{standing.called(name)} could not be computed for any system."
    if len(systems) == 1:
        on = count(best.n, standing.noun)
        on += f", {best.unscored:,} unscored" if best.unscored else ""
        called = standing.called(name)
        return f"{shown(systems[0], 60)} reaches {called} {_with_interval(best)} on {on}."
    if systems[1] in standing.skipping:  # what lies between them would be of other items
        name = standing.called(name)
        return f"{shown(systems[0], 60)} is ahead on {name} with {_with_interval(best)}."
    ahead = _ahead(standing, best, held.get(systems[1]))
    comparison = standing.lead(findings)
    pairs = [
        pair for pair in (comparison.pairs if comparison else ()) if systems[0] in (pair.a, pair.b)
    ]
    runner = next((pair for pair in pairs if pair.other(systems[0]) == systems[1]), None)
    if runner is None or not runner.clusters:
        return f"{ahead}. Whether that is real was not tested."
    if not math.isfinite(runner.p_corrected) or runner.has_too_few:
        units = count(runner.clusters, standing.cluster)
        verb = "is" if runner.clusters == 1 else "are"
        return f"{ahead}. {units} {verb} too few to test whether that is real."
    tied = [pair.other(systems[0]) for pair in pairs if not pair.is_real]
    if systems[1] not in tied:
        rest = " and ahead of all others" if len(systems) > 2 and not tied else ""
        return f"{ahead}{rest}. The difference is real: {_evidence(standing, runner, best.unit)}."
    group = [system for system in systems if system == systems[0] or system in tied]
    names = listed([shown(system, 60) for system in group])
    least = gap(runner.detectable, best.unit) if math.isfinite(runner.detectable) else ""
    visible = f"; a true difference below about {least} would not show on this data"
    apart = f"the data cannot tell {names} apart (p {_equals(runner.p_corrected)})"
    return f"{ahead}, but {apart}{visible if least else ''}."


def _ahead(standing: Standing, best: Score, second: Score | None) -> str:
    """The first two, and what lies between them."""
    first, other = (shown(system, 60) for system in standing.ordered[:2])
    name = standing.called(best.name)
    if second is None or not math.isfinite(second.value):
        return f"{first} is ahead on {name} with {_with_interval(best)}; {other} has no value"
    if best.value == second.value:
        return f"{first} and {other} are level on {name} with {_with_interval(best)}"
    way = "above" if best.higher_is_better else "below"
    between = gap(best.value - second.value, best.unit)
    return f"{first} is ahead on {name} with {_with_interval(best)}, {between} {way} {other}"


def _with_interval(score: Score) -> str:
    bounds = span(score.low, score.high, score.unit)
    return figure(score.value, score.unit) + (f" ({bounds})" if bounds else "")


def _evidence(standing: Standing, pair: PairedDifference, unit: str) -> str:
    low, high = pair.low, pair.high
    if pair.difference < 0:
        low, high = -high, -low
    bounds = f"{low:.1f} to {high:.1f} points" if unit == "%" else f"{low:.3f} to {high:.3f}"
    if not (math.isfinite(low) and math.isfinite(high)):
        bounds = "no interval"
    on = count(pair.n, standing.noun)
    return f"interval {bounds}, p {_equals(pair.p_corrected)} on {on}"


def _equals(p: float) -> str:
    return probability(p) if p < 0.001 else f"= {probability(p)}"
