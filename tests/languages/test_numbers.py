"""Numbers: numerals and number words to digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.languages import generic
from gistmeter.languages.numbers import han_to_digits, han_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("二十四个人", "24个人"),
        ("三百零五年", "305年"),
        ("二〇二四年", "2024年"),
        ("一万两千三百元", "12300元"),
        ("一亿三千万人", "130000000人"),
        ("第十二章", "第12章"),
        ("一百", "100"),
        ("千万不要", "千万不要"),
        ("一心一意", "一心一意"),
        ("五十步笑百步", "五十步笑百步"),
        ("十分好", "十分好"),
        ("三三两两", "三三两两"),
        ("万一", "万一"),
        ("五六个", "五六个"),
    ],
)
def test_numerals_become_digits_where_that_is_safe(text: str, expected: str) -> None:
    assert han_to_digits(text) == expected


@given(st.integers(11, 99_999_999))
def test_every_number_written_in_chinese_is_read(number: int) -> None:
    assert han_value(written(number)) == str(number)


def written(number: int) -> str:
    """A number below 10^8 as Chinese writes it."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        return f"{below(high)}万" + ("零" if 0 < low < 1000 else "") + (below(low) if low else "")
    return below(number)


def below(number: int) -> str:
    out, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            out += ("零" if zero and out else "") + "零一二三四五六七八九"[digit] + name
        zero = not digit
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nineteen thirty-two", "1932"),
        ("two hundred and five", "205"),
        ("one and two", "1 and 2"),
        ("a million thousand", "a 1001000"),
        ("one thousand and one thousand", "1001 1000"),
        ("twenty-one-year-old", "twenty-one-year-old"),
    ],
)
def test_number_words_are_combined_as_they_are_said(text: str, expected: str) -> None:
    assert languages.get("en").number_words(text) == expected


@pytest.mark.parametrize(
    ("numeral", "digits"),
    [("零亿八", "8"), ("一亿万", "100000000"), ("〇〇七", "007"), ("亿万", None)],
)
def test_numerals_in_which_nothing_is_counted(numeral: str, digits: str | None) -> None:
    assert han_value(numeral) == digits


def test_number_words_of_a_language_without_a_list_stay() -> None:
    assert generic.pack("fr").number_words("vingt et un") == "vingt et un"


@pytest.mark.parametrize("code", ["en", "cs", "ru"])
@given(text=st.text(max_size=60))
def test_texts_without_number_words_stay(code: str, text: str) -> None:
    language = languages.get(code)
    once = language.number_words(text)
    assert language.number_words(once) == once
