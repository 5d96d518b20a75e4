"""Intervals of few items: what they hold, and that none is said of too few."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import coverage
from scipy import stats

from core.made_runs import MeanAndRatio, make_rows
from gistmeter.core.statistics import intervals
from gistmeter.core.statistics.interval import (
    difference_limits,
    ends_of,
    limits,
    skewness,
    student,
    student_p,
)
from gistmeter.core.types import ScoreInfo


@pytest.mark.parametrize("freedom", [7, 12, 30, 1000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_students_quantile_is_scipys(confidence: float, freedom: int) -> None:
    expected = stats.t.ppf((1 + confidence) / 2, freedom)
    assert student(confidence, freedom) == pytest.approx(expected, rel=2e-4)
    assert student_p(expected, freedom) == pytest.approx(1 - confidence, rel=2e-3)


def test_a_rate_has_wilsons_interval_with_students_quantile() -> None:
    rate, n, t = 0.25, 40, stats.t.ppf(0.975, 39)
    error = math.sqrt(rate * (1 - rate) / n)
    middle, half = (rate + t * t / 80) / (1 + t * t / 40), t * math.sqrt(error**2 + (t / 80) ** 2)
    low, high = limits(rate, error, n, 0.95, (0, 1))
    assert (low, high) == pytest.approx(
        (middle - half / (1 + t * t / 40), middle + half / (1 + t * t / 40)), rel=1e-4
    )


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_rate_of_none_or_all_has_an_interval_inside_its_range(value: float) -> None:
    rows = make_rows("a", {"accuracy": np.full(20, value)})
    low, high = intervals(MeanAndRatio().pool, rows, seed=1, infos=MeanAndRatio.scores)["accuracy"]
    assert 0.1 < high - low < 0.3
    assert (low, high)[int(value)] == pytest.approx(value)
    assert low >= 0 and high <= 1


def test_the_ends_of_a_score_are_those_that_hold() -> None:
    drawn = np.array([1.0, 40.0])
    assert ends_of(ScoreInfo("wer", False, 0, math.inf, "%"), 20.0, drawn) == (0, 100)
    assert ends_of(ScoreInfo("wer", False, 0, math.inf, "%"), 120.0, drawn) == (0, math.inf)
    assert ends_of(ScoreInfo("latency", False, 0, math.inf, "s"), 20.0, drawn) == (0, math.inf)
    assert ends_of(ScoreInfo("x"), 20.0, drawn) == (-math.inf, math.inf)
    assert ends_of(None, 0.5, drawn) == (-math.inf, math.inf)


def test_a_score_without_an_upper_end_stays_above_the_lower_one() -> None:
    low, high = limits(0.4, 0.3, 9, 0.95, (0, math.inf))
    assert 0 < low < 0.4 < high
    assert high - 0.4 > 0.4 - low


def test_a_long_tail_moves_the_limit_of_its_own_side_only() -> None:
    plain = limits(0.3, 0.05, 20, 0.95, (0, 1))
    right = limits(0.3, 0.05, 20, 0.95, (0, 1), lean=0.5)
    left = limits(0.3, 0.05, 20, 0.95, (0, 1), lean=-0.5)
    assert right[0] == plain[0] and right[1] > plain[1]
    assert left[0] < plain[0] and left[1] == plain[1]
    rate = limits(0.1, math.sqrt(0.09 / 20), 20, 0.95, (0, 1))
    expected = (1 - 0.2) / math.sqrt(20 * 0.09)  # what Wilson's limits allow for already
    assert limits(0.1, math.sqrt(0.09 / 20), 20, 0.95, (0, 1), lean=expected) == pytest.approx(rate)
    assert limits(0.9, 0.4, 9, 0.95, (0, 1), lean=3.0)[1] == 1


def test_the_skewness_of_resamples_is_scipys() -> None:
    drawn = np.random.default_rng(3).exponential(1.0, (500, 3))
    assert skewness(drawn) == pytest.approx(stats.skew(drawn))
    assert skewness(np.full((9, 1), 0.1 + 0.2)) == [0]


def test_systems_that_never_differ_may_differ_on_other_items() -> None:
    t = student(0.95, 19)
    share = t * t / (20 + t * t)
    assert difference_limits(0.0, 0.0, 20, 0.95, 1.0) == pytest.approx((-share, share))
    assert difference_limits(0.0, 0.0, 20, 0.95, 100.0) == pytest.approx(
        (-100 * share, 100 * share)
    )
    assert np.isnan(difference_limits(0.0, 0.0, 20, 0.95)).all()
    low, high = difference_limits(0.02, 1e-17, 20, 0.95, 1.0)  # all items differ alike
    assert (low, high) == pytest.approx((0.02 * (1 - share), 0.02 * (1 + share)))


def test_a_long_tail_of_differences_does_not_reach_across_nothing() -> None:
    plain = difference_limits(0.1, 0.04, 20, 0.95)
    right = difference_limits(0.1, 0.04, 20, 0.95, lean=1.0)
    left = difference_limits(0.1, 0.04, 20, 0.95, lean=-3.0)
    assert right[0] == plain[0] and right[1] > plain[1]
    assert 0 < left[0] < plain[0] and left[1] == plain[1]
    assert difference_limits(0.95, 0.1, 9, 0.95, 1.0, lean=2.0)[1] == 1  # no difference is larger
    doubtful = difference_limits(0.1, 0.06, 20, 0.95, lean=-1.0)
    assert doubtful[0] < difference_limits(0.1, 0.06, 20, 0.95)[0] < 0


def test_coverage_from_eight_items_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "DATA_SETS", 600)
    monkeypatch.setattr(coverage, "RESAMPLES", 200)
    monkeypatch.setattr(coverage, "SIZES", (8, 12, 20))
    found = coverage.measure()
    for n in coverage.SIZES:
        assert np.mean(found["differences"]["chosen"][n]) >= 0.93
        assert np.mean(found["differences"]["percentile"][n]) < 0.93
    scores = [found[kind] for kind in ("means", "rates", "ratios", "clusters")]
    for n in coverage.SIZES:
        chosen = np.mean([share for kind in scores for share in kind["chosen"][n]])
        percentile = np.mean([share for kind in scores for share in kind["percentile"][n]])
        assert chosen >= 0.93
        assert percentile < 0.9


def test_coverage_on_shapes_that_nothing_was_chosen_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "DATA_SETS", 600)
    monkeypatch.setattr(coverage, "RESAMPLES", 200)
    monkeypatch.setattr(coverage, "SIZES", (8, 20))
    for kind, by_method in coverage.measure(coverage.third).items():
        for n in coverage.SIZES:
            assert np.mean(by_method["chosen"][n]) >= 0.92, (kind, n)
