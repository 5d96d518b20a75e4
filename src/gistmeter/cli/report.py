"""`gistmeter report`: one HTML page over one or several runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.cli.finding import find_runs, of_runs
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option


@dataclass(frozen=True, kw_only=True)
class ReportSettings(Settings):
    """What a report shows, and where it goes."""

    title: ClassVar[str] = "report"
    runs: tuple[Path, ...] = option(
        (),
        "Folders of finished runs, a folder of runs, or 'latest'.",
        panel="input",
        argument="only",
        metavar="RUN...",
    )
    output: Path = option(
        Path("report.html"), "The page to write.",
        panel="output", flags=("-o",), metavar="FILE.html",
    )  # fmt: skip
    heading: str = option("", "The page's title.", panel="output", flag="--title", metavar="TEXT")
    all: bool = option(False, "Put every item in, however large the page becomes.", panel="output")
    quiet: bool = option(False, "Say nothing; errors still show.", panel="output", flags=("-q",))

    def check(self) -> None:
        if not self.runs:
            raise InputError("Name the runs to report: gistmeter report RUN")
        if self.output.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{self.output}: a report is an HTML file; give it the suffix .html")


@of_runs
def work(settings: ReportSettings) -> int:
    from gistmeter.core.run import write_report
    from gistmeter.core.runs.loading import load_run

    output = settings.output
    runs = [load_run(path) for path in find_runs(settings.runs)]
    write_report(runs, output, title=settings.heading, everything=settings.all)
    if not settings.quiet:
        console.say(f"Wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    return 0


command = SettingsCommand(
    "report",
    (ReportSettings,),
    work,
    summary="One HTML page over one or several runs.",
    description=(
        "The page opens from disk, with no network and no server. Runs of the same items, measured"
        " in the same way, are compared with each other; runs of different kinds become sections of"
        " one page."
    ),
    examples=("gistmeter report runs/first", "gistmeter report runs/ -o all.html"),
)
