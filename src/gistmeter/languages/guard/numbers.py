"""Numbers: digits, number words and numerals, with the unit that they count.

A run of digits and number words is read as one or more numbers: 2.5 million, two thirds,
twenty-one, 2억 5천만, 三百零五. A number with a unit of a known dimension is worth value × size of
the unit, so that 1.5 km and 1500 m, half an hour and 30 minutes, 75% and three quarters are the
same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.facts import Fact, Mask
from gistmeter.languages.guard.listed import NEVER, listed

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
LITERAL = {
    False: re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"),
    True: re.compile(r"\d{1,3}(?:[ \u00a0\u202f.]\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"),
}
ORDINAL_END = re.compile(r"(?:st|nd|rd|th)\b|-?(?:й|я|е|го|му|м|х|ми|ой|ая|ый|ю|ом)\b")
GAP = re.compile(r"[ \u00a0\u202f]*(?:-|[ \u00a0\u202f])?[ \u00a0\u202f]*")
LIMIT = 40  # characters of a number; more is a code, not a count


class Amount(NamedTuple):
    """A number, and the dimension and worth that its unit gives it."""

    value: Fraction
    dimension: str = ""
    worth: Fraction = Fraction(0)

    def same(self, other: Amount) -> bool:
        """Whether both say the same; a unit that only one of them names does not matter."""
        if self.dimension == other.dimension:
            return self.worth == other.worth
        if self.dimension and other.dimension:
            return False
        share = "share" in (self.dimension, other.dimension)
        return self.worth == other.worth if share else self.value == other.value


class Part(NamedTuple):
    """A piece of a number: its value and its role."""

    value: Fraction
    role: str  # "digits", "word", "ordinal", "share", "times", "tens", "large", "weak"
    start: int
    end: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as it was read."""

    value: Fraction
    start: int
    end: int
    ordinal: bool = False
    weak: bool = False
    unit: str = ""
    literal: bool = False  # written in digits alone


def literal(text: str, decimal_comma: bool) -> Fraction:
    """The value of digits with their marks."""
    text = re.sub("[ \u00a0\u202f]", "", text)
    if decimal_comma:
        if "," not in text and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", text):
            text = text.replace(".", "")
        text = text.replace(",", ".")
        head, _, tail = text.rpartition(".")
        text = f"{head.replace('.', '')}.{tail}" if head else tail
    else:
        text = text.replace(",", "")
    return Fraction(text[:LIMIT].rstrip("."))


@cache
def vocabulary(language: Language) -> dict[str, Part]:
    """Number words with value and role; places are empty."""
    words: dict[str, Part] = {}
    for word, value in lexicons.pairs(language.lists, "numbers").items():
        size = Fraction(value)
        words[fold(word, language)] = Part(size, "large" if size >= 1000 else "word", 0, 0)
    for word, value in lexicons.pairs(language.lists, "counts").items():
        words[fold(word, language)] = counted(value)
    rules = language.facts
    for role, signs in (("sign", rules.digits), ("tens", rules.tens), ("large", rules.large)):
        words |= {sign: Part(Fraction(value), role, 0, 0) for sign, value in signs.items()}
    return words


def fold(word: str, language: Language) -> str:
    respell = language.facts.respell
    return respell(word) if respell is not None else word


def counted(value: str) -> Part:
    """A value of the list of counts: 1o, 1/3, 12x, 2~, 30@minute, 100."""
    number, _, unit = value.partition("@")
    roles = {"o": "ordinal", "x": "times", "~": "weak"}
    role = roles.get(number[-1], "share" if "/" in number else "word")
    size = Fraction(number.rstrip("ox~"))
    return Part(size, "large" if role == "word" and size >= 1000 else role, 0, 0, unit)


@cache
def word_pattern(language: Language) -> re.Pattern[str]:
    words = sorted(vocabulary(language), key=len, reverse=True)
    if not words:
        return NEVER
    single = "|".join(re.escape(word).replace("\\ ", "\\s+") for word in words)
    if language.spaced and not language.particles:
        return re.compile(f"(?<![\\w])(?:{single})(?![\\w])|(?<=\\d)(?:{single})(?![\\w])")
    return re.compile(single)


def parts_of(plain: str, language: Language, taken: Mask) -> Iterator[Part]:
    """The pieces of numbers from left to right."""
    digits, words = LITERAL[language.facts.decimal_comma], word_pattern(language)
    known = vocabulary(language)
    blocked = Mask(len(plain))
    if language.analysed:
        for phrase in listed(language, "numberless").find(plain):
            blocked.take(phrase.start, phrase.end)
    pieces = [
        (found.start(), found.end(), True)
        for found in digits.finditer(plain)
        if found.end() - found.start() <= LIMIT
    ]
    pieces += [(found.start(), found.end(), False) for found in words.finditer(plain)]
    for start, end, written in sorted(pieces):
        if taken.covers(start, end) or blocked.covers(start, end):
            continue
        if written:
            value = literal(plain[start:end], language.facts.decimal_comma)
            mark = ORDINAL_END.match(plain, end)
            stop = mark.end() if mark else end
            yield Part(value, "ordinal" if mark else "digits", start, stop)
        else:
            one = known.get(" ".join(plain[start:end].split()))
            if one is not None:
                yield one._replace(start=start, end=end)


