"""Ranks, ties and exclusions by hand."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

from core.made_runs import make_rows, make_run
from gistmeter.core.comparison import (
    Comparison,
    Options,
    PairedDifference,
    compare,
    contenders,
)  # fmt: skip
from gistmeter.core.comparison.ranking import rank
from gistmeter.core.types import Score
from gistmeter.report.latex import sole_winner


def scores(values: dict[str, float], **unscored: int) -> dict[str, Score]:
    return {
        name: Score("s", value, n=100 - unscored.get(name, 0), unscored=unscored.get(name, 0))
        for name, value in values.items()
    }


def pairs(
    values: dict[str, float], real: set[frozenset[str]], **further: int
) -> list[PairedDifference]:
    return [
        PairedDifference(
            a, b, values[a] - values[b], p_corrected=0.01 if {a, b} in real else 0.5, **further
        )
        for a, b in itertools.combinations(values, 2)
    ]


def test_systems_share_a_letter_exactly_where_no_difference_was_shown() -> None:
    seeded = random.Random(3)
    for count in (2, 3, 5, 9, 20, 50):
        values = {f"s{at}": 1 - at / 100 for at in range(count)}
        reach = {name: seeded.randint(1, 12) for name in values}
        names = list(values)
        real = {
            frozenset(pair)
            for pair in itertools.combinations(names, 2)
            if names.index(pair[1]) - names.index(pair[0]) > min(reach[name] for name in pair)
        }
        found = rank(scores(values), pairs(values, real))
        assert list(found.order) == names
        for a, b in itertools.combinations(names, 2):
            apart = not {*found.letters[a]} & {*found.letters[b]}
            assert apart == ({a, b} in real)
        ranks = [found.ranks[name] for name in names]
        assert ranks == sorted(ranks)
        assert ranks[0] == 1


def test_a_rank_is_one_more_than_the_systems_shown_to_be_better() -> None:
    values = {"low": 0.1, "best": 0.9, "mid": 0.5, "mid too": 0.48}
    shown = {frozenset({a, b}) for a, b in itertools.combinations(values, 2)}
    found = rank(scores(values), pairs(values, shown - {frozenset({"mid", "mid too"})}))
    assert [found.rank(name) for name in found.order] == ["1", "2=", "2=", "4"]
    assert dict(found.letters) == {"best": "a", "mid": "b", "mid too": "b", "low": "c"}


def test_who_skips_items_or_has_no_value_is_not_ranked_and_the_others_are() -> None:
    values = {"skips": 0.99, "good": 0.9, "none": math.nan, "bad": 0.5}
    found = rank(scores(values, skips=40, good=2), pairs(values, {frozenset({"good", "bad"})}))
    assert found.order == ("good", "bad", "skips", "none")
    assert dict(found.excluded) == {"skips": "scored only 60 of 100", "none": "has no value"}
    assert [found.rank(name) for name in found.order] == ["1", "2", "–", "–"]


def test_a_system_without_a_value_is_compared_with_nobody() -> None:
    whole = make_rows("a", {"accuracy": np.linspace(0, 1, 20)})
    empty = make_rows("b", {"accuracy": np.full(20, np.nan)})
    (found,) = compare(contenders([make_run(whole, empty)]), ["accuracy"])
    assert math.isnan(found.pairs[0].difference) and found.pairs[0].test == "none"
    assert found.notes == ("some systems have no value on shared items and are not compared",)
    assert found.answer.endswith("b has no value and is not ranked with the others.")


def test_with_gaps_the_shared_items_decide_the_order() -> None:
    held = scores({"a": 0.80, "b": 0.79}, a=5)
    shared = [PairedDifference("a", "b", -0.02, p_corrected=0.3, n=95, left_out=5)]
    assert rank(held, shared).order == ("b", "a")


def test_nobody_stands_above_a_system_that_was_shown_to_be_better() -> None:
    held = scores({"a": 0.80, "b": 0.79, "c": 0.1})
    shared = [
        PairedDifference("a", "b", -0.01, p_corrected=0.01, left_out=3),
        PairedDifference("a", "c", 0.7, p_corrected=0.01, left_out=3),
        PairedDifference("b", "c", 0.2, p_corrected=0.01, left_out=3),
    ]
    found = rank(held, shared)
    assert found.order == ("b", "a", "c")
    assert [found.ranks[name] for name in found.order] == [1, 2, 3]


def test_against_a_baseline_others_have_no_rank() -> None:
    values = {"base": 0.5, "one": 0.6, "two": 0.7}
    against = [pair for pair in pairs(values, set()) if "base" in (pair.a, pair.b)]
    found = rank(scores(values), against, baseline="base")
    assert found.order == ("two", "one", "base")
    assert not found.ranks and not found.letters


def test_systems_of_other_items_are_not_ranked_with_those_that_share_some() -> None:
    values = {"odd": 0.99, "a": 0.5, "b": 0.4}
    apart = [
        PairedDifference("odd", "a", math.nan, test="none"),
        PairedDifference("odd", "b", math.nan, test="none"),
        PairedDifference("a", "b", 0.1, p_corrected=0.01, n=50),
    ]
    found = rank(scores(values), apart)
    assert found.order == ("a", "b", "odd") and found.ranks == {"a": 1, "b": 2}
    assert found.excluded == {"odd": "was scored on other items"}
    two = [PairedDifference("a", "b", math.nan, test="none")]
    assert rank(scores({"a": 0.5, "b": 0.4}), two).ranked == []
    assert rank(scores({"a": 0.5, "b": 0.4}), two, baseline="b").ranked == ["b"]


def test_against_a_baseline_of_other_items_nothing_is_worse() -> None:
    base, same = (make_rows(name, {"accuracy": np.linspace(0, 1, 20)}) for name in "bc")
    ids = [f"other {at}" for at in range(20)]
    other = make_rows("a", {"accuracy": np.linspace(0, 0.5, 20)}, ids=ids)
    among = contenders([make_run(base, same, other)])
    (found,) = compare(among, ["accuracy"], Options(baseline="b"))
    assert found.answer.startswith("Against b (accuracy")
    assert "nan" not in found.answer and "a is worse" not in found.answer
    assert found.answer.endswith("a was scored on other items and is not ranked with the others.")


def test_who_is_not_ranked_is_never_shown_as_the_winner() -> None:
    """A system that skips hard items may be ahead of all others on what it answers."""
    values = {"skips": 0.99, "good": 0.9, "bad": 0.5}
    held = scores(values, skips=40)
    shown = pairs(values, {frozenset(pair) for pair in itertools.combinations(values, 2)})
    found = Comparison("s", tuple(shown), held, rank(held, shown))
    assert sole_winner(found) == found.ranking.ranked[0] == "good"
    unclear = pairs(values, {frozenset({"skips", "good"}), frozenset({"skips", "bad"})})
    assert sole_winner(Comparison("s", tuple(unclear), held, rank(held, unclear))) is None
