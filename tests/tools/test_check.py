"""`gistmeter check`: a whole evaluation from one file, for pipelines."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from click.testing import CliRunner, Result

import gistmeter
from conftest import ROOT
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.tools.check import CheckSettings, plan

SAMPLES = ROOT / "src" / "gistmeter" / "samples"
SPEECH = "file,expected,good\n" + "".join(
    f"clip{at},turn on light number {at},turn on light number {at}\n" for at in range(12)
)
CONFIG = """
seed = 5

[speech]
language = "en"

[evaluation.calls]
shape = "speech"
table = "data/calls.csv"
metrics = ["wer"]
fail_under = { wer = 20 }

[evaluation.parses]
shape = "parse"
gold = "samples/cs-gold.conllu"
systems = ["samples/cs-careful.conllu"]
fail_under = { las = 0.5 }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file and its data; the command is called from elsewhere."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "calls.csv").write_text(SPEECH)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    config = tmp_path / "g.toml"
    shutil.copytree(SAMPLES / "parse", tmp_path / "samples")
    config.write_text(CONFIG)
    return config


def call(*arguments: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, ["check", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


def change(config: Path, before: str, after: str) -> None:
    text = config.read_text()
    assert before in text
    config.write_text(text.replace(before, after))


def test_all_evaluations_are_scored_kept_and_told(project: Path) -> None:
    done = call(project, "-o", "j.xml", "-o", "s.md", "-o", "r.json", "-o", "all.html")
    assert done.output.count("passed") == 2
    assert "ok  good: wer is 0.00%" in done.output
    run = gistmeter.load_run("runs/check/calls")
    assert run.seed == 5 and run["wer"].value == 0.0
    suites = ElementTree.parse("j.xml").getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("2", "0", "0")
    assert {suite.get("name") for suite in suites} == {"calls", "parses"}
    told = json.loads(Path("r.json").read_text())
    assert told["passed"] and told["evaluations"]["calls"]["run"]["command"] == "speech"
    assert "## ✅ calls" in Path("s.md").read_text() and "| good |" in Path("s.md").read_text()
    assert Path("all.html").stat().st_size > 10_000


def test_a_threshold_that_does_not_hold_ends_with_3(project: Path) -> None:
    (project.parent / "data" / "calls.csv").write_text(
        SPEECH.replace(",turn on light", ",turn", 13)
    )
    change(project, "{ wer = 20 }", "{ wer = 2 }")
    call(project, "-o", "j.xml", "-o", "s.md", code=3)
    (failure,) = ElementTree.parse("j.xml").getroot().iter("failure")
    assert "required ≤ 2" in str(failure.get("message"))
    assert "## ❌ calls" in Path("s.md").read_text() and "## ✅ parses" in Path("s.md").read_text()
    call(project, "--only", "parses")


def test_the_gate_against_a_baseline(project: Path) -> None:
    call(project, "--folder", "runs/main", "--only", "calls")
    change(project, "fail_under = { wer = 20 }", 'baseline = "elsewhere/runs/main/calls"')
    assert "wer changed by +0.0000" in call(project, "--only", "calls").output
    text = SPEECH.replace("clip1,turn on light number 1,turn on", "clip1,turn on light number 1,in")
    worse = text.replace(",turn on light number 3\n", ",turn off\n")
    (project.parent / "data" / "calls.csv").write_text(worse)
    call(project, "--only", "calls", "--no-baseline")
    change(project, 'baseline = "', 'margin = 1.0\nbaseline = "')
    done = call(project, "--only", "calls", code=3)
    assert "may be worse than" in done.output and "margin of 1" in done.output
    change(project, "seed = 5", "seed = 6")
    assert "measured differently" in call(project, "--only", "calls", code=2).output


def test_an_evaluation_that_fails_does_not_stop_the_others(project: Path) -> None:
    change(project, "data/calls.csv", "data/nowhere.csv")
    done = call(project, "-o", "j.xml", code=2)
    assert "FAILED  calls" in done.output and "passed  parses" in done.output
    (error,) = ElementTree.parse("j.xml").getroot().iter("error")
    assert "nowhere.csv" in str(error.get("message"))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('shape = "parse"', 'shape = "prase"', "Did you mean 'parse'"),
        ('shape = "parse"', "", "has no shape"),
        ("metrics =", "metrix =", "Did you mean 'metrics'"),
        ("[evaluation.calls]", "[evaluation.'a/b']", "becomes a folder's"),
        ("{ wer = 20 }", "{ wer = 'low' }", "fail_under is 'low'"),
        ('language = "en"', 'langauge = "en"', "Did you mean 'language'"),
        ("[evaluation", "[evaluations", "has no evaluation"),
        ("shape = \"parse\"", "shape = \"parse\"\nmargin = -1", "margin is -1"),
        ("[evaluation.parses]", "[evaluation.parses]\nbaseline='elsewhere/runs/check/parses'",
         "would be replaced"),
    ],
)  # fmt: skip
def test_mistakes_are_told_before_anything_is_scored(
    before: str, after: str, told: str, project: Path
) -> None:
    change(project, before, after)
    assert told in call(project, code=2).output
    assert not Path("runs").exists()


def test_every_path_of_the_file_starts_at_its_folder(project: Path) -> None:
    """Also those that Python may give as values: words and spellings."""
    (project.parent / "data" / "words.txt").write_text("light\n")
    change(project, 'metrics = ["wer"]', 'metrics = ["wer"]\nkeywords = "data/words.txt"')
    call(project, "--only", "calls")
    assert gistmeter.load_run("runs/check/calls")["keyword_recall"].value == 100.0


def test_other_mistakes(project: Path) -> None:
    assert "Name the file" in call(code=2).output
    assert "nothing.toml" in call("nothing.toml", code=2).output
    assert "Did you mean 'calls'" in call(project, "--only", "call", code=2).output
    assert "unknown suffix" in call(project, "-o", "x.txt", code=2).output
    project.write_text("seed = 3\n")
    assert "has no evaluation" in call(project, code=2).output


def test_python_runs_the_same(project: Path) -> None:
    outcomes = gistmeter.check(project, only=["calls"])
    assert outcomes.passed and outcomes.exit_code == 0
    (one,) = outcomes.held
    assert one.run is not None and one.requirements[0].name == "good: wer ≤ 20"
    with pytest.raises(InputError, match="Did you mean"):
        gistmeter.check(project, onyl=["calls"])


def test_names_from_files_stay_text_in_xml_and_markdown(project: Path) -> None:
    (project.parent / "data" / "calls.csv").write_text(
        SPEECH.replace("good", "<b>|\x1b[31m & co", 1)
    )
    call(project, "--only", "calls", "-o", "j.xml", "-o", "s.md")
    text = Path("j.xml").read_text()
    assert "<b>" not in text and "\x1b" not in text
    ElementTree.fromstring(text)
    assert "<b>" not in Path("s.md").read_text()


def test_the_examples_of_the_documentation_are_true(in_folder: Path) -> None:
    """The page's file is planned, and every command of the example workflow is understood."""
    (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/pipelines.md").read_text(), re.S)
    Path("g.toml").write_text(example)
    settings = CheckSettings(file=Path("g.toml"))
    assert [one.name for one in plan(settings, settings.read())] == ["answers", "calls"]
    lines = re.findall(r"run: gistmeter (.+)", (ROOT / "docs/examples/workflow.yml").read_text())
    assert len(lines) == 4
    for line in lines:
        name, *arguments = shlex.split(line)
        command = app.get_command(click.Context(app), name)
        assert command is not None
        command.make_context(name, arguments)
