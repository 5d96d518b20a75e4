"""Amounts: the numbers of a text, with the unit that they count.

A run of digits and number words is read as one or more numbers: 2.5 million, two thirds,
twenty-one, 2억 5천만, 三百零五. A number with a unit of a known dimension is worth value × size of
the unit, so that 1.5 km and 1500 m, half an hour and 30 minutes, 75% and three quarters are the
same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.fact import Fact
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.numbers import HAN, LIMIT, NumberPart, Spoken, composed, literal, word_part

LITERAL = {  # by whether a comma marks decimals
    False: re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"),
    True: re.compile(r"\d{1,3}(?:[ .]\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"),
}
ROLES = {"o": "ordinal", "x": "times", "~": "weak"}  # how values of `counts` end
CURRENCIES = "$€£¥₩₽"  # they stand before the number


SHARE = "share"  # the dimension of a part of a whole: a third, 30%


class Amount(NamedTuple):
    """A number, and the dimension and worth that its unit gives it."""

    value: Fraction
    dimension: str = ""
    worth: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class NumberReading:
    """A number as it was read."""

    value: Fraction
    start: int
    end: int
    ordinal: bool = False
    weak: bool = False
    unit: str = ""
    literal: bool = False  # written in digits alone


@cache
def vocabulary(language: Language) -> dict[str, NumberPart]:
    """Number words and numerals of a language."""
    rules = language.facts
    spell = rules.respell or str
    numbers = lexicons.pairs(language.lists, "numbers")
    counts = lexicons.pairs(language.lists, "counts")
    return (
        {spell(word): word_part(value) for word, value in numbers.items()}
        | {spell(word): _counted(value) for word, value in counts.items()}
        | dict(rules.numerals)
    )


def _counted(value: str) -> NumberPart:
    """A value of the list of counts: 1o, 1/3, 12x, 2~, 30@minute, 100."""
    number, _, unit = value.partition("@")
    role = ROLES.get(number[-1], "share" if "/" in number else "")
    part = word_part(number.rstrip("ox~"))
    return part._replace(role=role or part.role, unit=unit)


@cache
def word_pattern(language: Language) -> re.Pattern[str]:
    words = sorted(vocabulary(language), key=len, reverse=True)
    if not words:
        return lexicons.NEVER
    single = "|".join(re.escape(word).replace("\\ ", "\\s+") for word in words)
    if language.analysed:
        return re.compile(single)
    return re.compile(f"(?:(?<!\\w)|(?<=\\d))(?:{single})(?!\\w)")


def parts_of(plain: str, language: Language, taken: Mask | None = None) -> Iterator[NumberPart]:
    """The pieces of numbers from left to right, where nothing else is read."""
    comma, known = language.facts.decimal_comma, vocabulary(language)
    ordinal_end = re.compile(language.facts.ordinal_end)
    phrases = language.phrases("numberless").find(plain) if language.analysed else ()
    blocked = Mask(len(plain), ((phrase.start, phrase.end) for phrase in phrases))
    written = (match.span() for match in LITERAL[comma].finditer(plain))
    pieces = [(start, end, True) for start, end in written if end - start <= LIMIT]
    pieces += [(*match.span(), False) for match in word_pattern(language).finditer(plain)]
    for start, end, digits in sorted(pieces):
        if blocked.covers(start, end) or (taken is not None and taken.covers(start, end)):
            continue
        if digits:
            mark = ordinal_end.match(plain, end)
            role, stop = ("ordinal", mark.end()) if mark else ("digits", end)
            yield NumberPart(literal(plain[start:end], comma), role, start, stop)
        elif part := known.get(" ".join(plain[start:end].split())):
            yield part._replace(start=start, end=end)


def read_numbers(plain: str, language: Language, taken: Mask) -> list[NumberReading]:
    """All numbers of a text; those that make a share are one: 三分之二, 3분의 2."""
    read = signed if language.analysed else spoken
    over = language.facts.over
    made: list[NumberReading] = []
    for run in _runs(parts_of(plain, language, taken), plain, language):
        for number in read(run, plain, language):
            whole = made[-1] if made else None
            if over and whole and whole.value and plain[whole.end : number.start].strip() == over:
                share = number.value / whole.value
                made[-1] = replace(number, value=share, start=whole.start)
            else:
                made.append(number)
    return made


def _runs(
    parts: Iterator[NumberPart], plain: str, language: Language
) -> Iterator[list[NumberPart]]:
    """Parts that stand together, with nothing between but a space, a hyphen or a linking word."""
    links = ("", " ") if language.analysed else ("", *language.facts.number_links)
    run: list[NumberPart] = []
    for part in parts:
        between = plain[run[-1].end : part.start] if run else ""
        if (between if language.analysed else between.strip(" -")) not in links:
            yield run
            run = []
        run.append(part)
    if run:
        yield run


def _reading(value: Fraction, parts: Sequence[NumberPart], nth: bool = False) -> NumberReading:
    roles = {part.role for part in parts}
    return NumberReading(
        value,
        parts[0].start,
        parts[-1].end,
        ordinal=nth or "ordinal" in roles,
        weak="weak" in roles,
        unit=parts[-1].unit,
        literal=roles == {"digits"},
    )


def spoken(run: Sequence[NumberPart], plain: str, _: Language) -> Iterator[NumberReading]:
    """Numbers of words and digits, as languages with spaces say them."""
    number, parts = Spoken(), list[NumberPart]()
    for part in run:
        between = plain[parts[-1].end : part.start].strip(" -") if parts else ""
        if parts and not number.takes(part, parts[-1], between):
            yield _reading(number.value, parts)
            number, parts, between = Spoken(), [], ""
        number = number.joined(part, between)
        parts.append(part)
        if part.role in ("ordinal", "weak") or part.unit:
            yield _reading(number.value, parts)
            number, parts = Spoken(), []
    if parts:
        yield _reading(number.value, parts)


def signed(run: Sequence[NumberPart], plain: str, language: Language) -> Iterator[NumberReading]:
    """Numbers of numerals that are characters, and digits among them."""
    start, sign = 0, language.facts.ordinal_sign
    while start < len(run):
        stop = start + 1
        while stop < len(run) and _goes_on(run[stop - 1], run[stop]):
            stop += 1
        piece = run[start:stop]
        if language.particles and piece[0].role == "large":  # 만 3년: a particle
            piece = piece[1:]
        if 0 < len(piece) <= LIMIT:
            nth = bool(sign) and plain.endswith(sign, 0, piece[0].start)
            if nth or _counts(piece, plain, language):
                yield _reading(composed(piece), piece, nth)
        start = stop


def _goes_on(last: NumberPart, part: NumberPart) -> bool:
    if last.end != part.start:
        return part.role == "times" or (
            last.role == "large" and part.role in ("digits", "sign", "tens", "word")
        )
    if last.role == "digits" and part.role in ("sign", "word", "digits"):
        return False
    if part.role in ("share", "times"):
        return last.role in ("digits", "sign", "word")
    return last.role not in ("share", "times")


def _counts(parts: Sequence[NumberPart], plain: str, language: Language) -> bool:
    """Whether numerals are surely a number: digits, or followed by what is counted."""
    roles = {part.role for part in parts}
    if roles & {"digits", "share", "weak", "times", "ordinal"}:
        return True
    start, end, rules = parts[0].start, parts[-1].end, language.facts
    if rules.over and plain[:start].rstrip().endswith(rules.over):
        return True
    if not language.particles and "word" in roles:
        return True
    if rules.word_before and re.match(rules.word_before, plain[start - 1 : start]):
        return False
    if _counter_at(plain, end, language):
        return True
    many = len(parts) >= 2 and not re.match(f"[{HAN}]", plain[end : end + 1])
    return not language.particles and many and parts[0].role != "large"


def _counter_at(plain: str, place: int, language: Language) -> bool:
    """Whether a counter or a unit stands here, after a space where words are spaced."""
    if language.particles and plain[place : place + 1] == " ":
        place += 1
    return any(language.phrases(name).at(plain, place) for name in ("counters", "units"))


def amounts(plain: str, language: Language, readings: Iterable[NumberReading]) -> Iterator[Fact]:
    """Numbers with their units as facts."""
    units = language.phrases("units")
    link = language.facts.unit_link
    gap = re.compile(f"(?:[ -]?(?:{link})?[ ]|[ -])?")  # half an hour
    for number in readings:
        unit, start, end = None, number.start, number.end
        if number.unit:
            unit = units.at(number.unit, 0)
        elif not number.ordinal:
            place = gap.match(plain, end).end()  # type: ignore[union-attr]
            unit = units.at(plain, place) or units.at(plain, end)
            end = unit.end if unit else end
        if unit is None and start and plain[start - 1] in CURRENCIES:
            start -= 1
            unit = units.at(plain, start)
        dimension, _, size = unit.value.partition("=") if unit else ("", "", "1")
        amount = Amount(number.value, dimension, number.value * Fraction(size))
        weak = number.weak or (number.value == 1 and not number.ordinal and not number.literal)
        yield Fact("ordinal" if number.ordinal else "number", amount, start, end, weak)
