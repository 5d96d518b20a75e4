"""Lexical cosine and F-beta, by hand and by law."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.core.cache import Cache
from gistmeter.languages.language import RememberingLanguage
from gistmeter.text.metrics.comparisons import normal_words
from gistmeter.text.metrics.lexical import (
    compare_counts,
    content_counts,
    count_cosine,
    negations_of,
    set_f_beta,
)
from text.text_doubles import Spaces

WORDS = st.lists(st.sampled_from("abcdef"), max_size=8)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [("ab", "ab", 1.0), ("aab", "abb", 0.8), ("ab", "cd", 0.0), ("abc", "ab", 2 / math.sqrt(6))],
)
def test_cosine_of_counts(candidate: str, reference: str, expected: float) -> None:
    assert count_cosine(Counter(candidate), Counter(reference)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("candidate", "reference", "beta", "expected"),
    [
        ("ab", "ab", 2.0, 1.0),
        ("a", "ab", 2.0, 5 / 9),  # precision 1, recall 1/2
        ("ab", "a", 2.0, 5 / 6),  # precision 1/2, recall 1
        ("ab", "a", 1.0, 2 / 3),
        ("aaab", "ab", 2.0, 1.0),  # sets, not counts
        ("ab", "cd", 2.0, 0.0),
    ],
)
def test_f_beta_of_sets(candidate: str, reference: str, beta: float, expected: float) -> None:
    assert set_f_beta(candidate, reference, beta) == pytest.approx(expected)


@given(WORDS, WORDS, st.floats(0.1, 10))
def test_laws(first: list[str], second: list[str], beta: float) -> None:
    cosine = count_cosine(Counter(first), Counter(second))
    overlap = set_f_beta(first, second, beta)
    if not first or not second:
        assert math.isnan(cosine) and math.isnan(overlap)
        return
    assert cosine == pytest.approx(count_cosine(Counter(second), Counter(first)))
    assert 0 <= cosine <= 1 and 0 <= overlap <= 1
    assert (cosine == 0) == (overlap == 0) == (not set(first) & set(second))
    assert set_f_beta(first, first, beta) == pytest.approx(1.0)


def test_sharing_a_negation_alone_is_sharing_nothing() -> None:
    chinese = languages.get("zh")
    assert "不" in negations_of(chinese)
    first, second = Counter(["不", "努力"]), Counter(["不", "坚持"])
    assert compare_counts(first, second, 2.0, negations_of(chinese)) == (0.0, 0.0)
    both = Counter(["不", "努力", "工作"])
    assert compare_counts(first, both, 2.0, negations_of(chinese))[0] == count_cosine(first, both)
    assert compare_counts(first, second, 2.0)[0] == 0.5  # without a list it is a word
    only = Counter(["不"])
    assert compare_counts(only, only, 2.0, negations_of(chinese)) == (1.0, 1.0)
    assert not negations_of(languages.get("zh", "jieba"))


def test_simplified_references_score_traditional_predictions_fairly() -> None:
    pack = languages.get("zh-Hant")
    assert content_counts(pack, "学习努力") == content_counts(pack, "學習努力")


def test_a_text_of_stop_words_is_compared_by_all_its_words() -> None:
    english = languages.get("en")
    assert english.content_words("to be or not to be") != english.words("to be or not to be")
    assert content_counts(english, "of the") == Counter(english.words("of the"))


def test_a_remembered_language_answers_as_the_language_does(tmp_path: Path) -> None:
    texts = ["不是不喜欢学习", "害怕困难，没有勇气", "", "ＡＢＣ 123", "饭菜很好，但是房间糟糕"]
    pack = languages.get("zh")
    for _ in range(2):  # made, then read back
        remembered = RememberingLanguage(pack, Cache(tmp_path / "answers.sqlite"))
        remembered.prepare(texts[:3])
        for text in texts:
            assert remembered.content_words(text) == pack.content_words(text)
            assert normal_words(remembered, text) == normal_words(pack, text)
            assert remembered.polarity(text) == pack.polarity(text)
    assert remembered.id == pack.id and negations_of(remembered) == negations_of(pack)


def test_what_is_remembered_is_not_made_again(tmp_path: Path) -> None:
    class Once(Spaces):
        def content_words(self, text: str) -> list[str]:
            asked.append(text)
            return super().content_words(text)

    asked: list[str] = []
    cache = Cache(tmp_path / "answers.sqlite")
    for _ in range(3):
        reader = RememberingLanguage(Once(), cache)  # type: ignore[arg-type]
        assert reader.content_words("ab the cd") == ["ab", "cd"]
    assert asked == ["ab the cd"]
