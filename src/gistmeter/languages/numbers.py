"""Numbers: the values of digits, number words and numerals, for everyone who reads them.

The guard cuts texts into *parts* of numbers, each with a value and a role, and asks here what they
make together (`Spoken`, `composed`). `words_to_digits` and `han_to_digits` put digits in place of
what is surely a number, for comparing what was said with what was written.

Languages with spaces *say* numbers: hundreds, tens and units are added up to the next scale word,
and English says years in pairs. Number words become digits wherever they stand, compounds as one
number: twenty-one, dvacet jedna, двадцать один to 21, nineteen thirty-two to 1932. Numbers that
make no compound stay apart: one two three to 1 2 3. Ordinals and fractions stay words
(twenty-first), and so do numbers that a hyphen joins to another word.

Chinese and Japanese numerals are characters that multiply and add. They become digits only where
they are surely a number: a well-formed one of two characters or more (二十四, 三百零五, 二〇二四)
that is followed by a counter (年, 人, 倍 …) or by something that is no Chinese character. 一心一意,
千万, 五十步笑百步 stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from gistmeter.languages import lexicons

LIMIT = 40  # characters of a number; more is a code, not a count
DOTTED = re.compile(r"\d{1,3}(?:\.\d{3})+")
GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
SPACED = re.compile(r"(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3})+(?![\d,.])(?! \d)")

HAN_COUNTERS = (
    "年月日号號个個人岁歲元块塊角分秒天次倍米里斤克吨噸位名只隻条條张張本部件间間座层層段句页頁章回卷"
    "节節届屆週周小时時点點度种種多余餘公厘毫英平立方枚匹头頭家户戶口円歳才回目冊台杯階番週世代割"
)
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
SIGN = "[〇零一二三四五六七八九十百千万萬亿億两兩]"
NUMERAL = re.compile(f"(?<!{SIGN}){SIGN}{{2,24}}(?!{SIGN})(?=[{HAN_COUNTERS}]|[^{HAN}]|$)")
ONE = "[一二两兩三四五六七八九]"
BELOW_TEN_THOUSAND = f"(?:{ONE}千)?(?:零?{ONE}百)?(?:零?{ONE}?十)?零?{ONE}?"
WELL_FORMED = re.compile(
    f"(?=.)(?:{BELOW_TEN_THOUSAND}[亿億])?(?:零?{BELOW_TEN_THOUSAND}[万萬])?零?{BELOW_TEN_THOUSAND}"
)
POSITIONAL = re.compile("[〇零一二三四五六七八九]{3,}|[一二三四五六七八九][〇]")
UNCOUNTED = re.compile("(?:^|(?<=[亿億]))零*[亿億万萬]")  # 一亿万: nothing is counted by 万


class NumberPart(NamedTuple):
    """A piece of a number: its value and its role."""

    value: Fraction
    role: str  # "digits", "word", "ordinal", "share", "times", "sign", "tens", "large", "weak"
    start: int = 0
    end: int = 0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A number while it is being said: what is complete, and what is counted now."""

    done: Fraction = Fraction(0)  # up to the last scale word: thousand, million
    scale: Fraction = Fraction(0)
    now: Fraction | None = None

    @property
    def value(self) -> Fraction:
        return self.done + (self.now or 0)

    @property
    def takes_and(self) -> bool:
        """Whether "and" can stand here: after a hundred or a scale word."""
        return self.done > 0 if self.now is None else self.now > 0 and self.now % 100 == 0

    def takes(self, part: NumberPart, last: NumberPart, between: str = "") -> bool:
        """Whether a part goes on with this number, which ends with `last`."""
        value, role, now = part.value, part.role, self.now
        if role == "large":
            return last.role == "share" or (bool(now) and (not self.scale or value < self.scale))
        if role in ("times", "share"):
            if now is None:
                return False
            return now <= 20 if role == "times" else value == Fraction(1, 2) or not between
        if role == "digits" or last.role in ("digits", "share"):
            return last.role == "large" and value < 1000
        if now is None:
            return True
        if between and not self.takes_and:
            return False
        if value == 100 and role == "word":
            return 0 < now < 100
        if 0 < value < 10:
            return now > 0 and now % 10 == 0 and now % 100 != 10
        if 10 <= value < 100:
            return (now > 0 and now % 100 == 0) or (11 <= now <= 20 and not self.done)
        return False

    def joined(self, part: NumberPart, between: str = "") -> Spoken:
        """This number with one more part."""
        value, role, now = part.value, part.role, self.now
        if role == "large":
            return Spoken(self.done + (1 if now is None else now) * value, value)
        if role == "times":
            return replace(self, done=Fraction(0), now=(now or 1) * value)
        if role == "share":
            multiplied = now is not None and not between
            return replace(self, now=(now or 0) * value if multiplied else (now or 0) + value)
        if now is None:
            return replace(self, now=value)
        if value == 100 and role == "word" and 0 < now < 100:
            return replace(self, now=now * 100)
        if 11 <= now <= 20 and 10 <= value < 100 and not self.done:  # nineteen thirty
            return replace(self, now=now * 100 + value)
        return replace(self, now=now + value)


