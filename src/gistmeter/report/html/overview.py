"""The top of a section: what was measured, the answer in a sentence, the leaderboard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gistmeter.report.html.wording import (
    count,
    figure,
    listed,
    probability,
    shown,
    signed,
    span,
)
from gistmeter.types import Run, Score

Comparison = Mapping[str, Any]
HEADINGS = {
    "text": "Text: does it mean what it should?",
    "book": "Book: is the abridgement faithful?",
    "parse": "Parse: morphology, syntax, semantics",
    "speech": "Speech: what was heard of what was said",
}
# Where the first score is not the one to judge by: half of any summary is "covered" by its mean.
HEADLINES = {"book": ("coverage_at", "source_recall")}
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
    first = [name for name in HEADLINES.get(run.command, ()) if name in held]
    names = [*first, *held]
    for name in names:
        if any(math.isfinite(score.value) for score in _held(run, name).values()):
            return name
    return names[0] if names else ""


def _held(run: Run, name: str) -> dict[str, Score]:
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
    tied = [_other(pair, systems[0]) for pair in pairs if not _real(pair)]
    second = run.systems[systems[1]].scores.get(name)
    gap = abs(best.value - second.value) if second else math.nan
    points = "points" if best.unit == "%" else ""
    ahead = f"{lead}, {figure(gap, '').rstrip() if not points else f'{gap:.1f} {points}'} "
    ahead += f"{'below' if not best.higher_is_better else 'above'} {shown(systems[1], 60)}"
    runner = next((pair for pair in pairs if _other(pair, systems[0]) == systems[1]), None)
    if runner is None:
        return f"{ahead}. Whether that is real was not tested."
    p = _number(runner.get("p_corrected"))
    if not math.isfinite(p) or _too_few(runner):
        units = count(int(runner.get("clusters") or 0), CLUSTERS.get(run.command, "cluster"))
        return f"{ahead}. {units} are too few to test whether that is real."
    if systems[1] in tied:
        group = [system for system in systems if system == systems[0] or system in tied]
        least = _number(runner.get("detectable"))
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
    low, high = _number(pair.get("low")), _number(pair.get("high"))
    if _number(pair.get("difference")) < 0:
        low, high = -high, -low
    bounds = f"{low:.1f} to {high:.1f} points" if unit == "%" else f"{low:.3f} to {high:.3f}"
    if not (math.isfinite(low) and math.isfinite(high)):
        bounds = "no interval"
    p = _equals(_number(pair.get("p_corrected")))
    return f"interval {bounds}, p {p} on {count(int(pair.get('n', 0)), noun(run))}"


def _equals(p: float) -> str:
    return probability(p) if p < 0.001 else f"= {probability(p)}"


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _about(pair: Mapping[str, Any], system: str) -> bool:
    return system in (pair.get("a"), pair.get("b"))


def _other(pair: Mapping[str, Any], system: str) -> str:
    return str(pair["b"] if pair["a"] == system else pair["a"])


def _real(pair: Mapping[str, Any]) -> bool:
    return _number(pair.get("p_corrected")) < REAL


def board(run: Run, comparison: Comparison | None) -> list[dict[str, Any]]:
    """The leaderboard's rows."""
    name = headline(run)
    names = shown_scores(run)
    systems = ordered(run, name)
    ranks = (comparison or {}).get("ranks") or {}
    best = {score: _best(run, score) for score in names}
    colours = {system: at % 8 for at, system in enumerate(run.systems)}
    rows = []
    for place, system in enumerate(systems, start=1):
        held = run.systems[system].scores
        lead = held.get(name)
        known = lead is not None and math.isfinite(lead.value)
        rank = ranks.get(system, place) if known else "–"
        ties = sum(1 for other in ranks.values() if other == rank) > 1
        rows.append(
            {
                "rank": f"{rank}=" if ties else str(rank),
                "system": shown(system, 200),
                "colour": colours[system],
                "cells": [_cell(held.get(score), best[score]) for score in names],
                "n": f"{lead.n:,}" if lead else "0",
                "unscored": f"{lead.unscored:,}" if lead else "0",
            }
        )
    return rows


def shown_scores(run: Run) -> list[str]:
    """The scores that have a value somewhere, the headline first."""
    first = headline(run)
    known = [
        name
        for name in score_names(run)
        if any(math.isfinite(score.value) for score in _held(run, name).values())
    ]
    return [first, *(name for name in known if name != first)] if first else []


