"""S_Acc and its components, by hand and by law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.errors import InputError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.signature import sign
from gistmeter.text.metrics.accuracy import (
    SemanticAccuracy,
    Weights,
    components_of,
    mean_of_defined,
    weigh,
)
from gistmeter.text.metrics.polarity_conflict import PolarityRule
from text.text_doubles import PACKS, Given, Letters, pair

FULL = SemanticAccuracy(PACKS, Letters(), Given(), Given())
WORDS = st.lists(
    st.sampled_from(["ab", "cd", "ef", "gh", "the", "not", "+", "-"]), min_size=1, max_size=6
)
TEXTS = WORDS.map(" ".join)


def only(metric: SemanticAccuracy, *pairs: object, column: str = "s_acc") -> list[float]:
    return metric.measure(pairs).values(column).tolist()  # type: ignore[arg-type]


def test_every_layer_by_hand() -> None:
    models = {("ab cd", "ab ef"): 0.9, ("ab ef", "ab cd"): 0.8}
    metric = SemanticAccuracy(PACKS, None, Given(models), Given(models))
    rows = metric.measure([pair("ab cd", "ab ef")])
    seen = {name: rows.values(name)[0] for name in rows.names}
    assert seen["cross_encoder"] == 0.8  # (reference, prediction)
    assert seen["bertscore"] == 0.9  # (candidate, reference)
    assert seen["lexical_cosine"] == pytest.approx(0.5)
    assert seen["representation"] == pytest.approx((0.9 + 0.5) / 2)
    assert seen["f_beta"] == pytest.approx(0.5)
    assert seen["s_acc"] == pytest.approx(0.5 * 0.8 + 0.3 * 0.7 + 0.2 * 0.5)


def test_the_cross_encoder_can_read_the_prediction_first() -> None:
    models = Given({("ab cd", "ab ef"): 0.9, ("ab ef", "ab cd"): 0.8})
    metric = SemanticAccuracy(PACKS, cross_encoder=models, order="prediction-first")
    assert only(metric, pair("ab cd", "ab ef"), column="cross_encoder") == [0.9]


def test_an_absent_model_is_not_counted_as_zero() -> None:
    metric = SemanticAccuracy(PACKS, Letters(), Given())
    rows = metric.measure([pair("ab cd", "ab ef")])
    representation, overlap = rows.values("representation")[0], rows.values("f_beta")[0]
    assert rows.values("s_acc")[0] == pytest.approx(0.8 * representation + 0.2 * overlap)
    assert metric.partial == {"s_acc": ("cross_encoder",)}
    assert "cross_encoder" not in metric.pool(rows)


class Untouchable:
    """A model that must not be asked, and a language that must not be read."""

    id = lists = "untouchable"
    plain = False

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was asked for")


@pytest.mark.parametrize(
    "asked", [("lexical_cosine",), ("f_beta",), ("sts",), ("bertscore",), ("representation",),
              ("cross_encoder", "polarity_conflict"), ("sts", "bertscore")],
    ids="+".join,
)  # fmt: skip
def test_a_score_asked_for_alone_is_the_same_and_costs_what_it_needs(asked) -> None:
    pairs = [pair("ab cd", "ab ef"), pair("ab +", "- ab", "ab cd"), pair("", "ab"), pair("?", "ab")]
    whole = FULL.measure(pairs)
    needed = components_of(asked)
    parts = {"embedder": "sts", "matcher": "bertscore", "cross_encoder": "cross_encoder"}
    spared = {role: Untouchable() for role, part in parts.items() if part not in needed}
    if not needed & {"lexical_cosine", "f_beta", "polarity_conflict"}:
        spared["languages"] = {"": Untouchable()}
    metric = replace(FULL, only=asked, **spared)
    rows = metric.measure(pairs)
    assert set(metric.pool(rows)) == set(asked) == set(metric.present)
    assert set(rows.names) == {*asked, "unseen"}
    for name in asked:
        np.testing.assert_array_equal(rows.values(name), whole.values(name))
        assert rows.reasons.get(name) == whole.reasons.get(name)
    assert sign("s_acc", metric) != sign("s_acc", FULL)


def test_every_absence_is_named() -> None:
    bare = SemanticAccuracy(PACKS)
    assert bare.partial == {
        "s_acc": ("cross_encoder", "bertscore", "sts"),
        "representation": ("bertscore", "sts"),
    }
    assert not FULL.partial
    unused = SemanticAccuracy(PACKS, Letters(), None, bertscore=False, weights=Weights(0, 1, 1))
    assert not unused.partial


def test_partial_scores_are_marked_in_the_run_and_its_signature() -> None:
    pairs = [pair("ab", "ab", id=str(number)) for number in range(3)]
    run = evaluate(pairs, {"s_acc": SemanticAccuracy(PACKS, Letters(), Given())})
    assert run["s_acc"].partial == ("cross_encoder",)
    assert "partial:cross_encoder" in run.signature
    assert "partial" not in evaluate(pairs, {"s_acc": FULL}).signature


def test_a_missing_text_is_unscored_with_its_reason() -> None:
    rows = FULL.measure([pair("ab"), pair(None, "ab"), pair(" ", "ab"), pair("ab", "ab")])
    assert rows.reasons["s_acc"] == {0: "no reference", 1: "no prediction", 2: "no prediction"}
    assert np.isnan(rows.values("s_acc")[:3]).all()
    assert rows.values("s_acc")[3] == pytest.approx(0.5 * 0.5 + 0.3 * (0.5 + 2) / 3 + 0.2)


def test_a_failure_of_the_representation_is_skipped_and_of_the_cross_encoder_is_not() -> None:
    rows = FULL.measure([pair("ab ?", "ab"), pair("ab", "ab")])
    assert rows.reasons["sts"] == {0: "too puzzling"}
    assert rows.values("representation")[0] == pytest.approx((0.5 + 1 / np.sqrt(2)) / 2)
    assert np.isfinite(rows.values("s_acc")).all()
    failing = SemanticAccuracy(PACKS, None, None, Given(failing=frozenset(["ab"])))
    rows = failing.measure([pair("ab", "cd"), pair("cd", "cd")])
    assert rows.reasons["s_acc"] == {0: "out of memory"}
    assert np.isnan(rows.values("s_acc")[0]) and np.isfinite(rows.values("s_acc")[1])


def test_references_are_aggregated_by_maximum_and_by_mean() -> None:
    item = pair("ab cd", "ab cd", "ef")
    assert only(FULL, item, column="f_beta") == [1.0]
    mean = SemanticAccuracy(PACKS, Letters(), Given(), Given(), aggregate="mean")
    assert only(mean, item, column="f_beta") == [0.5]
    for metric in (FULL, mean):
        rows = metric.measure([item])
        assert rows.values(f"s_acc_{metric.aggregate}")[0] == rows.values("s_acc")[0]
    assert rows.values("s_acc_max")[0] == only(FULL, item)[0]


def test_a_polarity_conflict_halves_f_beta_after_aggregation() -> None:
    rows = FULL.measure([pair("ab -", "ab +"), pair("ab", "ab")])
    assert rows.values("polarity_conflict").tolist() == [1.0, 0.0]
    assert rows.values("f_beta").tolist() == [0.25, 1.0]
    mild = SemanticAccuracy(PACKS, polarity=PolarityRule(penalty=1.0))
    assert only(mild, pair("ab -", "ab +"), column="f_beta") == [0.5]


def test_texts_and_marks_stand_beside_the_numbers() -> None:
    rows = FULL.measure([pair("ab cd", "ab", "cd gh")])
    assert rows.texts["prediction"] == ["ab cd"]
    assert rows.texts["reference"] == ["ab || cd gh"]
    assert rows.texts["marks"] == ['{"shared":["ab","cd"],"prediction":[],"references":[[],[]]}']


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_sharding_and_order_change_nothing(texts: list[tuple[str, list[str]]]) -> None:
    pairs = [pair(text, *references, id=str(at)) for at, (text, references) in enumerate(texts)]
    whole = FULL.measure(pairs)
    for at in range(len(pairs)):
        alone = FULL.measure([pairs[at]])
        for name in whole.names:
            np.testing.assert_array_equal(alone.values(name)[0], whole.values(name)[at])


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_bounds_and_the_maximum_above_the_mean(text: str, references: list[str]) -> None:
    rows = FULL.measure([pair(text, *references)])
    for name in ("s_acc", "lexical_cosine", "f_beta", "representation", "bertscore"):
        assert 0 <= rows.values(name)[0] <= 1
    assert rows.values("s_acc_max")[0] >= rows.values("s_acc_mean")[0] - 1e-12


@given(TEXTS)
def test_identical_texts_score_one(text: str) -> None:
    metric = SemanticAccuracy(PACKS, Letters())
    rows = metric.measure([pair(text, text)])
    if not rows.values("polarity_conflict")[0]:
        assert rows.values("s_acc")[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "change",
    [
        {"aggregate": "mean"}, {"weights": Weights(0.4, 0.4, 0.2)}, {"beta": 1.0},
        {"bertscore": False}, {"order": "prediction-first"}, {"embedder": Letters("other")},
        {"matcher": None}, {"cross_encoder": None}, {"polarity": PolarityRule(mode="any")},
        {"polarity": PolarityRule(overrides={"1": 1})}, {"languages": {}},
    ],
)  # fmt: skip
def test_every_setting_is_in_the_signature(change: dict[str, object]) -> None:
    from dataclasses import replace

    if change == {"languages": {}}:
        change = {"languages": {"yy": PACKS["xx"]}}
    assert sign("s_acc", replace(FULL, **change)) != sign("s_acc", FULL)


@pytest.mark.parametrize(
    "wrong", [{"aggregate": "median"}, {"order": "any"}, {"beta": 0.0}, {"languages": {}}]
)
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        SemanticAccuracy(**{"languages": PACKS, **wrong})


def test_weights_are_checked_and_rescaled() -> None:
    for wrong in ((-1, 1, 1), (0, 0, 0), (float("nan"), 1, 1)):
        with pytest.raises(InputError):
            Weights(*wrong)
    layers = {name: np.asarray([value]) for name, value in
              {"cross_encoder": 0.8, "representation": 0.6, "f_beta": 0.5}.items()}  # fmt: skip
    assert weigh(layers, Weights(5, 3, 2))[0] == pytest.approx(0.68)
    with pytest.raises(InputError):
        weigh({"f_beta": layers["f_beta"]}, Weights(1, 1, 0))


def test_a_mean_skips_what_is_undefined() -> None:
    columns = [np.asarray([1.0, np.nan, np.nan]), np.asarray([0.5, 0.5, np.nan])]
    np.testing.assert_array_equal(mean_of_defined(columns), [0.75, 0.5, np.nan])
