"""Consistency and robustness, worked out by hand from rows of S_Acc."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gistmeter import load_run
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.core.runs import RunFolder
from gistmeter.text.metrics.accuracy import SemanticAccuracy
from gistmeter.text.metrics.consistency import (
    NO_ORIGINAL,
    Consistency,
    SequenceRobustness,
    StructuralRobustness,
)
from text.text_doubles import PACKS, pair

FAMILY = {
    "s_acc": SemanticAccuracy(PACKS),
    "consistency": Consistency(),
    "robustness": SequenceRobustness(),
    "structure": StructuralRobustness(),
}


def rows(table: list[tuple[str, str, float, float]]) -> Rows:
    """Rows of (id, arrangement, S_Acc under maximum, under mean)."""
    made = Rows.of([pair("x", id=name, arrangement=group) for name, group, _, _ in table])
    most, mean = [line[2] for line in table], [line[3] for line in table]
    return made.with_numbers({"s_acc": most, "s_acc_max": most, "s_acc_mean": mean})


TABLE = rows(
    [
        ("1", "one", 0.8, 0.6), ("2", "one", 0.6, 0.6),
        ("1", "two", 0.6, 0.2), ("2", "two", 0.4, 0.4),
        ("1", "original", 0.9, 0.1), ("2", "original", 0.7, 0.7),
    ]
)  # fmt: skip


def test_consistency_over_arrangements_without_the_original() -> None:
    got = Consistency(by="idioms").pool(TABLE)  # S_max is the highest of the idioms
    assert got["e_perf"] == pytest.approx((0.2 + 0.3) / 2)
    assert got["r_sens"] == pytest.approx(0.3)
    assert got["s_cons"] == pytest.approx((1 - 0.25) * (1 - 0.3))


def test_robustness_against_the_original() -> None:
    got = SequenceRobustness().pool(TABLE)
    drops = [(0.8 - 0.7) / 0.8, (0.8 - 0.5) / 0.8]
    assert got["mdr"] == pytest.approx(sum(drops) / 2)
    assert got["mda"] == pytest.approx(max(drops))
    assert got["s_seq"] == pytest.approx(1 - (sum(drops) / 2 + max(drops)) / 2)


def test_structure_is_normalised_by_the_mean_of_the_classes() -> None:
    table = TABLE.with_numbers(
        {
            "structure=a": [1.0, np.nan, 1.0, np.nan, 1.0, np.nan],
            "structure=b": [np.nan, 1.0, np.nan, 1.0, np.nan, 1.0],
        }
    )
    got = StructuralRobustness().pool(table)
    means = [(0.8 + 0.6 + 0.9) / 3, (0.6 + 0.4 + 0.7) / 3]
    evenness = 1 - np.std(means) / np.mean(means)
    assert got["s_struct"] == pytest.approx(evenness)
    sequence = SequenceRobustness().pool(TABLE)["s_seq"]
    assert got["s_rob"] == pytest.approx(2 * sequence * evenness / (sequence + evenness))


def test_one_class_says_nothing_of_evenness() -> None:
    table = TABLE.with_numbers({"structure=a": np.ones(6)})
    assert np.isnan(StructuralRobustness().pool(table)["s_struct"])
    assert np.isnan(StructuralRobustness().pool(TABLE)["s_struct"])


def test_nothing_is_invented_without_an_original() -> None:
    pairs = [
        pair("a b", "a", "a c", id=str(at), arrangement=group, structure=kind,
             **({"has_original": "no"} if at == 0 and group == "one" else {}))
        for at, kind in enumerate("xyx")
        for group in ("one", "two")
    ]  # fmt: skip
    run = evaluate(pairs, FAMILY)
    for name in ("mdr", "mda", "s_seq", "s_rob"):
        assert math.isnan(run[name].value) and run[name].to_dict()["value"] is None
    assert run["mdr"].reasons == {NO_ORIGINAL: 1} and run["mdr"].n == 0
    assert run.unscored[NO_ORIGINAL] == 1
    assert 0 < run["s_cons"].value < 1
    assert run["s_struct"].value == pytest.approx(1.0)


def test_what_is_undefined_says_why_and_what_is_unscored_is_counted() -> None:
    def family(*groups: str) -> Any:
        pairs = [
            pair(None if at == 0 else "a b", "a", "a c", id=str(at), arrangement=group,
                 structure="xyy"[at], has_original="yes" if "original" in groups else "")
            for at in range(3)
            for group in groups
        ]  # fmt: skip
        return evaluate(pairs, FAMILY, resamples=0)

    run = family("original", "one")
    for name in ("mdr", "mda", "s_seq", "s_struct", "s_rob"):
        assert (run[name].n, run[name].unscored) == (4, 2), name
    assert run["s_struct"].reasons["fewer than two structure classes"] == 1
    assert family("original")["s_seq"].reasons["no predictions for a scrambled form"] == 1


def test_the_whole_family_has_intervals_from_the_rows() -> None:
    words = ["a b", "a c", "b c", "a"]
    pairs = [
        pair(words[(at + shift) % 4], "a b", "a", id=str(at), arrangement=group,
             structure="xy"[at % 2], has_original="yes")
        for at in range(12)
        for shift, group in enumerate(("original", "one", "two"))
    ]  # fmt: skip
    run = evaluate(pairs, FAMILY, resamples=200)
    for name in ("s_cons", "e_perf", "r_sens", "mdr", "mda", "s_seq", "s_struct", "s_rob"):
        score = run[name]
        assert score.low <= score.value <= score.high or name in ("r_sens", "mda", "s_struct"), name
        assert math.isfinite(score.low) and math.isfinite(score.high)
        assert score.n == len(pairs) and not score.unscored
    assert not run["mdr"].higher_is_better and run["s_seq"].higher_is_better
    groups = run.systems["system"].groups
    original, one = groups["original"]["s_acc"], groups["one"]["s_acc"]
    two = groups["two"]["s_acc"]
    assert run["mdr"].value == pytest.approx((2 * original - one - two) / 2 / original)


def test_consistency_of_the_original_alone_is_its_own() -> None:
    only = rows([("1", "original", 0.9, 0.7)])
    assert Consistency(by="idioms").pool(only)["e_perf"] == pytest.approx(0.2)
    assert np.isnan(Consistency().pool(only)["e_perf"])
    assert np.isnan(SequenceRobustness().pool(only)["mdr"])


def test_a_run_from_disk_pools_to_the_same_scores(tmp_path: Path) -> None:
    pairs = [
        pair(word, "a b", "a", id=str(at), arrangement=group, structure="xy"[at % 2],
             has_original="yes")
        for at, word in enumerate(["a b", "a c", "b c", "a"])
        for group in ("original", "one")
    ]  # fmt: skip
    folder = tmp_path / "run"
    made = evaluate(pairs, FAMILY, open_folder=lambda plan: RunFolder.start(folder, plan))
    loaded = load_run(folder)
    metrics = loaded.metrics
    assert loaded.rows is not None
    assert loaded.rows.texts["structure"] == ["x", "x", "y", "y"] * 2
    again = {
        name: value for one in metrics.values() for name, value in one.pool(loaded.rows).items()
    }
    for name, score in made.systems["system"].scores.items():
        assert again[name] == pytest.approx(score.value, nan_ok=True), name
