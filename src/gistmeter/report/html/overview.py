"""The top of a section: counts, warnings, the leaderboard and the paired tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.report.html.scores import (
    Comparison,
    headline,
    held_by,
    is_real,
    noun,
    number,
    ordered,
    score_names,
)
from gistmeter.report.html.wording import figure, listed, probability, shown, signed, span
from gistmeter.types import Score

if TYPE_CHECKING:
    from gistmeter.run import Run


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
        if any(math.isfinite(score.value) for score in held_by(run, name).values())
    ]
    return [first, *(name for name in known if name != first)] if first else []


def _best(run: Run, name: str) -> float:
    held = [score for score in held_by(run, name).values() if math.isfinite(score.value)]
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
        score = next(iter(held_by(run, name).values()))
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
    unscored = sum(score.unscored for score in held_by(run, name).values()) if name else 0
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
    lacking: dict[tuple[str, ...], dict[str, None]] = {}
    for held in run.systems.values():
        for score in held.scores.values():
            if score.partial:
                lacking.setdefault(score.partial, {})[f"{score.name}*"] = None
    for missing, names in lacking.items():
        verb = "is partial: it was" if len(names) == 1 else "are partial: they were"
        found.append(f"{listed(list(names))} {verb} made without {listed(list(missing))}.")
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
            low, high = number(pair.get("low")), number(pair.get("high"))
            bounds = f"{signed(low, unit)} – {signed(high, unit)}" if math.isfinite(low) else "–"
            found.append(
                {
                    "metric": shown(str(comparison["metric"]), 60),
                    "a": shown(str(pair["a"]), 120),
                    "b": shown(str(pair["b"]), 120),
                    "difference": signed(number(pair["difference"]), unit),
                    "interval": bounds,
                    "p": probability(number(pair.get("p_value"))),
                    "p_corrected": probability(number(pair.get("p_corrected"))),
                    "effect": _decimal(pair.get("effect")),
                    "superiority": _decimal(pair.get("superiority")),
                    "detectable": signed(number(pair.get("detectable")), unit).lstrip("+"),
                    "n": f"{int(pair.get('n') or 0):,}",
                    "real": is_real(pair),
                }
            )
    return found


def _decimal(value: Any) -> str:
    known = number(value)
    return f"{known:.2f}" if math.isfinite(known) else "–"
