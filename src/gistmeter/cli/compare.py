"""`gistmeter compare`: which system is better, by how much, and is it real?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.errors import InputError
from gistmeter.run import CompareSettings
from gistmeter.settings import Settings, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gistmeter.comparison import Comparison
    from gistmeter.run import Run

SUFFIXES = {".json": "json", ".md": "markdown", ".tex": "latex", ".csv": "csv"}


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """What is compared, and how the outcome is shown."""

    title: ClassVar[str] = "compare"
    runs: tuple[Path, ...] = option(
        (), "Folders of finished runs; one run is compared system by system.",
        panel="input", argument="only", metavar="RUN...",
    )  # fmt: skip
    format: Literal["table", "json", "markdown", "latex", "csv"] = option(
        "table",
        "What to print: a table for people, or JSON, Markdown, LaTeX (booktabs), CSV.",
        panel="output",
    )  # fmt: skip
    output: tuple[Path, ...] = option(
        (), "Write a file too, by its suffix: .json .md .tex .csv. May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip

    def check(self) -> None:
        if not self.runs:
            raise InputError("Name the runs to compare: gistmeter compare RUN RUN")
        for path in self.output:
            if path.suffix.lower() not in SUFFIXES:
                raise InputError(f"{path}: unknown suffix; use one of {' '.join(SUFFIXES)}")
        seen = [path.resolve() for path in self.runs]
        if len(set(seen)) < len(seen):
            raise InputError("The same run is given twice: a run does not differ from itself")


def work(settings: CompareSettings, shown: Shown) -> int:
    from gistmeter.files import write_atomically
    from gistmeter.run import compare_all, load_run

    runs = [load_run(path) for path in shown.runs]
    found = compare_all(runs, settings)
    for path in shown.output:
        write_atomically(path, _spell(found, SUFFIXES[path.suffix.lower()]))
        console.say(f"Wrote {path}")
    if shown.format == "table":
        from gistmeter.report.pasted import print_comparison
        from gistmeter.report.terminal import print_lines

        screen = console.stdout()
        print_lines(_answer(runs).splitlines()[:1], screen)
        for comparison in found:
            print_comparison(comparison.to_dict(), screen)
    elif shown.format == "json":
        console.write_json(_spell(found, shown.format))
    else:
        console.write(_spell(found, shown.format))
    return 0


def _answer(runs: Sequence[Run]) -> str:
    """What the family says of all systems together, where the runs can stand side by side."""
    from gistmeter.comparison import gather

    together = gather(runs)
    return together[0].answer() if len(together) == 1 else ""


def _spell(found: Sequence[Comparison], shape: str) -> str:
    from gistmeter.report import pasted

    plain: list[dict[str, Any]] = [comparison.to_dict() for comparison in found]
    if shape == "json":
        one = plain[0] if len(plain) == 1 else plain
        return json.dumps(one, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    spell = {"markdown": pasted.to_markdown, "latex": pasted.to_latex, "csv": pasted.to_csv}[shape]
    return spell(plain)


command = SettingsCommand(
    "compare",
    (CompareSettings, Shown),
    work,
    summary="Is the difference between systems real?",
    description=(
        "Compares systems of several runs, or of one, on the items they share. Items are matched by"
        " id; those that only one side has are counted and left out. Clusters of items are"
        " resampled together, and ratios of sums as ratios. Exit code 2 when the runs were measured"
        " with different settings."
    ),
    examples=(
        "gistmeter compare runs/first runs/second",
        "gistmeter compare runs/all --metric s_acc --baseline old -o table.tex",
    ),
)
