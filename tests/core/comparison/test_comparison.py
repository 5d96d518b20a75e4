"""Paired comparison: values by hand and by scipy, matching, corrections, ranks, refusals."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.made_runs import MeanAndRatio, make_rows, make_run
from gistmeter.core.comparison import Options, compare, contenders, findings_of, gather
from gistmeter.core.comparison.significance import (
    correct,
    detectable,
    paired_d,
    superiority,
    wilcoxon_p,
)
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Counts, Pool, Rows, Value, divide
from gistmeter.core.run import Run
from gistmeter.core.types import ScoreInfo
from gistmeter.report.comparison_text import footnotes
from toys import Length, pairs

A = [0.9, 0.7, 0.8, 0.95, 0.6, 0.85, 0.75, 0.9]
B = [0.8, 0.72, 0.6, 0.90, 0.5, 0.80, 0.55, 0.7]


def two(a: Any = A, b: Any = B, **more: Any) -> list[Any]:
    return contenders([make_run(make_rows("a", {"accuracy": a}), make_rows("b", {"accuracy": b}))])


def test_a_permutation_test_on_few_items_is_exact_and_equals_scipy() -> None:
    (found,) = compare(two(), options=Options(resamples=1000))
    expected = stats.permutation_test(
        (A, B), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples", n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert found.pairs[0].p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.pairs[0].difference == pytest.approx(np.mean(A) - np.mean(B))


def test_fishers_own_randomisation_test() -> None:
    """Darwin's maize, crossed against self-fertilised, in eighths of an inch.

    Fisher, The Design of Experiments (1935), section 21: of 32,768 ways to set the signs, 1,726
    give a sum of 314 or more either way.
    """
    gaps = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    (found,) = compare(two(gaps, [0] * 15), options=Options(resamples=40_000))
    assert found.pairs[0].difference * 15 == pytest.approx(314)
    assert found.pairs[0].p_value == 1726 / 32_768


def test_approximate_randomisation_comes_near_the_exact_value() -> None:
    random = np.random.default_rng(2)
    a = random.normal(0.55, 0.2, 14)
    b = random.normal(0.45, 0.2, 14)
    (exact,) = compare(two(a, b), options=Options(resamples=20_000))
    (near,) = compare(two(a, b), options=Options(resamples=16_000))
    assert near.pairs[0].p_value == pytest.approx(exact.pairs[0].p_value, abs=0.012)


def test_the_exchange_of_a_ratio_is_that_of_its_sums() -> None:
    wrong_a, wrong_b = np.array([1.0, 4.0, 0.0]), np.array([2.0, 9.0, 1.0])
    words = np.array([10.0, 30.0, 5.0])
    rows = [
        make_rows(name, {"accuracy": np.ones(3), "wrong": wrong, "words": words})
        for name, wrong in (("a", wrong_a), ("b", wrong_b))
    ]
    (found,) = compare(contenders([make_run(*rows)]), ["errors"], Options(resamples=100))
    observed = 100 * (wrong_a.sum() - wrong_b.sum()) / words.sum()
    all_differences = []
    for swapped in itertools.product([False, True], repeat=3):
        first = np.where(swapped, wrong_b, wrong_a).sum()
        second = np.where(swapped, wrong_a, wrong_b).sum()
        all_differences.append(100 * (first - second) / words.sum())
    hits = sum(abs(value) >= abs(observed) - 1e-9 for value in all_differences)
    assert found.pairs[0].difference == pytest.approx(observed)
    assert found.pairs[0].p_value == hits / 8


def test_wilcoxon_is_scipys() -> None:
    (found,) = compare(two(), options=Options(test="wilcoxon"))
    assert found.pairs[0].p_value == pytest.approx(stats.wilcoxon(np.subtract(A, B)).pvalue)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=60))
def test_wilcoxon_with_ties_and_zeros_is_scipys(gaps: list[int]) -> None:
    expected = stats.wilcoxon(gaps).pvalue if any(gaps) else 1.0
    assert wilcoxon_p(np.asarray(gaps, np.float64)) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 70), st.integers(0, 2**32 - 1), st.floats(-1, 1))
def test_wilcoxon_without_ties_is_scipys(size: int, seed: int, shift: float) -> None:
    gaps = np.random.default_rng(seed).normal(shift, 1, size)
    assert wilcoxon_p(gaps) == pytest.approx(stats.wilcoxon(gaps).pvalue, abs=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.9999])
def test_the_smallest_visible_difference_uses_the_normal_quantiles(confidence: float) -> None:
    drawn = np.random.default_rng(1).normal(0, 1, 50)
    reach = stats.norm.ppf(1 - (1 - confidence) / 2) + stats.norm.ppf(0.8)
    assert detectable(drawn, confidence) == pytest.approx(reach * np.std(drawn, ddof=1), rel=1e-12)


def test_the_interval_is_near_scipys_paired_bootstrap() -> None:
    random = np.random.default_rng(4)
    a, b = random.normal(0.6, 0.2, 300), random.normal(0.55, 0.2, 300)
    (found,) = compare(two(a, b))
    expected = stats.bootstrap(
        (a - b,), np.mean, n_resamples=10_000, method="percentile", rng=1
    ).confidence_interval
    assert found.pairs[0].low == pytest.approx(expected.low, abs=0.001)
    assert found.pairs[0].high == pytest.approx(expected.high, abs=0.001)


def test_effect_sizes_by_hand() -> None:
    differences = np.array([0.2, -0.1, 0.0, 0.3])
    assert paired_d(differences) == pytest.approx(0.1 / np.std(differences, ddof=1))
    assert superiority(differences) == 2.5 / 4
    (found,) = compare(two())
    gaps = np.subtract(A, B)
    assert found.pairs[0].effect == pytest.approx(gaps.mean() / gaps.std(ddof=1))
    assert found.pairs[0].superiority == 7 / 8


def test_the_items_that_would_show_a_difference_follow_from_the_variance() -> None:
    random = np.random.default_rng(4)
    hard, items = random.normal(0, 0.1, 60), 60

    def run(answers: int) -> Run:
        ids = [f"item-{at}" for at in range(items) for _ in range(answers)]
        noise = random.normal(0, 0.2, (2, items * answers))
        sides = [make_rows(name, {"accuracy": 0.5 + np.repeat(hard, answers) + noise[at]}, ids=ids)
                 for at, name in enumerate("ab")]  # fmt: skip
        return make_run(*sides)

    pairs = [run(answers).compare(metric="accuracy").pairs[0] for answers in (2, 8)]
    assert [pair.samples for pair in pairs] == [2, 8]
    assert pairs[0].sample_share > 0.7  # the items are equally hard for both
    assert pairs[0].items_for(pairs[0].detectable) == 60
    assert pairs[0].items_for(pairs[0].detectable / 2) == 240
    foreseen = pairs[0].items_for(0.05, more=4)
    assert foreseen == pytest.approx(pairs[1].items_for(0.05), rel=0.5)
    said = run(1).compare(metric="accuracy", difference=0.02).plan
    assert said.startswith("A true difference of 0.020 would be shown four times of five by about")
    assert "(there are 60)" in said and "answers" not in said
    assert "with 4 answers to each instead of 2" in run(2).compare(difference=0.02).plan


def test_what_answers_add_to_the_error_counts_items_in_groups_and_clusters() -> None:
    """The share of the squared error that is the answers' own, by simulation of their choice."""
    random = np.random.default_rng(6)
    items, groups, answers, noise = 40, 2, 3, 0.2
    names = [f"item-{at}" for at in range(items) for _ in range(groups * answers)]
    keys = {"group": [f"g{at // answers % groups}" for at in range(len(names))],
            "cluster": [f"cluster-{int(name[5:]) // 2}" for name in names]}  # fmt: skip
    parts = []
    for system in "ab":
        own = np.repeat(random.normal(0.5, 0.1, items // 2), 2 * groups * answers)
        rows = make_rows(system, {"accuracy": own + random.normal(0, noise, len(own))}, ids=names)
        parts.append(replace(rows, keys={**rows.keys, **keys}))
    (pair,) = make_run(*parts).compare(metric="accuracy").pairs
    assert (pair.samples, pair.n, pair.clusters) == (answers, items * groups, items // 2)
    error = pair.detectable / 2.8016  # the normal quantiles of 95% and 80%
    expected = 2 * noise**2 / (items * groups * answers) / error**2
    assert pair.sample_share == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("items", [2, 7])
def test_few_items_promise_no_visible_difference(items: int) -> None:
    values = np.linspace(0.2, 0.9, items)
    rows = [make_rows("a", {"accuracy": values}), make_rows("b", {"accuracy": values**2})]
    (found,) = compare(contenders([make_run(*rows)]), ["accuracy"], Options(difference=0.01))
    assert math.isnan(found.pairs[0].detectable)
    assert found.plan.endswith(f"{items} items tell too little of how others vary; 8 would do.")
    assert "would not show" not in found.answer


def test_constant_differences_have_no_effect_size() -> None:
    values = np.linspace(0.1, 0.9, 40)
    rows = [make_rows("a", {"accuracy": values}), make_rows("b", {"accuracy": values + 0.05})]
    (found,) = compare(contenders([make_run(*rows)]), ["accuracy"], Options(difference=0.01))
    assert math.isnan(found.pairs[0].effect)
    assert found.pairs[0].detectable == 0  # not the rounding of 1e-17
    assert found.plan.endswith("differ alike on all of these, which says nothing of others.")
    assert not any("Smallest" in line for line in footnotes(found.to_dict()))


def test_superiority_looks_at_the_better_direction() -> None:
    columns = {"accuracy": np.ones(4), "words": np.full(4, 10.0)}
    rows = [
        make_rows(name, {**columns, "wrong": np.full(4, wrong)})
        for name, wrong in (("few", 1.0), ("many", 5.0))
    ]
    (found,) = compare(contenders([make_run(*rows)]), ["errors"])
    assert found.pairs[0].superiority == 1.0
    assert found.pairs[0].difference == pytest.approx(-40)


def test_the_smallest_visible_difference_is_found_four_times_out_of_five() -> None:
    random = np.random.default_rng(7)
    size = 100
    sample = random.normal(0, 0.2, size)
    spread = float(np.std(sample, ddof=1))  # the test knows no more of the spread than its data
    (found,) = compare(two(sample, np.zeros(size)), options=Options(resamples=2000))
    visible = found.pairs[0].detectable
    drawn = random.normal(visible, spread, (4000, size))
    shown = np.mean(stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05)
    assert shown == pytest.approx(0.8, abs=0.03)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_agree_with_scipy_and_with_holms_definition(p_values: list[float]) -> None:
    assert correct(p_values, "bh") == pytest.approx(
        stats.false_discovery_control(p_values).tolist()
    )
    ordered = sorted(range(len(p_values)), key=p_values.__getitem__)
    highest, expected = 0.0, [0.0] * len(p_values)
    for step, at in enumerate(ordered):
        highest = max(highest, min(1.0, p_values[at] * (len(p_values) - step)))
        expected[at] = highest
    assert correct(p_values, "holm") == pytest.approx(expected)
    assert correct(p_values, "none") == p_values


def test_an_undefined_p_value_is_not_counted_by_a_correction() -> None:
    corrected = correct([0.01, math.nan, 0.04], "holm")
    assert corrected[0] == pytest.approx(0.02)
    assert math.isnan(corrected[1])


def test_systems_that_cannot_be_told_apart_share_a_rank() -> None:
    random = np.random.default_rng(1)
    base = random.normal(0.5, 0.1, 200)
    rows = [
        make_rows(name, {"accuracy": base + shift + random.normal(0, 0.02, 200)})
        for name, shift in (("low", 0.0), ("high", 0.1), ("high too", 0.1001))
    ]
    (found,) = compare(contenders([make_run(*rows)]))
    assert found.ranks == {"low": 3, "high": 1, "high too": 1}


def test_items_are_matched_by_id_and_the_rest_is_counted() -> None:
    first = make_run(make_rows("a", {"accuracy": [0.1, 0.9, 0.5]}, ids=["x", "y", "z"]))
    second = make_run(make_rows("b", {"accuracy": [0.8, 0.2]}, ids=["y", "w"]))
    (found,) = compare(contenders([first, second]))
    assert found.pairs[0].left_out == 3
    assert found.pairs[0].difference == pytest.approx(0.9 - 0.8)
    assert found.pairs[0].n == 1


def test_the_same_id_in_two_groups_is_two_items() -> None:
    a = make_rows("a", {"accuracy": [0.1, 0.2]}, ids=["x", "x"], groups=["one", "two"])
    b = make_rows("b", {"accuracy": [0.4, 0.3]}, ids=["x", "x"], groups=["two", "one"])
    (found,) = compare(contenders([make_run(a, b)]))
    assert found.pairs[0].difference == pytest.approx(0.15 - 0.35)
    assert found.pairs[0].n == 2


def test_a_system_does_not_win_by_failing_on_hard_items() -> None:
    a = make_rows("a", {"accuracy": [0.9, math.nan, 0.8]})
    b = make_rows("b", {"accuracy": [0.9, 0.1, 0.8]})
    (found,) = compare(contenders([make_run(a, b)]))
    assert found.pairs[0].difference == 0
    assert found.pairs[0].n == 2


def test_clusters_widen_the_interval() -> None:
    random = np.random.default_rng(3)
    topics = np.repeat(random.normal(0, 0.2, 20), 10)
    a = 0.5 + topics + random.normal(0, 0.02, 200)
    clusters = [f"topic-{at // 10}" for at in range(200)]
    widths = []
    for labels in ((), clusters):
        rows = [
            make_rows(name, {"accuracy": values}, clusters=labels)
            for name, values in (("a", a), ("b", np.full(200, 0.5)))
        ]
        pair = compare(contenders([make_run(*rows)]), options=Options(resamples=2000))[0].pairs[0]
        widths.append(pair.high - pair.low)
    assert widths[1] > 2 * widths[0]


@dataclass(frozen=True)
class ByGroup:
    """The mean over groups of the groups' means, as a metric over books has it."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("accuracy"),)

    def measure(self, items: Any) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> dict[str, Value]:
        parts = [part.mean("accuracy") for part in rows.by("group").values()]
        return {"accuracy": sum(parts) / len(parts)}


def test_groups_may_come_in_another_order() -> None:
    a = make_rows("a", {"accuracy": [0.1, 0.2, 0.6]}, groups=["one", "one", "two"], clusters="xyz")
    b = make_rows(
        "b", {"accuracy": [0.5, 0.3, 0.1]}, ids=["item-2", "item-0", "item-1"],
        groups=["two", "one", "one"], clusters="zxy",
    )  # fmt: skip
    run = make_run(a, b, metric=ByGroup())
    (found,) = compare(contenders([run]), options=Options(resamples=100))
    assert found.pairs[0].difference == pytest.approx((0.15 + 0.6) / 2 - (0.2 + 0.5) / 2)
    gaps = []
    for swapped in itertools.product([False, True], repeat=3):
        first = [0.3, 0.1, 0.5], [0.1, 0.2, 0.6]
        x, y, z = (first[0][at] if swapped[at] else first[1][at] for at in range(3))
        u, v, w = (first[1][at] if swapped[at] else first[0][at] for at in range(3))
        gaps.append(((x + y) / 2 + z) / 2 - ((u + v) / 2 + w) / 2)
    hits = sum(abs(gap) >= abs(found.pairs[0].difference) - 1e-9 for gap in gaps)
    assert found.pairs[0].p_value == hits / 8


@dataclass(frozen=True)
class Median:
    """A score that is no function of sums."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("accuracy"),)

    def measure(self, items: Any) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> dict[str, Value]:
        return {"accuracy": float(np.median(rows.values("accuracy")))}


def test_a_score_that_is_no_function_of_sums_is_compared_by_value_and_that_is_said() -> None:
    run = make_run(
        make_rows("a", {"accuracy": A}), make_rows("b", {"accuracy": B}), metric=Median()
    )
    (found,) = compare(contenders([run]))
    assert found.pairs[0].difference == pytest.approx(np.median(A) - np.median(B))
    assert found.pairs[0].test == "none"
    assert "cannot be resampled" in found.notes[0]


def test_parts_of_an_item_are_matched_by_their_blocks_and_none_is_left_out() -> None:
    keys = {"group": ["book"] * 4, "cluster": ["book#0", "book#0", "book#1", "book#1"]}
    a = Rows({"id": ["book#0", "book#1", "book#2", "book#3"], "system": ["a"] * 4, **keys},
             np.zeros(4, np.int64)).with_numbers({"accuracy": [0.9, 0.9, 0.8, 0.8]})  # fmt: skip
    b = Rows({"id": ["book#0", "book#1"], "system": ["b"] * 2, "group": ["book"] * 2,
              "cluster": ["book#0", "book#0"]},
             np.zeros(2, np.int64)).with_numbers({"accuracy": [0.5, 0.7]})  # fmt: skip
    (found,) = compare(contenders([make_run(a, b)]), options=Options(resamples=100))
    assert found.pairs[0].difference == pytest.approx(0.85 - 0.6)
    assert found.pairs[0].clusters == 2


def test_a_single_cluster_has_no_test() -> None:
    (found,) = compare(two([0.5], [0.4]))
    assert math.isnan(found.pairs[0].p_value)
    assert found.to_dict()["pairs"][0]["p_value"] is None


def test_equal_systems_do_not_differ() -> None:
    for test in ("permutation", "bootstrap", "wilcoxon"):
        (found,) = compare(two(A, A), options=Options(test=test))
        assert found.pairs[0].p_value == 1.0
        assert found.ranks == {"a": 1, "b": 1}


def test_a_baseline_is_compared_with_all_others_only() -> None:
    rows = [make_rows(name, {"accuracy": A}) for name in ("a", "b", "c")]
    among = contenders([make_run(*rows)])
    (found,) = compare(among, options=Options(baseline="b"))
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a", "b"), ("c", "b")]
    with pytest.raises(UnknownName, match="Available: a, b, c"):
        compare(among, options=Options(baseline="d"))


def test_runs_measured_differently_are_refused_with_the_difference() -> None:
    first = make_run(make_rows("a", {"accuracy": A}), signature="m|beta:2.0|gistmeter:0.1.0|#1")
    second = make_run(make_rows("b", {"accuracy": B}), signature="m|beta:1.0|gistmeter:0.1.0|#2")
    with pytest.raises(InputError, match=r"beta: 2.0 \| 1.0"):
        compare(contenders([first, second]))
    (found,) = compare(contenders([first, second]), force=True)
    assert found.forced == ("beta: 2.0 | 1.0",)


def test_the_system_under_test_may_differ_in_the_signature() -> None:
    first = make_run(make_rows("a", {"accuracy": A}), signature="m|recognizer:x|mode:a")
    second = make_run(make_rows("b", {"accuracy": B}), signature="m|recognizer:y|mode:a")
    (found,) = compare(contenders([first, second]))
    assert found.forced == ()


def test_unknown_scores_and_too_few_systems_are_said() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'accuracy'"):
        compare(two(), ["acuracy"])
    with pytest.raises(InputError, match="two systems"):
        compare(two()[:1])
    with pytest.raises(InputError, match="no item in common"):
        other = make_run(make_rows("b", {"accuracy": B}, ids=list("abcdefgh")))
        compare(contenders([make_run(make_rows("a", {"accuracy": A})), other]))


def test_the_seed_decides() -> None:
    random = np.random.default_rng(5)
    among = two(random.normal(0.5, 0.1, 50), random.normal(0.48, 0.1, 50))
    first, again, other = (
        compare(among, options=Options(seed=seed, resamples=500))[0] for seed in (1, 1, 2)
    )
    assert first == again
    assert first.pairs[0].p_value != other.pairs[0].p_value


def test_several_scores_share_the_resamples() -> None:
    random = np.random.default_rng(6)
    columns = [
        {
            "accuracy": random.random(40),
            "wrong": random.integers(0, 5, 40) * 1.0,
            "words": np.full(40, 9.0),
        }
        for _ in range(2)
    ]
    among = contenders([make_run(*(make_rows(n, c) for n, c in zip("ab", columns, strict=True)))])
    together = compare(among, ["accuracy", "errors"])
    alone = [compare(among, [name])[0] for name in ("accuracy", "errors")]
    assert together == alone


def test_runs_in_memory_are_compared_with_the_metrics_they_carry() -> None:
    """Scored in Python and never written: the same p-value as for a run with its metrics beside."""
    items = [*pairs(30, "a"), *pairs(30, "b")]
    items[40] = replace(items[40], candidate="")
    both = evaluate(items, [Length()], resamples=50)
    apart = [evaluate(pairs(30, "a"), [Length()], resamples=50),
             evaluate(items[30:], [Length()], resamples=50)]  # fmt: skip
    (found,) = compare(contenders([both]))
    assert found.pairs[0].test == "permutation"
    assert math.isfinite(found.pairs[0].p_value) and math.isfinite(found.pairs[0].low)
    assert compare(contenders(apart))[0].pairs == found.pairs
    assert math.isfinite(findings_of(both).comparisons[0].pairs[0].p_value)
    (merged,) = gather(apart)
    assert list(merged.systems) == ["a", "b"]
    assert compare(contenders([merged]))[0].pairs == found.pairs


@dataclass(frozen=True)
class MacroShare:
    """The mean over labels of the share that is right, from sparse counts."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("accuracy", basis="words"),)

    def measure(self, items: Any) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> dict[str, Value]:
        found = rows.labelled("by_label")
        shares = divide(found["right"], found["seen"])
        defined = ~np.isnan(shares)
        return {"accuracy": divide(np.where(defined, shares, 0).sum(axis=-1), defined.sum(axis=-1))}


def labelled_rows(system: str, right: list[float], labels: str = "xyxyzx") -> Rows:
    names = sorted(set(labels))
    table = Counts.of(
        6, range(6), [names.index(one) for one in labels], names, {"right": right, "seen": [1] * 6}
    )
    return make_rows(system, {"words": np.ones(6)}).with_counts({"by_label": table})


def test_scores_of_sparse_counts_are_exchanged_label_by_label() -> None:
    """The two systems need not even have the same labels."""
    a, b = labelled_rows("a", [1, 1, 0, 1, 1, 1]), labelled_rows("b", [0, 1, 0, 0, 1, 1], "xyxwzx")
    among = contenders([make_run(a, b, metric=MacroShare())])
    (found,) = compare(among, options=Options(resamples=100))
    (drawn,) = compare(among, options=Options(resamples=100, test="bootstrap"))
    assert 0.05 < drawn.pairs[0].p_value < 1
    assert found.pairs[0].difference == pytest.approx((2 / 3 + 1 + 1) / 3 - (1 / 3 + 1 + 0 + 1) / 4)
    gaps = []
    for swapped in itertools.product([False, True], repeat=6):
        at = np.flatnonzero(swapped)
        rest = np.flatnonzero(~np.asarray(swapped))
        sides = [Rows.concat([one.take(rest), other.take(at)]) for one, other in ((a, b), (b, a))]
        first, second = (MacroShare().pool(side)["accuracy"] for side in sides)
        gaps.append(float(first) - float(second))
    hits = sum(abs(gap) >= abs(found.pairs[0].difference) - 1e-9 for gap in gaps)
    assert found.pairs[0].p_value == hits / 64


@dataclass(frozen=True)
class SteadyShare(MacroShare):
    """As above, but never resampled where a label is seen only once."""

    def pool(self, rows: Pool) -> dict[str, Value]:
        whole = rows.labelled("by_label").whole
        if whole is not None and (whole["seen"] == 1).any():
            return {"accuracy": math.nan}
        return MacroShare.pool(self, rows)


def test_a_score_whose_resamples_would_mislead_has_its_difference_and_no_test() -> None:
    """The labels of each system are looked at by themselves."""
    a, b = labelled_rows("a", [1, 1, 0, 1, 1, 1], "xyxyyx"), labelled_rows("b", [0] * 6)
    (found,) = compare(contenders([make_run(a, b, metric=SteadyShare())]))
    assert found.pairs[0].difference == pytest.approx((2 / 3 + 1) / 2)
    assert found.pairs[0].test == "none" and math.isnan(found.pairs[0].p_value)
    assert "cannot be resampled" in found.notes[0]
    steady = labelled_rows("c", [0] * 6, "xyxyyx")
    (found,) = compare(contenders([make_run(a, steady, metric=SteadyShare())]))
    assert math.isfinite(found.pairs[0].p_value)


def test_counts_of_an_item_that_one_side_lacks_are_left_out_of_both() -> None:
    a, b = labelled_rows("a", [1, 1, 1, 1, 1, 1]), labelled_rows("b", [1, 1, 1, 1, 1, 0])
    failed = np.arange(6) == 5
    a = replace(a, counts={"by_label": a.counts["by_label"].without(failed)})
    (found,) = compare(
        contenders([make_run(a, b, metric=MacroShare())]), options=Options(resamples=100)
    )
    assert found.pairs[0].difference == 0


def test_runs_of_the_same_items_and_ruler_stand_together_in_a_report() -> None:
    first = make_run(make_rows("system", {"accuracy": A}))
    second = make_run(make_rows("system", {"accuracy": B}))
    other = make_run(make_rows("system", {"accuracy": B}), signature="m|mode:b")
    gathered = gather([first, second, other])
    assert [list(run.systems) for run in gathered] == [["run 1", "run 2"], ["system"]]
    found = findings_of(gathered[0]).comparisons
    assert found[0].pairs[0].difference == pytest.approx(np.mean(A) - np.mean(B))
    assert findings_of(gathered[1]).comparisons == ()


def test_a_ratio_of_sums_is_no_mean_of_rates() -> None:
    metric = MeanAndRatio()
    rows = make_rows("a", {"accuracy": [1, 1], "wrong": [1, 0], "words": [1, 99]})
    assert metric.pool(rows)["errors"] == pytest.approx(1.0)


def parts(system: str, books: dict[str, list[float]]) -> Rows:
    """Books with sentences in blocks of two."""
    items = [(book, at) for book, values in books.items() for at in range(len(values))]
    keys = {
        "id": [f"{book}#{at}" for book, at in items],
        "system": [system] * len(items),
        "group": [book for book, _ in items],
        "cluster": [f"{book}#{at // 2}" for book, at in items],
    }
    numbers = np.asarray([value for values in books.values() for value in values])
    places = np.asarray([list(books).index(book) for book, _ in items])
    return Rows(keys, places).with_numbers({"accuracy": numbers})


def test_an_item_that_one_side_leaves_unscored_is_left_out_of_both_with_all_its_parts() -> None:
    good = parts("good", {"easy": [0.9, 0.9, 0.9, 0.9], "hard": [0.1, 0.1]})
    fails = parts("fails", {"easy": [0.4, 0.4], "hard": [math.nan]})
    (found,) = compare(contenders([make_run(good, fails)]), options=Options(resamples=200))
    assert found.pairs[0].difference == pytest.approx(0.5)
    assert found.pairs[0].n == 4


def test_clusters_without_a_value_do_not_count() -> None:
    (found,) = compare(two([0.5, math.nan], [0.4, 0.3]))
    pair = found.pairs[0]
    assert (pair.n, pair.clusters, pair.test) == (1, 1, "none")
    assert math.isnan(pair.low) and math.isnan(pair.detectable)
    assert "one cluster is all there is" in found.notes[0]