def _best(run: Run, name: str) -> float:
    held = [score for score in _held(run, name).values() if math.isfinite(score.value)]
    if len(held) < 2:
        return math.nan
    values = [score.value for score in held]
    return max(values) if held[0].higher_is_better else min(values)


def _cell(score: Score | None, best: float) -> dict[str, Any]:
    if score is None:
        return {"value": "–", "interval": "", "best": False}
    return {
        "value": figure(score.value, score.unit),
        "interval": span(score.low, score.high, score.unit),
        "best": score.value == best,
    }


def score_heads(run: Run) -> list[dict[str, str]]:
    """The leaderboard's columns."""
    heads = []
    for name in shown_scores(run):
        score = next(iter(_held(run, name).values()))
        higher = score.higher_is_better
        heads.append(
            {
                "name": shown(name, 60),
                "arrow": " ↑" if higher else " ↓",
                "direction": "higher is better" if higher else "lower is better",
                "partial": ", ".join(score.partial),
            }
        )
    return heads


def facts(run: Run) -> list[dict[str, str]]:
    """Counts in plain sight: items, systems, unscored, truncated."""
    rows = run.rows
    found = []
    if rows is not None:
        keys = set(zip(rows.keys["id"], rows.keys["group"], strict=True))
        found.append({"value": f"{len(keys):,}", "label": f"{noun(run)}s", "kind": ""})
        if run.command == "book":
            books = len(set(rows.keys["group"]))
            label = "book" if books == 1 else "books"
            found.append({"value": f"{books:,}", "label": label, "kind": ""})
    name = "system" if len(run.systems) == 1 else "systems"
    found.append({"value": f"{len(run.systems):,}", "label": name, "kind": ""})
    name = headline(run)
    unscored = sum(score.unscored for score in _held(run, name).values()) if name else 0
    found.append(
        {"value": f"{unscored:,}", "label": "unscored", "kind": "alert" if unscored else ""}
    )
    truncated = truncated_items(run)
    if truncated is not None:
        found.append(
            {"value": f"{truncated:,}", "label": "truncated", "kind": "alert" if truncated else ""}
        )
    return found


def truncated_items(run: Run) -> int | None:
    """Items of which a model could not see all; None where no model was asked."""
    if run.rows is None or "unseen" not in run.rows:
        return None
    return int(np.count_nonzero(np.nan_to_num(run.rows.values("unseen")) > 0))


def warnings(run: Run, comparison: Comparison | None) -> list[str]:
    """What a reader must know before believing the numbers."""
    found = []
    partial = {
        score.name: score.partial
        for held in run.systems.values()
        for score in held.scores.values()
        if score.partial
    }
    for name, missing in partial.items():
        found.append(f"{name}* is partial: it was made without {listed(list(missing))}.")
    if run.unscored:
        reasons = [f"{shown(why, 160)} ({number:,})" for why, number in run.unscored.items()]
        found.append("Left undefined, by reason: " + "; ".join(reasons[:12]) + ".")
    found += [
        f"Compared although the signatures differ: {shown(str(difference), 300)}"
        for difference in (comparison or {}).get("forced") or ()
    ]
    return [*found, *(shown(str(note), 300) for note in (comparison or {}).get("notes") or ())]


def pair_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Every pair of every comparison as text."""
    found = []
    for comparison in comparisons:
        unit = str(comparison.get("unit") or "")
        for pair in comparison["pairs"]:
            low, high = _number(pair.get("low")), _number(pair.get("high"))
            bounds = f"{signed(low, unit)} – {signed(high, unit)}" if math.isfinite(low) else "–"
            found.append(
                {
                    "metric": shown(str(comparison["metric"]), 60),
                    "a": shown(str(pair["a"]), 120),
                    "b": shown(str(pair["b"]), 120),
                    "difference": signed(_number(pair["difference"]), unit),
                    "interval": bounds,
                    "p": probability(_number(pair.get("p_value"))),
                    "p_corrected": probability(_number(pair.get("p_corrected"))),
                    "effect": _decimal(pair.get("effect")),
                    "superiority": _decimal(pair.get("superiority")),
                    "detectable": signed(_number(pair.get("detectable")), unit).lstrip("+"),
                    "n": f"{int(pair.get('n') or 0):,}",
                    "real": _real(pair),
                }
            )
    return found


def _decimal(value: Any) -> str:
    number = _number(value)
    return f"{number:.2f}" if math.isfinite(number) else "–"
