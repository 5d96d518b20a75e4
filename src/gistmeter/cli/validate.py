"""`gistmeter validate`: does the score agree with people?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.commands import FileDisplay, SettingsCommand
from gistmeter.cli.runs import find_run, of_runs
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option
from gistmeter.core.types import SEED


@dataclass(frozen=True, kw_only=True)
class ValidateSettings(Settings):
    """Which labels, which scores, and how."""

    title: ClassVar[str] = "validate"
    run: Path | None = option(
        None, "The folder of a finished run, or 'latest'.",
        panel="input", argument="only", metavar="RUN",
    )  # fmt: skip
    human: Path | None = option(
        None,
        "A table of people's judgements: an id, a number or yes/no in the column 'human', and"
        " 'system' and 'group' where the run has several. Default: the run's labels.jsonl.",
        panel="input", metavar="FILE",
    )  # fmt: skip
    column: Mapping[str, str] = option(
        {}, "Which column of the labels is which, such as human=Rating.",
        panel="input", metavar="NAME=HEADER",
    )  # fmt: skip
    score: tuple[str, ...] = option(
        (), "Look at this score or component only. May be repeated. Default: all.", panel="scores"
    )
    component: Mapping[str, float] = option(
        {},
        "A component of a weighted score and its weight in use, for the refit. May be repeated."
        " Default: S_Acc's, cross_encoder=0.5 representation=0.3 f_beta=0.2.",
        panel="scores", metavar="NAME=WEIGHT", low=0.0,
    )  # fmt: skip
    resamples: int = option(
        1000, "Bootstrap resamples for the intervals.", panel="statistics", low=0, high=100_000
    )
    confidence: float = option(
        0.95, "Confidence of the intervals.", panel="statistics", low=0.5, high=0.9999
    )
    seed: int = option(SEED, "Seed of the resamples and folds.", panel="statistics")

    def check(self) -> None:
        if self.run is None:
            raise InputError("Name the run and the labels: gistmeter validate RUN --human FILE")


@of_runs
def work(settings: ValidateSettings, display: FileDisplay) -> int:
    from gistmeter.core.runs.saved import load_run
    from gistmeter.report.human_agreement import print_validation, write_validation

    assert settings.run is not None
    run = load_run(find_run(settings.run))
    validation = run.validate(
        settings.human,
        dict(settings.column),
        columns=settings.score,
        components=dict(settings.component),
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
    ).to_dict()
    title = settings.run.resolve().name
    if not display.deliver(
        lambda _: console.to_json(validation),
        lambda path: write_validation(validation, path, title),
    ):
        print_validation(validation, console.stdout())
    return 0


command = SettingsCommand(
    "validate",
    (ValidateSettings, FileDisplay),
    work,
    summary="Do the scores agree with people?",
    description=(
        "Correlations and pairwise accuracy with intervals; for yes/no labels AUC and the threshold"
        " that decides best (a reason for --fail-under); calibration; and weights refitted by"
        " cross-validation, shown beside those in use and never used silently."
    ),
    examples=(
        "gistmeter validate runs/first --human labels.csv",
        "gistmeter validate runs/first",
    ),
)
