"""compare, report and validate as commands, on runs of a toy metric."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import gistmeter
from gistmeter.cli import app
from gistmeter.core import registry
from gistmeter.core.evaluation import evaluate
from gistmeter.core.run import write_report
from gistmeter.core.runs import RunFolder
from gistmeter.core.runs.saved import load_run
from toys import Length, pairs

Scored = Callable[..., Path]


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scored:
    """Makes a run folder of a system that loses more or fewer characters."""
    monkeypatch.setitem(registry.TABLES["gistmeter.metrics"], "text/length", "toys:Length")  # type: ignore[arg-type]

    def make(name: str, *, cut: int = 0, limit: float = 1.0, count: int = 40) -> Path:
        items = [
            replace(pair, candidate=(pair.candidate or "")[cut:], system=name)
            for pair in pairs(count)
        ]
        path = tmp_path / name
        evaluate(
            items, {"length": Length(limit)}, command="toy", resamples=100,
            open_folder=lambda plan: RunFolder.start(path, plan),
        )  # fmt: skip
        return path

    return make


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(part) for part in arguments])


def test_compare_prints_json_of_the_promised_shape(scored: Scored) -> None:
    first, second = scored("full"), scored("cut", cut=4)
    done = call("compare", first, second, "--metric", "kept", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["metric"] == "kept"
    (pair,) = found["pairs"]
    expected = {
        "a",
        "b",
        "difference",
        "low",
        "high",
        "p_value",
        "p_corrected",
        "effect",
        "n",
        "test",
    }
    assert expected <= set(pair)
    assert pair["difference"] > 0
    assert pair["p_value"] < 0.001
    assert found["ranks"] == {"full": 1, "cut": 2}


def test_the_sentence_of_compare_is_about_its_own_tests(in_folder: Path) -> None:
    said = [f"turn on light number {at} now please" for at in range(40)]
    heard = {
        "good": [one.replace("now", "no") if at % 7 == 0 else one for at, one in enumerate(said)],
        "bad": [one.replace("light", "fight a") if at % 2 else one for at, one in enumerate(said)],
    }
    run = gistmeter.score_speech(said, heard, language="en", metrics=["wer"])
    run.save("run", report=False)
    options = ("--resamples", "100", "--seed", "5")
    (pair,) = json.loads(call("compare", "run", *options, "--format", "json").stdout)["pairs"]
    low, high = sorted((abs(pair["low"]), abs(pair["high"])))
    told = f"interval {low:.1f} to {high:.1f} points"
    assert told in " ".join(call("compare", "run", *options).stdout.split())
    assert told not in " ".join(run.answer().split())


def test_quiet_leaves_the_result_and_no_remark(scored: Scored, tmp_path: Path) -> None:
    given = ("compare", scored("full"), scored("cut", cut=2), "--baseline", "cut")
    done = call(*given, "-q", "-o", tmp_path / "c.csv", "--fail-if-worse")
    assert done.exit_code == 0, done.output
    assert not done.stderr
    assert "full is ahead on kept" in done.stdout


def test_compare_takes_several_scores_tests_and_files(scored: Scored, tmp_path: Path) -> None:
    first, second = scored("full"), scored("cut", cut=2)
    outputs = [tmp_path / name for name in ("c.md", "c.tex", "c.csv", "c.json")]
    done = call(
        "compare", first, second, "--metric", "kept", "--metric", "loss_rate", "--test", "wilcoxon",
        "--correction", "holm", *(part for path in outputs for part in ("-o", path)),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert all(path.stat().st_size > 100 for path in outputs)
    rows = list(csv.DictReader(outputs[2].read_text().splitlines()))
    assert [row["metric"] for row in rows] == ["kept", "loss_rate"]
    assert {row["test"] for row in rows} == {"wilcoxon"}
    assert "loss_rate (lower is better)" in done.stdout


def test_every_form_of_a_comparison_has_its_slices(scored: Scored, tmp_path: Path) -> None:
    runs = [scored("full"), scored("cut", cut=2)]
    files = [tmp_path / f"c.{suffix}" for suffix in ("md", "tex", "csv", "json")]
    outputs = (part for path in files for part in ("-o", path))
    done = call("compare", *runs, "--metric", "kept", "--by", "group", *outputs)
    assert done.exit_code == 0, done.output
    said = [path.read_text() for path in files]
    assert "kept by group" in said[0] and "kept by group" in said[1]
    slices = json.loads(said[3])["slices"][0]
    rows = list(csv.DictReader(said[2].splitlines()))
    assert [(row["by"], row["slice"]) for row in rows] == [
        ("", ""), *(("group", label) for label in slices["slices"]),
    ]  # fmt: skip
    pairs = [pair for held in slices["slices"].values() for pair in held["pairs"]]
    assert [float(row["difference"]) for row in rows[1:]] == [pair["difference"] for pair in pairs]
    assert all(line in " ".join(done.stdout.split()) for line in slices["sentences"])


def test_compare_names_its_baseline_by_run_or_system(scored: Scored) -> None:
    runs = [scored("one"), scored("two", cut=1), scored("three", cut=2)]
    for given in ("two", runs[1]):
        done = call("compare", *runs, "--baseline", given, "--format", "json")
        assert [pair["b"] for pair in json.loads(done.stdout)["pairs"]] == ["two", "two"]


def refused(*arguments: object) -> str:
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
    return done.output


def test_compare_refuses_what_cannot_be_compared(scored: Scored, tmp_path: Path) -> None:
    first, other = scored("full"), scored("other", limit=0.9)
    assert "limit: 1.0 | 0.9" in refused("compare", first, other)
    assert "given twice" in refused("compare", first, first)
    assert "two systems" in refused("compare", first)
    assert "holds no run" in refused("compare", first, tmp_path / "nowhere")
    assert "Did you mean 'kept'" in refused("compare", first, other, "--metric", "keptt", "--force")
    assert "suffix" in refused("compare", first, other, "-o", "x.pdf")
    done = call("compare", first, other, "--force")
    assert done.exit_code == 0
    assert "Forced although the signatures differ: limit: 1.0 | 0.9" in done.stdout.replace(
        "\n", " "
    )


def test_report_puts_comparable_runs_into_one_section(scored: Scored, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = call("report", scored("full"), scored("cut", cut=3), scored("x", limit=0.5), "-o", page)
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert text.count('class="section tab"') == 2
    assert "full is ahead on kept" in text
    assert "suffix .html" in refused("report", tmp_path / "full", "-o", "report.txt")


def labels(path: Path, judgement: Callable[[int], object], count: int = 40) -> Path:
    rows = [f"item{number},{judgement(number)}" for number in range(count)]
    path.write_text("\n".join(["id,human", *rows]))
    return path


def test_validate_gives_correlations_thresholds_and_a_page(scored: Scored, tmp_path: Path) -> None:
    run = scored("full")
    kept = [len(pair.candidate or "") / len(pair.references[0]) for pair in pairs(40)]
    numbers = labels(tmp_path / "n.csv", lambda at: 5 * kept[at])
    done = call("validate", run, "--human", numbers, "--format", "json", "-o", tmp_path / "v.html")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["scores"]["kept"]["pearson"]["value"] == pytest.approx(1.0)
    assert "kept agrees best with people" in (tmp_path / "v.html").read_text()
    decided = labels(tmp_path / "b.csv", lambda at: "yes" if kept[at] >= 0.5 else "no")
    done = call("validate", run, "--human", decided, "--score", "kept", "--format", "json")
    decision = json.loads(done.stdout)["scores"]["kept"]["decision"]
    assert decision["auc"]["value"] == 1.0
    assert max(k for k in kept if k < 0.5) < decision["threshold"]["value"] <= 0.5
    table = call("validate", run, "--human", decided)
    assert "Deciding yes or no" in table.stdout


def test_validate_refuses_bad_labels_and_options(scored: Scored, tmp_path: Path) -> None:
    run = scored("full")
    assert "no such file" in refused("validate", run, "--human", tmp_path / "none.csv")
    good = labels(tmp_path / "l.csv", lambda at: at % 7)
    assert "NAME=WEIGHT" in refused("validate", run, "--human", good, "--component", "kept")
    assert "Can't find score" in refused("validate", run, "--human", good, "--score", "missing")


def test_a_metric_that_cannot_be_found_again_is_reported_untested(tmp_path: Path) -> None:
    path = tmp_path / "run"
    items = [*pairs(12, "one"), *pairs(12, "two")]
    run = evaluate(
        items, {"mine": Length()}, command="toy", resamples=100,
        open_folder=lambda plan: RunFolder.start(path, plan),
    )  # fmt: skip
    write_report([load_run(run.path or "")], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "one and two are level on kept" in text
    assert "Whether that is real was not tested." in text