def runs_of(parts: Sequence[Part], plain: str, language: Language) -> Iterator[list[Part]]:
    """Pieces that stand together, with nothing between but a space, a hyphen or "and a"."""
    run: list[Part] = []
    for part in parts:
        if run and joins(plain[run[-1].end : part.start], language):
            run.append(part)
        else:
            if run:
                yield run
            run = [part]
    if run:
        yield run


def joins(between: str, language: Language) -> bool:
    if language.analysed:
        return between in ("", " ")
    words = between.strip(" \u00a0\u202f-")
    return words in ("", "a", "of a", language.conjunction, f"{language.conjunction} a")


def read_numbers(plain: str, language: Language, taken: Mask) -> list[Reading]:
    """All numbers of a text."""
    found: list[Reading] = []
    for run in runs_of(list(parts_of(plain, language, taken)), plain, language):
        found += signed(run, plain, language) if language.analysed else spoken(run, plain)
    return shares(found, plain, language.facts.over)


def shares(readings: list[Reading], plain: str, over: str) -> list[Reading]:
    """Numbers, with those that make a share as one: 三分之二, 3분의 2."""
    made: list[Reading] = []
    for one in readings:
        if over and made and made[-1].value and plain[made[-1].end : one.start].strip() == over:
            whole = made.pop()
            made.append(replace(one, value=one.value / whole.value, start=whole.start))
        else:
            made.append(one)
    return made


def spoken(run: Sequence[Part], plain: str) -> list[Reading]:
    """Numbers of words and digits, as languages with spaces say them."""
    made: list[Reading] = []
    done, scale, now = Fraction(0), 0, None
    first: Part | None = None
    last: Part | None = None

    def close(ordinal: bool = False, weak: bool = False) -> None:
        nonlocal done, scale, now, first, last
        if first is not None and last is not None:
            value = done + (now or 0)
            alone = first is last and first.role == "digits"
            made.append(
                Reading(value, first.start, last.end, ordinal, weak, last.unit, literal=alone)
            )
        done, scale, now, first, last = Fraction(0), 0, None, None, None

    for part in run:
        value = part.value
        if last is not None and not follows(done, scale, now, last, part=part, plain=plain):
            close()
        if part.role == "large":
            scale = int(value)
            done, now = done + (Fraction(1) if now is None else now) * value, None
        elif part.role == "times":
            done, now = Fraction(0), (now or Fraction(1)) * value
        elif part.role == "share":
            between = plain[last.end : part.start].strip(" -") if last else ""
            if now is not None and " " not in between and between in ("", "of"):
                now *= value
            else:
                now = (now or Fraction(0)) + value
        elif value == 100 and part.role == "word" and now is not None and 0 < now < 100:
            now *= 100
        elif now is not None and 11 <= now <= 20 and 10 <= value < 100 and not done:
            now = now * 100 + value
        else:
            now = value if now is None else now + value
        first, last = first or part, part
        if part.role in ("ordinal", "weak") or part.unit:
            close(part.role == "ordinal", part.role == "weak")
    close()
    return made


def follows(
    done: Fraction, scale: int, now: Fraction | None, last: Part, *, part: Part, plain: str
) -> bool:
    """Whether a piece goes on with the number before it."""
    value = part.value
    between = plain[last.end : part.start].strip(" \u00a0\u202f-")
    if part.role == "large":
        fits = now is not None and now != 0 and (not scale or value < scale)
        return fits or last.role == "share"
    if part.role == "times":
        return now is not None and now <= 20
    if part.role == "share":
        return now is not None and (value == Fraction(1, 2) or not between)
    if part.role == "digits" or last.role in {"digits", "share"}:
        return bool(done) and now is None and value < 1000 and last.role == "large"
    if between and not (now is None or now % 100 == 0):
        return False
    if now is None:
        return bool(done)
    if part.role == "word" and value == 100:
        return 0 < now < 100
    if 0 < value < 10:
        return now > 0 and now % 10 == 0 and now % 100 != 10
    if 10 <= value < 100:
        return (now > 0 and now % 100 == 0) or (11 <= now <= 20 and not done)
    return False


