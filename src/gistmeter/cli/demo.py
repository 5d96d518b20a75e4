"""`gistmeter demo`: every family on the samples that come with gistmeter.

Each step is a command that a user could type; the demo runs it, prints the headline scores of a
family in one table, and writes one report over all of them. A step that lacks a package is found
before anything runs, and is skipped with the line that installs it.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core.errors import GistmeterError
from gistmeter.core.settings import Settings, option

if TYPE_CHECKING:
    from rich.table import Table

    from gistmeter.core.run import Run


@dataclass(frozen=True, slots=True)
class Step:
    """A command on a sample.

    `{samples}` stands for the folder of the samples, `{clips}` for that of the recordings, which
    are cut from one that an offline recogniser brings along.
    """

    name: str
    arguments: tuple[str, ...]
    language: str = ""  # whose analyser it needs

    @property
    def family(self) -> str:
        return self.arguments[0]


HEADLINES: Mapping[str, tuple[str, ...]] = {
    "text": ("gist", "s_acc", "s_logic"),
    "book": ("fidelity", "source_recall", "unsupported"),
    "parse": ("total", "las", "semclass"),
    "speech": ("wer", "gist", "sem_dist"),
}


def text_step(name: str, language: str) -> Step:
    folder = "{samples}/text/" + name
    return Step(
        f"text-{language}",
        ("text", "--predictions", folder, "--references", folder + "_explanations.csv"),
        language,
    )


def parse_step(language: str) -> Step:
    files = (f"{{samples}}/parse/{language}-{name}.conllu" for name in ("gold", "careful", "hasty"))
    return Step(
        f"parse-{language}", ("parse", *files, "--taxonomy", "{samples}/parse/taxonomy.csv")
    )


STEPS = (
    text_step("chinese", "zh"),
    text_step("traditional_chinese", "zh-Hant"),
    text_step("japanese", "ja"),
    text_step("korean", "ko"),
    Step("text-en", ("text", "{samples}/text/english.csv"), "en"),
    Step(
        "book",
        (
            "book",
            "--source-path={samples}/book/originals.json",
            "--summary-path={samples}/book/faithful.json",
            "--summary-path={samples}/book/unfaithful.json",
        ),
        "zh",
    ),
    parse_step("en"),
    parse_step("cs"),
    Step("speech", ("speech", "--assets={clips}", "--recognizers=moonshine,pocketsphinx")),
)


@dataclass(frozen=True, kw_only=True)
class DemoSettings(Settings):
    """Where the demo goes."""

    title: ClassVar[str] = "demo"
    output: Path = option(
        Path("runs/demo"), "The folder of the demo's runs and report.",
        panel="output", flags=("-o",), metavar="FOLDER",
    )  # fmt: skip


def work(settings: DemoSettings) -> int:
    from gistmeter.core.run import write_report
    from gistmeter.core.runs.loading import load_run
    from gistmeter.report.ending import linked
    from gistmeter.report.terminal import safe

    output, screen = settings.output, console.stdout()
    done: dict[str, dict[str, Run]] = {}
    ready, missing = checked(STEPS)
    for step in ready:
        console.say(f"Scoring the sample {step.name}", console.DIM)
        folder = output / step.name
        try:
            run_step(step, folder)
            done.setdefault(step.family, {})[step.name] = load_run(folder)
        except GistmeterError as error:
            missing[step.name] = str(error)
    for name, why in missing.items():
        console.warn(f"The sample {name} is left out. {why}")
    if any("gistmeter[" in why for why in missing.values()):
        console.say("All samples: pip install 'gistmeter[demo]'")
    if not done:
        raise GistmeterError("No sample could be scored; what each of them lacks is said above")
    for family, runs in done.items():
        screen.print(family_table(family, runs))
    page = output / "report.html"
    write_report([run for runs in done.values() for run in runs.values()], page)
    for runs in done.values():
        for name, run in runs.items():
            screen.print(safe(f"{name}: {run.answer()}"))
    screen.print(linked("Report: ", page), soft_wrap=True)
    screen.print("Next: gistmeter text YOURS.csv --references YOUR_REFERENCES.csv", soft_wrap=True)
    return 0


def checked(steps: Sequence[Step]) -> tuple[list[Step], dict[str, str]]:
    """The steps that this installation can take, and what the others lack."""
    ready, missing = [], {}
    for step in steps:
        try:
            _require(step)
        except GistmeterError as error:
            missing[step.name] = str(error)
        else:
            ready.append(step)
    return ready, missing


def _require(step: Step) -> None:
    from gistmeter import languages
    from gistmeter.speech.recognizers.sample import sample

    if step.language:
        languages.get(step.language).content_words("sample")
    if any("{clips}" in part for part in step.arguments):
        sample()


def run_step(step: Step, folder: Path) -> None:
    """Run a step's command as if it had been typed, without its own table."""
    from gistmeter.cli import INTERRUPTED, app

    places = {"{samples}": str(importlib.resources.files("gistmeter") / "samples")}
    if any("{clips}" in part for part in step.arguments):
        from gistmeter.speech.recognizers.sample import write_samples

        places["{clips}"] = str(folder.with_name("clips"))
        write_samples(folder.with_name("clips"))
    arguments = list(step.arguments)
    for mark, place in places.items():
        arguments = [part.replace(mark, place) for part in arguments]
    command = app.get_command(click.Context(app), step.family)
    assert command is not None
    with contextlib.redirect_stdout(io.StringIO()):
        given = [*arguments[1:], "-o", str(folder), "--overwrite", "--quiet"]
        with command.make_context(step.family, given) as context:
            code = context.command.invoke(context)
    if code == INTERRUPTED:
        raise KeyboardInterrupt


def family_table(family: str, runs: Mapping[str, Run]) -> Table:
    """The headline scores of a family's samples, with intervals, in 80 columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    scores = HEADLINES[family]
    title = f"{family}: value and 95% interval (* partial)"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("sample")
    table.add_column("system", overflow="fold")
    for score in scores:
        table.add_column(score, justify="right", no_wrap=True)
    for name, run in runs.items():
        rows = [(system, [cell(run, system, score) for score in scores]) for system in run.systems]
        for at, (system, cells) in enumerate(rows):
            first = name.removeprefix(f"{family}-") if at == 0 else ""
            table.add_row(first, system, *cells, end_section=at == len(rows) - 1)
    return table


def cell(run: Run, system: str, name: str) -> str:
    """A score in few characters: 0.78 0.74–0.83."""
    score = run.systems[system].scores.get(name)
    if score is None or not math.isfinite(score.value):
        return "–"
    digits = 1 if score.unit == "%" else 2
    shown = f"{score.value:.{digits}f}"
    if math.isfinite(score.low):
        shown += f" {score.low:.{digits}f}–{score.high:.{digits}f}"
    return shown + ("*" if score.partial else "")


command = SettingsCommand(
    "demo",
    (DemoSettings,),
    work,
    summary="Every shape on the samples that come with gistmeter.",
    description="Scores the samples of every family and writes one report over all of them.",
    examples=("gistmeter demo", "gistmeter demo -o runs/tour"),
)
