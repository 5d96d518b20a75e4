"""How a command ends on the terminal: the answer, the items to look at, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from gistmeter.core.comparison.answer import Standing
from gistmeter.core.views import View, shown
from gistmeter.core.wording import figure
from gistmeter.report.comparison_text import print_slices
from gistmeter.report.decisive import contradiction, deciding
from gistmeter.report.highlights import Highlight, apart, judged_by, worst
from gistmeter.report.study_sheets import TOLD, repeats_sheet
from gistmeter.report.terminal import print_lines, print_run, print_sheet, safe

if TYPE_CHECKING:
    from rich.console import Console

    from gistmeter.core.run import Run

LONGEST = 60  # characters of a text


def print_result(run: Run, view: View, console: Console, *, everything: bool) -> None:
    """The answer, the scores to judge by or all, slices, and repeated answers."""
    print_answer(run, view, console)
    print_run(run, console, () if everything else deciding(run, view))
    print_slices(run.slices, console)
    print_repeats(run, console)


def print_answer(run: Run, view: View, console: Console) -> None:
    """The sentence that the report begins with, and what to be careful with."""
    print_lines(run.answer().splitlines(), console)
    if said := contradiction(run, view):
        console.print(safe(said))
    for caution in view.cautions(run):
        console.print(safe(caution), style="dim")


def print_repeats(run: Run, console: Console) -> None:
    """What several answers to an item say of each system."""
    if repeats := run.repeats:
        console.print()
        print_sheet(repeats_sheet(repeats), console)
        for entry in repeats[:TOLD]:
            console.print(safe(entry.sentence()))


def print_ending(run: Run, view: View, console: Console, *, next_command: str = "") -> None:
    """Three items of each kind, the report's place, and what to do next."""
    standing = Standing(run, view, run.findings)
    console.print()
    name = judged_by(standing)
    if name:
        called, unit = standing.called(name), standing.score(name).unit
        _print_items(f"Worst by {called}:", worst(standing), unit, console)
        _print_items("Where the systems differ most:", apart(standing), unit, console)
    report = run.path / "report.html" if run.path else None
    if report is not None and report.is_file():
        console.print(linked("Report: ", report), soft_wrap=True)
    if next_command:
        console.print(safe(f"Next: {next_command}"), soft_wrap=True)


def linked(label: str, path: Path) -> Text:
    """A path that a terminal can open."""
    text = safe(f"{label}{path}")
    text.stylize(Style(link=path.resolve().as_uri()), len(label))
    return text


def _print_items(title: str, items: Sequence[Highlight], unit: str, console: Console) -> None:
    if not items:
        return
    console.print(safe(title))
    for item in items:
        values = ", ".join(f"{system} {figure(v, unit)}" for system, v in item.values.items())
        text = " ".join(item.text.split())
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        line = f"  {shown(item.name, LONGEST)}: {values}" + (f"  {text}" if text else "")
        console.print(safe(line), soft_wrap=not console.is_terminal)
