"""A score over time: a table on the terminal, a page with charts."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from gistmeter.core.files import write_atomically
from gistmeter.core.views import Lines, Point, shown
from gistmeter.core.wording import probability, signed
from gistmeter.report.charts import draw
from gistmeter.report.drawing import Palette
from gistmeter.report.html import render, trusted
from gistmeter.report.terminal import interval, safe

if TYPE_CHECKING:
    from rich.console import Console

    from gistmeter.tools.history import Change, Series

SIGNS = {"better": "▲", "worse": "▼", "": ""}
COLOURS = {"better": "green", "worse": "red", "": ""}


def print_series(series: Series, console: Console) -> None:
    """One line per run, with its change against the one before."""
    title = f"{series.command}: {series.metric} of {series.system}"
    table = Table(title=safe(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("when", no_wrap=True)
    table.add_column("run", overflow="fold")
    for name in ("value", "interval", "change", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in _rows(series):
        cells = (row[name] for name in ("when", "run", "value", "interval", "change", "p"))
        table.add_row(*map(safe, cells), style=COLOURS[row["verdict"]])
    console.print(table)
    console.print(safe(conclusion(series)))


def write_history(history: Sequence[Series], path: Path) -> None:
    """Write series as one HTML file: a chart and a table for each system."""
    sections = [_section(series) for series in history]
    write_atomically(path, render("history.html.j2", sections=sections))


def _section(series: Series) -> dict[str, Any]:
    points = [
        Point(
            series.system, moment.score.value, x=float(at),
            low=moment.score.low, high=moment.score.high,
        )
        for at, moment in enumerate(series.moments, start=1)
    ]  # fmt: skip
    title = f"{series.metric} of {series.system}"
    chart = Lines(title, points, "run, oldest first", series.metric)
    return {
        "title": shown(f"{series.command}: {title}", 120),
        "answer": conclusion(series),
        "drawing": trusted(draw(chart, Palette.of([series.system]), [series.system])),
        "rows": [
            {**row, "number": at, "run": shown(row["run"], 200)}
            for at, row in enumerate(_rows(series), start=1)
        ],
    }


def _rows(series: Series) -> list[dict[str, str]]:
    """Every run as text; runs by their places below the folder that holds them all."""
    places = [PurePath(moment.run) for moment in series.moments]
    shared = os.path.commonpath([place.parent for place in places])
    return [
        {
            "when": moment.when[:16],
            "run": str(place.relative_to(shared)) if shared else str(place),
            "value": moment.score.number(moment.score.value),
            "interval": interval(moment.score),
            "n": str(moment.score.n),
            "change": _spelled(moment.change, moment.score.unit),
            "p": _p(moment.change),
            "verdict": moment.change.verdict if moment.change else "",
        }
        for moment, place in zip(series.moments, places, strict=True)
    ]


def _spelled(change: Change | None, unit: str) -> str:
    """A change in few characters: ▲ +0.021; or why there is none."""
    if change is None:
        return ""
    if not math.isfinite(change.difference):
        return change.remark or "–"
    return f"{SIGNS[change.verdict]} {signed(change.difference, unit)}".strip()


def _p(change: Change | None) -> str:
    return probability(change.p) if change is not None and math.isfinite(change.p) else ""


def conclusion(series: Series) -> str:
    """How many changes are real, and the change of the score from the first run to the last."""
    changes = [moment.change for moment in series.moments if moment.change is not None]
    real = sum(bool(change.verdict) for change in changes)
    tested = sum(math.isfinite(change.p) for change in changes)
    summary = f"{real} of {tested} changes are real (▲ better, ▼ worse)."
    if any(change.of_other_models for change in changes):
        summary += " gistmeter rescore RUN scores an older run with the models of today."
    overall = series.overall
    if overall is None or not math.isfinite(overall.difference):
        return summary
    unit = series.moments[-1].score.unit
    verdict = f"really {overall.verdict}" if overall.verdict else "not shown to be a change"
    return (
        f"{summary} From the first run to the last: {signed(overall.difference, unit)},"
        f" p {_p(overall)}: {verdict}."
    )
