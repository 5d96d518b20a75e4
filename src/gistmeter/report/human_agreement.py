"""Agreement with people: tables on the terminal, a page with calibration plots.

A validation comes in as plain data, the shape of `validate --format json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from gistmeter.core.files import write_atomically
from gistmeter.core.views import Lines, Point, shown
from gistmeter.core.wording import count
from gistmeter.report.charts import draw
from gistmeter.report.drawing import Palette
from gistmeter.report.html import render, trusted
from gistmeter.report.terminal import safe

Validation = Mapping[str, Any]
PLOTS = 9  # scores whose calibration is drawn
MEASURES = (
    ("pearson", "Pearson"),
    ("spearman", "Spearman"),
    ("kendall", "Kendall"),
    ("accuracy", "pairs"),
)


def print_validation(validation: Validation, console: Console) -> None:
    """Agreement of every score, decisions for yes/no labels, refitted weights."""
    table = _table("Agreement with people", "score", *(title for _, title in MEASURES), "n")
    for name, scored in ordered(validation):
        cells = [f"{value(scored[key])}\n{bounds(scored[key])}" for key, _ in MEASURES]
        table.add_row(safe(name), *cells, str(scored["n"]))
    console.print(table)
    for line in people(validation):
        console.print(safe(line))
    if validation["binary"]:
        console.print(_decisions(validation))
    if validation["weights"]:
        console.print(_weights(validation["weights"]))
        console.print(safe(verdict(validation)))
    for line in footnotes(validation):
        console.print(safe(line), style="dim")


def people(validation: Validation) -> list[str]:
    """How far people agree with each other, and the score corrected by their labels."""
    lines = []
    among = validation.get("annotators")
    if among:
        line = f"People among each other ({among['items']:,} items judged more than once): "
        line += f"Krippendorff's alpha {spelled(among['alpha'])}"
        if among["kappa"]:
            line += f", Cohen's kappa {spelled(among['kappa'])}"
        lines.append(f"{line}.")
        lines.append(
            "The ceiling, one person against the mean of the others: Pearson "
            f"{spelled(among['ceiling_pearson'])}, Spearman {spelled(among['ceiling_spearman'])}."
        )
    return lines + [
        f"{one['system']}: people would give {spelled(one['estimate'])} on average, by "
        f"{one['labelled']:,} labels and {one['score']} of {one['unlabelled']:,} further items; "
        f"the labels alone say {spelled(one['labels_alone'])}."
        for one in validation.get("corrected") or ()
    ]


def spelled(estimate: Mapping[str, Any]) -> str:
    """A value with its interval."""
    interval = bounds(estimate)
    return value(estimate) + (f" ({interval})" if interval else "")


def ordered(validation: Validation) -> list[tuple[str, Any]]:
    """Scores, the best agreement first."""

    def strength(entry: tuple[str, Any]) -> float:
        value = entry[1]["spearman"]["value"]
        return -abs(value) if value is not None else 1.0

    return sorted(validation["scores"].items(), key=strength)


def value(estimate: Mapping[str, Any], digits: int = 3) -> str:
    return "–" if estimate["value"] is None else f"{estimate['value']:.{digits}f}"


def bounds(estimate: Mapping[str, Any], digits: int = 2) -> str:
    if estimate["low"] is None or estimate["high"] is None:
        return ""
    return f"{estimate['low']:.{digits}f} – {estimate['high']:.{digits}f}"


def _table(title: str, first: str, *numbers: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _decisions(validation: Validation) -> Table:
    heads = ("score", "AUC", "threshold", "sensitivity", "specificity")
    table = _table("Deciding yes or no", *heads)
    for name, scored in ordered(validation):
        decision = scored["decision"]
        if decision:
            sign = "≥" if scored["higher_is_better"] else "≤"
            table.add_row(
                safe(name),
                f"{value(decision['auc'])}\n{bounds(decision['auc'])}",
                f"{sign} {value(decision['threshold'])}\n{bounds(decision['threshold'], 3)}",
                f"{decision['sensitivity']:.2f}",
                f"{decision['specificity']:.2f}",
            )
    return table


def _weights(refit: Mapping[str, Any]) -> Table:
    heads = ("component", "weight in use", "refitted", "interval", "adds to r")
    table = _table("Which component adds what", *heads)
    for part in refit["components"]:
        table.add_row(
            safe(part["name"]), f"{part['given']:.2f}", f"{part['fitted']:.2f}",
            f"{part['low']:.2f} – {part['high']:.2f}", f"{part['adds']:+.3f}",
        )  # fmt: skip
    return table


def verdict(validation: Validation) -> str:
    """How the weights in use agree with people, and whether one part alone agrees better."""
    refit = validation["weights"]
    line = (
        f"Weights in use: r = {refit['given_pearson']:.3f}, rho = {refit['given_spearman']:.3f}. "
        f"Refitted, out of fold: r = {refit['fitted_pearson']:.3f}, "
        f"rho = {refit['fitted_spearman']:.3f}. Nothing was changed by this."
    )
    alone = {
        part["name"]: validation["scores"][part["name"]]["spearman"]["value"] or 0.0
        for part in refit["components"]
        if part["name"] in validation["scores"]
    }
    best = max(alone, key=lambda name: alone[name], default="")
    if not best or alone[best] <= refit["given_spearman"]:
        return line
    return f"{line} {best} alone agrees better than all parts together: rho = {alone[best]:.3f}."


def footnotes(validation: Validation) -> list[str]:
    share = round(100 * validation["confidence"])
    lines = [
        f"{validation['labelled']:,} labelled items; {share}% intervals, "
        f"{validation['resamples']:,} resamples of whole items. Pairs: accuracy on pairs of "
        "items, ties counted."
    ]
    if validation["unmatched"]:
        lines.append(f"{validation['unmatched']:,} labels fit no item of the run.")
    if validation["repeated"]:
        lines.append(f"{validation['repeated']:,} items were judged more than once: averaged.")
    return [*lines, *validation["notes"]]


def write_validation(validation: Validation, path: Path, title: str) -> None:
    """Write a validation as one HTML file."""
    heads = [name for _, name in MEASURES]
    ranked = ordered(validation)
    page = render(
        "validation.html.j2",
        title=shown(title, 80),
        answer=_answer(ranked),
        heads=[*heads, *(["AUC", "threshold"] if validation["binary"] else []), "n"],
        rows=[_row(name, scored, binary=validation["binary"]) for name, scored in ranked],
        notes=[*people(validation), *footnotes(validation)],
        pictures=[
            {"title": shown(name, 60), "drawing": trusted(drawing)}
            for name, drawing in calibrations(validation).items()
        ],
        weights=validation["weights"],
        verdict=verdict(validation) if validation["weights"] else "",
    )
    write_atomically(path, page)


def _answer(ranked: list[tuple[str, Any]]) -> str:
    if not ranked:
        return "No labelled item has a score."
    name, best = ranked[0]
    agreement = f"{shown(name, 60)} agrees best with people: Spearman {spelled(best['spearman'])}"
    return f"{agreement} on {count(best['n'], 'item')}."


def _row(name: str, scored: Any, *, binary: bool) -> dict[str, Any]:
    estimates = [scored[key] for key, _ in MEASURES]
    if binary and scored["decision"]:
        estimates += [scored["decision"]["auc"], scored["decision"]["threshold"]]
    cells = [{"value": value(estimate), "bounds": bounds(estimate)} for estimate in estimates]
    return {"name": shown(name, 60), "cells": [*cells, {"value": str(scored["n"]), "bounds": ""}]}


def calibrations(validation: Validation) -> dict[str, str]:
    """Calibration plots of the scores that agree best."""
    drawn = {}
    for name, _ in ordered(validation)[:PLOTS]:
        points = [
            Point(
                "", part["human"], x=part["score"],
                low=math.nan if part["low"] is None else part["low"],
                high=math.nan if part["high"] is None else part["high"],
            )
            for part in validation["calibration"].get(name, [])
        ]  # fmt: skip
        if len(points) > 1:
            chart = Lines(f"{name} against people", points, name, "people (mean)")
            drawn[name] = draw(chart, Palette.of(), [])
    return drawn
