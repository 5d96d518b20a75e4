"""The command and the Python lines that do what a page does."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gistmeter.core.family import family_of
from gistmeter.core.settings import Option, options_of
from gistmeter.people.designs import Design
from gistmeter.people.rating_sheet import RatingQuestion


@dataclass(frozen=True, slots=True)
class Recipe:
    """One thing in the two ways of doing it without the page."""

    command: str
    python: str


def score_recipe(shape: str, options: Mapping[str, Any], run: str) -> Recipe:
    """How a run is made; paths begin in the opened folder."""
    declared = options_of(family_of(shape).Settings)
    flags: list[str] = []
    bare: list[str] = []
    for name, value in options.items():
        own = declared[name]
        (bare if own.argument == "only" else flags).extend(_spelled(own, value))
    command = shlex.join(["gistmeter", shape, *bare, *flags, "-o", run])
    given = "".join(f"    {name}={value!r},\n" for name, value in options.items())
    python = (
        f"import gistmeter\n\nrun = gistmeter.score(\n    {shape!r},\n{given}    output={run!r},\n)"
        "\nprint(run.answer())"
    )
    return Recipe(command, python)


def _spelled(own: Option, value: Any) -> list[str]:
    if own.argument == "only":
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    flag = own.flag or "--" + own.name.replace("_", "-")
    if own.kind == "flag":
        return [flag] if value else []
    if own.kind == "map":
        return [part for key, one in value.items() for part in (flag, f"{key}={one}")]
    if own.kind == "texts":
        return [flag, ",".join(value)]
    listed = value if isinstance(value, list) else [value]
    return [part for one in listed for part in (flag, str(one))]


def compare_recipe(run: str, other: str) -> Recipe:
    return Recipe(
        shlex.join(["gistmeter", "compare", run, other]),
        f"import gistmeter\n\nfirst = gistmeter.load_run({run!r})\n"
        f"second = gistmeter.load_run({other!r})\n"
        "print(first.compare(second))",
    )


def label_recipe(run: str, design: Design, question: RatingQuestion) -> Recipe:
    """How a sample is drawn for people, and what they said is read."""
    low, high = question.scale
    flags = ["--sample", str(design.size), "--design", design.name, "--seed", str(design.seed),
             "--kind", question.kind]  # fmt: skip
    flags += ["--scale", f"{low:g}-{high:g}"] if question.kind == "scale" else []
    flags += ["--question", question.text] if question.text else []
    return Recipe(
        shlex.join(["gistmeter", "label", run, *flags]) + "\n"
        + shlex.join(["gistmeter", "label", run, "--read", "rating.xlsx"]),
        f"import gistmeter\nfrom gistmeter.people.statements import summarise_labels\n\n"
        f"run = gistmeter.load_run({run!r})\nprint(len(run.labels))\n"
        "for system in summarise_labels(run).systems:\n    print(system.system, system.corrected)",
    )  # fmt: skip


def report_recipe(run: str) -> Recipe:
    return Recipe(
        shlex.join(["gistmeter", "report", run, "-o", "report.html"]),
        f"import gistmeter\n\nrun = gistmeter.load_run({run!r})\nrun.report('report.html')",
    )
