"""Corrected means: equal to ppi-python's, right by hand, and intervals that hold the truth."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from gistmeter import score_text
from gistmeter.core.errors import InputError
from gistmeter.people.corrected import (
    ENDS,
    NO_ENDS,
    LabelledItems,
    corrected_mean,
    more_labels,
)
from gistmeter.people.designs import Design, draw_sample, probabilities, select
from gistmeter.people.records import LabelRecord
from gistmeter.people.statements import summarise_labels

Floats = npt.NDArray[np.float64]
Z = 1.959963984540054


def made(seed: int, n: int, rest: int) -> tuple[Floats, Floats, Floats]:
    random = np.random.default_rng(seed)
    f = random.beta(2, 1, n)
    y = np.round(np.clip(f * 0.8 + random.normal(0, 0.15, n), 0, 1) * 4) / 4
    return y, f, random.beta(2, 1, rest)


# Made with ppi-python 0.2.3: ppi_mean_pointestimate and half of ppi_mean_ci over 1.96
FROZEN = {
    (1, 20, 400): (0.5356195351286419, 0.029714375518907724),
    (2, 50, 60): (0.5159392560506454, 0.02680036895633703),
    (3, 200, 5000): (0.5347790146270508, 0.011603175161517975),
}


@pytest.mark.parametrize(("case", "wanted"), FROZEN.items())
def test_mean_and_error_are_those_of_ppi_python(
    case: tuple[int, int, int], wanted: tuple[float, float]
) -> None:
    found = corrected_mean(LabelledItems.uniform(*made(*case)))
    assert (found.value, found.standard_error) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_where_ppi_python_is_installed(seed: int) -> None:
    ppi = pytest.importorskip("ppi_py")
    y, f, rest = made(seed, 12 + 17 * seed, 30 + 90 * seed)
    if seed % 2:
        f, rest = 1 - f, 1 - rest  # a judge that is wrong: lambda is 0
    found = corrected_mean(LabelledItems.uniform(y, f, rest))
    low, high = ppi.ppi_mean_ci(y, f, rest, alpha=0.05)
    assert found.value == pytest.approx(float(ppi.ppi_mean_pointestimate(y, f, rest)[0]), abs=1e-9)
    assert found.standard_error == pytest.approx(float((high - low)[0]) / 2 / Z, abs=1e-9)
    fixed = corrected_mean(LabelledItems.uniform(y, f, rest), judge_weight=1.0)
    wanted = float(np.ravel(ppi.ppi_mean_pointestimate(y, f, rest, lam=1))[0])
    assert fixed.value == pytest.approx(wanted, abs=1e-9)


def test_an_active_mean_by_hand() -> None:
    """Four items with weights 2, 1, 1, 2 and a judge that is right but for a constant."""
    data = LabelledItems(
        human=np.array([0.1, 0.3, 0.5, 0.7]), judge=np.array([0.2, 0.4, 0.6, 0.8]),
        rest=np.array([0.9, 0.9]), weight=np.array([2.0, 1.0, 1.0, 2.0]),
        stratum=np.zeros(4, np.int64), share=np.ones(1), cluster=np.arange(4),
    )  # fmt: skip
    found = corrected_mean(data, judge_weight=1.0)
    assert found.value == pytest.approx((0.2 + 0.4 + 0.6 + 0.8 + 1.8) / 6 - 0.1)
    alone = corrected_mean(data, judge_weight=0.0)
    assert alone.value == pytest.approx((0.2 + 0.3 + 0.5 + 1.4) / 6)
    assert math.isnan(alone.low)  # four labels are too few for an interval


def test_a_stratified_mean_by_hand() -> None:
    data = LabelledItems(
        human=np.array([0.0, 1.0, 1.0, 1.0]), judge=np.array([0.5] * 4), rest=np.array([0.5] * 6),
        weight=np.ones(4), stratum=np.array([0, 0, 1, 1]), share=np.array([0.8, 0.2]),
        cluster=np.arange(4),
    )  # fmt: skip
    found = corrected_mean(data)
    assert found.value == pytest.approx(0.8 * 0.5 + 0.2 * 1)
    assert found.judge_weight == 0
    # Within: .8² × (.25 + .25)/4; between: .8 × .2 × .5² / 10 items
    assert found.standard_error == pytest.approx(math.sqrt(0.64 * 0.125 + 0.04 / 10))


def test_items_of_one_cluster_count_as_one() -> None:
    y, f, rest = made(5, 40, 400)
    once = LabelledItems.uniform(y, f, rest)
    twice = LabelledItems(np.tile(y, 2), np.tile(f, 2), rest, np.ones(80), np.zeros(80, np.int64),
                          np.ones(1), np.tile(np.arange(40), 2))  # fmt: skip
    first, second = corrected_mean(once, judge_weight=0.0), corrected_mean(twice, judge_weight=0.0)
    assert second.standard_error == pytest.approx(first.standard_error)
    assert (second.low, second.high) == pytest.approx((first.low, first.high))


def test_all_alike_still_has_a_width() -> None:
    found = corrected_mean(LabelledItems.uniform(np.ones(20), np.ones(20), np.ones(100)))
    assert (found.value, found.high) == (1.0, pytest.approx(1.0))
    assert 0.8 < found.low < 0.9  # Wilson's for 20 of 20
    assert more_labels(found, 0.1) == 0
    more = more_labels(found, 0.03)
    assert more is not None and 30 < more < 60  # q² / 2h - q² = 61 in all


def test_more_labels_are_about_as_many_as_it_takes() -> None:
    random = np.random.default_rng(4)
    f = random.random(20_000)
    y = (random.random(20_000) < f) * 1.0
    few = corrected_mean(LabelledItems.uniform(y[:100], f[:100], f[100:]))
    more = more_labels(few, 0.03)
    assert more is not None
    size = 100 + more
    many = corrected_mean(LabelledItems.uniform(y[:size], f[:size], f[size:]))
    assert many.half_width == pytest.approx(0.03, rel=0.1)
    assert more_labels(many, 0.04) == 0
    assert more_labels(few, 0.0001) is None


def test_one_label_is_no_mean() -> None:
    with pytest.raises(InputError, match="two at least"):
        corrected_mean(LabelledItems.uniform(np.ones(1), np.ones(1), np.ones(5)))


# Other shapes than those of benchmarks/people_coverage.py, on which the method was chosen.


def grades(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Eleven steps with two humps, and a judge with noise."""
    good = random.random(n) < 0.55
    y = np.round(10 * np.where(good, random.beta(7, 2, n), random.beta(2, 3, n))) / 10
    return y, np.clip(y + random.normal(0, 0.12, n), 0, 1)


