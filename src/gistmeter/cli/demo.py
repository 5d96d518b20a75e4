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
from gistmeter.cli.commands import SettingsCommand
from gistmeter.core.errors import GistmeterError
from gistmeter.core.settings import Settings, option

if TYPE_CHECKING:
    from rich.table import Table

    from gistmeter.core.run import Run
    from gistmeter.core.types import Score


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
TEXTS = {
    "zh": "chinese", "zh-Hant": "traditional_chinese", "ja": "japanese", "ko": "korean",
}  # fmt: skip
STEPS = (
    *(
        Step(
            f"text-{language}",
            (
                "text", f"--predictions={{samples}}/text/{name}",
                f"--references={{samples}}/text/{name}_explanations.csv",
            ),
            language,
        )
        for language, name in TEXTS.items()
    ),
    Step("text-en", ("text", "{samples}/text/english.csv"), "en"),
    Step(
        "book",
        (
            "book", "--source-path={samples}/book/originals.json",
            "--summary-path={samples}/book/faithful.json",
            "--summary-path={samples}/book/unfaithful.json",
        ),
        "zh",
    ),
    *(
        Step(
            f"parse-{language}",
            (
                "parse", f"{{samples}}/parse/{language}-gold.conllu",
                f"{{samples}}/parse/{language}-careful.conllu",
                f"{{samples}}/parse/{language}-hasty.conllu",
                "--taxonomy={samples}/parse/taxonomy.csv",
            ),
        )
        for language in ("en", "cs")
    ),
    Step("speech", ("speech", "--assets={clips}", "--recognizers=moonshine,pocketsphinx")),
)  # fmt: skip


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
    from gistmeter.core.runs.saved import load_run
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
        raise GistmeterError("No sample could be scored: see above what each of them lacks")
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
    from gistmeter import languages
    from gistmeter.speech.recognizers.sample import sample

    ready, missing = [], {}
    for step in steps:
        try:
            if step.language:
                languages.get(step.language).content_words("sample")
            if any("{clips}" in part for part in step.arguments):
                sample()
        except GistmeterError as error:
            missing[step.name] = str(error)
        else:
            ready.append(step)
    return ready, missing


def run_step(step: Step, folder: Path) -> None:
    """Run a step's command as if it had been typed, without its own table."""
    from gistmeter.cli import INTERRUPTED, TERMINATED, Terminated, app

    samples, clips = importlib.resources.files("gistmeter") / "samples", folder.with_name("clips")
    if any("{clips}" in part for part in step.arguments):
        from gistmeter.speech.recognizers.sample import write_samples

        write_samples(clips)
    arguments = [part.format(samples=samples, clips=clips) for part in step.arguments[1:]]
    command = app.get_command(click.Context(app), step.family)
    assert command is not None
    with contextlib.redirect_stdout(io.StringIO()):
        given = [*arguments, "-o", str(folder), "--overwrite", "--quiet"]
        with command.make_context(step.family, given) as context:
            code = context.command.invoke(context)
    if code in (INTERRUPTED, TERMINATED):
        raise Terminated if code == TERMINATED else KeyboardInterrupt


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
        for at, (system, scored) in enumerate(run.systems.items(), start=1):
            sample = name.removeprefix(f"{family}-") if at == 1 else ""
            cells = (cell(scored.scores.get(score)) for score in scores)
            table.add_row(sample, system, *cells, end_section=at == len(run.systems))
    return table


def cell(score: Score | None) -> str:
    """A score in few characters: 0.78 0.74–0.83."""
    if score is None or not math.isfinite(score.value):
        return "–"
    digits = 1 if score.unit == "%" else 2
    text = f"{score.value:.{digits}f}"
    if math.isfinite(score.low):
        text += f" {score.low:.{digits}f}–{score.high:.{digits}f}"
    return text + ("*" if score.partial else "")


command = SettingsCommand(
    "demo",
    (DemoSettings,),
    work,
    summary="Every shape on the samples that come with gistmeter.",
    description="Scores the samples of every family and writes one report over all of them.",
    examples=("gistmeter demo", "gistmeter demo -o runs/tour"),
)
