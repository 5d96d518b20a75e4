"""Amounts: the numbers of a text, with the unit that they count.

A run of digits and number words is read as one or more numbers: 2.5 million, two thirds,
twenty-one, 2억 5천만, 三百零五. Decimals may be said (three point one four), and so may signs
(minus five) and digits one by one: five five five one two is 55512. A number with a unit of a known
dimension is worth value × size of the unit, so that 1.5 km and 1500 m, half an hour and 30 minutes,
75% and three quarters are the same.
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


SPELLED = 3  # digits that are said one by one, from which on they write one number
NEAR = 24  # characters before a number in which its sign stands
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
    single = "|".join(re.escape(word).replace("\\ ", "[\\s-]+") for word in words)
    if language.analysed:
        return re.compile(single)
    return re.compile(f"(?:(?<!\\w)|(?<=\\d))(?:{single})(?!\\w)")


@cache
def said_decimals(language: Language) -> re.Pattern[str]:
    """Decimals in numerals that are characters: 三点五."""
    rules = language.facts
    signs = "".join(sign for sign, part in rules.numerals.items() if part.role == "sign")
    if not (rules.decimal and signs and language.analysed):
        return lexicons.NEVER
    every = "".join(sign for sign in rules.numerals if len(sign) == 1)
    whole = f"(?<![{every}\\d])(?P<whole>[{every}]{{1,9}}|\\d{{1,9}})"
    return re.compile(f"{whole} ?(?:{rules.decimal}) ?(?P<digits>[{signs}]{{1,9}})(?![{every}])")


def parts_of(plain: str, language: Language, taken: Mask | None = None) -> Iterator[NumberPart]:
    """The pieces of numbers from left to right, where nothing else is read."""
    comma, known = language.facts.decimal_comma, vocabulary(language)
    ordinal_end = re.compile(language.facts.ordinal_end)
    phrases = list(language.phrases("numberless").find(plain)) if language.analysed else []
    over = language.facts.over  # 三分之一 has the 一 of a share, 之一 alone none
    shares = (bool(over) and plain.startswith(over, phrase.start - len(over) + 1)
              for phrase in phrases)  # fmt: skip
    counted = (phrase for phrase, share in zip(phrases, shares, strict=True) if not share)
    blocked = Mask(len(plain), ((phrase.start, phrase.end) for phrase in counted))
    literals = (match.span() for match in LITERAL[comma].finditer(plain))
    pieces = [(start, end, True) for start, end in literals if end - start <= LIMIT]
    pieces += [(*match.span(), False) for match in word_pattern(language).finditer(plain)]
    decimals: dict[int, NumberPart] = {}
    for match in said_decimals(language).finditer(plain):
        if not (blocked.covers(*match.span()) or (taken and taken.covers(*match.span()))):
            digits = "".join(str(known[sign].value) for sign in match["digits"])
            whole = match["whole"]
            value = int(whole) if whole.isdecimal() else composed([known[sign] for sign in whole])
            value += Fraction(int(digits), 10 ** len(digits))
            decimals[match.start()] = NumberPart(value, "digits", *match.span())
            pieces.append((*match.span(), False))
            blocked.take(match.start() + 1, match.end())
    for start, end, written in sorted(pieces):
        if start in decimals:
            if end == decimals[start].end:
                yield decimals[start]
            continue
        if blocked.covers(start, end) or (taken is not None and taken.covers(start, end)):
            continue
        if written:
            mark = ordinal_end.match(plain, end)
            role, stop = ("ordinal", mark.end()) if mark else ("digits", end)
            yield NumberPart(literal(plain[start:end], comma), role, start, stop)
        elif part := known.get(" ".join(plain[start:end].replace("-", " ").split())):
            yield part._replace(start=start, end=end)


def read_numbers(plain: str, language: Language, taken: Mask) -> list[NumberReading]:
    """All numbers of a text; those that make a share are one: 三分之二, 3분의 2."""
    read = signed if language.analysed else spoken
    over = language.facts.over
    parts = parts_of(plain, language, taken)
    single = [
        number for run in _runs(parts, plain, language) for number in read(run, plain, language)
    ]
    made: list[NumberReading] = []
    readings = digit_strings(with_decimals(single, plain, language), plain, language)
    for number in with_signs(readings, plain, language):
        whole = made[-1] if made else None
        if over and whole and whole.value and plain[whole.end : number.start].strip() == over:
            share = number.value / whole.value
            made[-1] = replace(number, value=share, start=whole.start)
        else:
            made.append(number)
    return made


def with_decimals(
    numbers: Iterable[NumberReading], plain: str, language: Language
) -> Iterator[NumberReading]:
    """Decimals that are said after a whole number: three point one four, три целых пять десятых."""
    mark = re.compile(rf"\s*(?:{language.facts.decimal})\s*") if language.facts.decimal else None
    last: NumberReading | None = None
    whole, digits = Fraction(0), ""  # the number before the mark, what was said after it so far
    for number in numbers:
        between = plain[last.end : number.start] if last else ""
        if last and not digits and mark and _is_whole(last) and mark.fullmatch(between):
            whole = last.value
            if 0 < number.value < 1:  # five tenths
                last = replace(number, value=whole + number.value, start=last.start)
                continue
            if _is_whole(number):
                digits, scale = _digits_of(number, plain)
                value = (whole + Fraction(int(digits), 10 ** len(digits))) * scale
                last = replace(number, value=value, start=last.start)
                continue
        if last and digits and not between.strip() and _is_digit(number):
            digits += str(number.value)
            value = whole + Fraction(int(digits), 10 ** len(digits))
            last = replace(number, value=value, start=last.start)
            continue
        if last:
            yield last
        last, digits = number, ""
    if last:
        yield last


def _is_whole(number: NumberReading) -> bool:
    return number.value.denominator == 1 and not (number.ordinal or number.unit)


def _is_digit(number: NumberReading) -> bool:
    """Whether a number is a single digit in words."""
    return _is_whole(number) and 0 <= number.value < 10 and not number.literal


def _digits_of(number: NumberReading, plain: str) -> tuple[str, int]:
    """The digits after a decimal mark, with the zeros that are written; and what scales all."""
    written = plain[number.start : number.end]
    if number.literal and written.isdecimal():
        return written, 1
    value, scale = int(number.value), 1
    while value and value % 1000 == 0:  # three point five million
        value, scale = value // 1000, scale * 1000
    return str(value), scale


def digit_strings(
    numbers: Iterable[NumberReading], plain: str, language: Language
) -> Iterator[NumberReading]:
    """Digits that are said one by one, three or more, as the number that they write."""
    zero = re.compile(rf"\s*(?:{language.facts.zero})\s*") if language.facts.zero else None
    run: list[NumberReading] = []
    digits = ""
    for number in numbers:
        between = plain[run[-1].end : number.start] if run else ""
        is_zero = bool(zero and zero.fullmatch(between))
        single = _is_digit(number)
        if run and not (single and (is_zero or not between.strip(" -"))):
            yield from _joined_digits(run, digits)
            run, digits = [], ""
            is_zero = False
        if not single:
            yield number
            continue
        run.append(number)
        digits += "0" * is_zero + str(number.value)
    yield from _joined_digits(run, digits)


def _joined_digits(run: Sequence[NumberReading], digits: str) -> Iterator[NumberReading]:
    if len(digits) < SPELLED:
        yield from run
    else:
        yield replace(run[0], value=Fraction(digits), end=run[-1].end, weak=False)


def with_signs(
    numbers: Iterable[NumberReading], plain: str, language: Language
) -> Iterator[NumberReading]:
    """Numbers with a minus before them, as a sign or a word."""
    said = f"|(?:{language.facts.minus})\\s*" if language.facts.minus else ""
    before = "a-z\\d" if language.analysed else "\\w"
    minus = re.compile(f"(?:(?<![{before}.,:)-])[-\u2212]{said})$")
    for number in numbers:
        start = max(0, number.start - NEAR)
        sign = minus.search(plain[start : number.start])
        if sign and number.value > 0 and not number.ordinal:
            yield replace(number, value=-number.value, start=start + sign.start())
        else:
            yield number


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
                short = _shortened(piece) if language.facts.short_numbers else 0
                yield _reading(composed(piece) + short, piece, nth)
        start = stop


def _shortened(parts: Sequence[NumberPart]) -> Fraction:
    """What a last digit is worth beyond itself where its place is not said: 四千五 is 4500."""
    if len(parts) < 2 or parts[-1].role != "sign" or parts[-2].role not in ("tens", "large"):
        return Fraction(0)
    place = parts[-2].value
    return parts[-1].value * (place / 10 - 1) if place >= 100 else Fraction(0)


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


def amounts(
    plain: str, language: Language, readings: Iterable[NumberReading]
) -> Iterator[tuple[NumberReading, Fact]]:
    """Numbers, and what they are with their units as facts; those within a unit are none."""
    units = language.phrases("units")
    link = language.facts.unit_link
    gap = re.compile(f"(?:[ -]?(?:{link})?[ ]|[ -])?")  # half an hour
    last = 0  # where the last unit ends: the hundred of "per cent" is none
    for number in readings:
        if number.start < last:
            continue
        unit, start, end = None, number.start, number.end
        if number.unit:
            unit = units.at(number.unit, 0)
        elif not number.ordinal:
            place = gap.match(plain, end).end()  # type: ignore[union-attr]
            unit = units.at(plain, place) or units.at(plain, end)
            end = last = unit.end if unit else end
        if start and plain[start - 1] in CURRENCIES:
            sign = units.at(plain[start - 1], 0)
            if unit is None or (sign and sign.value.split("=")[0] == unit.value.split("=")[0]):
                start, unit = start - 1, sign  # $2.50, and $2.50 cents
        dimension, _, size = unit.value.partition("=") if unit else ("", "", "1")
        amount = Amount(number.value, dimension, number.value * Fraction(size))
        weak = number.weak or (number.value == 1 and not number.ordinal and not number.literal)
        group = "ordinal" if number.ordinal else "number"
        yield number, Fact(group, amount, start, end, weak)
