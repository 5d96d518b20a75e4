"""Semantic distance."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.evaluation import evaluate
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.speech.metrics.distance import Scale, SemanticDistance, ngram_cosine
from gistmeter.speech.metrics.normalizer import Normalisation
from speech.speech_doubles import WordMatcher

LONG = " ".join(f"word{number}" for number in range(400))


def metric(matcher: WordMatcher | None = None, *, segmented: bool = False) -> SemanticDistance:
    return SemanticDistance(matcher or WordMatcher(), Normalisation(get("en")), segmented)


def distance(said: str, heard: str | None) -> float:
    one = metric()
    return float(one.pool(one.measure([Clip("1", said, heard)]))["sem_dist"])


def test_the_scale_by_hand() -> None:
    scale = Scale()
    reach = (1 - 0.744) / 0.043 + (1 - 0.488) / 0.074
    by_hand = 100 * ((1 - 0.96) / 0.043 + (1 - 0.93) / 0.074) / reach
    assert scale.distance(0.96, 0.93) == pytest.approx(by_hand)
    assert scale.distance(1, 1) == 0
    assert scale.distance(0.744, 0.488) == pytest.approx(100)
    assert scale.distance(0.1, 0.0) == 100


def test_both_parts_weigh_the_same_by_their_spread() -> None:
    scale = Scale()
    one = scale.distance(1 - scale.bert_spread, 1)
    other = scale.distance(1, 1 - scale.gram_spread)
    assert one == pytest.approx(other)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_scale_never_rises_with_likeness(bert: float, gram: float, more: float) -> None:
    scale = Scale()
    assert 0 <= scale.distance(bert, gram) <= 100
    assert scale.distance(min(1, bert + more), gram) <= scale.distance(bert, gram)
    assert scale.distance(bert, min(1, gram + more)) <= scale.distance(bert, gram)


@given(st.text("abc d", max_size=40), st.text("abc d", max_size=40))
def test_ngram_cosine_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert ngram_cosine(one, other) == pytest.approx(ngram_cosine(other, one))
    assert -1e-9 <= ngram_cosine(one, other) <= 1 + 1e-9
    if one:
        assert ngram_cosine(one, one) == pytest.approx(1)


def test_ngram_cosine_by_hand() -> None:
    # " ab " and " ac ": one bigram of three in common, none longer.
    assert ngram_cosine("ab", "ac") == pytest.approx(1 / 6)
    assert ngram_cosine("", "ab") == 0


def test_equal_texts_are_0_and_nothing_is_asked() -> None:
    matcher = WordMatcher()
    one = metric(matcher)
    rows = one.measure([Clip("1", "Hello, World!", "hello world")])
    assert rows.values("sem_dist").tolist() == [0.0]
    assert matcher.asked == []


def test_nothing_heard_is_100_and_nothing_said_is_unscored() -> None:
    assert distance("some words", "") == 100
    one = metric()
    rows = one.measure([Clip("1", "", "some words"), Clip("2", "some words", None)])
    assert rows.reasons["sem_dist"] == {0: "empty expected text", 1: "no transcript"}
    assert math.isnan(one.pool(rows)["sem_dist"])


def test_a_nearer_text_has_a_smaller_distance() -> None:
    said = "the committee approved the annual budget"
    assert (
        0
        < distance(said, "the committee approved the annual budgets")
        < distance(said, "the committee improved a manual")
        < distance(said, "nothing like it at all")
    )


def test_long_texts_are_compared_by_segments_along_the_alignment() -> None:
    heard = LONG.replace("word100 ", "")
    matcher = WordMatcher()
    rows = metric(matcher).measure([Clip("1", LONG, heard)])
    # One of ten segments differs; the others are not shown to the model.
    assert len(matcher.asked) == 1
    got, expected = matcher.asked[0]
    assert set(expected.split()) - set(got.split()) == {"word100"}
    assert 0 < rows.values("sem_dist")[0] < 100 / 10


def test_segmented_rows_give_the_same_value_and_an_interval() -> None:
    heard = " ".join(word for number, word in enumerate(LONG.split()) if number % 30)
    clip = Clip("1", LONG, heard)
    whole = evaluate([clip], {"sem_dist": metric()})["sem_dist"]
    cut = evaluate([clip], {"sem_dist": metric(segmented=True)})["sem_dist"]
    assert cut.value == pytest.approx(whole.value)
    assert math.isnan(whole.low)
    assert cut.low < cut.value < cut.high


def test_corpus_value_is_the_mean_over_words() -> None:
    one = metric()
    rows = one.measure([Clip("1", "a b c", ""), Clip("2", "d", "d")])
    assert one.pool(rows)["sem_dist"] == pytest.approx(75)


def test_a_model_that_fails_leaves_the_clip_unscored() -> None:
    one = metric(WordMatcher(failing="broken"))
    rows = one.measure([Clip("1", "a b", "broken b"), Clip("2", "a b", "a c")])
    assert rows.reasons["sem_dist"] == {0: "out of memory"}
    assert one.pool(rows)["sem_dist"] == rows.values("sem_dist")[1]


@pytest.mark.parametrize(
    ("said", "heard"),
    [("he'll go", "hell go"), ("we're here", "were here"), ("it is 3.14", "it is 314"),
     ("it is -5 degrees", "it is 5 degrees")],
)  # fmt: skip
def test_what_is_meant_is_read_and_not_what_wer_reads(said: str, heard: str) -> None:
    normalisation = Normalisation(get("en"))
    rows = SemanticDistance(WordMatcher(), normalisation).measure([Clip("1", said, heard)])
    assert rows.values("sem_dist")[0] > 0


@pytest.mark.parametrize(
    ("said", "heard"),
    [("a touch-tone phone", "a touch tone phone"), ("He’ll go!", "he'll go"),
     ("“Go,” he said.", "go he said")],
)  # fmt: skip
def test_hyphens_quotes_and_case_do_not_matter(said: str, heard: str) -> None:
    rows = SemanticDistance(WordMatcher(), Normalisation(get("en"))).measure(
        [Clip("1", said, heard)]
    )
    assert rows.values("sem_dist").tolist() == [0.0]
