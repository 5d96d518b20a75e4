"""`gistmeter runs`: which runs there are, and their headline scores."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.cli.finding import ROOT, RUN
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.settings import Settings, option


@dataclass(frozen=True, kw_only=True)
class RunsSettings(Settings):
    """Where to look."""

    title: ClassVar[str] = "runs"
    folder: Path = option(
        ROOT, "The folder to look in.", panel="input", argument="only", metavar="FOLDER"
    )


def work(settings: RunsSettings) -> int:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gistmeter.core.runs import runs_in
    from gistmeter.report.terminal import safe

    if not settings.folder.is_dir():
        raise InputError(f"{settings.folder}: is no folder. Runs are kept in {ROOT}/ by default")
    places = runs_in(settings.folder)
    if not places:
        raise InputError(f"{settings.folder}: has no finished run")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("run", "system"):
        table.add_column(name, overflow="fold")
    for name in ("score", "value", "n", "when"):
        table.add_column(name, justify="right", no_wrap=True)
    for place in reversed(places):
        for cells in _lines(place):
            table.add_row(*map(safe, cells))
    console.stdout().print(table)
    return 0


def _lines(place: Path) -> Iterator[tuple[str, ...]]:
    """One line per system, by the first headline score that it has."""
    from gistmeter.core.runs.loading import load_run

    when = datetime.datetime.fromtimestamp((place / RUN).stat().st_mtime)
    label, told = str(place), f"{when:%Y-%m-%d %H:%M}"
    try:
        run = load_run(place)
    except GistmeterError as error:
        console.warn(f"{place}: {error}")
        return
    for system, held in run.systems.items():
        names = [name for name in (*run.headline, *held.scores) if name in held.scores]
        known = [name for name in names if math.isfinite(held.scores[name].value)]
        name = next(iter(known or names), "")
        score = held.scores.get(name)
        value = score.number(score.value) + "*" * bool(score.partial) if score else "–"
        yield label, system, name, value, str(score.n if score else 0), told
        label, told = "", ""


command = SettingsCommand(
    "runs",
    (RunsSettings,),
    work,
    summary="The runs that are kept, newest first, with their headline scores.",
    examples=("gistmeter runs", "gistmeter report latest"),
)
