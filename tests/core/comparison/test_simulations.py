"""What intervals and tests promise, held against 2,000 seeded data sets of 100 items each."""

from __future__ import annotations

import numpy as np
import pytest

from core.made_runs import MeanAndRatio, make_rows, make_run
from gistmeter.core.comparison import Options, compare, contenders
from gistmeter.core.rows import Counts, Pool, Rows, Value
from gistmeter.core.statistics import intervals
from gistmeter.parse.metrics.breakdown import COUNTED, macro_f1

DATA_SETS, ITEMS, RESAMPLES = 2000, 100, 500
TRUE_MEAN, TRUE_RATE = 0.6, 20.0


def columns(
    random: np.random.Generator, difficulty: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """A system's statistics on items of some difficulty: a score, and errors among words."""
    hard = random.normal(0, 0.15, ITEMS) if difficulty is None else difficulty
    words = random.integers(5, 40, ITEMS)
    share = random.beta(2, 8, ITEMS)  # mean 0.2, whatever the length
    return {
        "accuracy": TRUE_MEAN + hard + random.normal(0, 0.1, ITEMS),
        "wrong": random.binomial(words, share).astype(np.float64),
        "words": words.astype(np.float64),
    }


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(20260)
    metric = MeanAndRatio()
    covered = {"accuracy": 0, "errors": 0}
    truth = {"accuracy": TRUE_MEAN, "errors": TRUE_RATE}
    for number in range(DATA_SETS):
        rows = make_rows("a", columns(random))
        found = intervals(metric.pool, rows, seed=number, resamples=RESAMPLES)
        for name, (low, high) in found.items():
            covered[name] += low <= truth[name] <= high
    shares = {name: count / DATA_SETS for name, count in covered.items()}
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def test_intervals_of_clusters_cover_the_truth() -> None:
    random = np.random.default_rng(20261)
    clusters = [f"cluster-{at // 4}" for at in range(4 * ITEMS)]
    metric, covered = MeanAndRatio(), 0
    for number in range(DATA_SETS):
        together = np.repeat(random.normal(0, 0.15, ITEMS), 4)
        values = TRUE_MEAN + together + random.normal(0, 0.1, 4 * ITEMS)
        rows = make_rows("a", {"accuracy": values}, clusters=clusters)
        low, high = intervals(metric.pool, rows, seed=number, resamples=RESAMPLES)["accuracy"]
        covered += low <= TRUE_MEAN <= high
    assert 0.93 <= covered / DATA_SETS <= 0.97


def test_intervals_of_macro_f1_cover_the_truth_where_labels_are_not_rare() -> None:
    random = np.random.default_rng(20264)
    accuracy = random.uniform(0.4, 0.95, 10)

    def labelled(sentences: int) -> Rows:
        item = np.repeat(np.arange(sentences), 8)
        gold, guess = random.integers(0, 10, (2, len(item)))
        system = np.where(random.random(len(item)) < accuracy[gold], gold, guess)
        right = gold == system
        parts = [(item[right], gold[right]), (item, gold), (item, system)]
        kind = np.repeat(np.arange(3), [len(part[0]) for part in parts])
        table = Counts.of(
            sentences, *(np.concatenate(side) for side in zip(*parts, strict=True)),
            list("abcdefghij"), {name: kind == at for at, name in enumerate(COUNTED)},
        )  # fmt: skip
        return make_rows("a", {"words": np.ones(sentences)}).with_counts({"slots": table})

    def pool(rows: Pool) -> dict[str, Value]:
        return {"macro": macro_f1(rows.labelled("slots"))}

    truth, covered = pool(labelled(50_000))["macro"], 0
    for number in range(300):
        low, high = intervals(pool, labelled(100), seed=number, resamples=300)["macro"]
        covered += low <= truth <= high
    assert 0.91 <= covered / 300 <= 0.98


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "wilcoxon"])
def test_equal_systems_are_told_apart_as_often_as_the_level_says(test: str) -> None:
    random = np.random.default_rng(20262)
    found = {"accuracy": 0, "errors": 0}
    for number in range(DATA_SETS):
        difficulty = random.normal(0, 0.15, ITEMS)
        rows = [make_rows(name, columns(random, difficulty)) for name in ("a", "b")]
        options = Options(test=test, resamples=RESAMPLES, seed=number)
        for comparison in compare(contenders([make_run(*rows)]), list(found), options):
            found[comparison.metric] += comparison.pairs[0].p_value < 0.05
    shares = {name: count / DATA_SETS for name, count in found.items()}
    assert all(0.035 <= share <= 0.065 for share in shares.values()), shares


def test_a_real_difference_is_found() -> None:
    random = np.random.default_rng(20263)
    shown = 0
    for number in range(200):
        difficulty = random.normal(0, 0.15, ITEMS)
        better, worse = columns(random, difficulty), columns(random, difficulty)
        better["accuracy"] = better["accuracy"] + 0.06
        rows = [make_rows("a", better), make_rows("b", worse)]
        options = Options(resamples=RESAMPLES, seed=number)
        pair = compare(contenders([make_run(*rows)]), ["accuracy"], options)[0].pairs[0]
        shown += pair.p_value < 0.05 and pair.low > 0
    assert shown >= 180
