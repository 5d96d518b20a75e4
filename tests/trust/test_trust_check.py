"""A check passes what was scored: without a computed score it fails and says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gistmeter.cli import app
from gistmeter.core.errors import ModelError
from gistmeter.models import runtime
from gistmeter.tools.check import check

TEXT = """
[evaluation.answers]
shape = "text"
predictions = ["predictions.csv"]
language = "en"
resamples = 20
"""
TWO = """
[evaluation.two]
shape = "text"
predictions = ["two.csv"]
metrics = ["s_info"]
language = "en"
resamples = 20
"""


@pytest.fixture(autouse=True)
def inputs(in_folder: Path) -> Path:
    Path("predictions.csv").write_text(
        "id,prediction,reference\n1,it rains,it rains today\n2,a dog,the dog\n"
    )
    Path("two.csv").write_text(
        "id,system,prediction,reference\n1,good,it rains,it rains\n1,silent,,it rains\n"
    )
    Path("text.toml").write_text(TEXT)
    Path("two.toml").write_text(TWO)
    return in_folder


def without_models(*_: Any, **__: Any) -> Any:
    raise ModelError("the model is on strike")


def test_a_check_that_scored_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other scores, which need no model, make no difference: the first is what is judged by."""
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(Path("cache").resolve()))  # nothing is open yet
    monkeypatch.setattr(runtime, "open_session", without_models)
    monkeypatch.setattr("gistmeter.models.e5.graph.open_session", without_models)
    code = app.main(["check", "text.toml", "-q", "-o", "told.json"], standalone_mode=False)
    assert code == 3
    said = capsys.readouterr().out
    assert "FAILED  answers" in said
    assert "gist could not be computed (2 unscored: " in said
    assert "on strike" in said and "nothing was checked" in said
    told = json.loads(Path("told.json").read_text())
    assert told["passed"] is False
    assert told["evaluations"]["answers"]["run"]["systems"]


def test_a_system_without_a_score_fails_beside_one_that_has_it() -> None:
    outcomes = check("two.toml")
    assert (outcomes.passed, outcomes.exit_code) == (False, 3)
    (failed,) = [one for one in outcomes.evaluations[0].requirements if not one.holds]
    assert failed.told.startswith("silent: s_info could not be computed (1 unscored: ")


def test_threads_of_threads_are_no_reason_to_score_nothing() -> None:
    """`4,2` is a value that OpenMP knows: four threads, and two in each."""
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", "check", "text.toml"],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "4,2"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    run = json.loads(Path("runs/check/answers/run.json").read_text())
    assert run["systems"]["predictions"]["scores"]["gist"]["n"] == 2


@pytest.mark.parametrize("told", ["many", "-3", "1e3", "³", ",", " ", "99999999999999999999"])
def test_a_number_of_threads_that_is_none_is_left_to_the_library(told: str) -> None:
    assert runtime.threads_of(told) == 0