def signed(run: Sequence[Part], plain: str, language: Language) -> list[Reading]:
    """Numbers of numerals that are characters, and digits among them."""
    made: list[Reading] = []
    start = 0
    while start < len(run):
        stop = start + 1
        while stop < len(run) and (goes_on(run[stop - 1], run[stop])):
            stop += 1
        piece = run[start:stop]
        if language.particles and piece[0].role == "large":  # 만 3년: a particle
            piece = piece[1:]
        if piece and counts(piece, plain, language):
            roles = {part.role for part in piece}
            nth = piece[0].start > 0 and plain[piece[0].start - 1] == "第"
            made.append(
                Reading(
                    composed(piece),
                    piece[0].start,
                    piece[-1].end,
                    ordinal=nth or "ordinal" in roles,
                    weak="weak" in roles,
                    unit=piece[-1].unit,
                    literal=roles == {"digits"},
                )
            )
        start = stop
    return made


def goes_on(last: Part, part: Part) -> bool:
    if last.end != part.start:
        return part.role == "times" or (
            last.role == "large" and part.role in ("digits", "sign", "tens", "word")
        )
    if last.role == "digits" and part.role in ("sign", "word", "digits"):
        return False
    if part.role in ("share", "times"):
        return last.role in ("digits", "sign", "word")
    return last.role not in ("share", "times")


def composed(parts: Sequence[Part]) -> Fraction:
    """The value of numerals: 三百零五, 2억5천만, 一九八七."""
    if len(parts) > 1 and all(part.role == "sign" for part in parts):
        return Fraction("".join(str(part.value) for part in parts))
    total, section, digit = Fraction(0), Fraction(0), Fraction(0)
    seen = False
    for part in parts:
        if part.role == "tens":
            section, digit = section + (digit if seen else 1) * part.value, Fraction(0)
            seen = False
        elif part.role == "large":
            held = section + digit
            total, section, digit = total + (held or 1) * part.value, Fraction(0), Fraction(0)
            seen = False
        elif part.role in ("times", "share"):
            section, digit = (section + digit if seen or section else 1) * part.value, Fraction(0)
            seen = False
        else:
            digit = digit + part.value if seen and part.role == "word" else part.value
            seen = part.value != 0
    return total + section + digit


def counts(parts: Sequence[Part], plain: str, language: Language) -> bool:
    """Whether numerals are surely a number: digits, or followed by what is counted."""
    if len(parts) > LIMIT:
        return False
    if any(part.role in ("digits", "share", "weak", "times", "ordinal") for part in parts):
        return True
    start, end = parts[0].start, parts[-1].end
    over = language.facts.over
    if plain[start - 1 : start] == "第":
        return True
    if over and plain[:start].rstrip().endswith(over):
        return True
    if not language.particles and any(part.role == "word" for part in parts):
        return True
    if language.particles and start > 0 and "\uac00" <= plain[start - 1] <= "\ud7a3":
        return False
    after = plain[end : end + 1]
    if counter_at(plain, end, language):
        return True
    if language.particles:
        return False
    many = len(parts) >= 2 and not re.fullmatch(f"[{HAN}]", after)
    return many and parts[0].role != "large"


def counter_at(plain: str, place: int, language: Language) -> bool:
    """Whether a counter stands here, after a space where words are spaced."""
    if language.particles and plain[place : place + 1] == " ":
        place += 1
    return bool(listed(language, "counters").at(plain, place) or unit_at(plain, place, language))


def unit_at(plain: str, place: int, language: Language) -> tuple[str, Fraction, int] | None:
    """Dimension, size and end of the unit that stands here."""
    found = listed(language, "units").at(plain, place)
    if found is None:
        return None
    dimension, _, size = found.value.partition("=")
    return dimension, Fraction(size), found.end


BETWEEN = re.compile(r"(?:[ \u00a0\u202f-]?(?:an?|of an?)?[ \u00a0\u202f]|[ \u00a0\u202f-])?")


def amounts(plain: str, language: Language, readings: Sequence[Reading]) -> Iterator[Fact]:
    """Numbers with their units as facts."""
    for one in readings:
        unit, end, start = None, one.end, one.start
        if one.unit:
            unit = unit_at(one.unit, 0, language)
        elif not one.ordinal:
            gap = BETWEEN.match(plain, one.end)
            place = gap.end() if gap else one.end
            unit = unit_at(plain, place, language) or unit_at(plain, one.end, language)
            if unit:
                end = unit[2]
        if unit is None and start and plain[start - 1] in "$€£¥₩₽":
            unit = unit_at(plain, start - 1, language)
            start -= 1
        if unit is None:
            amount = Amount(one.value, "", one.value)
        else:
            amount = Amount(one.value, unit[0], one.value * unit[1])
        weak = one.weak or (one.value == 1 and not one.ordinal and not one.literal)
        yield Fact("ordinal" if one.ordinal else "number", amount, start, end, weak)
