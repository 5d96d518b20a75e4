"""Agreement with people, against scipy and values worked out by hand."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from core.made_runs import make_rows, make_run
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.statistics import item_weights
from gistmeter.people.validation import Labels, read_labels, validate
from gistmeter.people.validation.agreement import (
    best_tolerance,
    decide,
    kendall,
    pairwise_accuracy,
    pearson,
    ranks,
    spearman,
)
from gistmeter.people.validation.refit import non_negative, refit


def once(size: int) -> np.ndarray:
    return np.ones((1, size), dtype=np.float32)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=30))
def test_correlations_are_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.asarray(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return
    weight = once(len(x))
    assert pearson(x, y, weight)[0] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y, weight)[0] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y, weight)[0] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-6)


def test_a_weight_is_a_repetition() -> None:
    random = np.random.default_rng(1)
    x, y = random.integers(0, 9, 12) * 1.0, random.normal(0, 1, 12)
    counts = random.integers(0, 4, 12)
    weight = counts[None, :].astype(np.float32)
    long_x, long_y = np.repeat(x, counts), np.repeat(y, counts)
    assert pearson(x, y, weight)[0] == pytest.approx(stats.pearsonr(long_x, long_y).statistic)
    assert spearman(x, y, weight)[0] == pytest.approx(stats.spearmanr(long_x, long_y).statistic)
    assert kendall(x, y, weight)[0] == pytest.approx(stats.kendalltau(long_x, long_y).statistic)
    drawn = ranks(x, weight)[0]
    assert drawn[counts > 0] == pytest.approx(
        [stats.rankdata(long_x)[list(long_x).index(value)] for value in x[counts > 0]]
    )


def test_the_interval_of_a_correlation_is_near_fishers() -> None:
    random = np.random.default_rng(2)
    x = random.normal(0, 1, 400)
    y = 0.6 * x + 0.8 * random.normal(0, 1, 400)
    run = make_run(make_rows("a", {"accuracy": x}))
    found = validate(run, Labels(y, False, 0, 0), resamples=2000).agreements["accuracy"].pearson
    expected = stats.pearsonr(x, y).confidence_interval()
    assert found.low == pytest.approx(expected.low, abs=0.02)
    assert found.high == pytest.approx(expected.high, abs=0.02)


def test_pairwise_accuracy_counts_ties_as_people_see_them() -> None:
    # People: 1 < 2 = 2. The score orders the first two pairs rightly and the tie within 0.05.
    x, y = np.array([0.1, 0.5, 0.54]), np.array([1.0, 2.0, 2.0])
    weight = once(3)
    assert pairwise_accuracy(x, y, weight, 0.0)[0] == pytest.approx(2 / 3)
    assert pairwise_accuracy(x, y, weight, 0.05)[0] == 1.0
    assert best_tolerance(x, y) == pytest.approx(0.04)
    assert best_tolerance(x, np.array([1.0, 2.0, 3.0])) == 0.0


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), min_size=3, max_size=12))
def test_no_other_tolerance_is_better(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.asarray(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    best = pairwise_accuracy(x, y, once(len(x)), best_tolerance(x, y))[0]
    for tolerance in {0.0, *(abs(a - b) for a, b in itertools.combinations(x.tolist(), 2))}:
        assert pairwise_accuracy(x, y, once(len(x)), tolerance)[0] <= best + 1e-9


def test_auc_is_the_mann_whitney_statistic_and_the_threshold_separates() -> None:
    scores = np.array([0.1, 0.2, 0.35, 0.4, 0.7, 0.8, 0.8, 0.9])
    labels = np.array([0, 0, 0, 0, 1, 1, 0, 1])
    found = decide(scores, labels, once(8), confidence=0.95)
    statistic = stats.mannwhitneyu(scores[labels == 1], scores[labels == 0]).statistic
    assert found.auc.value == pytest.approx(statistic / 15)
    assert found.threshold.value == pytest.approx((0.4 + 0.7) / 2)
    assert (found.sensitivity, found.specificity) == (1.0, 0.8)


def test_a_score_that_is_better_when_lower_is_turned_round() -> None:
    scores, labels = np.array([5.0, 10.0, 40.0, 60.0]), np.array([1, 1, 0, 0])
    found = decide(scores, labels, once(4), confidence=0.95, higher=False)
    assert found.auc.value == 1.0
    assert found.threshold.value == 25.0


def test_yes_and_no_labels_give_a_threshold_with_an_interval() -> None:
    random = np.random.default_rng(3)
    labels = random.integers(0, 2, 300).astype(np.float64)
    scores = 0.4 + 0.25 * labels + random.normal(0, 0.08, 300)
    run = make_run(make_rows("a", {"accuracy": scores}))
    decision = validate(run, Labels(labels, True, 0, 0)).agreements["accuracy"].decision
    assert decision is not None
    assert decision.auc.value > 0.95
    assert decision.threshold.low < 0.525 < decision.threshold.high
    assert decision.threshold.high - decision.threshold.low < 0.15


def test_a_refit_finds_the_weights_that_made_the_judgements() -> None:
    random = np.random.default_rng(4)
    size = 600
    table = {name: random.random(size) for name in ("cross_encoder", "representation", "f_beta")}
    human = 0.1 * table["cross_encoder"] + 0.6 * table["representation"] + 0.3 * table["f_beta"]
    human = human + random.normal(0, 0.02, size)
    given_weights = {"cross_encoder": 0.5, "representation": 0.3, "f_beta": 0.2}
    found = refit(table, human, np.arange(size), given_weights, seed=1)
    assert found is not None
    fitted = {one.name: one.fitted for one in found.components}
    assert fitted == pytest.approx(
        {"cross_encoder": 0.1, "representation": 0.6, "f_beta": 0.3}, abs=0.02
    )
    assert found.fitted_pearson > found.given_pearson
    adds = {one.name: one.adds for one in found.components}
    assert adds["representation"] > adds["f_beta"] > adds["cross_encoder"] > 0
    assert all(one.low <= one.fitted <= one.high for one in found.components)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 30))
def test_non_negative_least_squares_are_scipys(seed: int, size: int, items: int) -> None:
    random = np.random.default_rng(seed)
    table, aim = random.normal(0, 1, (items, size)), random.normal(0, 1, items)
    found = non_negative(table, aim)
    expected = optimize.nnls(table, aim)[0]
    assert (found >= 0).all()
    assert np.linalg.norm(table @ found - aim) == pytest.approx(
        np.linalg.norm(table @ expected - aim), abs=1e-9
    )
    if items >= size:
        assert found == pytest.approx(expected, abs=1e-8)


def test_weights_of_equal_columns_are_still_found() -> None:
    column = np.arange(5.0)
    found = non_negative(np.column_stack([column, column, -column]), 3 * column)
    assert found[0] + found[1] - found[2] == pytest.approx(3)


def test_noise_adds_nothing_out_of_fold() -> None:
    random = np.random.default_rng(5)
    human = random.random(500)
    columns = {"signal": human + random.normal(0, 0.1, 500), "noise": random.random(500)}
    found = refit(columns, human, np.arange(500), {"signal": 0.5, "noise": 0.5}, seed=1)
    assert found is not None
    noise = next(one for one in found.components if one.name == "noise")
    assert noise.fitted < 0.05
    assert abs(noise.adds) < 0.005


def test_weights_are_refitted_only_where_components_are() -> None:
    random = np.random.default_rng(6)
    human = random.random(60)
    columns = {"accuracy": human, "representation": human, "f_beta": random.random(60)}
    run = make_run(make_rows("a", columns))
    found = validate(run, Labels(human, False, 0, 0), resamples=50)
    assert found.weights is not None
    assert [one.given for one in found.weights.components] == pytest.approx([0.6, 0.4])
    alone = make_run(make_rows("a", {"accuracy": human}))
    assert validate(alone, Labels(human, False, 0, 0), resamples=50).weights is None


def test_calibration_rises_where_the_score_agrees() -> None:
    random = np.random.default_rng(7)
    score = random.random(500)
    run = make_run(make_rows("a", {"accuracy": score}))
    bins = validate(run, Labels(score * 5, False, 0, 0), resamples=100).calibration["accuracy"]
    assert len(bins) == 10
    assert all(one.low <= one.human <= one.high for one in bins)
    assert [one.human for one in bins] == sorted(one.human for one in bins)
    assert sum(one.n for one in bins) == 500


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_labels_are_matched_by_id_system_and_group(tmp_path: Path) -> None:
    a = make_rows("a", {"accuracy": [0.1, 0.2]}, ids=["x", "y"], groups=["g", "h"])
    b = make_rows("b", {"accuracy": [0.3, 0.4]}, ids=["x", "y"], groups=["g", "h"])
    rows = make_run(a, b).rows
    assert rows is not None
    path = write(
        tmp_path / "labels.csv",
        "id,system,arrangement,human\nx,a,g,1\nx,a,g,3\ny,b,h,5\nz,a,g,2\ny,a,h,\n",
    )
    labels = read_labels(path, rows)
    assert labels.values.tolist()[0] == 2.0
    assert labels.values.tolist()[3] == 5.0
    assert np.isnan(labels.values[[1, 2]]).all()
    assert (labels.unmatched, labels.repeated, labels.binary) == (1, 1, False)


def test_words_for_yes_and_no_are_labels(tmp_path: Path) -> None:
    rows = make_rows("a", {"accuracy": [0.1, 0.2, 0.3]}, ids=["x", "y", "z"])
    labels = read_labels(write(tmp_path / "l.csv", "Idiom,Label\nx,Yes\ny,no\nz,YES\n"), rows)
    assert labels.binary
    assert labels.values.tolist() == [1.0, 0.0, 1.0]


def test_bad_labels_are_refused_with_their_place(tmp_path: Path) -> None:
    rows = make_rows("a", {"accuracy": [0.1, 0.2]}, ids=["x", "y"])
    with pytest.raises(FormatError, match="line 3, column human"):
        read_labels(write(tmp_path / "a.csv", "id,human\nx,1\ny,perhaps\n"), rows)
    with pytest.raises(FormatError, match="no column 'human'"):
        read_labels(write(tmp_path / "b.csv", "id,remark\nx,1\n"), rows)
    with pytest.raises(InputError, match="like: x, y"):
        read_labels(write(tmp_path / "c.csv", "id,human\nq,1\n"), rows)
    many = make_run(rows, make_rows("b", {"accuracy": [0.1, 0.2]}, ids=["x", "y"])).rows
    assert many is not None
    with pytest.raises(FormatError, match="column 'system'"):
        read_labels(write(tmp_path / "d.csv", "id,human\nx,1\n"), many)


def test_too_few_or_equal_labels_are_refused() -> None:
    run = make_run(make_rows("a", {"accuracy": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}))
    few = np.array([1, 2, math.nan, math.nan, math.nan, math.nan])
    with pytest.raises(InputError, match="Only 2"):
        validate(run, Labels(few, False, 0, 0))
    with pytest.raises(InputError, match="equal"):
        validate(run, Labels(np.ones(6), False, 0, 0))


def test_clusters_are_drawn_together() -> None:
    drawn = item_weights(np.array([0, 0, 1, 1, 2, 2]), 50, seed=1)
    assert (drawn[0] == 1).all()
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn.sum(axis=1) == 6).all()


def test_labels_of_items_in_several_groups_must_name_the_group(tmp_path: Path) -> None:
    rows = make_rows("a", {"accuracy": [0.1, 0.2]}, ids=["x", "x"], groups=["g", "h"])
    with pytest.raises(FormatError, match=r"several groups \(g, h\).*column 'group'"):
        read_labels(write(tmp_path / "l.csv", "id,human\nx,1\n"), rows)
