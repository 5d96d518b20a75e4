"""Runs by the names that people give them, and the commands that list and show them.

A run is named by its folder or as `latest`; where several are asked for, a folder that is no run
stands for those below it.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gistmeter.cli import console
from gistmeter.cli.commands import SettingsCommand
from gistmeter.core.errors import FormatError, GistmeterError, InputError
from gistmeter.core.settings import Settings, option

logger = logging.getLogger(__name__)
ROOT = Path("runs")
LATEST = "latest"
RUN = "run.json"


def find_run(path: Path) -> Path:
    """The run that is meant by a path or by `latest`."""
    if str(path) != LATEST or path.exists():
        return path
    from gistmeter.core.runs import runs_in

    known = runs_in(ROOT) if ROOT.is_dir() else []
    if not known:
        raise InputError(f"There is no latest run: {ROOT}/ has none here. Name the run's folder")
    return known[-1]


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """All runs that are meant; a folder that is no run stands for those below it."""
    from gistmeter.core.runs import runs_in

    places: list[Path] = []
    for path in map(find_run, paths):
        is_run = any((path / name).exists() for name in (RUN, "journal.jsonl"))
        below = runs_in(path) if path.is_dir() and not is_run else []
        places += below or [path]
    return list(dict.fromkeys(places))


@contextlib.contextmanager
def using(paths: Sequence[Path]) -> Iterator[None]:
    """Report what cannot be used in the notes and documents of runs, which are free in form.

    Their digests have been checked by then, so somebody wrote them that way.
    """
    from gistmeter.core.runs.layout import NONSENSE

    try:
        yield
    except NONSENSE as error:
        logger.debug("a run cannot be used", exc_info=True)
        raise FormatError(
            f"the notes or details of a run hold what cannot be used ({error!r}). Score it again; "
            "if gistmeter wrote it that way, please report it as a fault of gistmeter",
            path=", ".join(map(str, paths)),
        ) from error


def of_runs(work: Callable[..., int]) -> Callable[..., int]:
    """A command whose settings name runs, see `using`."""

    @functools.wraps(work)
    def careful(*settings: Any) -> int:
        given = [vars(part).get(name) or () for part in settings for name in ("runs", "run")]
        paths = [
            path for value in given for path in ([value] if isinstance(value, Path) else value)
        ]
        with using(paths):
            return work(*settings)

    return careful


@dataclass(frozen=True, kw_only=True)
class RunsSettings(Settings):
    """Where to look."""

    title: ClassVar[str] = "runs"
    folder: Path = option(
        ROOT, "The folder to look in.", panel="input", argument="only", metavar="FOLDER"
    )


def list_runs(settings: RunsSettings) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gistmeter.core.runs import runs_in
    from gistmeter.report.terminal import safe

    if not settings.folder.is_dir() and settings.folder != ROOT:
        raise InputError(f"{settings.folder}: is not a folder. Runs are kept in {ROOT}/ by default")
    places = runs_in(settings.folder) if settings.folder.is_dir() else []
    if not places:
        where = f"{settings.folder}/" if settings.folder.is_dir() else "this folder"
        console.say(f"No finished run in {where}. A scoring command keeps one: gistmeter text …")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("run", "system"):
        table.add_column(name, overflow="fold")
    for name in ("score", "value", "n", "when"):
        table.add_column(name, justify="right", no_wrap=True)
    for place in reversed(places):
        for cells in _lines(place):
            table.add_row(*map(safe, cells))
    console.stdout().print(table)


def _lines(place: Path) -> Iterator[tuple[str, ...]]:
    """One line per system, by the first headline score that it has."""
    from gistmeter.core.runs.saved import load_run

    changed = datetime.datetime.fromtimestamp((place / RUN).stat().st_mtime)
    label, when = str(place), f"{changed:%Y-%m-%d %H:%M}"
    try:
        run = load_run(place)
    except GistmeterError as error:
        console.warn(f"{place}: {error}")
        return
    for system, scored in run.systems.items():
        names = [name for name in (*run.headline, *scored.scores) if name in scored.scores]
        known = [name for name in names if math.isfinite(scored.scores[name].value)]
        name = next(iter(known or names), "")
        score = scored.scores.get(name)
        value = score.number(score.value) + "*" * bool(score.partial) if score else "–"
        yield label, system, name, value, str(score.n if score else 0), when
        label, when = "", ""


runs_command = SettingsCommand(
    "runs",
    (RunsSettings,),
    list_runs,
    summary="The runs that are kept, newest first, with their headline scores.",
    examples=("gistmeter runs", "gistmeter report latest"),
)


@dataclass(frozen=True, kw_only=True)
class ReportSettings(Settings):
    """What a report shows, and where it goes."""

    title: ClassVar[str] = "report"
    runs: tuple[Path, ...] = option(
        (), "Folders of finished runs, a folder of runs, or 'latest'.",
        panel="input", argument="only", metavar="RUN...",
    )  # fmt: skip
    output: Path = option(
        Path("report.html"), "The page to write.",
        panel="output", flags=("-o",), metavar="FILE.html",
    )  # fmt: skip
    heading: str = option("", "The page's title.", panel="output", flag="--title", metavar="TEXT")
    all: bool = option(False, "Include every item, however large the page becomes.", panel="output")
    quiet: bool = option(False, "Say nothing; errors still show.", panel="output", flags=("-q",))

    def check(self) -> None:
        if not self.runs:
            raise InputError("Name the runs to report: gistmeter report RUN")
        if self.output.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{self.output}: a report is an HTML file; give it the suffix .html")


@of_runs
def report(settings: ReportSettings) -> int:
    from gistmeter.core.run import write_report
    from gistmeter.core.runs.saved import load_run

    output = settings.output
    runs = [load_run(path) for path in find_runs(settings.runs)]
    write_report(runs, output, title=settings.heading, everything=settings.all)
    if not settings.quiet:
        console.say(f"Wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    return 0


report_command = SettingsCommand(
    "report",
    (ReportSettings,),
    report,
    summary="One HTML page over one or several runs.",
    description=(
        "The page opens from disk, with no network and no server. Runs of the same items, measured"
        " in the same way, are compared with each other; runs of different kinds become sections of"
        " one page."
    ),
    examples=("gistmeter report runs/first", "gistmeter report runs/ -o all.html"),
)
