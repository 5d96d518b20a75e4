"""S_Info and recovery."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.text.metrics.information import Information, Recovery, information, recovered
from text.text_doubles import PACKS, pair

WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("a b c", "a b c", 1.0),
        ("a b c d", "a b c", 3 / 4),  # longer: no penalty
        ("a", "a b", math.exp(1 - 2)),  # a right word alone is penalised for what it leaves out
        ("c b a", "a b c", 1 / 3),  # order counts
        ("x", "a b", 0.0),
    ],
)
def test_by_hand(prediction: str, reference: str, expected: float) -> None:
    assert information(prediction.split(), reference.split()) == pytest.approx(expected)


def test_nothing_is_undefined() -> None:
    assert math.isnan(information([], ["a"])) and math.isnan(information(["a"], []))


@given(WORDS, WORDS)
def test_laws(first: list[str], second: list[str]) -> None:
    assert 0 <= information(first, second) <= 1
    assert information(first, first) == pytest.approx(1.0)


@pytest.mark.parametrize(("aggregate", "expected"), [("max", 1.0), ("mean", 0.5)])
def test_references_are_aggregated(aggregate: str, expected: float) -> None:
    rows = Information(PACKS, aggregate).measure([pair("a b", "a b", "c d"), pair("a")])
    assert rows.values("s_info")[0] == expected
    assert rows.reasons["s_info"] == {1: "no reference"}


@pytest.mark.parametrize(
    ("given_form", "expected"),
    [
        ("画蛇添足", 1.0),
        (" 画蛇添足 ", 1.0),
        ("蛇画足添", 0.0),
        ("True", 1.0),
        ("0", 0.0),
        ("no", 0.0),
    ],
)
def test_recovery_by_form_or_by_answer(given_form: str, expected: float) -> None:
    assert recovered(pair("x", id="画蛇添足", recovered=given_form)) == expected


def test_recovery_is_a_share_of_what_was_told() -> None:
    pairs = [pair("x", id="ab", recovered="ab"), pair("x", id="ab", recovered="ba"), pair("x")]
    rows = Recovery().measure(pairs)
    assert Recovery().pool(rows)["recovery"] == 0.5
    assert rows.reasons["recovery"] == {2: "no restored form"}
    assert np.isnan(rows.values("recovery")[2])
