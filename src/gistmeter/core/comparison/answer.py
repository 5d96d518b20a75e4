"""The answer in a sentence: who is ahead, by how much, and is it real.

Terminal, report, `compare`, Markdown and Python all say this one; it puts a `Comparison` and its
ranking into words.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gistmeter.core.comparison.ranking import Ranking, rank
from gistmeter.core.comparison.results import Comparison, Findings, PairedDifference
from gistmeter.core.noticed import Selftest
from gistmeter.core.statistics.interval import FEWEST
from gistmeter.core.types import Score
from gistmeter.core.views import View, shown
from gistmeter.core.wording import count, figure, gap, listed, probability, span

if TYPE_CHECKING:
    from gistmeter.core.run import Run

TESTABLE = 6  # clusters that a test needs
NAMED = 4  # systems that the sentence on a baseline names


@dataclass(frozen=True)
class Standing:
    """A run, how its family shows it, and its paired tests: which score to judge by, who leads."""

    run: Run
    view: View = field(default_factory=View)
    findings: Findings = Findings()

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
        """What is resampled as a whole: items, parts of one, or what several of these belong to."""
        if self.run.rows is None:
            return self.view.noun
        keys = self.run.rows.keys
        clusters, items, parts = (len(set(keys[key])) for key in ("cluster", "group", "id"))
        if not self.has_parts:
            return self.view.cluster or self.view.noun if clusters < parts else self.view.noun
        if clusters <= items:
            return self.view.noun
        return self.view.cluster or self.noun if clusters < parts else self.noun

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

    def too_few(self, system: str, score: Score) -> str:
        """Why a score has no interval, and how many clusters it would need; or nothing."""
        rows, parts = self.run.rows, score.n
        if rows is not None and system in rows.keys["system"]:
            own = rows.by("system")[system]
            known = np.isfinite(own.values(score.name)) if score.name in own else len(own) * [True]
            parts = len(set(itertools.compress(own.keys["cluster"], known)))
        few = 0 < parts < FEWEST and not math.isfinite(score.low)
        if not few or not self.run.resamples:
            return ""
        verb = "is" if parts == 1 else "are"
        return f" {count(parts, self.cluster)} {verb} too few for an interval: it takes {FEWEST}."

    @property
    def lead(self) -> Comparison:
        """What is known of the score to judge by; without pairs where none were tested."""
        name = self.headline
        held = self.held(name)
        return self.findings.on(name) or Comparison(name, (), held, rank(held))

    @property
    def ranking(self) -> Ranking:
        return self.lead.ranking

    @property
    def ordered(self) -> list[str]:
        """The systems, best first by the headline; then those that are not ranked."""
        return list(dict.fromkeys([*self.ranking.order, *self.run.systems]))


def answer(standing: Standing) -> str:
    """What a run says on the score to judge by."""
    return say(standing.lead, standing) if standing.headline else "No score could be computed."


def say(comparison: Comparison, standing: Standing) -> str:
    """Who is ahead, by how much, and is it real; and who is not ranked."""
    ranked, excluded = comparison.ranking.ranked, comparison.ranking.excluded
    apart = comparison.ranking.elsewhere if not ranked else frozenset()
    rest = "".join(
        f" {shown(system, 60)} {why} and is not ranked with the others."
        for system, why in excluded.items()
        if system not in apart
    )
    if apart and len(excluded) == 2:
        return _share_nothing(comparison, standing, comparison.ranking.order)
    if apart:
        on = standing.called(comparison.metric)
        return f"No system can be called ahead on {on}: they were scored on different items.{rest}"
    if not ranked:
        return f"{standing.called(comparison.metric)} could not be computed for any system."
    rest += standing.too_few(ranked[0], comparison.scores[ranked[0]])
    if any(pair.is_real for pair in comparison.pairs):
        rest += _blind_spots(comparison.metric, standing)
    if comparison.baseline and len(comparison.scores) > 2:
        return _against(comparison, standing) + rest
    if len(ranked) > 1:
        return _ahead(comparison, standing) + rest
    best = comparison.scores[ranked[0]]
    name, value = standing.called(comparison.metric), _with_interval(best)
    on = count(best.n, standing.noun) + (f", {best.unscored:,} unscored" if best.unscored else "")
    return f"{shown(ranked[0], 60)} reaches {name} {value} on {on}.{rest}"


def plan(comparison: Comparison, standing: Standing, difference: float) -> str:
    """How many items would show a difference, from the variance of these."""
    pairs = [pair for pair in comparison.pairs if pair.detectable > 0]
    if not pairs:
        why = "none was tested"
        most = max((pair.clusters for pair in comparison.pairs), default=0)
        if any(pair.detectable == 0 for pair in comparison.pairs):
            why = "the systems differ alike on all of these, which says nothing of others"
        elif 0 < most < FEWEST:
            units = count(most, standing.cluster)
            why = f"{units} tell too little of how others vary; {FEWEST} would do"
        return f"How many items would show a difference cannot be said: {why}."
    size = gap(difference, comparison.unit)

    def needed(more: float) -> str:
        fewest, most = (f([pair.items_for(difference, more) for pair in pairs]) for f in (min, max))
        fewest, most = max(FEWEST, fewest), max(FEWEST, most)
        units = count(most, standing.cluster)
        return units if fewest == most else f"{fewest:,} to {units}, depending on the pair"

    line = f"A true difference of {size} would be shown four times of five by about {needed(1.0)}"
    line += f" (there are {max(pair.clusters for pair in pairs):,})"
    samples = max(pair.samples for pair in pairs)
    if samples > 1:
        line += f"; with {2 * samples:g} answers to each instead of {samples:g}, by {needed(2.0)}"
        line += f"; with endless ones, by {needed(math.inf)}"
    return line + "."


def _blind_spots(metric: str, standing: Standing) -> str:
    """What the score often fails to notice on the run's own references."""
    tested = Selftest.of_notes(standing.run.notes)
    blind = [one.sentence for one in tested.of(metric) if one.blind]
    return f" But on these references {', '.join(blind)}." if blind else ""


