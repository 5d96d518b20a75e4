"""People among each other, and scores corrected by few labels: hand-computed and simulated."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from core.made_runs import make_rows, make_run
from gistmeter.cli import app
from gistmeter.core.errors import FormatError, InputError
from gistmeter.people.validation import Labels, read_labels, validate
from gistmeter.people.validation.agreement import correct, pearson
from gistmeter.people.validation.annotators import (
    agree,
    ceiling,
    cohen_kappa,
    krippendorff_alpha,
)

N = math.nan
OF: Any = {"confidence": 0.95, "system": "a", "score": "s"}
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", the data of part C.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)


def test_alpha_is_the_one_of_its_paper() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == pytest.approx(0.849, abs=5e-4)
    # Part A of the same paper: two observers, binary data.
    first = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 0.0])
    second = np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0.0])
    assert krippendorff_alpha(np.array([first, second])) == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha(np.array([first, first])) == 1.0


def test_kappa_by_hand() -> None:
    # Both yes 20, both no 15, first alone 5, second alone 10: (0.7 - 0.5) / (1 - 0.5).
    first = np.array([1] * 25 + [0] * 25, dtype=float)
    second = np.array([1] * 20 + [0] * 5 + [1] * 10 + [0] * 15, dtype=float)
    assert cohen_kappa(first, second, binary=True) == pytest.approx(0.4)
    assert cohen_kappa(first, first, binary=True) == 1.0
    # Quadratic weights on three grades: observed 2/4, expected from the margins.
    a, b = np.array([1.0, 2, 3, 3]), np.array([1.0, 3, 3, 2])
    expected = np.mean([(x - y) ** 2 for x in a for y in b])
    assert cohen_kappa(a, b, binary=False) == pytest.approx(1 - 0.5 / expected)


def test_the_ceiling_is_one_person_against_the_others() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(0, 1, 200)
    table = truth + random.normal(0, 0.5, (3, 200))
    wanted = np.mean(
        [
            stats.pearsonr(table[at], np.delete(table, at, axis=0).mean(axis=0)).statistic
            for at in range(3)
        ]
    )
    assert ceiling(table, pearson) == pytest.approx(wanted)


def test_a_corrected_mean_covers_the_truth_and_beats_labels_alone() -> None:
    random = np.random.default_rng(7)
    covered, narrower = 0, 0
    trials = 300
    for _ in range(trials):
        truth = random.normal(0.5, 0.2, 500)
        score = truth + 0.15 + random.normal(0, 0.1, 500)  # biased, but it follows people
        human = np.full(500, N)
        human[:60] = truth[:60]
        found = correct(score, human, np.arange(500), **OF)
        assert found is not None
        covered += found.estimate.low <= 0.5 <= found.estimate.high
        width = found.estimate.high - found.estimate.low
        narrower += width < found.labels_alone.high - found.labels_alone.low
    assert 0.91 <= covered / trials <= 0.985
    assert narrower == trials


def test_a_score_that_says_nothing_does_no_harm() -> None:
    random = np.random.default_rng(8)
    human = np.full(400, N)
    human[:100] = random.normal(0.5, 0.2, 100)
    found = correct(random.normal(0, 1, 400), human, np.arange(400), **OF)
    assert found is not None
    assert abs(found.weight) < 0.05
    assert found.estimate.value == pytest.approx(found.labels_alone.value, abs=0.02)
    everyone = correct(np.ones(10), np.ones(10), np.arange(10), **OF)
    assert everyone is None  # nothing is left to predict


def labels(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_judgements_of_an_item_are_kept_apart(tmp_path: Path) -> None:
    rows = make_rows("a", {"accuracy": np.linspace(0, 1, 6)})
    ids = rows.keys["id"]
    lines = "".join(f"{key},Ada,{at}\n{key},Bob,{at + 1}\n" for at, key in enumerate(ids))
    found = read_labels(labels(tmp_path / "l.csv", "id,annotator,human\n" + lines), rows)
    assert list(found.annotators) == ["Ada", "Bob"] and found.named
    assert found.values.tolist() == [at + 0.5 for at in range(6)]
    assert found.annotators["Bob"].tolist() == [at + 1 for at in range(6)]
    wide = "".join(f"{key},{at},{at + 1}\n" for at, key in enumerate(ids))
    other = read_labels(labels(tmp_path / "w.csv", "id,rater_1,rater_2\n" + wide), rows)
    assert other.values.tolist() == found.values.tolist() and other.named
    again = "".join(f"{key},{at}\n{key},{at + 1}\n" for at, key in enumerate(ids))
    unnamed = read_labels(labels(tmp_path / "u.csv", "id,human\n" + again), rows)
    assert list(unnamed.annotators) == ["1", "2"] and not unnamed.named
    twice = f"id,annotator,human\n{ids[0]},Ada,1\n{ids[0]},Ada,2\n"
    with pytest.raises(FormatError, match=r"'Ada' judges .* twice"):
        read_labels(labels(tmp_path / "t.csv", twice), rows)


def test_the_command_says_what_people_agree_on(tmp_path: Path, in_folder: Path) -> None:
    random = np.random.default_rng(3)
    truth = random.uniform(0, 1, 60)
    run = make_run(make_rows("a", {"accuracy": truth})).save(tmp_path / "run", report=False)
    assert run.rows is not None
    lines = "".join(
        f"{key},{judge},{truth[at] + random.normal(0, 0.1)}\n"
        for at, key in enumerate(run.rows.keys["id"][:30])
        for judge in ("Ada", "Bob")
    )
    path = labels(tmp_path / "l.csv", "id,annotator,human\n" + lines)
    told = CliRunner().invoke(app, ["validate", str(tmp_path / "run"), "--human", str(path)])
    assert told.exit_code == 0, told.stderr
    text = " ".join(told.stdout.split())
    read = read_labels(path, run.rows)
    alpha = krippendorff_alpha(np.array(list(read.annotators.values()))[:, :30])
    assert f"Krippendorff's alpha {alpha:.3f}" in text and "Cohen's kappa" in text
    assert "The ceiling, one person against the mean of the others" in text
    assert "by 30 labels and accuracy of 30 further items" in text
    found = validate(run, read_labels(path, run.rows)).to_dict()
    assert json.dumps(found, allow_nan=False)
    assert found["corrected"][0]["estimate"]["low"] < truth.mean() + 0.05


def test_one_judgement_per_item_says_nothing_of_people() -> None:
    y = np.random.default_rng(2).normal(0, 1, 20)
    found = validate(make_run(make_rows("a", {"accuracy": y})), Labels(y, False, 0, 0))
    assert found.annotators is None and found.corrected == ()


def test_the_ceiling_with_gaps_is_that_of_the_definition() -> None:
    chance = np.random.default_rng(3)
    table = chance.integers(1, 6, (7, 40)).astype(float)
    table[chance.random(table.shape) < 0.7] = np.nan
    wanted = []
    for at, own in enumerate(table):
        others = np.delete(table, at, axis=0)
        there = ~np.isnan(own) & (~np.isnan(others)).any(axis=0)
        if there.sum() >= 3:
            mean = np.nanmean(others[:, there], axis=0)
            wanted.append(np.corrcoef(own[there], mean)[0, 1])
    assert len(wanted) > 3
    assert ceiling(table, pearson) == pytest.approx(np.nanmean(wanted))


def test_a_crowd_of_annotators_is_compared_in_little_time(tmp_path: Path) -> None:
    """A file of kilobytes took hours: each annotator's others were put together anew."""
    chance = np.random.default_rng(4)
    judged = {f"r{at}": np.where(chance.random(100) < 0.02, 3.0, np.nan) for at in range(8000)}
    began = time.process_time()
    among = agree(judged, binary=False, named=True, resamples=4, confidence=0.95, seed=1)
    assert among is not None and time.process_time() - began < 20

    many = [str(at) for at in range(4_500)]
    rows = make_run(make_rows("a", {"accuracy": [0.5] * 4_500}, ids=many)).rows
    assert rows is not None
    lines = "".join(f"1,{at % 5},r{at}\n" for at in range(4_500))
    (tmp_path / "l.csv").write_text(f"id,human,annotator\n{lines}")
    with pytest.raises(InputError, match="4,500 annotators beside 4,500 outputs are more than"):
        read_labels(tmp_path / "l.csv", rows)
