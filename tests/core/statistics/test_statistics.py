"""The bootstrap: resampled sums equal real resamples; clusters stay together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gistmeter.core.rows import KEYS, Counts, Rows
from gistmeter.core.statistics import (
    Clustered,
    Resample,
    bootstrap_weights,
    count_reasons,
    intervals,
    summarise,
)
from gistmeter.core.types import Pair
from toys import Length, Median, pairs


def column(values: list[float], clusters: list[str] | None = None) -> Rows:
    labels = clusters or [str(at) for at in range(len(values))]
    keys = dict.fromkeys(KEYS, labels) | {
        "system": ["a"] * len(values),
        "group": [""] * len(values),
    }
    return Rows(keys, np.arange(len(values))).with_numbers({"x": values})


@settings(max_examples=50)
@given(
    st.lists(st.one_of(st.just(float("nan")), st.floats(0, 100)), min_size=2, max_size=12),
    st.integers(0, 1000),
)
def test_a_resample_of_sums_is_what_real_rows_give(values: list[float], seed: int) -> None:
    """Every question of a pool, asked of resampled sums and of rows really drawn."""
    labels = [str(at // 2) for at in range(len(values))]
    rows = column(values, labels).with_numbers({"y": [abs(v) + 1 for v in values]})
    clustered = Clustered.of(rows)
    for weights in bootstrap_weights(clustered.size, 5, seed):
        sampled = Resample(clustered, weights)
        for at, counts in enumerate(weights.astype(int)):
            drawn = rows.take(np.repeat(np.arange(len(rows)), counts[clustered.cluster]))
            for asked in (lambda p: p.sum("x"), lambda p: p.mean("x"), lambda p: p.ratio("x", "y")):
                np.testing.assert_allclose(np.asarray(asked(sampled))[at], asked(drawn), rtol=1e-9)


@settings(max_examples=50)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_resampled_counts_are_what_real_rows_give(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    row, label = random.integers(0, size, 20), random.integers(0, 3, 20)
    table = Counts.of(size, row, label, ["x", "y", "z"], {"n": random.random(20)})
    table = table.without(random.random(size) < 0.2)
    rows = column([1.0] * size, [str(at // 2) for at in range(size)])
    rows = rows.with_counts({"by_label": table}).with_texts({"half": list("ab" * size)[:size]})
    clustered = Clustered.of(rows)
    everyone = np.arange(size)
    for weights in bootstrap_weights(clustered.size, 4, seed):
        pools = [Resample(clustered, weights), Resample(clustered, weights)]
        pools[0].labelled("by_label")
        pools[1] = Resample(clustered, weights, clustered.weigh(weights))
        for pool in pools:
            for at, counts in enumerate(weights.astype(int)):
                drawn = rows.take(np.repeat(everyone, counts[clustered.cluster]))
                found, expected = pool.labelled("by_label"), drawn.labelled("by_label")
                assert found.labels == expected.labels
                np.testing.assert_allclose(found["n"][at], expected["n"])
                part = pool.by("half")["a"].labelled("by_label")["n"][at]
                parts = drawn.by("half")
                if "a" in parts:
                    np.testing.assert_allclose(part, parts["a"].labelled("by_label")["n"])
                else:
                    assert not part.any()


def test_groups_of_a_resample_use_the_same_draws() -> None:
    rows = Length().measure(pairs(20, arrangements=("p", "q")))
    clustered = Clustered.of(rows)
    (weights,) = bootstrap_weights(clustered.size, 3, 1)
    parts = Resample(clustered, weights).by("group")
    counts = weights.astype(int)[2]
    chosen = rows.by("group")["q"]
    drawn = chosen.take(np.repeat(np.arange(20), counts))
    np.testing.assert_allclose(np.asarray(parts["q"].mean("kept"))[2], drawn.mean("kept"))


def test_items_of_a_cluster_are_drawn_together() -> None:
    """24 copies of an item say no more than one: the interval must not shrink."""
    single = column(list(np.linspace(0, 1, 30)))
    copied = column([v for v in np.linspace(0, 1, 30) for _ in range(24)],
                    [str(at) for at in range(30) for _ in range(24)])  # fmt: skip
    pool = lambda rows: {"x": rows.mean("x")}  # noqa: E731
    one, many = (intervals(pool, rows, seed=3)["x"] for rows in (single, copied))
    np.testing.assert_allclose(one, many)


def test_the_interval_of_a_mean_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).normal(size=200)
    low, high = intervals(
        lambda r: {"x": r.mean("x")}, column(list(values)), seed=1, resamples=4000
    )["x"]
    found = stats.bootstrap(
        (values,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    np.testing.assert_allclose([low, high], [found.low, found.high], atol=0.02)


def test_a_pool_that_needs_the_column_still_gets_an_interval() -> None:
    items = pairs(40)
    metric = Median()
    rows = metric.measure(items)
    low, high = intervals(metric.pool, rows, seed=1, resamples=200)["median"]
    assert low <= metric.pool(rows)["median"] <= high
    assert low < high


def test_one_cluster_has_no_interval() -> None:
    assert intervals(lambda r: {"x": r.mean("x")}, column([1.0, 2.0], ["a", "a"]), seed=1) == {}


def test_summary_counts_the_unscored_and_their_reasons() -> None:
    items = [*pairs(9), Pair("none", "abc", (), "a")]
    metric = Length()
    rows = metric.measure(items)
    score = summarise(
        {"length": metric}, rows, signatures={"length": "sig"}, seed=1, resamples=50, confidence=0.9
    )["a"]["kept"]
    assert (score.n, score.unscored, dict(score.reasons)) == (9, 1, {"no reference": 1})
    assert score.low <= score.value <= score.high
    assert score.signature == "sig"
    assert count_reasons(rows) == {"no reference": 1}


def test_the_seed_decides_the_interval_and_nothing_else_does() -> None:
    metric = Length()
    rows = metric.measure(pairs(30))
    first, again, other = (intervals(metric.pool, rows, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_what_is_defined_for_seven_clusters_has_no_interval_and_eight_have_one() -> None:
    rows = Rows.of(pairs(9))
    known = np.random.default_rng(1).random(9)
    rows = rows.with_numbers({"x": [*known[:7], np.nan, np.nan], "y": [*known[:8], np.nan]})
    found = intervals(lambda pool: {"x": pool.mean("x"), "y": pool.mean("y")}, rows, seed=1)
    assert list(found) == ["y"]
