"""The scoring commands: each is a family's settings, and `score` with a progress bar."""

from __future__ import annotations

import json
import logging
import shlex
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core.errors import UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.settings import Settings, option

if TYPE_CHECKING:
    import click

    from gistmeter.core.family import Family
    from gistmeter.core.run import Run

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """What the terminal shows."""

    title: ClassVar[str] = "the command line"
    format: Literal["table", "json"] = option(
        "table", "What to print: a table for people, or JSON alone on stdout.", panel="output"
    )
    quiet: bool = option(
        False, "No progress, no remarks and no warnings; errors and the result still show.",
        panel="output", flags=("-q",),
    )  # fmt: skip


class ScoringCommand(SettingsCommand):
    """The command of a family: the options of its metrics are looked up where one is unknown."""

    def __init__(self, family: Family[Any, Any], settings: type[Settings]) -> None:
        self.family = family
        super().__init__(
            family.name,
            (settings, RunSettings, Shown),
            partial(run_command, family),
            summary=family.summary,
            description=family.description,
            examples=family.examples,
        )

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, list(args), parent, **extra)
        except UnknownName:
            from gistmeter.core.wiring import complete_settings

            settings = complete_settings(self.family)
            if settings is self.kinds[0]:
                raise
            command = ScoringCommand(self.family, settings)
            return super(ScoringCommand, command).make_context(info_name, args, parent, **extra)


def scoring_command(name: str) -> SettingsCommand:
    """The command of a family."""
    family = family_of(name)
    return ScoringCommand(family, family.Settings)


def run_command(family: Family[Any, Any], settings: Any, how: RunSettings, shown: Shown) -> int:
    """Score and show; the exit code is decided when all is done."""
    logger = logging.getLogger("gistmeter")
    level = logger.level
    logger.setLevel(logging.ERROR if shown.quiet else level)
    try:
        return _run(family, settings, how, shown)
    finally:
        logger.setLevel(level)


def _run(family: Family[Any, Any], settings: Any, how: RunSettings, shown: Shown) -> int:
    from gistmeter.cli.finding import using

    if getattr(settings, "estimate", False):
        return _estimate(family, settings, how)
    how, folder = _with_folder(family.name, how)
    if how.resume:  # of a finished run is used what its folder holds
        with using([folder]):
            return _score(family, settings, how, shown, folder)
    return _score(family, settings, how, shown, folder)


def _score(
    family: Family[Any, Any], settings: Any, how: RunSettings, shown: Shown, folder: Path
) -> int:
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.core.configuration import profiles
    from gistmeter.core.score import score
    from gistmeter.report.progress import ProgressBars

    bars = ProgressBars(quiet=shown.quiet)
    cache = None if how.no_cache else Cache(cache_file())
    try:
        run = score(
            family, settings, how=how, cache=cache, profiles=profiles(how.config, trust=how.trust),
            progress=None if shown.quiet else bars.update,
            hear=partial(_hear, shown.quiet), confirm=_confirm,
        )  # fmt: skip
    except KeyboardInterrupt:
        bars.stop()
        _tell_resume(family.name, how, folder)
        raise
    finally:
        bars.stop()
        if cache is not None:
            cache.close()
    show(run, family, shown)
    run.require(how.fail_under)
    if stopped := run.notes.get("interrupted"):
        remark = f"Stopped by {stopped}; what was done is scored. Add --resume to go on"
        _hear(shown.quiet, remark, True)
        return INTERRUPTED
    return 0


def _estimate(family: Any, settings: Any, how: RunSettings) -> int:
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.core.family import Context
    from gistmeter.core.score import estimate

    cache = Cache(None if how.no_cache else cache_file())
    console.show(str(estimate(family, settings, Context(cache, hear=partial(_hear, False)))))
    return 0


def _with_folder(name: str, how: RunSettings) -> tuple[RunSettings, Path]:
    """A command always keeps its run."""
    from gistmeter.core.runs import choose_folder
    from gistmeter.core.score import split_outputs

    files, folder = split_outputs(how.output)
    chosen = folder or choose_folder(name, resume=how.resume)
    return replace(how, output=(*files, chosen)), chosen


def _hear(quiet: bool, remark: str, warning: bool) -> None:
    if not quiet:
        (console.warn if warning else console.say)(remark)


def _confirm(question: str) -> bool:
    import click

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


def show(run: Run, family: Family[Any, Any], shown: Shown) -> None:
    if shown.format == "json":
        text = json.dumps(run.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        console.write_json(text + "\n")
        return
    from gistmeter.report.ending import print_ending
    from gistmeter.report.terminal import print_run, print_sheet

    screen = console.stdout()
    print_run(run, screen)
    for sheet in family.overview(run):
        print_sheet(sheet, screen)
    print_ending(run, family.view(), screen, next_command=next_command(run))


def next_command(run: Run) -> str:
    """What a reader of the scores would ask next."""
    if run.path is None:
        return ""
    place = shlex.quote(str(run.path))
    if len(run.systems) > 1:
        return f"gistmeter compare {place}"
    return f"gistmeter compare {place} OTHER_RUN"
