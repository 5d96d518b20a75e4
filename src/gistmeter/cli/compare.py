"""`gistmeter compare`: which system is better, by how much, and is it real?"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gistmeter.comparison import Comparison, Contender

SUFFIXES = {".json": "json", ".md": "markdown", ".tex": "latex", ".csv": "csv"}


class TestName(StrEnum):
    permutation = "permutation"
    bootstrap = "bootstrap"
    wilcoxon = "wilcoxon"


class Correction(StrEnum):
    bh = "bh"
    holm = "holm"
    none = "none"


class Shape(StrEnum):
    table = "table"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


RUNS = typer.Argument(
    metavar="RUN...", help="Folders of finished runs; one run is compared system by system."
)
METRIC = typer.Option(
    metavar="SCORE",
    help="The score to compare, such as s_acc. May be repeated. Default: the runs' first.",
)
TEST = typer.Option(help="How p-values are found; intervals are always by paired bootstrap.")
CORRECTION = typer.Option(help="Correction for many pairs: Benjamini-Hochberg, Holm, or none.")
BASELINE = typer.Option(metavar="RUN", help="Compare all others with this run or system only.")
RESAMPLES = typer.Option(min=100, max=1_000_000, help="Resamples of the tests and intervals.")
CONFIDENCE = typer.Option(
    min=0.5,
    max=0.9999,
    help="Confidence of the intervals; what is left to 1 is the level of the tests.",
)
FORCE = typer.Option(
    "--force", help="Compare although the signatures differ; the difference is said."
)
FORMAT = typer.Option(
    help="What to print: a table for people, or JSON, Markdown, LaTeX (booktabs), CSV."
)
OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="FILE",
    help="Write a file too, by its suffix: .json .md .tex .csv. May be repeated.",
)


def compare(
    runs: Annotated[list[Path], RUNS],
    *,
    metric: Annotated[list[str] | None, METRIC] = None,
    test: Annotated[TestName, TEST] = TestName.permutation,
    correction: Annotated[Correction, CORRECTION] = Correction.bh,
    baseline: Annotated[str | None, BASELINE] = None,
    resamples: Annotated[int, RESAMPLES] = 10_000,
    confidence: Annotated[float, CONFIDENCE] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 20260,
    force: Annotated[bool, FORCE] = False,
    format: Annotated[Shape, FORMAT] = Shape.table,
    output: Annotated[list[Path] | None, OUTPUT] = None,
) -> None:
    """Compare systems of several runs, or of one, on the items they share.

    Items are matched by id; those that only one side has are counted and left out. Clusters of
    items are resampled together, and ratios of sums as ratios. Exit code 2 when the runs were
    measured with different settings.
    """
    from gistmeter.comparison import Options, contenders
    from gistmeter.comparison import compare as compare_systems
    from gistmeter.errors import InputError
    from gistmeter.runs import load_run

    for path in output or []:
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"{path}: unknown suffix; use one of {' '.join(SUFFIXES)}")
    among = contenders([load_run(path) for path in _different(runs)])
    options = Options(
        test=test.value,
        correction=correction.value,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        baseline=_baseline(among, baseline) if baseline else "",
    )
    found = compare_systems(among, metric or (), options, force=force)
    for path in output or []:
        from gistmeter.files import write_atomically

        write_atomically(path, _spell(found, SUFFIXES[path.suffix.lower()]))
        typer.echo(f"Wrote {path}", err=True)
    if format is Shape.table:
        _print(found)
    else:
        typer.echo(_spell(found, format.value), nl=False)


def _different(runs: Sequence[Path]) -> list[Path]:
    from gistmeter.errors import InputError

    seen = [path.resolve() for path in runs]
    if len(set(seen)) < len(seen):
        raise InputError("The same run is given twice: a run does not differ from itself")
    return list(runs)


def _baseline(among: Sequence[Contender], given: str) -> str:
    """The contender meant by a system's name or a run's folder."""
    from gistmeter.errors import UnknownName

    if any(one.name == given for one in among):
        return given
    place = Path(given).resolve()
    own = [one.name for one in among if one.run.path and one.run.path.resolve() == place]
    own = own or [one.name for one in among if one.run.path and one.run.path.name == given]
    if len(own) != 1:
        raise UnknownName("baseline", given, [one.name for one in among])
    return own[0]


def _print(found: Sequence[Comparison]) -> None:
    from gistmeter.report.pasted import print_comparison

    console = Console()
    for comparison in found:
        print_comparison(comparison.to_dict(), console)


def _spell(found: Sequence[Comparison], shape: str) -> str:
    from gistmeter.report import pasted

    plain: list[dict[str, Any]] = [comparison.to_dict() for comparison in found]
    if shape == "json":
        one = plain[0] if len(plain) == 1 else plain
        return json.dumps(one, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    spell = {"markdown": pasted.to_markdown, "latex": pasted.to_latex, "csv": pasted.to_csv}[shape]
    return spell(plain)
