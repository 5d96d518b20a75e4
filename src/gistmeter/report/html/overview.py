"""One run on the page: its counts, warnings, leaderboard and paired tests."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.comparison import Comparison, Findings
from gistmeter.core.comparison.answer import Standing
from gistmeter.core.types import Score
from gistmeter.core.views import View, shown
from gistmeter.core.wording import count, figure, listed, probability, signed, span
from gistmeter.report.drawing import Palette
from gistmeter.report.html import trusted
from gistmeter.report.latex import sole_winner

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.core.slices import Slices

SHADES = 7  # of a heat map, as the style has them


@dataclass(frozen=True)
class Subject(Standing):
    """A run, how its family shows it, and the page's colours."""

    palette: Palette = field(default_factory=Palette.of)


def subjects(
    runs: Sequence[Run], views: Sequence[View], findings: Sequence[Findings] = ()
) -> list[Subject]:
    """All runs of a page, with one palette for the systems of all of them."""
    palette = Palette.of(*(run.systems for run in runs))
    given = itertools.zip_longest(runs, views[: len(runs)], findings[: len(runs)])
    return [
        Subject(run, view or View(), tested or Findings(), palette) for run, view, tested in given
    ]


def board(subject: Subject, names: Sequence[str]) -> list[dict[str, Any]]:
    """The leaderboard's rows, with some scores."""
    leading, ranking = subject.held(subject.headline), subject.ranking
    winners = {name: sole_winner(subject.findings.on(name)) for name in names}
    rows = []
    for system in subject.ordered:
        lead = leading.get(system)
        scores = subject.run.systems[system].scores
        rows.append(
            {
                "rank": ranking.rank(system),
                "letters": ranking.letters.get(system, ""),
                "system": shown(system, 200),
                "sign": trusted(subject.palette.sign(system)),
                "cells": [_cell(scores.get(name), winners[name] == system) for name in names],
                "n": f"{lead.n:,}" if lead else "0",
                "unscored": f"{lead.unscored:,}" if lead else "0",
            }
        )
    return rows


def _cell(score: Score | None, wins: bool) -> dict[str, Any]:
    if score is None:
        return {"value": "–", "interval": "", "wins": False}
    return {
        "value": figure(score.value, score.unit),
        "interval": span(score.low, score.high, score.unit),
        "wins": wins,
    }


def score_heads(subject: Subject, names: Sequence[str]) -> list[dict[str, str]]:
    """The leaderboard's columns."""
    return [
        {
            "name": shown(name, 60),
            "words": subject.view.names.get(name, ""),
            "arrow": " ↑" if score.higher_is_better else " ↓",
            "direction": "higher is better" if score.higher_is_better else "lower is better",
            "partial": ", ".join(score.partial),
        }
        for name, score in ((name, subject.score(name)) for name in names)
    ]


