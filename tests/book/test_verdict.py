"""Who is said to be most faithful: no surer than the data are."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from book.book_doubles import SOURCE, book, make_metric
from gistmeter import evaluate
from gistmeter.book.verdict import rank_editions
from gistmeter.core.comparison import Comparison, Findings, PairedDifference
from gistmeter.core.types import Score


def run(**editions: dict[str, float]) -> Any:
    held = {
        name: SimpleNamespace(
            scores={
                score: Score(score, value, n=9, higher_is_better=score != "changed")
                for score, value in scores.items()
            }
        )
        for name, scores in editions.items()
    }
    return SimpleNamespace(
        systems=held, metrics={"alignment": SimpleNamespace(resampled="passages")}
    )


def findings(p: float, *, clusters: int = 20, note: str = "") -> Findings:
    pair = PairedDifference("one", "two", 0.1, p_corrected=p, clusters=clusters, note=note)
    return Findings((Comparison("fidelity", (pair,), {}, {}),))


def test_a_real_difference_is_said_as_one():
    told = rank_editions(run(one={"fidelity": 0.5}, two={"fidelity": 0.8}), [], findings(0.01))
    assert told.startswith("two is most faithful (fidelity 80% against 50%, p = 0.010)")
    assert "p-values are over 20 passages" in told


def test_a_difference_that_may_be_chance_is_said_as_one():
    told = rank_editions(run(one={"fidelity": 0.5}, two={"fidelity": 0.8}), [], findings(0.3))
    assert told.startswith("two comes first, but the data cannot tell it from one (fidelity 80%")


def test_too_few_passages_give_no_p_value():
    held = run(one={"fidelity": 0.5}, two={"fidelity": 0.8})
    told = rank_editions(held, [], findings(0.001, clusters=2, note="too few"))
    assert "p " not in told
    assert told.endswith("2 passages are too few for a test.")
    assert "most faithful" not in told


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_editions_of_one_fidelity_are_told_apart_by_gist(order):
    scores = {
        "one": {"fidelity": 0.75, "changed": 0.5, "gist": 0.2},
        "two": {"fidelity": 0.752, "changed": 0.0, "gist": 0.9},
    }
    told = rank_editions(run(**{name: scores[name] for name in order}), [], findings(1.0))
    assert told.startswith("two has the same fidelity as one (75%): one changes more facts (50%")
    assert "is less true to the original in what it says (20% against 90%)" in told


def test_a_few_passages_are_compared_without_a_p_value():
    books = [
        book("Book", SOURCE, SOURCE, "copy"),
        book("Book", SOURCE, "Zebras sleep. Trains depart. Clouds drift.", "invented"),
    ]
    run = evaluate(books, {"alignment": make_metric(books)}, resamples=200)
    (pair,) = run.compare(metric="unsupported", resamples=200).pairs
    assert pair.clusters < 6
    assert pair.high < 0 or pair.low > 0
    assert math.isnan(pair.p_value)
    assert "too few for a test" in pair.note
