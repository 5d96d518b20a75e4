"""How a command ends on the terminal, and that a narrow one cuts no number."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from gistmeter.cli import app, demo
from gistmeter.core.errors import MissingDependency
from gistmeter.core.family import family_of
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run
from gistmeter.core.types import Sheet
from gistmeter.report.ending import print_answer, print_ending
from gistmeter.report.progress import ProgressBars
from gistmeter.report.terminal import print_run, print_sheet
from report.sample_runs import Means, finish, speech_run, text_run


def shown(run: Run, width: int = 200) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    view = family_of(run.command).view()
    print_answer(run, view, console)
    print_run(run, console)
    print_ending(run, view, console, next_command="gistmeter compare x")
    return stream.getvalue()


def two_systems(gap: float, size: int = 60) -> Run:
    random = np.random.default_rng(3)
    ids = [str(number) for number in range(size)]
    keys = {"id": ids * 2, "system": ["careful"] * size + ["hasty"] * size}
    keys |= {"group": [""] * 2 * size, "cluster": ids * 2}
    base = random.normal(0.6, 0.1, size)
    values = np.concatenate([base + gap + random.normal(0, 0.05, size), base])
    rows = Rows(keys, np.arange(2 * size) % size).with_numbers({"s_acc": values})
    return finish("text", rows, {"m": Means(("s_acc",))})[0]


def test_the_terminal_begins_with_the_sentence_of_the_report() -> None:
    run = two_systems(0.2)
    told = shown(run)
    assert " ".join(told.split()).startswith(run.answer())
    assert "careful is ahead" in told and "The difference is real" in told
    assert "p < 0.001 on 60 items" in told
    assert told.rstrip().endswith("Next: gistmeter compare x")


def test_a_difference_that_cannot_be_shown_says_what_would_show() -> None:
    told = " ".join(shown(two_systems(0.0001)).split())
    assert "the data cannot tell" in told
    assert "would not show on this data" in told
    assert "0.0 points" not in told and "ahead by 0.000" not in told


def test_the_three_worst_and_the_three_furthest_apart_are_named_once_each() -> None:
    run = two_systems(0.2)
    assert run.rows is not None
    values = run.rows.values("s_acc")
    lines = shown(run).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Worst by"))
    worst = lines[at + 1 : at + 4]
    place = int(np.argmin(values))
    assert worst[0].startswith(
        f"  {run.rows.keys['id'][place]}: {run.rows.keys['system'][place]} {values[place]:.3f}"
    )
    assert lines[at + 4] == "Where the systems differ most:"
    gaps = np.abs(values[:60] - values[60:])
    order = np.argsort(-gaps)[:3]
    assert [line.split(":")[0].strip() for line in lines[at + 5 : at + 8]] == [
        str(number) for number in order
    ]


def test_the_report_is_a_link(tmp_path: Path) -> None:
    run = text_run(tmp_path / "run")[0].save(tmp_path / "kept")
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=True)
    print_ending(run, family_of("text").view(), console)
    assert (tmp_path / "kept" / "report.html").as_uri() in stream.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("make", [text_run, speech_run])
def test_no_number_is_cut_on_a_narrow_screen(width: int, make: object) -> None:
    run = make()[0]  # type: ignore[operator]
    stream = io.StringIO()
    print_run(run, Console(file=stream, width=width))
    told = stream.getvalue()
    assert "…" not in told
    for held in run.systems.values():
        for score in held.scores.values():
            assert score.number(score.value) in told
    sheet = Sheet("parts", ["system", *(f"column_{n}" for n in range(8))], [["a", *[0.12345] * 8]])
    stream = io.StringIO()
    print_sheet(sheet, Console(file=stream, width=width))
    assert stream.getvalue().count("0.1235") == 8
    assert "…" not in stream.getvalue()


def test_progress_without_a_terminal_is_sane(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("gistmeter.report.progress.time.monotonic", lambda: now[0])
    bars = ProgressBars(every=10)
    now[0] = 100.0  # the models were loaded, and half came from the cache at once
    bars.update("Scoring", 500, 1000)
    now[0] = 111.0
    bars.update("Scoring", 610, 1000)
    told = capsys.readouterr().err.split("\n")
    assert told[0] == "Scoring: 500/1,000"  # a first report has no rate
    assert told[1] == "Scoring: 610/1,000, 10.0/s, about 39 s left"


def test_the_demo_skips_what_is_missing_and_writes_its_report(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking() -> None:
        raise MissingDependency("moonshine_voice", "moonshine", "The sample recording")

    steps = [step for step in demo.STEPS if step.name in ("parse-en", "speech")]
    broken = demo.Step("broken", ("parse", "{samples}/absent.conllu", "{samples}/absent.conllu"))
    monkeypatch.setattr(demo, "STEPS", (*steps, broken))
    monkeypatch.setattr("gistmeter.speech.recognizers.sample.sample", lacking)
    result = CliRunner().invoke(app, ["demo", "-o", "tour"])
    assert result.exit_code == 0, result.stderr
    assert "speech is left out" in result.stderr
    assert "pip install 'gistmeter[moonshine]'" in result.stderr
    assert "All samples: pip install 'gistmeter[demo]'" in result.stderr
    assert "broken is left out" in result.stderr and "no such file" in result.stderr
    assert Path("tour/report.html").is_file()
    assert "Report: tour/report.html" in result.stdout
