"""`score_text` and the pieces, as the documentation shows them."""

from __future__ import annotations

import doctest
import math
from typing import Any

import polars
import pytest

import gistmeter
import gistmeter.book.api
import gistmeter.speech.api
import gistmeter.text.api
import gistmeter.text.formats.predictions
import gistmeter.text.formats.references
import gistmeter.text.metrics.accuracy
from conftest import ROOT
from gistmeter import score_text, semantic_accuracy
from gistmeter.core.errors import InputError
from gistmeter.core.wiring import metric_named, metrics_of
from text.text_doubles import Given, Letters

CANDIDATES = ["喜欢学习", "天气晴朗", None]
REFERENCES = [["喜欢学习", "热爱读书"], "害怕困难", "无人预测"]
DOUBLES = {"embedder": Letters(), "matcher": Given(), "cross_encoder": Given(), "nli": Given()}


@pytest.mark.parametrize(
    "module",
    [
        gistmeter.text.api,
        gistmeter.book.api,
        gistmeter.speech.api,
        gistmeter.text.formats.predictions,
        gistmeter.text.formats.references,
        gistmeter.text.metrics.accuracy,
    ],
    ids=lambda module: module.__name__,
)
def test_examples_are_true(module: object) -> None:
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def test_score_text_with_the_embedded_profile() -> None:
    run = gistmeter.score_text(
        CANDIDATES, REFERENCES, language="zh", metrics=["s_acc"], no_judge=True
    )
    score = run["s_acc"]
    assert 0 < score.value < 1 and score.n == 2 and score.unscored == 1
    assert score.reasons == {"no prediction": 1}
    assert math.isnan(score.low) and math.isnan(score.high)  # of two items
    assert score.partial == ("cross_encoder",)
    assert run.to_polars()["s_acc"].to_list()[0] == pytest.approx(1.0, abs=1e-6)
    assert len(run.to_pandas()) == 3
    assert "<table>" in run._repr_html_()


def test_score_text_with_models_of_ones_own() -> None:
    run = gistmeter.score_text(CANDIDATES, REFERENCES, language="zh", models=DOUBLES)
    assert not run["s_acc"].partial
    assert run["s_logic"].value == 0.5
    assert run.notes["readings"]["system"]["unreliable"] == 2
    assert "s_cons" not in run.systems["system"].scores  # nothing is arranged


def test_the_family_appears_with_its_inputs() -> None:
    run = gistmeter.score_text(
        ["喜欢学习", "热爱学习", "学习", "害怕困难", "害怕", "困难"],
        ["喜欢学习", "喜欢学习", "喜欢学习", "害怕困难", "害怕困难", "害怕困难"],
        language="zh",
        models=DOUBLES,
        ids=["a", "a", "a", "b", "b", "b"],
        arrangements=["original", "p1", "p2"] * 2,
        structures=["x", "x", "x", "y", "y", "y"],
        recovered=["a", "a", "a", "b", "x", "b"],
        systems="mine",
    )
    scores = run.systems["mine"].scores
    for name in ("s_cons", "mdr", "mda", "s_seq", "s_struct", "s_rob", "s_info", "recovery"):
        assert math.isfinite(scores[name].value), name
    assert scores["recovery"].value == 0.75


def test_asking_for_s_logic_without_a_model_says_how_to_get_one() -> None:
    with pytest.raises(InputError, match="gistmeter models pull paper"):
        gistmeter.score_text(["a"], ["b"], language="en", metrics=["s_logic"], no_judge=True)