def halves(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Yes or no, and a judge who is too sure."""
    p = random.random(n)
    return (random.random(n) < p) * 1.0, np.clip((p - 0.5) * 1.6 + 0.5, 0.02, 0.98)


def blind(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Three steps, and a judge who says anything."""
    return random.choice([0.0, 0.5, 1.0], n, p=[0.2, 0.3, 0.5]), random.beta(5, 2, n)


def contrary(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Yes or no, and a judge who is rather wrong."""
    p = random.beta(3, 3, n)
    return (random.random(n) < p) * 1.0, np.clip(1 - p + random.normal(0, 0.2, n), 0, 1)


def differences(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Of two systems on the same items."""
    (a, f), (b, g) = grades(random, n), grades(random, n)
    shared = random.normal(0, 0.1, n)
    return a + shared - b, f - g


SHAPES: dict[str, tuple[Callable[[np.random.Generator, int], tuple[Floats, Floats]], bool]] = {
    "grades": (grades, True), "halves": (halves, True), "blind": (blind, True),
    "contrary": (contrary, True), "differences": (differences, False),
}  # fmt: skip
TRIALS, ITEMS = 400, 1000


def held(name: str, design: str, size: int) -> int:
    """How many of the trials' intervals hold the truth."""
    shape, bounded = SHAPES[name]
    truth = float(shape(np.random.default_rng(0), 400_000)[0].mean())
    random = np.random.default_rng([size, len(name), len(design)])
    plan, count = Design(design, size), 0
    for _ in range(TRIALS):
        y, f = shape(random, ITEMS)
        inclusion = probabilities(plan, f if bounded else (f + 1) / 2, size)
        drawn = select(inclusion, size, random)
        left = np.ones(ITEMS, bool)
        left[drawn] = False
        stratum, share = np.zeros(size, np.int64), np.ones(1)
        weight = size / (ITEMS * inclusion.probability[drawn])
        if inclusion.stratum is not None:
            stratum, weight = inclusion.stratum[drawn], np.ones(size)
            share = np.bincount(inclusion.stratum) / ITEMS
        weight = np.ones(size) if design == "uniform" else weight
        found = corrected_mean(
            LabelledItems(y[drawn], f[drawn], f[left], weight, stratum, share, np.arange(size),
                          ENDS if bounded else NO_ENDS)
        )  # fmt: skip
        count += found.low <= truth <= found.high
    return count


@pytest.mark.parametrize("size", [20, 50, 200])
@pytest.mark.parametrize("design", ["uniform", "stratified", "active"])
def test_intervals_hold_the_truth(design: str, size: int) -> None:
    """2,000 trials over five shapes: 95% give or take 1.5, of no shape fewer than 92%."""
    shares = {name: held(name, design, size) / TRIALS for name in SHAPES}
    assert 0.935 <= sum(shares.values()) / len(shares) <= 0.965, shares
    assert min(shares.values()) >= 0.92, shares


@pytest.mark.parametrize("design", ["uniform", "stratified", "active"])
def test_texts_that_occur_often_do_not_count_for_more(design: str) -> None:
    """Three in ten items are the same few words, which people reject: one label is of all."""
    expected = [f"sentence {at} about the sea" for at in range(210)] + ["thank you very much"] * 90
    got = [*expected[:210], *["no"] * 90]
    run = score_text(got, expected, metrics=["f_beta"], language="en", resamples=0)
    found = []
    for seed in range(30):
        sample = draw_sample(run, Design(design, 40, seed))
        assert len({pick.item for pick in sample.picks}) == len(sample.picks)
        labels = [
            LabelRecord(pick.item, "Ann", "yes_no", float(pick.row < 210), selection=pick.selection)
            for pick in sample.picks
        ]
        (system,) = summarise_labels(run, labels).systems
        assert system.corrected.labelled == len(labels)
        assert system.labels_alone.low <= 0.7 <= system.labels_alone.high
        assert system.corrected.low <= 0.7 <= system.corrected.high
        found.append(system.labels_alone.value)
    assert np.mean(found) == pytest.approx(0.7, abs=0.03)
