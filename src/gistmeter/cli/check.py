"""`gistmeter check FILE.toml`: a whole evaluation, with thresholds and a baseline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option
from gistmeter.tools.check import CheckSettings

if TYPE_CHECKING:
    from gistmeter.tools.check import Outcome, Outcomes

SUFFIXES = (".xml", ".md", ".json", ".html")


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """How the outcome is shown."""

    title: ClassVar[str] = "check"
    output: tuple[Path, ...] = option(
        (),
        "Write a file too, by its suffix: .xml (JUnit), .md (a job's summary), .json, .html (one"
        " report over all runs). May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip
    format: Literal["table", "json", "markdown"] = option(
        "table", "What to print: lines for people, or JSON or Markdown alone on stdout.",
        panel="output",
    )  # fmt: skip
    quiet: bool = option(
        False, "No progress and no remarks; errors and the result still show.",
        panel="output", flags=("-q",),
    )  # fmt: skip

    def check(self) -> None:
        for path in self.output:
            if path.suffix.lower() not in SUFFIXES:
                raise InputError(f"{path}: unknown suffix; use one of {' '.join(SUFFIXES)}")


def work(settings: CheckSettings, shown: Shown) -> int:
    from gistmeter.core.cache import Cache, cache_file
    from gistmeter.tools.check import run_check

    def hear(remark: str, warning: bool) -> None:
        if not shown.quiet:
            (console.warn if warning else console.say)(remark)

    cache = Cache(cache_file())
    try:
        outcomes = run_check(
            settings, cache=cache, hear=hear,
            began=lambda name: None if shown.quiet else console.say(f"Scoring {name}", console.DIM),
        )  # fmt: skip
    finally:
        cache.close()
    for path in shown.output:
        _write(path, outcomes)
    if shown.format == "table":
        for one in outcomes.held:
            _show(one)
    elif shown.format == "json":
        console.write_json(_spell(outcomes, ".json"))
    else:
        console.write(_spell(outcomes, ".md"))
    return outcomes.exit_code


def _show(one: Outcome) -> None:
    console.show(f"{'passed' if one.passed else 'FAILED'}  {one.name}")
    if one.run is not None:
        console.show(f"  {one.run.answer()}")
    for required in one.requirements:
        console.show(f"  {'ok' if required.holds else '!!'}  {required.told}")
    if one.error is not None:
        console.show(f"  !!  {one.error}")


def _write(path: Path, outcomes: Outcomes) -> None:
    from gistmeter.core.files import write_atomically

    if path.suffix.lower() != ".html":
        write_atomically(path, _spell(outcomes, path.suffix.lower()))
    else:
        from gistmeter.core.run import write_report

        runs = [one.run for one in outcomes.held if one.run is not None]
        if not runs:
            console.warn(f"{path}: is not written, for no evaluation could be scored")
            return
        write_report(runs, path)
    console.say(f"Wrote {path}")


def _spell(outcomes: Outcomes, suffix: str) -> str:
    from gistmeter.report import check as pipeline

    if suffix == ".json":
        return json.dumps(outcomes.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return {".xml": pipeline.to_junit, ".md": pipeline.to_markdown}[suffix](outcomes.held)


command = SettingsCommand(
    "check",
    (CheckSettings, Shown),
    work,
    summary="A whole evaluation from one file: shapes, systems, thresholds, baseline.",
    description=(
        "Scores every [evaluation.NAME] of a TOML file. Exit code 0 where all thresholds and gates"
        " hold, 3 where one does not, 2 or 1 where an evaluation could not be finished."
    ),
    examples=(
        "gistmeter check gistmeter.toml",
        "gistmeter check gistmeter.toml -o junit.xml -o summary.md -o report.html",
        "gistmeter check gistmeter.toml --folder runs/main --no-baseline",
    ),
)