def _ahead(comparison: Comparison, standing: Standing) -> str:
    """The first of several against the second, and against all that may be as good."""
    systems, scores = comparison.ranking.ranked, comparison.scores
    first, best = systems[0], scores[systems[0]]
    runner = comparison.between(*systems[:2])
    if runner is not None and not math.isfinite(runner.difference):
        return _share_nothing(comparison, standing, systems[:2])
    ahead = _lead(comparison, standing, runner)
    tested = runner is not None and math.isfinite(runner.p_corrected)
    if runner is None or not (tested or 0 < runner.clusters < TESTABLE):
        return f"{ahead}. Whether that is real was not tested."
    if not tested or runner.has_too_few:
        units = count(runner.clusters, standing.cluster)
        verb = "is" if runner.clusters == 1 else "are"
        return f"{ahead}. {units} {verb} too few to test whether that is real."
    pairs = [comparison.between(first, other) for other in systems[1:]]
    tied = [pair.other(first) for pair in pairs if pair and not pair.is_real]
    if systems[1] not in tied:
        rest = " and ahead of all others" if len(systems) > 2 and not tied else ""
        said = f"{ahead}{rest}. The difference is real: {_evidence(standing, runner, best.unit)}."
        others = listed([shown(system, 60) for system in tied])
        name = shown(systems[0], 60)
        return f"{said} {name} is not shown to be ahead of {others}." if tied else said
    names = listed([shown(system, 60) for system in (first, *tied)])
    if runner.never_differs:
        ahead += f", with the same value on every {standing.noun}"
    least = gap(runner.detectable, best.unit) if runner.detectable > 0 else ""
    visible = f"; a true difference below about {least} would not show on this data"
    apart = f"the data cannot tell {names} apart (p {_equals(runner.p_corrected)})"
    so = "and" if runner.difference == 0 else "but"
    return f"{ahead}, {so} {apart}{visible if least else ''}."


def _share_nothing(comparison: Comparison, standing: Standing, systems: Sequence[str]) -> str:
    """What two systems of different items have, each by itself."""
    both = [f"{shown(name, 60)} has {_with_interval(comparison.scores[name])}" for name in systems]
    name, noun = standing.called(comparison.metric), standing.view.noun
    return f"On {name} {' and '.join(both)}; they share no {noun} and cannot be compared."


def _lead(comparison: Comparison, standing: Standing, runner: PairedDifference | None) -> str:
    """The first two, and what lies between them on the items that both have."""
    systems, scores = comparison.ranking.ranked, comparison.scores
    first, other = (shown(system, 60) for system in systems[:2])
    best, second = (scores[system] for system in systems[:2])
    between = best.value - second.value
    if runner is not None and math.isfinite(runner.difference):
        between = runner.difference if runner.a == systems[0] else -runner.difference
    on = f"on {standing.called(comparison.metric)} with {_with_interval(best)}"
    if between == 0:
        return f"{first} and {other} are level {on}"
    if (between > 0) != comparison.higher_is_better:  # other items put the first ahead
        return f"{first} comes first {on}, before {other}"
    way = "above" if comparison.higher_is_better else "below"
    items = ""
    if runner is not None and runner.left_out:
        items = f" on the {count(runner.n, standing.noun)} that both have"
    return f"{first} is ahead {on}, {gap(between, best.unit)} {way} {other}{items}"


def _against(comparison: Comparison, standing: Standing) -> str:
    """Every system against the baseline."""
    base, unit = comparison.scores[comparison.baseline], comparison.unit
    lines = []
    for system in comparison.ranking.ranked:
        pair = comparison.between(system, comparison.baseline)
        if pair is None:
            continue
        better = (pair.difference > 0) == comparison.higher_is_better
        name = f"{shown(system, 60)} is {'better' if better else 'worse'}"
        size = f"{name} by {gap(pair.difference, unit)}"
        if pair.is_real:
            lines.append(f"{size} ({_evidence(standing, pair, unit)})")
        elif math.isfinite(pair.p_corrected) and not pair.has_too_few:
            lines.append(
                f"{shown(system, 60)} cannot be told from it (p {_equals(pair.p_corrected)})"
            )
        else:
            lines.append(f"{size}, which could not be tested")
    if len(lines) > NAMED:
        lines = [*lines[: NAMED - 1], f"{len(lines) - NAMED + 1} others are in the table"]
    value = f"{standing.called(comparison.metric)} {_with_interval(base)}"
    return f"Against {shown(comparison.baseline, 60)} ({value}): {'; '.join(lines)}."


def _with_interval(score: Score) -> str:
    bounds = span(score.low, score.high, score.unit)
    return figure(score.value, score.unit) + (f" ({bounds})" if bounds else "")


def _evidence(standing: Standing, pair: PairedDifference, unit: str) -> str:
    low, high = pair.low, pair.high
    if pair.difference < 0:
        low, high = -high, -low
    bounds = f"{low:.1f} to {high:.1f} points" if unit == "%" else f"{low:.3f} to {high:.3f}"
    on = count(pair.n, standing.noun)
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"p {_equals(pair.p_corrected)} on {on}"
    return f"interval {bounds}, p {_equals(pair.p_corrected)} on {on}"


def _equals(p: float) -> str:
    return probability(p) if p < 0.001 else f"= {probability(p)}"
