"""The answer in a sentence: who is ahead, by how much, and is it real."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gistmeter.report.html.scores import (
    CLUSTERS,
    REAL,
    Comparison,
    headline,
    is_real,
    noun,
    number,
    ordered,
)
from gistmeter.report.html.wording import count, figure, listed, probability, shown, span
from gistmeter.types import Score

if TYPE_CHECKING:
    from gistmeter.run import Run


def answer(run: Run, comparison: Comparison | None) -> str:
    """Who is ahead, by how much, and is it real."""
    name = headline(run)
    if not name:
        return "No score could be computed."
    systems = ordered(run, name)
    best = run.systems[systems[0]].scores[name]
    if not math.isfinite(best.value):
        return f"{name} could not be computed for any system."
    if len(systems) == 1:
        return _alone(run, systems[0], best)
    lead = f"{shown(systems[0], 60)} is ahead on {name} with {_with_interval(best)}"
    pairs = [pair for pair in (comparison or {}).get("pairs", []) if _about(pair, systems[0])]
    tied = [_other(pair, systems[0]) for pair in pairs if not is_real(pair)]
    second = run.systems[systems[1]].scores.get(name)
    gap = abs(best.value - second.value) if second else math.nan
    points = "points" if best.unit == "%" else ""
    ahead = f"{lead}, {figure(gap, '').rstrip() if not points else f'{gap:.1f} {points}'} "
    ahead += f"{'below' if not best.higher_is_better else 'above'} {shown(systems[1], 60)}"
    runner = next((pair for pair in pairs if _other(pair, systems[0]) == systems[1]), None)
    if runner is None or not runner.get("clusters"):
        return f"{ahead}. Whether that is real was not tested."
    p = number(runner.get("p_corrected"))
    if not math.isfinite(p) or _too_few(runner):
        units = count(int(runner.get("clusters") or 0), CLUSTERS.get(run.command, "cluster"))
        return f"{ahead}. {units} are too few to test whether that is real."
    if systems[1] in tied:
        group = [system for system in systems if system == systems[0] or system in tied]
        least = number(runner.get("detectable"))
        visible = (
            f"; a true difference below about {least:.1f} points would not show on this data"
            if best.unit == "%"
            else f"; a true difference below about {figure(least)} would not show on this data"
        )
        names = listed([shown(system, 60) for system in group])
        return (
            f"{ahead}, but the data cannot tell {names} apart (p {_equals(p)})"
            + (visible if math.isfinite(least) else "")
            + "."
        )
    rest = "" if len(systems) == 2 else " and ahead of all others" if not tied else ""
    return f"{ahead}{rest}. The difference is real: {_evidence(run, runner, best.unit)}."


def _too_few(pair: Mapping[str, Any]) -> bool:
    """So few clusters that no exchange of systems could be rare."""
    clusters = int(pair.get("clusters") or 0)
    return pair.get("test") == "permutation" and 0 < clusters < 40 and 2 ** (1 - clusters) >= REAL


def _alone(run: Run, system: str, score: Score) -> str:
    unscored = f", {score.unscored:,} unscored" if score.unscored else ""
    return (
        f"{shown(system, 60)} reaches {score.name} {_with_interval(score)} on "
        f"{count(score.n, noun(run))}{unscored}."
    )


def _with_interval(score: Score) -> str:
    bounds = span(score.low, score.high, score.unit)
    return figure(score.value, score.unit) + (f" ({bounds})" if bounds else "")


def _evidence(run: Run, pair: Mapping[str, Any], unit: str) -> str:
    low, high = number(pair.get("low")), number(pair.get("high"))
    if number(pair.get("difference")) < 0:
        low, high = -high, -low
    bounds = f"{low:.1f} to {high:.1f} points" if unit == "%" else f"{low:.3f} to {high:.3f}"
    if not (math.isfinite(low) and math.isfinite(high)):
        bounds = "no interval"
    p = _equals(number(pair.get("p_corrected")))
    return f"interval {bounds}, p {p} on {count(int(pair.get('n', 0)), noun(run))}"


def _equals(p: float) -> str:
    return probability(p) if p < 0.001 else f"= {probability(p)}"


def _about(pair: Mapping[str, Any], system: str) -> bool:
    return system in (pair.get("a"), pair.get("b"))


def _other(pair: Mapping[str, Any], system: str) -> str:
    return str(pair["b"] if pair["a"] == system else pair["a"])
