"""`gistmeter compare`: which system is better, by how much, and is it real?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.commands import FileDisplay, SettingsCommand
from gistmeter.cli.runs import find_run, find_runs, of_runs
from gistmeter.core.errors import InputError, ThresholdError
from gistmeter.core.options import CompareSettings
from gistmeter.core.settings import option

if TYPE_CHECKING:
    from gistmeter.core.comparison import Comparison
    from gistmeter.core.run import Run
    from gistmeter.core.slices import Slices


@dataclass(frozen=True, kw_only=True)
class CompareDisplay(FileDisplay):
    """What is compared, and how the outcome is shown."""

    suffixes: ClassVar[Mapping[str, str]] = {
        ".json": "json", ".md": "markdown", ".tex": "latex", ".csv": "csv"
    }  # fmt: skip
    runs: tuple[Path, ...] = option(
        (),
        "Folders of finished runs, 'latest', or tables of other tools with the columns id, system"
        " and score; one run is compared system by system.",
        panel="input", argument="only", metavar="RUN...",
    )  # fmt: skip
    lower_is_better: bool | None = option(
        None,
        "Lower scores of a table are better. By default the column's name decides (wer, error …).",
        panel="scores",
    )  # fmt: skip
    fail_if_worse: bool = option(
        False,
        "Exit with 3 when the interval shows that a system is worse than the --baseline.",
        panel="statistics",
    )  # fmt: skip
    margin: float | None = option(
        None,
        "With --fail-if-worse: exit with 3 unless the interval excludes a loss of more than this"
        " (non-inferiority).",
        panel="statistics", low=0.0,
    )  # fmt: skip
    format: Literal["table", "json", "markdown", "latex", "csv"] = option(  # type: ignore[assignment]
        "table", "What to print: a table for people, or JSON, Markdown, LaTeX (booktabs), CSV.",
        panel="output",
    )  # fmt: skip
    output: tuple[Path, ...] = option(
        (), "Write a file too, by its suffix: .json .md .tex .csv. May be repeated.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip

    def check(self) -> None:
        if not self.runs:
            raise InputError("Name the runs to compare: gistmeter compare RUN RUN")
        super().check()
        if self.margin is not None and not self.fail_if_worse:
            raise InputError("--margin belongs to --fail-if-worse")
        seen = [path.resolve() for path in self.runs]
        if len(set(seen)) < len(seen):
            raise InputError("The same run is given twice: a run does not differ from itself")


@of_runs
def work(settings: CompareSettings, display: CompareDisplay) -> int:
    from gistmeter.core.comparison import compare_all
    from gistmeter.report.comparison_text import print_comparison, print_slices

    if display.fail_if_worse and not settings.baseline:
        raise InputError("--fail-if-worse needs --baseline RUN: what is it not to be worse than?")
    runs, baseline = _runs(display, settings.baseline)
    found = compare_all(runs, replace(settings, baseline=baseline))
    slices = _slices(runs, settings, found)
    if not display.deliver(partial(_spell, found, slices)):
        screen = console.stdout()
        for comparison in found:
            print_comparison(comparison.to_dict(), screen)
        print_slices(slices, screen)
    if display.fail_if_worse:
        refuse_losses(found, display.margin, quiet=display.quiet)
    return 0


def _slices(
    runs: Sequence[Run], settings: CompareSettings, found: Sequence[Comparison]
) -> list[Slices]:
    """Runs that stand together, by the columns that are asked for, on the scores compared."""
    from gistmeter.core import comparison, slices

    if not settings.by:
        return []
    together = comparison.gather(runs)
    if len(together) > 1:
        raise InputError(
            "--by needs runs of the same items that were measured in the same way; these differ"
        )
    options = comparison.Options(
        settings.test, settings.correction, settings.resamples, settings.confidence, settings.seed,
        baseline=found[0].baseline,
    )  # fmt: skip
    return [
        slices.slice_run(together[0], name, one.metric, options)
        for one in found for name in settings.by
    ]  # fmt: skip


def _runs(display: CompareDisplay, baseline: str) -> tuple[list[Run], str]:
    """The runs to compare; a baseline that is a run itself is one of them."""
    places = find_runs(display.runs)
    if baseline:
        place = find_run(Path(baseline))
        if (place.is_dir() or place.suffix) and place.exists():
            baseline = str(place)
            known = {path.resolve() for path in places}
            places += [] if place.resolve() in known else [place]
    return [_load(place, display) for place in places], baseline


def _load(place: Path, display: CompareDisplay) -> Run:
    from gistmeter.core.files import suffix_of
    from gistmeter.core.runs.saved import load_run
    from gistmeter.core.table import SUFFIXES as TABLES
    from gistmeter.tools.scores import load_scores

    if place.is_file() and place.name != "run.json" and suffix_of(place) in TABLES:
        run = load_scores(place, lower_is_better=display.lower_is_better)
        return replace(run, path=place)
    return load_run(place)


def refuse_losses(
    found: Sequence[Comparison], margin: float | None, *, quiet: bool = False
) -> None:
    """End with 3 where a system is shown to be worse than the baseline, or not shown to be within
    the margin."""
    from gistmeter.core.comparison import loss

    failed = [
        lost
        for comparison in found
        for pair in comparison.pairs
        if (lost := loss(comparison, pair, margin))
    ]
    if failed:
        raise ThresholdError("\n".join(failed))
    if quiet:
        return
    if margin is None:  # which does not prove that there is no loss
        console.say("Passed: no loss against the baseline was shown. --margin asks for proof")
    else:
        console.say(f"Passed: every loss against the baseline is below the margin of {margin:g}")


def _spell(found: Sequence[Comparison], slices: Sequence[Slices], form: str) -> str:
    from gistmeter.report.comparison_text import to_csv, to_latex, to_markdown

    plain: list[dict[str, Any]] = [comparison.to_dict() for comparison in found]
    if form == "json":
        for comparison in plain:
            own = [held.to_dict() for held in slices if held.score == comparison["metric"]]
            comparison.update({"slices": own} if own else {})
        return console.to_json(plain[0] if len(plain) == 1 else plain)
    return {"csv": to_csv, "markdown": to_markdown, "latex": to_latex}[form](plain, slices)


command = SettingsCommand(
    "compare",
    (CompareSettings, CompareDisplay),
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
        "gistmeter compare runs/all --by category --by language",
        "gistmeter compare latest --baseline runs/main --fail-if-worse --margin 0.01",
        "gistmeter compare comet.csv",
    ),
)
