"""Validation against people on the terminal, in Markdown and as a page with calibration plots.

It comes in as plain data, the shape of `validate --format json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from gistmeter.report.terminal import safe

Validation = Mapping[str, Any]
PLOTS = 9  # scores whose calibration is drawn
MEASURES = (
    ("pearson", "Pearson"),
    ("spearman", "Spearman"),
    ("kendall", "Kendall"),
    ("accuracy", "pairs"),
)


def print_validation(found: Validation, console: Console) -> None:
    """Agreement of every score, decisions for yes/no labels, refitted weights."""
    table = Table(title="Agreement with people", title_justify="left")
    table.add_column("score", overflow="fold")
    for _, title in MEASURES:
        table.add_column(title, justify="right")
    table.add_column("n", justify="right")
    for name, one in ordered(found):
        cells = [f"{value(one[key])}\n{bounds(one[key])}" for key, _ in MEASURES]
        table.add_row(safe(name), *cells, str(one["n"]))
    console.print(table)
    for line in people(found):
        console.print(safe(line))
    if found["binary"]:
        console.print(_decisions(found))
    if found["weights"]:
        console.print(_weights(found["weights"]))
        console.print(safe(verdict(found)))
    for line in footnotes(found):
        console.print(safe(line), style="dim")


def people(found: Validation) -> list[str]:
    """How far people agree with each other, and the score corrected by their labels."""
    lines = []
    among = found.get("annotators")
    if among:
        told = f"People among each other ({among['items']:,} items judged more than once): "
        told += f"Krippendorff's alpha {spelled(among['alpha'])}"
        if among["kappa"]:
            told += f", Cohen's kappa {spelled(among['kappa'])}"
        lines.append(f"{told}.")
        lines.append(
            "The ceiling, one person against the mean of the others: Pearson "
            f"{spelled(among['ceiling_pearson'])}, Spearman {spelled(among['ceiling_spearman'])}."
        )
    return lines + [
        f"{one['system']}: people would give {spelled(one['estimate'])} on the average, by "
        f"{one['labelled']:,} labels and {one['score']} of {one['unlabelled']:,} further items; "
        f"the labels alone say {spelled(one['labels_alone'])}."
        for one in found.get("corrected") or ()
    ]


def spelled(estimate: Mapping[str, Any]) -> str:
    """A value with its interval."""
    told = bounds(estimate)
    return value(estimate) + (f" ({told})" if told else "")


def ordered(found: Validation) -> list[tuple[str, Any]]:
    """Scores, the best agreement first."""

    def strength(entry: tuple[str, Any]) -> float:
        value = entry[1]["spearman"]["value"]
        return -abs(value) if value is not None else 1.0

    return sorted(found["scores"].items(), key=strength)


def value(estimate: Mapping[str, Any], digits: int = 3) -> str:
    return "–" if estimate["value"] is None else f"{estimate['value']:.{digits}f}"


def bounds(estimate: Mapping[str, Any], digits: int = 2) -> str:
    if estimate["low"] is None or estimate["high"] is None:
        return ""
    return f"{estimate['low']:.{digits}f} – {estimate['high']:.{digits}f}"


def _decisions(found: Validation) -> Table:
    table = Table(title="Deciding yes or no", title_justify="left")
    for name in ("score", "AUC", "threshold", "sensitivity", "specificity"):
        table.add_column(name, justify="left" if name == "score" else "right")
    for name, one in ordered(found):
        decision = one["decision"]
        if decision:
            sign = "≥" if one["higher_is_better"] else "≤"
            table.add_row(
                safe(name),
                f"{value(decision['auc'])}\n{bounds(decision['auc'])}",
                f"{sign} {value(decision['threshold'])}\n{bounds(decision['threshold'], 3)}",
                f"{decision['sensitivity']:.2f}",
                f"{decision['specificity']:.2f}",
            )
    return table


def _weights(refit: Mapping[str, Any]) -> Table:
    table = Table(title="Which component adds what", title_justify="left")
    for name in ("component", "weight in use", "refitted", "interval", "adds to r"):
        table.add_column(name, justify="left" if name == "component" else "right")
    for one in refit["components"]:
        table.add_row(
            safe(one["name"]), f"{one['given']:.2f}", f"{one['fitted']:.2f}",
            f"{one['low']:.2f} – {one['high']:.2f}", f"{one['adds']:+.3f}",
        )  # fmt: skip
    return table


def verdict(found: Validation) -> str:
    """How the weights in use agree with people, and whether one part alone agrees better."""
    refit = found["weights"]
    told = (
        f"Weights in use: r = {refit['given_pearson']:.3f}, rho = {refit['given_spearman']:.3f}. "
        f"Refitted, out of fold: r = {refit['fitted_pearson']:.3f}, "
        f"rho = {refit['fitted_spearman']:.3f}. Nothing was changed by this."
    )
    alone = {
        one["name"]: found["scores"][one["name"]]["spearman"]["value"] or 0.0
        for one in refit["components"]
        if one["name"] in found["scores"]
    }
    best = max(alone, key=lambda name: alone[name], default="")
    if not best or alone[best] <= refit["given_spearman"]:
        return told
    return f"{told} {best} alone agrees better than all parts together: rho = {alone[best]:.3f}."


def footnotes(found: Validation) -> list[str]:
    share = round(100 * found["confidence"])
    lines = [
        f"{found['labelled']:,} labelled items; {share}% intervals, {found['resamples']:,} "
        "resamples of whole items. Pairs: accuracy on pairs of items, ties counted."
    ]
    if found["unmatched"]:
        lines.append(f"{found['unmatched']:,} labels fit no item of the run.")
    if found["repeated"]:
        lines.append(f"{found['repeated']:,} items were judged more than once: averaged.")
    return [*lines, *found["notes"]]


def _bound(value: float | None) -> float:
    return math.nan if value is None else value


def calibrations(found: Validation) -> dict[str, str]:
    """Calibration plots of the scores that agree best."""
    from gistmeter.core.views import Lines, Point
    from gistmeter.report.charts import draw
    from gistmeter.report.drawing import Palette

    drawn = {}
    for name, _ in ordered(found)[:PLOTS]:
        points = [
            Point(
                "", one["human"], x=one["score"], low=_bound(one["low"]), high=_bound(one["high"])
            )
            for one in found["calibration"].get(name, [])
        ]
        if len(points) > 1:
            chart = Lines(f"{name} against people", points, name, "people (mean)")
            drawn[name] = draw(chart, Palette.of(), [])
    return drawn