def heat_map(slices: Slices) -> dict[str, Any]:
    """Systems by slices, coloured from the worst value to the best."""
    labels, scores = list(slices.parts), slices.scores
    held = [score for row in scores.values() for score in row.values()]
    values = [score.value for score in held if math.isfinite(score.value)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    winners = {label: sole_winner(slices.comparisons.get(label)) for label in labels}

    def cell(label: str, system: str) -> dict[str, Any]:
        score = scores[label].get(system)
        if score is None or not math.isfinite(score.value):
            return {"value": "–", "interval": "", "shade": "", "wins": False}
        share = (score.value - low) / (high - low) if high > low else 0.5
        share = share if score.higher_is_better else 1 - share
        return {
            "value": figure(score.value, score.unit),
            "interval": span(score.low, score.high, score.unit),
            "shade": f"h{round(share * (SHADES - 1))}",
            "wins": winners[label] == system,
        }

    return {
        "title": f"{shown(slices.score, 60)} by {shown(slices.column, 60)}",
        "labels": [f"{shown(label, 60)} ({slices.size(label):,})" for label in labels],
        "rows": [
            {"system": shown(system, 120), "cells": [cell(label, system) for label in labels]}
            for system in slices.systems
        ],
        "sentences": [shown(line, 600) for line in slices.sentences()],
    }


def facts(subject: Subject) -> list[dict[str, str]]:
    """Counts in plain sight: items, systems, unscored, truncated."""
    rows = subject.run.rows
    counts: list[tuple[int, str]] = []
    if rows is not None:
        places = subject.view.listed(rows)
        named = rows if places is None else rows.take(places)
        keys = set(zip(named.keys["id"], named.keys["group"], strict=True))
        excerpt = subject.run.excerpt
        counts.append((excerpt.items if excerpt else len(keys), subject.noun))
        if subject.has_parts:
            owned = set(zip(rows.keys["system"], rows.item.tolist(), strict=True))
            most = Counter(system for system, _ in owned).most_common(1)[0][1]
            counts.append((most, subject.view.noun))
    counts.append((len(subject.run.systems), "system"))
    lines = [_fact(number, thing) for number, thing in counts]
    unscored = sum(score.unscored for score in subject.held(subject.headline).values())
    lines.append(_fact(unscored, "unscored", alert=True))
    truncated = truncated_items(subject)
    if truncated is not None:
        lines.append(_fact(truncated, "truncated", alert=True))
    return lines


def _fact(number: int, thing: str, *, alert: bool = False) -> dict[str, str]:
    value, _, named = count(number, thing).partition(" ")
    kind = "alert" if alert and number else ""
    return {"value": value, "label": thing if alert else named, "kind": kind}


def truncated_items(subject: Subject) -> int | None:
    """Items of which a model could not see all; None where no model was asked."""
    rows = subject.run.rows
    if rows is None or "unseen" not in rows:
        return None
    if subject.run.excerpt:
        return int(subject.run.notes.get("truncated", 0))
    return int(np.count_nonzero(np.nan_to_num(rows.values("unseen")) > 0))


def warnings(subject: Subject) -> list[str]:
    """What a reader must know before believing the numbers."""
    run, comparison, lines = subject.run, subject.lead, []
    lacking: dict[tuple[str, ...], dict[str, None]] = {}
    for system in run.systems.values():
        for score in system.scores.values():
            if score.partial:
                lacking.setdefault(score.partial, {})[f"{score.name}*"] = None
    for missing, names in lacking.items():
        verb = "is partial: it was" if len(names) == 1 else "are partial: they were"
        lines.append(f"{listed(list(names))} {verb} made without {listed(list(missing))}.")
    lines += subject.view.cautions(run)
    if run.excerpt and run.rows is not None:
        share = count(len({*run.rows.keys["id"]}), subject.noun)
        lines.append(
            f"Single items, and charts of them, are of an even sample: {share} of "
            f"{run.excerpt.items:,}. The scores and tests are of all; all are in items.parquet."
        )
    if run.unscored:
        reasons = [f"{shown(why, 160)} ({number:,})" for why, number in run.unscored.items()]
        lines.append("Unscored, by reason: " + "; ".join(reasons[:12]) + ".")
    lines += [
        f"Compared although the signatures differ: {shown(difference, 300)}"
        for difference in comparison.forced
    ]
    lines += [comparison.rule] if comparison.rule else []
    return [*lines, *(shown(note, 300) for note in comparison.notes)]


def pair_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Every pair of every comparison as text."""
    rows = []
    for comparison in comparisons:
        unit = comparison.unit
        for pair in comparison.pairs:
            bounds = f"{signed(pair.low, unit)} – {signed(pair.high, unit)}"
            rows.append(
                {
                    "metric": shown(comparison.metric, 60),
                    "a": shown(pair.a, 120),
                    "b": shown(pair.b, 120),
                    "difference": signed(pair.difference, unit),
                    "interval": bounds if math.isfinite(pair.low) else "–",
                    "p": probability(pair.p_value),
                    "p_corrected": probability(pair.p_corrected),
                    "effect": _decimal(pair.effect),
                    "superiority": _decimal(pair.superiority),
                    "detectable": signed(pair.detectable, unit).lstrip("+"),
                    "n": f"{pair.n:,}",
                    "real": pair.is_real,
                }
            )
    return rows


def _decimal(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "–"