def composed(parts: Sequence[NumberPart]) -> Fraction:
    """The value of numerals: 三百零五, 2억5천만, 一九八七."""
    if len(parts) > 1 and all(part.role == "sign" for part in parts):
        return Fraction("".join(str(part.value) for part in parts))
    nothing = Fraction(0)
    total, section, digit = nothing, nothing, nothing
    seen = False  # whether a digit waits for what it multiplies
    for part in parts:
        if part.role == "tens":
            section, digit = section + (digit if seen else 1) * part.value, nothing
        elif part.role == "large":
            total += (section + digit or 1) * part.value
            section, digit = nothing, nothing
        elif part.role in ("times", "share"):
            section, digit = (section + digit if seen or section else 1) * part.value, nothing
        else:
            digit = digit + part.value if seen and part.role == "word" else part.value
            seen = part.value != 0
            continue
        seen = False
    return total + section + digit


def literal(text: str, decimal_comma: bool) -> Fraction:
    """The value of digits with their marks."""
    text = text.replace(" ", "")
    if decimal_comma:
        if DOTTED.fullmatch(text):
            text = text.replace(".", "")
        head, _, tail = text.replace(",", ".").rpartition(".")
        text = f"{head.replace('.', '')}.{tail}" if head else tail
    else:
        text = text.replace(",", "")
    return Fraction(text[:LIMIT].rstrip("."))


def word_part(value: str | int) -> NumberPart:
    """A number word of a value; from a thousand on it is a scale."""
    size = Fraction(value)
    return NumberPart(size, "large" if size >= 1000 else "word")


def numerals(
    digits: Mapping[str, int], tens: Mapping[str, int], large: Mapping[str, int]
) -> dict[str, NumberPart]:
    """Characters that are numerals, by their roles."""
    roles = {"sign": digits, "tens": tens, "large": large}
    return {
        sign: NumberPart(Fraction(value), role)
        for role, signs in roles.items()
        for sign, value in signs.items()
    }


@cache
def han_numerals() -> Mapping[str, NumberPart]:
    """The numerals of Chinese and Japanese."""
    return numerals(
        {sign: value for value, sign in enumerate("零一二三四五六七八九")}
        | {"〇": 0, "两": 2, "兩": 2},
        {"十": 10, "百": 100, "千": 1000},
        {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8},
    )


def han_to_digits(text: str) -> str:
    """Chinese and Japanese numerals to digits where that is safe."""
    return NUMERAL.sub(lambda numeral: han_value(numeral[0]) or numeral[0], text)


def han_value(numeral: str) -> str | None:
    """The digits of a numeral, or None where it is not well formed.

    >>> han_value("三百零五"), han_value("二〇二四"), han_value("千万")
    ('305', '2024', None)
    """
    known = han_numerals()
    if POSITIONAL.fullmatch(numeral):
        return "".join(str(known[sign].value) for sign in numeral)
    if not WELL_FORMED.fullmatch(numeral):
        return None
    parts = [known[sign] for sign in numeral]
    if parts[0].role == "large" or all(part.role == "sign" for part in parts):
        return None
    return str(composed([known[sign] for sign in UNCOUNTED.sub("", numeral)]))


def words_to_digits(text: str, lists: str, conjunction: str = "") -> str:
    """The text with number words as digits; languages without a list get it back unchanged.

    Where numbers have a `conjunction` (two hundred and five), hyphens join them too.
    """
    values = lexicons.pairs(lists, "numbers")
    if not values:
        return text
    run, word = _said(lists, conjunction)

    def digits(match: re.Match[str]) -> str:
        if match.lastgroup:
            return match[0]
        words = word.findall(match[0])
        return " ".join(combine([values.get(word.lower(), word) for word in words]))

    return run.sub(digits, text)


@cache
def _said(lists: str, conjunction: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a run of number words, and of one of them."""
    known = sorted(lexicons.pairs(lists, "numbers"), key=len, reverse=True)
    word = f"(?<!\\w)(?:{'|'.join(map(re.escape, known))})(?!\\w)"
    link = f"(?:{conjunction}[ \u00a0]++)?" if conjunction else ""
    chain = f"{word}(?:-{link}{word})*+" if conjunction else word
    # What a hyphen follows is part of a longer word. It is matched too, as a whole: otherwise each
    # of its words would be followed to its end again.
    return (
        re.compile(f"(?P<part>{chain}-)|{chain}(?:[ \u00a0]++{link}{chain}(?!-))*+", re.IGNORECASE),
        re.compile(f"{word}|{conjunction}" if conjunction else word, re.IGNORECASE),
    )


def combine(values: Sequence[str]) -> list[str]:
    """Values of words in a row to the numbers they make; a conjunction joins only after a hundred.

    >>> combine(["20", "1"]), combine(["2", "1000", "300", "5"]), combine(["19", "30", "2"])
    (['21'], ['2305'], ['1932'])
    >>> combine(["1", "2"]), combine(["2", "100", "and", "5"]), combine(["1", "and", "2"])
    (['1', '2'], ['205'], ['1', 'and', '2'])
    """
    made: list[str] = []
    number, last = Spoken(), None
    for value in values:
        if not value.isdigit():
            if not number.takes_and:
                made += [value] if last is None else [str(number.value), value]
                number, last = Spoken(), None
            continue
        part = word_part(value)
        # A scale word may follow a larger one: a million thousand
        scales = part.role == "large" and number.now is None and part.value < number.scale
        if last is not None and not (scales or number.takes(part, last)):
            made.append(str(number.value))
            number = Spoken()
        number, last = number.joined(part), part
    return made if last is None else [*made, str(number.value)]


def join_grouped(text: str) -> str:
    """1,000,000 to 1000000, where a comma groups thousands."""
    return GROUPED.sub(lambda match: match[0].replace(",", ""), text)


def join_spaced(text: str) -> str:
    """1 000 000 to 1000000, where a space groups thousands."""
    return SPACED.sub(lambda match: match[0].replace(" ", ""), text)
