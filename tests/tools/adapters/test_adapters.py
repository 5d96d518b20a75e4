"""Gistmeter inside other tools, against the real packages (make test-adapters)."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gistmeter
from conftest import ROOT
from gistmeter.core.errors import InputError
from gistmeter.tools.adapters import promptfoo_assertion

SAME = ("We open at nine.", "We open at nine.")
OTHER = ("We never open.", "We open at nine.")
ADAPTERS = sorted((ROOT / "src" / "gistmeter" / "tools" / "adapters").glob("*.py"))
FOREIGN = pytest.mark.filterwarnings("default")  # other libraries' warnings are not ours to mend


def package(name: str) -> Any:
    """A package of others, or a skip that says how to get it."""
    return pytest.importorskip(name, reason=f"{name} is not installed: make test-adapters")


def test_every_adapter_is_thin() -> None:
    assert len(ADAPTERS) == 6, ADAPTERS
    for path in ADAPTERS:
        assert len(path.read_text().splitlines()) < 100, path


def test_a_missing_package_names_its_extra() -> None:
    code = (
        "import sys\nsys.modules['{0}'] = None\n"
        "try:\n    import gistmeter.tools.adapters.{1}\n"
        "except Exception as error: print(error)"
    )
    for name, module, extra in (
        ("inspect_ai", "inspect_scorer", "inspect"), ("deepeval", "deepeval_metric", "deepeval"),
        ("evaluate", "evaluate_module", "evaluate"),
    ):  # fmt: skip
        done = subprocess.run([sys.executable, "-c", code.format(name, module)],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert f"pip install 'gistmeter[{extra}]'" in done.stdout


@FOREIGN
def test_inspect_scores_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package("inspect_ai")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from gistmeter.tools.adapters.inspect_scorer import gist

    monkeypatch.chdir(tmp_path)
    samples = [Sample(input="When?", target=["We open at nine.", "At nine."], id=at)
               for at in range(3)]  # fmt: skip
    outputs = [ModelOutput.from_content("mockllm", text)
               for text in ("We open at nine.", "We never open.", "")]  # fmt: skip
    for output in outputs:  # else it would fetch a tokenizer to count
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = Task(dataset=samples, scorer=gist(language="en"))
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    same, other, empty = (sample.scores["gist"] for sample in log.samples)
    assert same.value > 0.9 > 0.5 > other.value
    assert "{+never+}" in other.explanation or "[-" in other.explanation
    assert empty.value != empty.value  # unscored is NaN, and not in the mean
    mean = log.results.scores[0].metrics["mean"].value
    assert mean == pytest.approx((same.value + other.value) / 2)


@FOREIGN
def test_deepeval_measures_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package("deepeval")
    from deepeval import assert_test
    from deepeval.test_case import LLMTestCase

    from gistmeter.tools.adapters.deepeval_metric import GistMetric

    metric = GistMetric(0.8, language="en")
    cases = [LLMTestCase(input="When?", actual_output=said, expected_output=told)
             for said, told in (SAME, OTHER)]  # fmt: skip
    assert metric.measure(cases[0]) > 0.9 and metric.is_successful()
    assert asyncio.run(metric.a_measure(cases[1])) < 0.5 and not metric.is_successful()
    assert "never" in str(metric.reason) and "expected" not in str(metric.reason).split("\n")[0]
    assert_test(cases[0], [metric], run_async=False)
    with pytest.raises(AssertionError):
        assert_test(cases[1], [metric], run_async=False)
    with pytest.raises(ValueError, match="no prediction"):
        metric.measure(LLMTestCase(input="When?", actual_output="", expected_output="At nine."))


@FOREIGN
def test_evaluate_loads_and_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    evaluate = package("evaluate")
    from gistmeter.tools.adapters import evaluate_module

    said, told = zip(SAME, OTHER, strict=True)
    own = evaluate_module.Gist().compute(
        predictions=list(said), references=list(told), language="en"
    )
    run = gistmeter.score_text(said, told, language="en", metrics=["gist"])
    assert own["gist"] == run["gist"].value and own["gist_low"] == run["gist"].low
    assert own["signature"] == run.signature
    loaded = evaluate.load(evaluate_module.__file__, module_type="metric")
    several = loaded.compute(predictions=list(said), references=[[one, "Soon."] for one in told],
                             language="en")  # fmt: skip
    assert several["gist"] >= own["gist"] - 1e-9


@FOREIGN
def test_mlflow_keeps_scores_and_report(tmp_path: Path) -> None:
    mlflow = package("mlflow")
    from gistmeter.tools.adapters.mlflow_logger import log_run

    run = gistmeter.score_speech(["a b c d"] * 3, {"x y": ["a b c d"] * 3, "z": ["a b c e"] * 3},
                                 language="en", metrics=["wer"])  # fmt: skip
    mlflow.set_tracking_uri(
        f"sqlite:///{tmp_path}/m.db" if _has_sqlalchemy() else tmp_path.as_uri()
    )
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("e", f"file://{tmp_path}/files"))
    with mlflow.start_run() as active:
        log_run(run)
    kept = mlflow.get_run(active.info.run_id)
    assert kept.data.metrics["gistmeter/z/wer"] == 25.0
    assert kept.data.metrics["gistmeter/x y/wer_n"] == 3.0
    assert kept.data.tags["gistmeter.command"] == "speech"
    folder = Path(mlflow.artifacts.download_artifacts(run_id=active.info.run_id))
    assert (folder / "gistmeter" / "report.html").is_file()
    assert gistmeter.load_run(folder / "gistmeter").systems["z"]["wer"].value == 25.0


def _has_sqlalchemy() -> bool:
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        return False
    return True


def test_the_assertion_of_promptfoo_by_its_contract() -> None:
    """As documented: a function get_assert(output, context) that gives pass, score and reason."""
    given = {"vars": {"reference": SAME[1]}, "config": {"language": "en"}}
    good = promptfoo_assertion.get_assert(SAME[0], given)
    assert good["pass"] is True and good["score"] > 0.9 and good["reason"].startswith("gist ")
    given["config"] = {"language": "en", "references": [OTHER[1]], "gist": ">=0.5"}
    bad = promptfoo_assertion.get_assert(OTHER[0], given)
    assert bad["pass"] is False and bad["score"] < 0.5 and "expected >=0.5" in bad["reason"]
    lost = promptfoo_assertion.get_assert("x", {"vars": {}, "config": {"language": "en"}})
    assert lost["pass"] is False and "There is no reference" in lost["reason"]
    json.dumps([good, bad, lost])


def test_promptfoo_itself(tmp_path: Path) -> None:
    program = os.environ.get("PROMPTFOO") or shutil.which(
        "promptfoo", path=str(ROOT / "build" / "promptfoo" / "node_modules" / ".bin")
    )
    if program is None:
        pytest.skip("promptfoo is not installed: make test-adapters")
    config = {
        "providers": ["echo"],
        "prompts": ["{{said}}"],
        "tests": [
            {"vars": {"said": said, "reference": told},
             "assert": [{"type": "python", "value": f"file://{promptfoo_assertion.__file__}",
                         "config": {"language": "en", "gist": ">=0.8"}}]}
            for said, told in (SAME, OTHER)
        ],
    }  # fmt: skip
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(config))
    environment = {
        **os.environ, "PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(tmp_path),
        "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1", "PYTHONPATH": str(ROOT / "src"),
    }  # fmt: skip
    subprocess.run(
        [program, "eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-cache", "-j", "1"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    results = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    assert [one["success"] for one in results] == [True, False], results
    assert "expected >=0.8" in results[1]["gradingResult"]["reason"]


def test_options_that_are_none_are_told() -> None:
    from gistmeter.tools.adapters import make_checker

    with pytest.raises(InputError, match="Did you mean 'profile'"):
        make_checker({"profil": "paper"})
