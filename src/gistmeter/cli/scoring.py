"""The scoring commands: each is a family's settings, and `score` with a progress bar."""

from __future__ import annotations

import contextlib
import logging
import shlex
import signal
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gistmeter.cli import console
from gistmeter.cli.commands import Display, SettingsCommand
from gistmeter.core.errors import UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.settings import Settings, option

if TYPE_CHECKING:
    from gistmeter.core.family import Family
    from gistmeter.core.run import Run
    from gistmeter.report.progress import ProgressBars


@dataclass(frozen=True, kw_only=True)
class ScoreDisplay(Display):
    """How scores are shown, and whether remarks are."""

    quiet: bool = option(
        False, "No progress, no remarks and no warnings; errors and the result still show.",
        panel="output", flags=("-q",),
    )  # fmt: skip
    all: bool = option(
        False, "Show every score, and not only those to judge by.", panel="output", flags=("-a",)
    )


class ScoringCommand(SettingsCommand):
    """The command of a family: the options of its metrics are looked up where one is unknown."""

    def __init__(self, family: Family[Any, Any], settings: type[Settings]) -> None:
        self.family = family
        super().__init__(
            family.name,
            (settings, RunSettings, ScoreDisplay),
            partial(run_command, family),
            summary=family.summary,
            description=family.description,
            examples=family.examples,
        )

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> click.Context:
        with contextlib.suppress(UnknownName):
            if "--help-all" not in args:
                return super().make_context(info_name, list(args), parent, **extra)
        from gistmeter.core.wiring import complete_settings

        settings = complete_settings(self.family)
        command = ScoringCommand(self.family, settings)
        return super(ScoringCommand, command).make_context(info_name, args, parent, **extra)


def scoring_command(name: str) -> SettingsCommand:
    """The command of a family."""
    family = family_of(name)
    return ScoringCommand(family, family.Settings)


def run_command(
    family: Family[Any, Any], settings: Any, how: RunSettings, display: ScoreDisplay
) -> int:
    """Score and show; the exit code is decided when all is done."""
    if getattr(settings, "estimate", False):
        return _estimate(family, settings, how)
    how, folder = _with_folder(family.name, how)
    logger = logging.getLogger("gistmeter")
    level = logger.level
    logger.setLevel(logging.ERROR if display.quiet else level)
    try:
        if not how.resume:
            return _score(family, settings, how, display, folder)
        from gistmeter.cli.runs import using

        with using([folder]):  # of a finished run, what its folder holds is used
            return _score(family, settings, how, display, folder)
    finally:
        logger.setLevel(level)


def _score(
    family: Family[Any, Any], settings: Any, how: RunSettings, display: ScoreDisplay, folder: Path
) -> int:
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.core.score import score

    hear = console.listener(quiet=display.quiet)
    began = time.monotonic()
    shown: list[ProgressBars] = []  # none before the first report

    def progress(stage: str, done: int, total: int) -> None:
        from gistmeter.report.progress import ProgressBars

        if not shown:
            shown.append(ProgressBars(began=began))
        shown[0].update(stage, done, total)

    cache = None if how.no_cache else Cache(cache_file())
    try:
        run = score(
            family, settings, how=how, cache=cache,
            progress=None if display.quiet else progress, hear=hear, confirm=_confirm,
        )  # fmt: skip
    except KeyboardInterrupt:
        for bars in shown:
            bars.stop()
        _tell_resume(family.name, how, folder)
        raise
    finally:
        for bars in shown:
            bars.stop()
        if cache is not None:
            cache.close()
    show(run, family, display)
    run.require(how.fail_under)
    if stopped := run.notes.get("interrupted"):
        hear(f"Stopped by {stopped}; what was done is scored. Add --resume to go on", True)
        return 128 + signal.Signals[stopped]
    return 0


def _estimate(family: Any, settings: Any, how: RunSettings) -> int:
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.core.family import Context
    from gistmeter.core.score import estimate

    cache = Cache(None if how.no_cache else cache_file())
    context = Context(cache, hear=console.listener(quiet=False))
    console.show(str(estimate(family, settings, context)))
    return 0


def _with_folder(name: str, how: RunSettings) -> tuple[RunSettings, Path]:
    """A command always keeps its run."""
    from gistmeter.core.runs import choose_folder
    from gistmeter.core.score import split_outputs

    files, folder = split_outputs(how.output)
    chosen = folder or choose_folder(name, resume=how.resume)
    return replace(how, output=(*files, chosen)), chosen


def _confirm(question: str) -> bool:
    return sys.stdin.isatty() and click.confirm(console.plain(question), err=True)


def _tell_resume(name: str, how: RunSettings, folder: Path) -> None:
    # The demo runs commands that nobody typed: how to go on with one is no use.
    typed = sys.argv[1:]
    if name not in typed or not (folder.exists() or how.resume):
        return
    given = [part for part in typed if part != "--resume"]
    named = any(str(path) == str(folder) for path in map(Path, given))
    line = shlex.join(["gistmeter", *given, *([] if named else ["-o", str(folder)]), "--resume"])
    console.say(f"Interrupted. What is done is kept; go on with:\n  {line}")


def show(run: Run, family: Family[Any, Any], display: ScoreDisplay) -> None:
    if display.format == "json":
        console.write_json(console.to_json(run.to_dict()))
        return
    from gistmeter.report.ending import print_ending, print_result
    from gistmeter.report.terminal import print_sheet

    screen, view = console.stdout(), family.view()
    print_result(run, view, screen, everything=display.all)
    for sheet in family.overview(run):
        print_sheet(sheet, screen)
    print_ending(run, view, screen, next_command=next_command(run))


def next_command(run: Run) -> str:
    """What a reader of the scores would ask next."""
    if run.path is None:
        return ""
    place = shlex.quote(str(run.path))
    if len(run.systems) > 1:
        return f"gistmeter compare {place}"
    return f"gistmeter compare {place} OTHER_RUN"
