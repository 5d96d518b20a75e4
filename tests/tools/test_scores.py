"""Scores of other tools compared, the gate of a pipeline, and runs by the names people use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.run import compare
from gistmeter.tools.scores import load_scores


def call(*arguments: str | Path, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(part) for part in arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


def table(path: Path, gap: float, size: int = 80, spread: float = 0.05) -> Path:
    random = np.random.default_rng(5)
    base = random.normal(0.6, 0.1, size)
    new = base + gap + random.normal(0, spread, size)
    lines = [f"{n},old,{value}" for n, value in enumerate(base)]
    lines += [f"{n},new,{value}" for n, value in enumerate(new)]
    path.write_text("id,system,score\n" + "\n".join(lines) + "\n")
    return path


def test_any_table_of_scores_can_be_compared(in_folder: Path) -> None:
    path = table(in_folder / "comet.csv", -0.05)
    found = json.loads(call("compare", path, "--baseline", "old", "--format", "json").stdout)
    [pair] = found["pairs"]
    values = found["values"]
    assert pair["difference"] == pytest.approx(values["new"] - values["old"])
    assert pair["high"] < 0 and pair["p_value"] < 0.01 and pair["n"] == 80
    assert pair["detectable"] > 0


def test_wide_tables_and_one_file_per_system_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("id,a,b\nx,0.1,0.3\ny,0.2,0.5\nz,,0.4\n")
    (tmp_path / "a.csv").write_text("id,score\nx,0.1\ny,0.2\nz,\n")
    (tmp_path / "b.csv").write_text("id,score\nx,0.3\ny,0.5\nz,0.4\n")
    wide = compare([load_scores(tmp_path / "wide.csv")], resamples=200)
    files = compare([load_scores(tmp_path / f"{name}.csv") for name in "ab"], resamples=200)
    assert wide.pairs[0].difference == files.pairs[0].difference == pytest.approx(-0.25)
    assert wide.pairs[0].n == 2  # what one side lacks counts for neither


@pytest.mark.parametrize(
    ("name", "higher"), [("wer", False), ("edit_distance", False), ("bleu", True)]
)
def test_direction_is_told_by_the_name_unless_said(tmp_path: Path, name: str, higher: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"id,system,{name}\nx,a,1\ny,a,2\nx,b,3\ny,b,4\n")
    assert load_scores(path).systems["a"][name].higher_is_better is higher
    assert load_scores(path, lower_is_better=True).systems["a"][name].higher_is_better is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,system\nx,a\n", "is not a table of scores"),
        ("id,system,score\nx,a,1\nx,a,2\n", "'x' of 'a' twice"),
        ("system,score\na,1\n", "no column 'id'"),
        (
            "id,system,score\nx,a,good\nx,b,1\n",
            "'good'; expected a number|is not a table of scores",
        ),
    ],
)
def test_tables_that_are_no_scores(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_scores(path)


def test_the_gate_ends_with_3_when_the_interval_shows_a_loss(in_folder: Path) -> None:
    gate = ("--baseline", "old", "--fail-if-worse")
    lost = call("compare", table(in_folder / "lost.csv", -0.05), *gate, code=3)
    assert "new: score is worse than old by 0.0" in lost.stderr
    call("compare", table(in_folder / "won.csv", 0.05), *gate)
    same = call("compare", table(in_folder / "same.csv", 0.0), *gate)
    assert "Passed: no loss against the baseline was shown" in same.stderr


def test_with_a_margin_not_being_worse_has_to_be_shown(in_folder: Path) -> None:
    few = table(in_folder / "few.csv", 0.0, size=10, spread=0.2)
    gate = ("--baseline", "old", "--fail-if-worse")
    call("compare", few, *gate)  # no loss is shown …
    doubt = call("compare", few, *gate, "--margin", "0.01", code=3)  # … nor is it excluded
    assert "may be worse than old by up to" in doubt.stderr and "margin of 0.01" in doubt.stderr
    many = table(in_folder / "many.csv", 0.0, size=2000)
    passed = call("compare", many, *gate, "--margin", "0.01")
    assert "every loss against the baseline is below the margin of 0.01" in passed.stderr
    call("compare", few, "--margin", "0.01", code=2)
    call("compare", few, "--fail-if-worse", code=2)


def test_a_gate_with_a_margin_stays_open_where_nothing_changed(in_folder: Path) -> None:
    lines = [f"{at},{name},{at % 2}" for at in range(10) for name in ("old", "new")]
    same = in_folder / "same.csv"
    same.write_text("\n".join(["id,system,score", *lines]) + "\n")
    gate = ("--baseline", "old", "--fail-if-worse", "--margin", "0.01")
    call("compare", same, *gate)
    (pair,) = json.loads(call("compare", same, *gate, "--format", "json").stdout)["pairs"]
    assert pair["low"] < -0.2 and pair["high"] > 0.2  # ten items prove little
    worse = in_folder / "worse.csv"
    worse.write_text(same.read_text().replace("0,new,0", "0,new,-1"))
    call("compare", worse, *gate, code=3)


def test_lower_scores_lose_the_other_way(in_folder: Path) -> None:
    path = table(in_folder / "t.csv", 0.05)
    gate = ("--baseline", "old", "--fail-if-worse", "--lower-is-better")
    call("compare", path, *gate, code=3)


def scored(folder: str, text: str) -> Path:
    run = gistmeter.score_text([text, "a cat"], ["a big dog", "a cat"], language="en",
                               metrics=["s_info"])  # fmt: skip
    run.save(folder)
    return Path(folder)


def test_latest_and_folders_of_runs_are_understood(in_folder: Path) -> None:
    old, new = scored("runs/one", "a dog"), scored("runs/two", "a big dog")
    os.utime(old / "run.json", (1, 1))
    listed = call("runs").stdout
    assert listed.index("runs/two") < listed.index("runs/one")
    assert "s_info" in listed and "1.0000" in listed
    told = call("compare", "latest", "--baseline", "runs/one", "--format", "json").stdout
    assert json.loads(told)["pairs"][0]["a"] == "two"
    call("report", "runs/", "-o", "all.html", "--title", "Tuesday's <models>")
    page = Path("all.html").read_text()
    assert "Tuesday&#39;s &lt;models&gt;" in page
    call("report", "latest", "-o", "one.html")
    assert new.name in Path("one.html").read_text()


def test_where_there_is_no_run_it_is_said(in_folder: Path) -> None:
    assert "There is no latest run" in call("report", "latest", code=2).stderr
    assert "is not a folder" in call("runs", "elsewhere", code=2).stderr
    assert "No finished run in this folder" in call("runs").stderr
    Path("runs").mkdir()
    assert "No finished run in runs/" in call("runs").stderr
