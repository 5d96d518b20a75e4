"""Words and content words, pack by pack."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.languages import generic
from gistmeter.languages.analysers import ASCII_WORD, WORD
from gistmeter.languages.language import unify
from gistmeter.languages.polarity.spaced import ASCII_PIECE, PIECE
from languages.pack_examples import CODES

# As the generic pack reads them; packs have examples of their own.
WORDS = {
    "fr": ("L'été, c'est bien.", ["L'été", "c'est", "bien"]),
    "hi": ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    "lo": ("ນ້ຳໃຈ", ["ນ້ຳ", "ໃຈ"]),
    "bo": ("བོད་ཡིག", ["བོད", "ཡིག"]),
    "yue": ("佢哋好", ["佢", "哋", "好"]),
}


@pytest.mark.parametrize("code", WORDS)
def test_words_stand_as_they_are_written(code: str) -> None:
    text, words = WORDS[code]
    assert generic.pack(code).words(text) == words


def test_content_words_of_a_language_without_lists_are_its_words() -> None:
    assert generic.pack("de").content_words("Die Häuser") == ["die", "häuser"]


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("zh", "三百二十人ＡＢＣ", "320人abc"),
        ("zh", "有二十四個人", "有24个人"),
        ("ja", "気持ちがいい", "気持がいい"),
        ("ja", "ｶﾀｶﾅ", "カタカナ"),
        ("ko", "안 가다", "가지 않다"),
        ("ru", "всё еще зеленый", "все ещё зелёный"),
        ("en", "1,000 BRAVE men", "1000 brave men"),
        ("cs", "1 000 hradů", "1000 hrady"),
    ],
)
def test_the_same_in_another_spelling_has_the_same_content(code: str, one: str, other: str) -> None:
    language = languages.get(code)
    assert sorted(language.content_words(one)) == sorted(language.content_words(other)) != []


SIMPLIFIED_AND_TRADITIONAL = [
    ("汉语词汇非常丰富", "漢語詞彙非常豐富"),
    ("看着前面说话着", "看著前面說話著"),
    ("他的头发很干燥", "他的頭髮很乾燥"),
    ("皇后后来发现了", "皇后後來發現了"),
    ("里面的情况很复杂", "裡面的情況很複雜"),
    ("形容人品德高尚", "形容人品德高尚"),
    ("比喻事物发展变化迅速", "比喻事物發展變化迅速"),
    ("不断恢复显著的成绩", "不斷恢復顯著的成績"),
]


@pytest.mark.parametrize(("simplified", "traditional"), SIMPLIFIED_AND_TRADITIONAL)
def test_both_chinese_scripts_have_the_same_content(simplified: str, traditional: str) -> None:
    zh, hant = languages.get("zh"), languages.get("zh-Hant")
    expected = zh.content_words(simplified)
    assert expected
    assert hant.content_words(traditional) == expected
    assert hant.content_words(simplified) == expected
    assert zh.content_words(traditional) == expected


@given(st.lists(st.sampled_from([pair[0] for pair in SIMPLIFIED_AND_TRADITIONAL]), max_size=4))
def test_conversion_to_traditional_does_not_change_content(clauses: list[str]) -> None:
    from gistmeter.languages.zh.words import converter

    text = "，".join(clauses)
    traditional = converter("s2tw").convert(text)
    content = languages.get("zh").content_words(text)
    assert languages.get("zh-Hant").content_words(traditional) == content


def test_thai_has_words_of_a_dictionary_or_clusters() -> None:
    thai = languages.get("th")
    words = thai.words("น้ำใจ 3.5")
    assert words == (["น้ำ", "ใจ", "3.5"] if "unicode" in thai.id else ["น้ำใจ", "3.5"])


def test_plain_jieba_keeps_punctuation_and_script() -> None:
    plain = languages.get("zh-Hant", tokenizer="jieba")
    assert plain.words("成功，失败！") == ["成功", "，", "失败", "！"]
    assert "，" in plain.content_words("成功，失败")
    assert "失敗" in "".join(plain.content_words("失敗"))


ANYTHING = st.text(max_size=60) | st.text(st.characters(), max_size=20)
HOSTILE = st.text(st.sampled_from("\ud800\udfff\0\x1c\u200b\ufeff不好ない않good ne"), max_size=20)


@pytest.mark.parametrize("code", CODES)
@given(text=ANYTHING | HOSTILE)
def test_any_text_has_words_that_occur_in_it(code: str, text: str) -> None:
    language = languages.get(code)
    bare = "".join(text.split())
    bare = re.sub("[\ud800-\udfff]", "\ufffd", bare)
    for word in language.words(text):
        assert word.strip()
        assert re.sub("[\ud800-\udfff]", "\ufffd", "".join(word.split())) in bare
    assert all(language.content_words(text))


@pytest.mark.parametrize("code", CODES)
@given(text=ANYTHING | HOSTILE)
def test_places_of_tokens_are_places_in_the_text(code: str, text: str) -> None:
    end = 0
    for token in languages.get(code).analyser.tokens(text):
        assert 0 <= token.start <= token.end <= len(text)
        if code != "ko":  # Korean endings share a syllable with their stem
            assert token.start >= end
            end = token.end


@pytest.mark.parametrize("code", CODES)
@given(text=ANYTHING | HOSTILE)
def test_polar_words_are_where_they_are_said_to_be(code: str, text: str) -> None:
    found = languages.get(code).polarity(text)
    for word in found.words:
        assert text[word.start : word.end] == word.text != ""
    assert [word.start for word in found.words] == sorted(word.start for word in found.words)


@pytest.mark.parametrize("code", CODES)
@given(text=HOSTILE)
def test_broken_text_is_read_all_the_same(code: str, text: str) -> None:
    language = languages.get(code)
    assert isinstance(language.normalise(text), str)
    assert isinstance(language.sentences(text), list)
    assert 0 <= languages.detect([text]).confidence <= 1


@pytest.mark.parametrize("code", ["zh", "zh-Hant", "ja", "ko"])
def test_a_run_without_an_end_is_broken_and_places_stay_right(code: str) -> None:
    text = "好 " + "A" * 4000 + " 나라"
    tokens = languages.get(code).analyser.tokens(text)
    assert max(token.end - token.start for token in tokens) <= 500
    assert all(text[token.start : token.end] == token.surface for token in tokens)
    assert tokens[-1].end == len(text)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_ascii_text_has_the_same_words_by_either_pattern(text: str) -> None:
    spans = [word.span() for word in WORD.finditer(text)]
    assert [word.span() for word in ASCII_WORD.finditer(text)] == spans
    pieces = [(piece.lastgroup, piece.span()) for piece in PIECE.finditer(text)]
    assert [(piece.lastgroup, piece.span()) for piece in ASCII_PIECE.finditer(text)] == pieces
    assert unify(text) == unify(f"{text}　")  # not ASCII: a wide space at the end, collapsed
