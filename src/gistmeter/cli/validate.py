"""`gistmeter validate`: does the score agree with people?"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

SUFFIXES = (".json", ".html")


class Shape(StrEnum):
    table = "table"
    json = "json"


RUN = typer.Argument(metavar="RUN", help="The folder of a finished run.")
HUMAN = typer.Option(
    metavar="FILE",
    help="A table of people's judgements: an id, a number or yes/no in the column 'human', and "
    "'system' and 'group' where the run has several.",
)
SCORE = typer.Option(
    metavar="NAME", help="Look at this score or component only. May be repeated. Default: all."
)
COMPONENT = typer.Option(
    metavar="NAME=WEIGHT",
    help="A component of a weighted score and its weight in use, for the refit. May be repeated. "
    "Default: S_Acc's, cross_encoder=0.5 representation=0.3 f_beta=0.2.",
)
COLUMN = typer.Option(
    metavar="NAME=HEADER", help="Which column of the labels is which, such as human=Rating."
)
OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="FILE",
    help="Write a file too: .json, or .html with calibration plots. May be repeated.",
)


def validate(
    run: Annotated[Path, RUN],
    *,
    human: Annotated[Path, HUMAN],
    score: Annotated[list[str] | None, SCORE] = None,
    component: Annotated[list[str] | None, COMPONENT] = None,
    column: Annotated[list[str] | None, COLUMN] = None,
    resamples: Annotated[
        int, typer.Option(min=0, max=100_000, help="Bootstrap resamples for the intervals.")
    ] = 1000,
    confidence: Annotated[
        float, typer.Option(min=0.5, max=0.9999, help="Confidence of the intervals.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the resamples and folds.")] = 20260,
    format: Annotated[
        Shape, typer.Option(help="What to print: tables for people, or JSON alone on stdout.")
    ] = Shape.table,
    output: Annotated[list[Path] | None, OUTPUT] = None,
) -> None:
    """Set every score and component of a run against people's judgements.

    Correlations and pairwise accuracy with intervals; for yes/no labels AUC and the threshold that
    decides best (a reason for --fail-under); calibration; and weights refitted by
    cross-validation, shown beside those in use and never used silently.
    """
    from gistmeter.cli.shared import parse_columns
    from gistmeter.errors import InputError
    from gistmeter.runs import load_run
    from gistmeter.validation import read_labels
    from gistmeter.validation import validate as validate_run

    for path in output or []:
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"{path}: unknown suffix; use one of {' '.join(SUFFIXES)}")
    loaded, _ = load_run(run)
    assert loaded.rows is not None
    labels = read_labels(human, loaded.rows, parse_columns(column or []))
    found = validate_run(
        loaded,
        labels,
        columns=score or (),
        components=_components(component or []),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    ).to_dict()
    text = json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    for path in output or []:
        _write(path, text, found, run.resolve().name)
    if format is Shape.json:
        typer.echo(text, nl=False)
    else:
        from gistmeter.report.agreement import print_validation

        print_validation(found, Console())


def _write(path: Path, text: str, found: dict[str, object], title: str) -> None:
    if path.suffix.lower() == ".html":
        from gistmeter.report.html.validation import write_validation

        write_validation(found, path, title)
    else:
        from gistmeter.files import write_atomically

        write_atomically(path, text)
    typer.echo(f"Wrote {path}", err=True)


def _components(given: list[str]) -> dict[str, float]:
    """`--component f_beta=0.2` as a mapping."""
    from gistmeter.errors import InputError

    found: dict[str, float] = {}
    for text in given:
        name, mark, weight = text.partition("=")
        try:
            found[name.strip()] = float(weight)
        except ValueError:
            mark = ""
        if not mark or not name.strip() or not found[name.strip()] >= 0:
            raise InputError(f"--component {text}: expected NAME=WEIGHT, such as f_beta=0.2")
    return found