def test_words_are_compared_without_any_model(monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("gistmeter.models.loading.load_backend", refuse)
    run = gistmeter.score_text(
        CANDIDATES, REFERENCES, language="zh", metrics=["lexical_cosine", "f_beta"]
    )
    assert set(run.systems["system"].scores) == {"lexical_cosine", "f_beta"}
    assert not run["f_beta"].partial


def test_a_component_asked_for_without_its_model_is_an_error() -> None:
    with pytest.raises(InputError, match=r"'cross_encoder' needs a model: .*--cross-encoder"):
        gistmeter.score_text(
            ["a"], ["b"], language="en", metrics=["cross_encoder", "sts"], no_judge=True
        )


@pytest.mark.parametrize(
    "wrong",
    [
        {"candidates": []},
        {"candidates": "ab"},
        {"references": ["a"]},
        {"ids": ["1"]},
        {"aggregate": "median"},
        {"metrics": ["s_acq"]},
    ],
)
def test_bad_input(wrong: dict[str, object]) -> None:
    good = {"candidates": ["a", "b"], "references": ["a", "b"], "language": "en", "models": DOUBLES}
    with pytest.raises(InputError):
        gistmeter.score_text(**{**good, **wrong})  # type: ignore[arg-type]


def test_without_a_language_it_is_found() -> None:
    run = gistmeter.score_text(["안녕하세요"], ["안녕하십니까"], metrics=["s_info"])
    assert '"ko":' in run.signature


def test_scores_know_their_makers() -> None:
    assert metric_named("text", "bertscore") == "s_acc"
    assert metric_named("text", "s_rob") == "structure"
    assert metric_named("text", "S-Info") == "s_info"
    for name, load in metrics_of("text").items():
        for info in load().scores:
            assert metric_named("text", info.name) == name
    with pytest.raises(InputError, match="Can't find score 'parsing'"):
        metric_named("text", "parsing")


def test_components_that_are_missing_are_left_out() -> None:
    full = semantic_accuracy(
        cross_encoder=0.8, bertscore=0.7, sts=0.6, lexical_cosine=0.5, f_beta=0.5
    )
    assert full == pytest.approx(0.68)
    partial = semantic_accuracy(bertscore=0.7, sts=math.nan, lexical_cosine=0.5, f_beta=0.5)
    assert partial == pytest.approx(0.8 * 0.6 + 0.2 * 0.5)
    assert semantic_accuracy(representation=0.4, f_beta=0.4) == pytest.approx(0.4)
    for wrong in ({}, {"bleu": 0.5, "f_beta": 0.5}):
        with pytest.raises(InputError):
            semantic_accuracy(**wrong)


def test_words_and_texts_are_not_mixed() -> None:
    with pytest.raises(InputError, match="give both alike"):
        gistmeter.content_fbeta(["a"], "a b", language="en")
    assert gistmeter.content_fbeta(["a"], [["a"], ["b"]], aggregate="mean") == 0.5
    assert math.isnan(gistmeter.lexical_cosine([], ["a"]))
    with pytest.raises(InputError):
        gistmeter.lexical_cosine(["a"], ["a"], aggregate="median")


def test_bertscore_takes_lists_and_models() -> None:
    matches = gistmeter.bertscore(["a", "b"], ["a", "c"], model=Given({("a", "a"): 1.0}))
    assert matches.f1.tolist() == [1.0, 0.5]
    with pytest.raises(InputError, match="2 texts on one side and 1"):
        gistmeter.bertscore(["a", "b"], ["a"], model=Given())
    assert gistmeter.entailment("a", "b", model=Given()).entailment.tolist() == [0.5]


def test_the_page_about_texts_is_true() -> None:
    page = (ROOT / "docs" / "text.md").read_text(encoding="utf-8").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(page, {}, "text.md", None, 0)
    found = doctest.DocTestRunner().run(examples)
    assert found.attempted and not found.failed


def test_a_whole_data_frame() -> None:
    frame = polars.DataFrame({
        "qid": ["a", "b", "c"],
        "category": ["x", "x", "y"],
        "gold": ["the big dog", "a small cat", "an owl at night"],
        "gpt-4o": ["a big dog", "small cat", "owl"],
        "qwen2": ["big", "cat", "night owl"],
    })  # fmt: skip
    asked: Any = {"language": "en", "metrics": ["s_info"]}
    run = score_text(frame, "gold", ids="qid", **asked)
    assert list(run.systems) == ["gpt-4o", "qwen2"]
    rows = run.to_polars()
    assert rows["category"].to_list() == ["x", "x", "y"] * 2
    assert rows["language"].to_list() == ["en"] * 6
    named = frame.rename({"qid": "id", "gold": "reference"})
    assert score_text(named, **asked).systems == run.systems
    with pytest.raises(InputError, match="idiom: 'nr' is not a column of the data frame"):
        score_text(frame, "gold", ids="nr", **asked)


def test_ids_that_repeat_need_samples() -> None:
    asked: Any = {"ids": ["a", "a"], "language": "en", "metrics": ["s_info"]}
    with pytest.raises(InputError, match=r"ids: 'a' of system 'system' occurs 2 times.*samples="):
        score_text(["x dog", "y dog"], ["x", "y"], **asked)
    kept = {"topic": ["u", "v"], "prediction": ["theirs", ""]}
    run = score_text(["x dog", "y dog"], ["x", "y"], samples=[1, 2], columns=kept, **asked)
    rows = run.to_polars()
    assert rows["sample"].to_list() == ["1", "2"] and rows["topic"].to_list() == ["u", "v"]
    assert rows["prediction (input)"].to_list() == ["theirs", None]
