"""`gistmeter history`: a score over time, and where it really changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.cli.finding import of_runs
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option
from gistmeter.tools.history import HistorySettings

SUFFIXES = (".html", ".json")


@dataclass(frozen=True, kw_only=True)
class Shown(Settings):
    """How it is shown."""

    title: ClassVar[str] = "history"
    format: Literal["table", "json"] = option(
        "table", "What to print: tables for people, or JSON alone on stdout.", panel="output"
    )
    output: tuple[Path, ...] = option(
        (), "Write a file too: .html with a chart, or .json. May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip

    def check(self) -> None:
        for path in self.output:
            if path.suffix.lower() not in SUFFIXES:
                raise InputError(f"{path}: unknown suffix; use one of {' '.join(SUFFIXES)}")


@of_runs
def work(settings: HistorySettings, shown: Shown) -> int:
    from gistmeter.tools.history import read_history

    found = read_history(settings)
    told = json.dumps([one.to_dict() for one in found], ensure_ascii=False, indent=2) + "\n"
    for path in shown.output:
        if path.suffix.lower() == ".html":
            from gistmeter.report.html.history import write_history

            write_history(found, path)
        else:
            from gistmeter.core.files import write_atomically

            write_atomically(path, told)
        console.say(f"Wrote {path}")
    if shown.format == "json":
        console.write_json(told)
        return 0
    from gistmeter.report.history import print_series

    for one in found:
        print_series(one, console.stdout())
    return 0


command = SettingsCommand(
    "history",
    (HistorySettings, Shown),
    work,
    summary="A score over time, with intervals, and where it really changed.",
    description=(
        "Runs are ordered by the time in their folder's name, else by that of their file. Each is"
        " compared with the one before it on the items that both have."
    ),
    examples=("gistmeter history runs/", "gistmeter history runs/ --metric gist -o history.html"),
)
