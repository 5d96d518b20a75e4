"""The answer in a sentence: who is ahead, by how much, and is it real."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gistmeter.report.html.scores import REAL, Comparison, Subject, is_real, number
from gistmeter.report.html.wording import count, figure, gap, listed, probability, span
from gistmeter.types import Score
from gistmeter.views import shown


def answer(subject: Subject, comparison: Comparison | None) -> str:
    """Who is ahead, by how much, and is it real."""
    name = subject.headline
    if not name:
        return "No score could be computed."
    systems = subject.ordered
    held = subject.held(name)
    best = held.get(systems[0], Score(name, math.nan))
    if not math.isfinite(best.value):
        return f"{subject.called(name)} could not be computed for any system."
    if len(systems) == 1:
        return _alone(subject, systems[0], best)
    ahead = _ahead(subject, best, held.get(systems[1]))
    pairs = [pair for pair in (comparison or {}).get("pairs", []) if _about(pair, systems[0])]
    runner = next((pair for pair in pairs if _other(pair, systems[0]) == systems[1]), None)
    if runner is None or not runner.get("clusters"):
        return f"{ahead}. Whether that is real was not tested."
    p = number(runner.get("p_corrected"))
    if not math.isfinite(p) or _too_few(runner):
        units = count(int(runner.get("clusters") or 0), subject.cluster)
        verb = "is" if runner.get("clusters") == 1 else "are"
        return f"{ahead}. {units} {verb} too few to test whether that is real."
    tied = [_other(pair, systems[0]) for pair in pairs if not is_real(pair)]
    if systems[1] not in tied:
        rest = "" if len(systems) == 2 else " and ahead of all others" if not tied else ""
        return f"{ahead}{rest}. The difference is real: {_evidence(subject, runner, best.unit)}."
    group = [system for system in systems if system == systems[0] or system in tied]
    names = listed([shown(system, 60) for system in group])
    least = number(runner.get("detectable"))
    visible = f"; a true difference below about {gap(least, best.unit)} would not show on this data"
    return (
        f"{ahead}, but the data cannot tell {names} apart (p {_equals(p)})"
        + (visible if math.isfinite(least) else "")
        + "."
    )


def _ahead(subject: Subject, best: Score, second: Score | None) -> str:
    """The first two, and what lies between them."""
    first, other = (shown(system, 60) for system in subject.ordered[:2])
    name = subject.called(best.name)
    if second is None or not math.isfinite(second.value):
        return f"{first} is ahead on {name} with {_with_interval(best)}; {other} has no value"
    if best.value == second.value:
        return f"{first} and {other} are level on {name} with {_with_interval(best)}"
    way = "above" if best.higher_is_better else "below"
    between = gap(best.value - second.value, best.unit)
    return f"{first} is ahead on {name} with {_with_interval(best)}, {between} {way} {other}"


def _too_few(pair: Mapping[str, Any]) -> bool:
    """So few clusters that no exchange of systems could be rare."""
    clusters = int(pair.get("clusters") or 0)
    return pair.get("test") == "permutation" and 0 < clusters < 40 and 2 ** (1 - clusters) >= REAL


def _alone(subject: Subject, system: str, score: Score) -> str:
    unscored = f", {score.unscored:,} unscored" if score.unscored else ""
    return (
        f"{shown(system, 60)} reaches {subject.called(score.name)} {_with_interval(score)} on "
        f"{count(score.n, subject.noun)}{unscored}."
    )


def _with_interval(score: Score) -> str:
    bounds = span(score.low, score.high, score.unit)
    return figure(score.value, score.unit) + (f" ({bounds})" if bounds else "")


def _evidence(subject: Subject, pair: Mapping[str, Any], unit: str) -> str:
    low, high = number(pair.get("low")), number(pair.get("high"))
    if number(pair.get("difference")) < 0:
        low, high = -high, -low
    bounds = f"{low:.1f} to {high:.1f} points" if unit == "%" else f"{low:.3f} to {high:.3f}"
    if not (math.isfinite(low) and math.isfinite(high)):
        bounds = "no interval"
    p = _equals(number(pair.get("p_corrected")))
    return f"interval {bounds}, p {p} on {count(int(pair.get('n', 0)), subject.noun)}"


def _equals(p: float) -> str:
    return probability(p) if p < 0.001 else f"= {probability(p)}"


def _about(pair: Mapping[str, Any], system: str) -> bool:
    return system in (pair.get("a"), pair.get("b"))


def _other(pair: Mapping[str, Any], system: str) -> str:
    return str(pair["b"] if pair["a"] == system else pair["a"])
