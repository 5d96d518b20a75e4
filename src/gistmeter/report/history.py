"""A score over time on the terminal."""

from __future__ import annotations

import math
import os
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from gistmeter.core.wording import probability, signed
from gistmeter.report.terminal import interval, safe

if TYPE_CHECKING:
    from rich.console import Console

    from gistmeter.tools.history import Change, Series

SIGNS = {"better": "▲", "worse": "▼", "": ""}
COLOURS = {"better": "green", "worse": "red"}


def print_series(series: Series, console: Console) -> None:
    """One line per run, with its change against the one before."""
    title = f"{series.command}: {series.metric} of {series.system}"
    table = Table(title=safe(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("when", no_wrap=True)
    table.add_column("run", overflow="fold")
    for name in ("value", "interval", "change", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for one, name in zip(series.moments, names_of(series), strict=True):
        told = told_of(one.change, one.score.unit)
        cells = (one.when[:16], name, one.score.number(one.score.value), interval(one.score),
                 told, p_of(one.change))  # fmt: skip
        style = COLOURS.get(one.change.verdict if one.change else "", "")
        table.add_row(*map(safe, cells), style=style)
    console.print(table)
    console.print(safe(conclusion(series)))


def names_of(series: Series) -> list[str]:
    """The runs by their places below the folder that holds them all."""
    places = [PurePath(one.run) for one in series.moments]
    shared = os.path.commonpath([place.parent for place in places])
    return [str(place.relative_to(shared)) if shared else str(place) for place in places]


def told_of(change: Change | None, unit: str = "") -> str:
    """A change in few characters: ▲ +0.021; or why there is none."""
    if change is None:
        return ""
    if not math.isfinite(change.difference):
        return change.remark or "–"
    return f"{SIGNS[change.verdict]} {signed(change.difference, unit)}".strip()


def p_of(change: Change | None) -> str:
    return probability(change.p) if change is not None and math.isfinite(change.p) else ""


def conclusion(series: Series) -> str:
    """How many changes are real, and what became of the score from the first run to the last."""
    real = [one for one in series.moments if one.change is not None and one.change.verdict]
    tested = [one for one in series.moments if one.change and math.isfinite(one.change.p)]
    told = f"{len(real)} of {len(tested)} changes are real (▲ better, ▼ worse)."
    change = series.overall
    if change is None or not math.isfinite(change.difference):
        return told
    unit = series.moments[-1].score.unit
    verdict = f"really {change.verdict}" if change.verdict else "not shown to be a change"
    return (
        f"{told} From the first run to the last: {signed(change.difference, unit)},"
        f" p {p_of(change)}: {verdict}."
    )
