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
from gistmeter.metrics.gist import PairGist, cuts_of, unmatched, verdict
from gistmeter.metrics.gist import pair_evidence as features
from gistmeter.metrics.gist.fitted_model import model_of
from gistmeter.metrics.gist.pair_evidence import shared_letters
from gistmeter.models.protocols import TextPair, Verdicts
from text.text_doubles import Given, Letters


class Direction(Given):
    """Says yes in one direction only: what is longer entails what is shorter."""

    def judge(self, pairs: Sequence[TextPair]) -> Verdicts:
        yes = np.asarray([float(len(a) >= len(b)) for a, b in pairs])
        back = np.asarray([float(len(b) >= len(a)) for a, b in pairs])
        none, same = np.zeros(len(pairs)), np.asarray([0.2 + 0.8 * (a == b) for a, b in pairs])
        return Verdicts(
            entailment=yes, neutral=1 - yes, contradiction=none, entails=back, opposes=none,
            survives=same, similarity=same, changed=none, unseen=none,
        )  # fmt: skip


def pair(candidate: str, *references: str, id: str = "1") -> Pair:
    return Pair(id, candidate or None, references, language="en")


def measure(judge: Given, *pairs: object):  # type: ignore[no-untyped-def]
    return PairGist(judge, Letters(), Given()).measure(list(pairs))


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


def test_a_label_never_says_what_gist_denies() -> None:
    cuts = {"same": 0.6, "opposite": 0.4}
    assert verdict(0.2, 0.2, 0.1, 0.7, cuts) == "contradicts"
    assert verdict(0.5, 0.2, 0.1, 0.7, cuts) == "says something else"
    assert verdict(0.7, 0.2, 0.1, 0.7, cuts) == "says the same"
    assert verdict(0.2, 0.2, 0.1, 0.3, cuts) == "says something else"
    assert verdict(0.5, 0.9, 0.1, 0.1, cuts) == "leaves out"
    assert verdict(0.3, 0.9, 0.9, 0.1, cuts) == "says something else"


def test_every_language_has_its_cuts() -> None:
    for code in ("zh", "ja", "ko", "en", "cs", "ru", "unknown"):
        cuts = cuts_of(code)
        assert 0 < cuts["opposite"] < cuts["same"] < 1
        assert 0 < cuts["s_acc"] < 1 and 0 < cuts["s_logic"] < 1


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


KINDS = ("text", "source", "speech")


@pytest.mark.parametrize("kind", KINDS)
def test_what_speaks_for_the_meaning_never_lowers_gist(kind: str) -> None:
    stored = model_of(kind).stored
    rising, falling = len(stored["rising"]), len(stored["falling"])
    columns = np.column_stack([stored["inside"], stored["direct"]])
    assert (columns[:rising] >= 0).all()
    assert (columns[rising : rising + falling] <= 0).all()
    assert (np.asarray(stored["outside"]) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_equal_texts_are_near_1_and_unrelated_ones_near_0(kind: str) -> None:
    """With all that the judge can say for the meaning, or against it."""
    stored = model_of(kind).stored
    shares = {"cosine", "precision", "recall", "bertscore"}
    alarms = {"numbers", "negation", "names"}
    most = {name: 1.0 if name in shares else 6.9 for name in stored["rising"]}
    most |= {name: 0.0 if name in alarms else -6.9 for name in stored["falling"]}
    least = {name: 0.0 if name in shares else -6.9 for name in stored["rising"]}
    least |= {name: 1.0 if name in alarms else 6.9 for name in stored["falling"]}
    length = {"length": -1.5 if kind == "source" else 0.0, "size": 6.0 if kind == "source" else 4.0}
    alike, apart = {"letters": 1.0, "near": 1.0, **length}, {"letters": 0.1, "near": 0.0, **length}
    pairs = {name: np.asarray([most[name], least[name]]) for name in most}
    pairs |= {name: np.asarray([alike[name], apart[name]]) for name in alike}
    high, low = model_of(kind).answer(pairs)
    assert high > 0.9 and low < 0.1


def test_a_candidate_is_not_punished_for_what_it_leaves_out_of_a_long_source() -> None:
    passage = "The club met on 11 June. " * 20
    sources = features.is_source(np.asarray([500.0, 500.0, 90.0]), np.asarray([60.0, 300.0, 20.0]))
    assert sources.tolist() == [True, False, False]
    rows = measure(Direction(), pair("The club met in June.", passage))
    assert json.loads(rows.texts["evidence"][0])["source"] is True


def test_a_missing_answer_is_0_where_that_is_asked() -> None:
    rows = PairGist(Direction(), Letters(), Given(), missing="zero").measure([pair("", "a")])
    assert rows.values("gist").tolist() == [0.0]
    assert rows.reasons["gist"] == {0: "no prediction, counted as 0"}


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
    assert gist[0] < 0.3 and gist[1] > 0.7
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
    assert run.answer().startswith("all reaches")
    assert "few scored only 1 of 3 and is not ranked" in run.answer()
    assert "above few" not in run.answer()  # they were scored on different items


def test_a_negated_or_miscounted_transcript_is_low() -> None:
    expected = ["He came yesterday.", "The shop sold 3 cars.", "He came yesterday."]
    got = ["He did not come yesterday.", "The shop sold 13 cars.", "he came yesterday"]
    run = gistmeter.score_speech(expected, got, language="en", metrics=["gist"], resamples=0)
    negated, miscounted, right = run.to_polars().sort("item")["gist"].to_list()
    assert negated < 0.3 and miscounted < 0.3 < 0.9 < right


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


@pytest.mark.parametrize(
    ("reference", "candidate", "alike"),
    [
        ("He left.", "He left", ("He left", "He left")),
        ("他走了", "他走了。", ("他走了", "他走了")),
        ("He left.", "She left.", ("He left.", "She left.")),
        ("He left?", "He left", ("He left?", "He left")),
        ("...", "He left", ("...", "He left")),
    ],
)
def test_a_full_stop_that_one_text_lacks_says_nothing(reference, candidate, alike):
    assert features.ended_alike(reference, candidate) == alike


def test_texts_are_near_but_for_what_the_guard_found():
    pair = ("他昨天来了", "他今天来了")
    assert features.shared_letters(*pair) < features.NEAR
    assert features.same_but(pair, guard.compare(*pair, "zh"))
    assert not features.same_but(("他昨天来了", "她今天走"), guard.compare("昨天", "今天", "zh"))
    assert not features.same_but(pair, guard.Alarms())
