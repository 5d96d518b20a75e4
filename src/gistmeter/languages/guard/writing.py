"""Numbers, dates, times and amounts of money in one way of writing, for comparing transcripts.

    >>> from gistmeter.languages import get
    >>> write_facts("It rose by three point five percent on May third, 2024.", get("en"))
    'It rose by 3.5 % on 3 may 2024.'

Numbers become digits with a point for decimals and a minus for a sign, ordinals end in "th", units
follow as their first listed sign (5 mg, 3.5 %, 20 $), dates are day, month, year where spaces part
words, and the clock is h:mm. What has no plain value in digits (a third, both) stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.amounts import (
    CURRENCIES,
    SHARE,
    Amount,
    NumberReading,
    amounts,
    read_numbers,
)
from gistmeter.languages.guard.fact import Fact, plain_text
from gistmeter.languages.guard.times import Time, months, read_times
from gistmeter.languages.lexicons import Mask

DATED = ("day", "month", "year")
GAP = 8  # characters that may stand between the parts of one date
BEFORE, WINDOW = re.compile(r"\bthe\s+$"), 12  # letters before a date that are looked at
PLACES = 12  # decimals that are written
YEARS = range(1900, 2100)
# Groups of digits that are one number: 555-1234, 06 12 34 56 78
GROUPS = re.compile(r"(?<![\w.,:-])\d{1,4}(?: ?[ -] ?\d{2,4}){1,5}(?![\w:-]|[.,]\d)")
LINK = re.compile(r" \w{1,4} ")  # and, und, et, con
SCALES = (10**3, 10**6, 10**9, 10**12)
LEAST_DIGITS = 7  # of groups that are a telephone's number, or such a one


def write_facts(text: str, language: Language) -> str:
    """The text with its numbers, dates and times written in one way."""
    pieces, place = [], 0
    for start, end, written in sorted(_replacements(text, language)):
        if start >= place:
            pieces += [text[place:start], f" {written} "]
            place = end
    joined = GROUPS.sub(_glued, re.sub(r" {2,}", " ", "".join([*pieces, text[place:]])))
    return re.sub(r" +(?=[.,;:!?)]|$)", "", joined).strip()


def _glued(groups: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", groups[0])
    years = any(int(part) in YEARS for part in re.findall(r"\d+", groups[0]))
    return groups[0] if years or len(digits) < LEAST_DIGITS else digits


def _replacements(text: str, language: Language) -> Iterator[tuple[int, int, str]]:
    plain = plain_text(text, language)
    taken = Mask(len(text))
    times = read_times(plain, language, taken)
    dated = [fact for fact in times if fact.group in DATED]
    if not language.analysed:
        yield from _dates(dated, plain, language)
    else:  # 三月 is 3月: the marks stay
        signs = language.facts.numerals
        yield from (
            (*fact.span, str(fact.value))
            for fact in dated
            if all(sign in signs for sign in plain[fact.start : fact.end])
        )
    for fact in times:
        if isinstance(fact.value, Time):
            half = f" {fact.value.half}" if fact.value.half else ""
            yield *fact.span, f"{fact.value.hour or 12}:{fact.value.minute:02}{half}"
    found = [
        (fact, _written(reading, fact, plain, language))
        for reading, fact in amounts(plain, language, read_numbers(plain, language, taken))
    ]
    at = 0
    while at < len(found):
        fact, written = found[at]
        after = found[at + 1] if at + 1 < len(found) else None
        coins = _with_coins(fact, written, *after, plain) if after else ""
        at += 2 if coins else 1
        if coins:
            yield fact.start, found[at - 1][0].end, coins
        elif written:
            yield *fact.span, written


def _with_coins(whole: Fact, money: str, fact: Fact, written: str, plain: str) -> str:
    """Money with what is said after it: two euros fifty, 8 dollars million; else nothing."""
    value, coins, between = whole.value, fact.value, plain[whole.end : fact.start]
    assert isinstance(value, Amount) and isinstance(coins, Amount)
    number, _, sign = money.rpartition(" ")
    bare = between.isspace() and not coins.dimension
    if bare and coins.value in SCALES and plain[fact.start : fact.end].isalpha() and number:
        return f"{_decimal(value.value * coins.value)} {sign}" if sign in CURRENCIES else ""
    linked = between.isspace() or bool(LINK.fullmatch(between))
    if not (sign and sign in CURRENCIES and number.isdecimal() and linked):
        return ""
    if coins.value not in range(1, 100) or value.worth != value.value:
        return ""
    same = coins.dimension == value.dimension and 100 * coins.worth == coins.value
    named = plain[whole.end - 1].isalpha()  # not $5 20
    two_digits = named and bare and written.isdecimal() and coins.value >= 10
    return f"{_decimal(value.value + coins.value / 100)} {sign}" if same or two_digits else ""


def _dates(facts: Sequence[Fact], plain: str, language: Language) -> Iterator[tuple[int, int, str]]:
    """Days, months and years that stand together."""
    run: list[Fact] = []
    for fact in [*sorted(facts, key=lambda one: one.start), None]:
        near = fact is not None and run and fact.start - run[-1].end <= GAP
        if near and fact is not None and fact.group not in {one.group for one in run}:
            run.append(fact)
            continue
        groups = {one.group: one for one in run}
        if "month" in groups and len(groups) > 1:
            start, end = run[0].start, run[-1].end
            if (suffix := re.compile(language.facts.day_end).match(plain, end)) and run[
                -1
            ].group == "day":
                end = suffix.end()
            if article := BEFORE.search(plain, max(0, start - WINDOW), start):
                start = article.start()
            yield (
                start,
                end,
                " ".join(_part(groups[name], language) for name in DATED if name in groups),
            )
        run = [fact] if fact is not None else []


def _part(fact: Fact, language: Language) -> str:
    return month_name(language, str(fact.value)) if fact.group == "month" else str(fact.value)


@cache
def month_name(language: Language, number: str) -> str:
    """A month by its first listed name."""
    named = months(language).items()
    return next((name for name, value in named if value == f"month={number}"), number).rstrip("*")


def _written(reading: NumberReading, fact: Fact, plain: str, language: Language) -> str:
    """A number with its unit, "" where it has no plain digits."""
    assert isinstance(fact.value, Amount)
    value, over = reading.value, language.facts.over
    share = bool(over) and over in plain[reading.start : reading.end]
    said = value.denominator > 1 and 0 < value < 1 and not reading.literal
    decimal = _said_decimal(reading, plain, language)
    if reading.weak or reading.unit:
        return "" if not decimal else _decimal(value)
    if said and not share and not decimal:  # two thirds as 2/3; a half and a quarter are words
        plain_word = value in (Fraction(1, 2), Fraction(1, 4)) or fact.value.dimension
        return "" if plain_word else f"{value.numerator} {value.denominator}"
    if share:
        parts = f"{value.numerator} {value.denominator}"
        return f"{_decimal(100 * value)} %" if _is_finite(100 * value) else parts
    if not _is_finite(value):
        return ""
    if reading.ordinal:
        return _decimal(value) + ("th" if value < 1000 else "")  # of years none
    sign = unit_sign(language, fact.value) if fact.value.dimension else ""
    return f"{_decimal(value)} {sign}".strip()


def _said_decimal(reading: NumberReading, plain: str, language: Language) -> bool:
    """Whether a number below one was said as zero point five."""
    mark = language.facts.decimal
    return bool(mark and re.search(mark, plain[reading.start : reading.end]))


def _is_finite(value: Fraction) -> bool:
    return bool(10**PLACES % value.denominator == 0)


def _decimal(value: Fraction) -> str:
    digits = f"{abs(value.numerator) * 10**PLACES // value.denominator:0{PLACES + 1}d}"
    whole, rest = digits[:-PLACES], digits[-PLACES:].rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' if rest else ''}{rest}"


@cache
def unit_sign(language: Language, amount: Amount) -> str:
    """The unit of an amount by its first listed name."""
    size = amount.worth / amount.value if amount.value else Fraction(1)
    for phrase, value in lexicons.pairs(language.lists, "units").items():
        dimension, _, listed = value.partition("=")
        if dimension == amount.dimension and Fraction(listed) == size:
            return phrase.rstrip("*")
    return "%" if amount.dimension == SHARE else amount.dimension
