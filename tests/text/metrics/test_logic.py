"""S_Logic: directions, references, averages, and its reading beside S_Acc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gistmeter.core.errors import InputError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.models.protocols import Judgements, TextPair
from gistmeter.text.family import Text
from gistmeter.text.metrics.accuracy import SemanticAccuracy
from gistmeter.text.metrics.logic import LogicalValidity, Reading, count_readings
from text.text_doubles import PACKS, Given, pair

NLI = Given({("ref", "pred"): 0.9, ("pred", "ref"): 0.3, ("other", "pred"): 0.2})


def test_the_premise_is_the_prediction() -> None:
    rows = LogicalValidity(NLI).measure([pair("pred", "ref")])
    assert rows.values("s_logic").tolist() == [0.3]
    assert rows.values("neutral")[0] == pytest.approx(0.525)
    assert rows.values("contradiction")[0] == pytest.approx(0.175)
    turned = LogicalValidity(NLI, "reference-to-prediction").measure([pair("pred", "ref")])
    assert turned.values("s_logic").tolist() == [0.9]


class Inference:
    """The same model as one that only classifies."""

    id = "inference"

    def classify(self, pairs: Sequence[TextPair]) -> Judgements:
        return NLI.classify(pairs)


def test_one_reading_says_what_two_would() -> None:
    for direction in ("prediction-to-reference", "reference-to-prediction"):
        one, other = (
            LogicalValidity(model, direction).measure([pair("pred", "ref")])
            for model in (NLI, Inference())
        )
        for name in ("s_logic", "neutral", "contradiction"):
            assert one.values(name)[0] == pytest.approx(other.values(name)[0])


def test_both_directions_give_each_and_the_minimum() -> None:
    run = evaluate(
        [pair("pred", "ref", id="1"), pair("pred", "ref", id="2")],
        {"s_logic": LogicalValidity(NLI, "both")},
    )
    assert run["s_logic"].value == pytest.approx(0.3)
    assert run["s_logic_reference_to_prediction"].value == pytest.approx(0.9)
    assert run["s_logic_prediction_to_reference"].value == pytest.approx(0.3)
    assert run.rows is not None
    assert run.rows.values("reference_to_prediction_contradiction")[0] == pytest.approx(0.025)


@pytest.mark.parametrize(("aggregate", "expected"), [("max", 0.9), ("mean", 0.55)])
def test_references_are_aggregated(aggregate: str, expected: float) -> None:
    metric = LogicalValidity(NLI, "reference-to-prediction", aggregate)
    rows = metric.measure([pair("pred", "ref", "other")])
    assert rows.values("s_logic")[0] == pytest.approx(expected)
    labels = [rows.values(name)[0] for name in ("entailment", "neutral", "contradiction")]
    assert sum(labels) == pytest.approx(1.0)


def test_a_missing_reference_and_a_failure_are_unscored() -> None:
    metric = LogicalValidity(Given(failing=frozenset(["bad"])))
    rows = metric.measure([pair("pred"), pair("bad", "ref"), pair("pred", "bad", "ref")])
    assert rows.reasons["s_logic"] == {0: "no reference", 1: "out of memory"}
    assert np.isnan(rows.values("s_logic")[:2]).all()
    assert rows.values("s_logic")[2] == 0.5  # the other reference still speaks


def test_the_overall_value_is_the_mean_of_arrangements() -> None:
    nli = Given({("good", "ref"): 1.0, ("bad", "ref"): 0.0})
    pairs = [
        pair("good", "ref", id="1", arrangement="one"),
        pair("good", "ref", id="2", arrangement="one"),
        pair("good", "ref", id="3", arrangement="one"),
        pair("bad", "ref", id="1", arrangement="two"),
    ]
    run = evaluate(pairs, {"s_logic": LogicalValidity(nli)})
    assert run["s_logic"].value == pytest.approx(0.5)
    assert run.systems["system"].groups["one"]["s_logic"] == 1.0
    assert (
        evaluate(pairs, {"s_logic": LogicalValidity(nli, average="items")})["s_logic"].value == 0.75
    )


def test_an_arrangement_without_scores_is_left_out_of_the_mean() -> None:
    pairs = [
        pair("pred", "ref", id="1", arrangement="one"),
        pair(None, "ref", id="1", arrangement="two"),
    ]
    run = evaluate(pairs, {"s_logic": LogicalValidity(NLI)})
    assert run["s_logic"].value == pytest.approx(0.3)
    assert run["s_logic"].unscored == 1


@pytest.mark.parametrize("wrong", [{"direction": "up"}, {"aggregate": "min"}, {"average": "all"}])
def test_settings_are_checked(wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        LogicalValidity(NLI, **wrong)


def test_reading_both_scores_together() -> None:
    rows = Rows.of([pair("x", id=str(at)) for at in range(5)]).with_numbers(
        {"s_acc": [0.9, 0.9, 0.1, 0.1, np.nan], "s_logic": [0.9, 0.1, 0.8, 0.1, 0.9]}
    )
    read = Reading(0.8, 0.8).derive(rows)
    assert read.texts["reading"] == [
        "reliable", "similar but inconsistent", "consistent but dissimilar", "unreliable", None,
    ]  # fmt: skip
    assert count_readings(read)["system"] == {
        "reliable": 1,
        "similar but inconsistent": 1,
        "consistent but dissimilar": 1,
        "unreliable": 1,
    }
    assert Reading(0.05, 0.05).derive(rows).texts["reading"][:4] == ["reliable"] * 4
    assert "reading" not in Reading().derive(Rows.of([pair("x")])).texts


def test_the_reading_is_a_column_of_the_run() -> None:
    metrics = {
        "s_acc": SemanticAccuracy(PACKS),
        "s_logic": LogicalValidity(NLI, "reference-to-prediction"),
        "reading": Reading(),
    }
    run = evaluate([pair("ref", "ref"), pair("pred", "ref", id="2")], metrics)
    assert run.to_polars()["reading"].to_list() == [
        "similar but inconsistent", "consistent but dissimilar",
    ]  # fmt: skip


def test_what_a_model_did_not_see_is_counted() -> None:
    class Short(Given):
        def classify(self, pairs: Sequence[TextPair]) -> Judgements:
            return replace(super().classify(pairs), unseen=np.asarray([0.25, 0.0]))

    metrics = {"s_acc": SemanticAccuracy(PACKS), "s_logic": LogicalValidity(Short())}
    pairs = [pair("a", "a"), pair("b", "b", id="2")]
    run = evaluate(pairs, metrics, count=Text().count)
    assert run.rows is not None
    assert run.rows.values("unseen").tolist() == [0.25, 0.0]
    assert run.notes == {"truncated": 1}
