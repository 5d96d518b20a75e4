"""`gist` on doubles: what it weighs, what it explains, what it leaves unscored."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gistmeter
from gistmeter.core.run import Run
from gistmeter.core.types import Pair
from gistmeter.languages import guard
from gistmeter.languages.guard import Guard
from gistmeter.metrics.gist import (
    FEATURES,
    Gist,
    probability,
    unmatched,
    verdict,
    weights_of,
)
from gistmeter.metrics.gist import pair_evidence as features
from gistmeter.metrics.gist.pair_evidence import shared_letters
from gistmeter.models.protocols import TextPair, Verdicts
from text.text_doubles import Given, Letters


class Direction(Given):
    """Says yes in one direction only: what is longer entails what is shorter."""

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        yes = np.asarray([float(len(a) >= len(b)) for a, b in pairs])
        none = np.zeros(len(pairs))
        return Verdicts(yes, 1 - yes, none, np.full(len(pairs), 0.5), none, none)


def pair(candidate: str, *references: str, id: str = "1") -> Pair:
    return Pair(id, candidate or None, references, language="en")


def measure(judge: Given, *pairs: object):  # type: ignore[no-untyped-def]
    return Gist(judge, Letters(), Given()).measure(list(pairs))


def test_the_direction_that_fails_is_said() -> None:
    rows = measure(
        Direction(),
        pair("he came", "he came home late"),
        pair("he came home late", "he came", id="2"),
        pair("he came", "he came", id="3"),
    )
    told = [json.loads(text)["verdict"] for text in rows.texts["evidence"]]
    assert told == ["leaves out", "says more", "says the same"]


def test_words_without_a_match_are_named() -> None:
    pair = ("The nurse found the keys", "The nurse lost a coat")
    (found,) = unmatched([pair], Guard("en"))
    assert found == {"unmatched": ["find", "key"], "added": ["lose", "coat"]}


def test_contradiction_wins_over_both_directions() -> None:
    assert verdict(0.2, 0.1, 0.7) == "contradicts"
    assert verdict(0.2, 0.1, 0.3) == "says something else"


def test_alarms_lower_the_number_and_are_told() -> None:
    rows = measure(
        Direction(),
        pair("he bought 3 apples", "he bought 3 apples"),
        pair("he bought 13 apples", "he bought 3 apples", id="2"),
    )
    told = json.loads(rows.texts["evidence"][1])["alarms"]
    assert [(one["reference"], one["candidate"]) for one in told] == [("3", "13")]
    first, second = rows.values("gist")
    assert first > second


def test_missing_texts_and_failures_are_unscored_with_a_reason() -> None:
    rows = measure(
        Given(failing=frozenset({"broken"})),
        pair("", "a"),
        pair("a", id="2"),
        pair("broken", "a", id="3"),
    )
    assert np.isnan(rows.values("gist")).all()
    assert list(rows.reasons["gist"].values())[:2] == ["no prediction", "no reference"]
    assert rows.reasons["gist"][2]


def test_the_best_reference_counts() -> None:
    alone = measure(Direction(), pair("he came", "he came"))
    both = measure(Direction(), pair("he came", "x y z", "he came"))
    assert both.values("gist")[0] == pytest.approx(alone.values("gist")[0])


AGAINST = {
    "contradiction", "contradiction_near", "changed", "changed_near", "numbers", "numbers_near",
    "negation", "names",
}  # fmt: skip


@pytest.mark.parametrize("shape", ["text", "speech"])
def test_every_weight_has_its_sign_and_every_feature_is_known(shape: str) -> None:
    weights = weights_of(shape)
    assert set(weights) - {"intercept"} <= set(FEATURES)
    for name, weight in weights.items():
        if name != "intercept":
            assert weight <= 0 if name in AGAINST else weight >= 0, name


@pytest.mark.parametrize("shape", ["text", "speech"])
def test_equal_texts_are_near_1_and_unrelated_ones_near_0(shape: str) -> None:
    best = [0.0 if name in AGAINST else 6.9 if name == "similarity" else 1.0 for name in FEATURES]
    worst = [float(name in AGAINST) if name != "similarity" else -6.9 for name in FEATURES]
    high, low = probability(np.asarray([best, worst]), weights_of(shape))
    assert high > 0.9 and low < 0.1


@given(st.text(), st.text())
def test_letters_are_shared_alike_from_both_sides(first: str, second: str) -> None:
    found = shared_letters(first, second)
    assert 0 <= found <= 1 and math.isclose(found, shared_letters(second, first))
    assert shared_letters(first, first) == 1


@pytest.fixture(scope="module")
def judged() -> Run:
    """The embedded models and the judge, on reversals and rewordings."""
    said = {
        "zh": [("他昨天来了", "他昨天没来"), ("他昨天来了", "昨天他来了")],
        "en": [("He bought 3 apples.", "He bought 13 apples."), ("He left.", "He left.")],
    }
    rows = [(code, *pair) for code, pairs in said.items() for pair in pairs]
    return gistmeter.score_text(
        [row[2] for row in rows], [row[1] for row in rows], language=[row[0] for row in rows]
    )


def test_a_reversal_is_low_in_gist_and_in_complete_s_acc(judged: Run) -> None:
    table = judged.to_polars().sort("item")
    gist, accuracy = table["gist"].to_list(), table["s_acc"].to_list()
    assert gist[0] < 0.2 and gist[1] > 0.7
    assert gist[2] < 0.5 < gist[3]
    assert accuracy[0] < accuracy[1] - 0.2 and accuracy[2] < accuracy[3] - 0.2
    assert json.loads(table["evidence"][0])["verdict"] == "contradicts"


def test_everything_is_complete_offline(judged: Run) -> None:
    scores = judged.systems["system"].scores
    assert not scores["s_acc"].partial and "s_logic" in scores
    assert "gistmeter-judge-small" in judged.signature
    assert judged.headline[0] == "gist"


def test_equal_texts_are_equal(judged: Run) -> None:
    table = judged.to_polars().sort("item")
    assert table["s_acc"][3] == pytest.approx(1.0, abs=1e-6)
    assert table["s_logic"][3] == 1.0


def test_who_answers_the_easy_items_only_does_not_lead() -> None:
    said = {"all": ["a b", "c d", "e x"], "few": ["a b", None, None]}
    run = gistmeter.score_text(said, ["a b", "c d", "e f"], language="en", metrics=["s_info"])
    assert run.systems["few"]["s_info"].value >= run.systems["all"]["s_info"].value
    assert run.answer().startswith("all is ahead")
    assert "few scored only 1 of 3 and is not ranked" in run.answer()
    assert "above few" not in run.answer()  # they were scored on different items


def test_a_negated_or_miscounted_transcript_is_low() -> None:
    expected = ["He came yesterday.", "The shop sold 3 cars.", "He came yesterday."]
    got = ["He did not come yesterday.", "The shop sold 13 cars.", "he came yesterday"]
    run = gistmeter.score_speech(expected, got, language="en", metrics=["gist"], resamples=0)
    negated, miscounted, right = run.to_polars().sort("item")["gist"].to_list()
    assert negated < 0.2 and miscounted < 0.2 < 0.9 < right


@pytest.mark.parametrize(
    ("reference", "candidate", "code", "moved"),
    [
        ("Včera přišel.", "Přišel včera.", "cs", True),
        ("Он вчера пришёл домой.", "Вчера он пришёл домой.", "ru", True),
        ("그는 어제 책을 샀다.", "어제 그는 책을 샀다.", "ko", True),
        ("Auto předjelo kolo.", "Kolo předjelo auto.", "cs", False),  # two words changed places
        ("Зарплата 5, налог 3.", "Зарплата 3, налог 5.", "ru", False),
        ("Jen Petr přišel.", "Petr jen přišel.", "cs", False),  # a quantity moved
        ("Vyhráli 5:3.", "Vyhráli 3:5.", "cs", False),
        ("Не все пришли.", "Все не пришли.", "ru", False),
        ("The dog bites.", "Bites the dog.", "en", False),  # order tells who does what
        ("Včera přišel.", "Včera přišel.", "cs", False),
        ("Včera přišel.", "Včera přišla.", "cs", False),
    ],
)
def test_a_phrase_that_only_moved_changes_nothing_where_order_is_free(
    reference, candidate, code, moved
):
    assert features.is_moved(reference, candidate, code) is moved


def test_texts_are_near_but_for_what_the_guard_found():
    pair = ("他昨天来了", "他今天来了")
    assert features.shared_letters(*pair) < features.NEAR
    assert features.same_but(pair, guard.compare(*pair, "zh"))
    assert not features.same_but(("他昨天来了", "她今天走"), guard.compare("昨天", "今天", "zh"))
    assert not features.same_but(pair, guard.Alarms())
