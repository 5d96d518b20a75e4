"""Parity with the golden vectors: from given tokens and components, and through the models."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import gistmeter
from conftest import shared_path
from gistmeter.cli import main
from gistmeter.text.formats.references import Splitting, clean

# transformers' DeBERTa still compiles a function in torch's old way, at its first use.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")

MODELLED, EXACT = 1e-5, 1e-9
# The tiny NLI model is badly conditioned: in double precision a few of its probabilities move by
# up to 7e-5, and in single precision by the processor. So those few get more room (for each pair
# what its conditioning asks, in tests/models).
ILL_CONDITIONED = 1e-4
MODEL_COLUMNS = ("cross_encoder", "bertscore", "sts")


def golden() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(
        shared_path("golden/text.json").read_text(encoding="utf-8")
    )["cases"]
    return cases


def models() -> dict[str, str]:
    folder = shared_path("golden/models")
    return {
        "embedder": str(folder / "tiny-encoder"),
        "matcher": str(folder / "tiny-encoder"),
        "cross_encoder": str(folder / "tiny-cross-encoder"),
        "nli": str(folder / "tiny-nli"),
    }


def test_cleaning_and_splitting_as_the_reference_code_does() -> None:
    for case in golden():
        assert clean(case["prediction"]) == case["clean_prediction"]
        assert Splitting("wide").split([case["reference_cell"]]) == tuple(case["references"])


@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_lexical_scores_from_given_tokens(aggregate: str) -> None:
    for case in golden():
        said, *references = case["jieba_content"]
        expected = case["expected"][aggregate]
        cosine = gistmeter.lexical_cosine(said, references, aggregate=aggregate)
        overlap = gistmeter.content_fbeta(said, references, aggregate=aggregate)
        overlap *= 0.5 if expected["polarity_conflict"] else 1.0
        assert cosine == pytest.approx(expected["lexical_cosine"], abs=EXACT)
        assert overlap == pytest.approx(expected["f_beta"], abs=EXACT)


@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_s_acc_from_given_components(aggregate: str) -> None:
    from gistmeter import semantic_accuracy

    for case in golden():
        expected = dict(case["expected"][aggregate])
        expected.pop("polarity_conflict")
        whole, representation = expected.pop("s_acc"), expected.pop("representation")
        assert semantic_accuracy(**expected) == pytest.approx(whole, abs=EXACT)
        three = ("bertscore", "sts", "lexical_cosine")
        assert sum(expected[name] for name in three) / 3 == pytest.approx(representation, abs=EXACT)


@pytest.mark.torch
@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_model_values_through_python(aggregate: str) -> None:
    from gistmeter.core.family import Items
    from gistmeter.core.options import RunSettings
    from gistmeter.core.score import score
    from gistmeter.core.types import Pair
    from gistmeter.text.family import Text, TextSettings

    cases = golden()
    pairs = [
        Pair(
            str(at), case["clean_prediction"], tuple(case["references"]), language=case["language"]
        )
        for at, case in enumerate(cases)
    ]
    named = {{"matcher": "token_encoder"}.get(role, role): name for role, name in models().items()}
    settings = TextSettings(aggregate=aggregate, metrics=("s_acc", "s_logic"), layer=2,
        direction="reference-to-prediction", **named,
    )  # fmt: skip
    rows = score(Text(), settings, items=Items(pairs), how=RunSettings(resamples=0)).rows
    assert rows is not None
    entailed = []
    for at, case in enumerate(cases):
        expected = case["expected"][aggregate]
        for name in MODEL_COLUMNS:
            assert rows.values(name)[at] == pytest.approx(expected[name], abs=MODELLED), (at, name)
        entailments = [labels[0] for labels in case["nli_premise_reference"]]
        entailed.append(
            max(entailments) if aggregate == "max" else sum(entailments) / len(entailments)
        )
    check_entailment(rows.values("s_logic"), entailed)


@pytest.mark.torch
@pytest.mark.parametrize("direction", ["reference-to-prediction", "prediction-to-reference"])
def test_model_values_through_the_command_line(
    direction: str, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case for case in golden() if case["language"] == "zh"]
    with Path("seen.csv").open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream)
        writer.writerow(["idiom", "Reference", "Prediction"])
        for at, case in enumerate(cases):
            writer.writerow([f"{at} {case['idiom']}", case["reference_cell"], case["prediction"]])
    named = models()
    monkeypatch.setattr(
        "sys.argv",
        ["gistmeter", "text", "seen.csv", "--language", "zh", "--reference-separators", "wide",
         "--embedder", named["embedder"], "--token-encoder", named["matcher"], "--layer", "2",
         "--cross-encoder", named["cross_encoder"], "--nli", named["nli"], "--direction", direction,
         "-o", "run", "-o", "out.csv", "-q", "--no-report", "--resamples", "0"],
    )  # fmt: skip
    main_until_exit()
    items = polars.read_parquet("run/items.parquet")
    side = "nli_premise_reference" if direction.startswith("ref") else "nli_premise_prediction"
    for row, case in zip(items.iter_rows(named=True), cases, strict=True):
        for name in MODEL_COLUMNS:
            assert row[name] == pytest.approx(case["expected"]["max"][name], abs=MODELLED)
        assert row["s_acc"] == pytest.approx(
            0.5 * row["cross_encoder"] + 0.3 * row["representation"] + 0.2 * row["f_beta"]
        )
    best = [max(case[side], key=lambda labels: labels[0]) for case in cases]
    found = items.select("entailment", "neutral", "contradiction").to_numpy()
    check_entailment(found, best)
    assert Path("s_log_results.csv").exists()


def check_entailment(found: Any, expected: Any) -> None:
    differences = np.abs(np.asarray(found) - np.asarray(expected))
    assert differences.max() < ILL_CONDITIONED
    assert (differences < MODELLED).mean() > 0.95
    assert np.median(differences) < MODELLED / 10


def main_until_exit() -> None:
    try:
        main()
    except SystemExit as end:
        assert not end.code


@pytest.mark.torch
def test_entailment_by_itself() -> None:
    case = golden()[0]
    judged = gistmeter.entailment(case["references"][0], case["prediction"], model=models()["nli"])
    labels = (judged.entailment[0], judged.neutral[0], judged.contradiction[0])
    assert labels == pytest.approx(case["nli_premise_reference"][0], abs=MODELLED)
