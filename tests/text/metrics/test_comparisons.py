"""Comparisons with several references, and how they become one value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.text.metrics.comparisons import Comparisons
from text.text_doubles import pair

VALUES = st.lists(
    st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=4), min_size=1, max_size=6
)


def of(shape: list[list[float]]) -> Comparisons:
    return Comparisons.of(
        [pair("a", *(["r"] * len(row)), id=str(at)) for at, row in enumerate(shape)]
    )


@given(VALUES)
def test_aggregation_agrees_with_a_plain_loop(shape: list[list[float]]) -> None:
    comparisons = of(shape)
    flat = [value for row in shape for value in row]
    most = comparisons.aggregate(flat, "max")
    mean = comparisons.aggregate(flat, "mean")
    best = comparisons.best(flat)
    for at, row in enumerate(shape):
        known = [value for value in row if not np.isnan(value)]
        if not known:
            assert np.isnan(most[at]) and np.isnan(mean[at])
            assert best[at] == -1 or np.isnan(flat[best[at]])
        else:
            assert most[at] == max(known)
            assert np.isclose(mean[at], sum(known) / len(known))
            assert flat[best[at]] == max(known)


def test_rows_without_texts_have_reasons() -> None:
    comparisons = Comparisons.of([pair("a", "b", " "), pair("a"), pair("", "b"), pair(None, "b")])
    assert comparisons.reasons == {1: "no reference", 2: "no prediction", 3: "no prediction"}
    assert comparisons.owner.tolist() == [0]


def test_failures_are_told_of_the_row() -> None:
    comparisons = of([[0, 0], [0]])
    assert comparisons.blame({1: "late", 0: "first", 2: "other"}) == {0: "first", 1: "other"}
