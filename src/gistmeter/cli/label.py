"""`gistmeter label`: a sample for people, and what they said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from gistmeter.cli.commands import Display, SettingsCommand
from gistmeter.cli.runs import of_runs
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option
from gistmeter.core.types import SEED

SUFFIXES = (".xlsx", ".csv", ".html")
SCALE = re.compile(r"(-?[0-9.]+)\s*(?:-|\.\.|to)\s*(-?[0-9.]+)")


@dataclass(frozen=True, kw_only=True)
class LabelSettings(Settings):
    """Which run, how the sample is drawn, what is asked; or what came back."""

    title: ClassVar[str] = "label"
    run: Path | None = option(
        None, "The folder of a finished run, or 'latest'.",
        panel="input", argument="only", metavar="RUN",
    )  # fmt: skip
    read: tuple[Path, ...] = option(
        (), "A filled spreadsheet, or a file that the rating page saved: checked and kept. May be"
        " repeated.",
        panel="input", metavar="FILE",
    )  # fmt: skip
    rater: str = option(
        "", "Whose ratings they are, where the file does not say it.", panel="input"
    )
    sample: int = option(
        60, "How many outputs to rate; an item of two systems counts as two.",
        panel="statistics", low=2, high=100_000,
    )  # fmt: skip
    design: Literal["active", "uniform", "stratified"] = option(
        "active", "How items are drawn.", panel="statistics"
    )
    strata: int = option(5, "Strata by score, of the stratified design.",
                         panel="statistics", low=1, high=100)  # fmt: skip
    allocation: Literal["proportional", "neyman"] = option(
        "proportional", "How many of a stratum: by its size, or also by the judge's uncertainty.",
        panel="statistics",
    )  # fmt: skip
    score: str = option(
        "",
        "The score that stands in for people. Default: gist, else the one to judge by.",
        panel="statistics",
    )
    seed: int = option(SEED, "Seed of the draw.", panel="statistics", low=0)
    kind: Literal["scale", "yes_no", "which"] = option(
        "scale", "What raters give: a number, yes or no, or which of two is better.",
        panel="scores",
    )  # fmt: skip
    scale: str = option("1-5", "The lowest and highest number.", panel="scores", metavar="LOW-HIGH")
    question: str = option("", "What raters are asked, in your own words.", panel="scores")
    output: Path | None = option(
        None, "Where the sample goes, by suffix: .xlsx, .csv, or .html for a page that raters open"
        " without a server. Default: rating.xlsx and rating.html here.",
        panel="output", flags=("-o",), metavar="FILE",
    )  # fmt: skip
    confidence: float = option(
        0.95, "Confidence of the intervals.", panel="statistics", low=0.5, high=0.9999
    )

    def check(self) -> None:
        if self.run is None:
            raise InputError("Name the run to rate: gistmeter label RUN")
        if self.output is not None and self.output.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{self.output}: has the suffix '{self.output.suffix}'. Known: "
                f"{', '.join(SUFFIXES)}"
            )
        self.ends()

    def ends(self) -> tuple[float, float]:
        """The scale's ends."""
        ends = SCALE.fullmatch(self.scale.strip())
        try:
            low, high = map(float, ends.groups() if ends else ())
        except ValueError:
            raise InputError(
                f"scale: is '{self.scale}', expected two numbers such as 1-5"
            ) from None
        if low >= high:
            raise InputError(f"scale: is '{self.scale}', expected the lower number first")
        return low, high


@of_runs
def work(settings: LabelSettings, display: Display) -> int:
    from gistmeter.cli.rating import draw_or_read

    return draw_or_read(settings, display)


command = SettingsCommand(
    "label",
    (LabelSettings, Display),
    work,
    summary="A sample of a run for people to rate, and what they said.",
    description=(
        "Draws items by a design with known probabilities and writes a spreadsheet and a page for"
        " raters, blind and in random order. --read checks what they filled in, keeps it in"
        " labels.jsonl beside the runs, and says what people would say of all items."
    ),
    examples=(
        "gistmeter label latest --sample 60 --design active",
        "gistmeter label runs/first --read rating.xlsx --rater Anna",
    ),
)
