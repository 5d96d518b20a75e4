"""Dates and times, taken apart: year, month, day, weekday, the clock, the half of the day.

Each part is a fact of its own, so that "3 May" and "3 May 2020" agree in what both say. A clock is
hour and minute; 15:00 and 3 in the afternoon are the same, and 3 o'clock fits either half.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.amounts import NumberReading, parts_of, vocabulary, word_pattern
from gistmeter.languages.guard.fact import Fact
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.numbers import composed

NUMERIC = (
    re.compile(r"(?<!\d)(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>\d{4})\. ?(?P<month>\d{1,2})\. ?(?P<day>\d{1,2})(?!\d)\.?"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})(?!\d)"),
)
CLOCK = re.compile(r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:])")
DECADE = re.compile(r"(?<!\d)(?:1[0-9]|20)?(?P<decade>\d0)['’]?s\b")
YEAR = re.compile(r"(?<![\d.,])(?P<year>1[0-9]\d\d|20\d\d)(?![\d%]|[.,]\d)")
HOUR = re.compile(r"(?<![\d.,:])\d{1,2}$")
LIMITS = {"month": 12, "day": 31, "decade": 90, "year": 9999}
NEAR = 20  # characters before a half of the day in which its hour may begin


class Time(NamedTuple):
    """An hour of twelve, a minute, and the half of the day where it is known."""

    hour: int
    minute: int
    half: str = ""


def time_of(hour: int, minute: int) -> Time:
    hour, minute = (hour + minute // 60) % 24, minute % 60
    half = "pm" if hour > 12 else "am" if hour == 0 else ""
    return Time(hour % 12, minute, half)


def read_times(plain: str, language: Language, taken: Mask) -> list[Fact]:
    """All parts of dates and times; what they are made of is taken."""
    facts = [
        *dates(plain, language, taken),
        *clocks(plain, language, taken),
        *words(plain, language, taken),
    ]
    return joined(facts, plain, language, taken)


def free_matches(pattern: re.Pattern[str], plain: str, taken: Mask) -> Iterator[re.Match[str]]:
    """The matches of a pattern in what nothing else has taken."""
    return (match for match in pattern.finditer(plain) if not taken.covers(*match.span()))


@cache
def number_pattern(language: Language) -> str:
    """A number below a hundred, in digits or in words."""
    words = [word for word, part in vocabulary(language).items() if part.value < 100]
    if not words:
        return r"\d{1,2}"
    word = _any_of(words)
    if language.analysed:
        return f"(?:\\d{{1,2}}|{word}{{1,3}})"
    values = {word: part.value for word, part in vocabulary(language).items()}
    tens = _any_of(word for word in words if values[word] >= 20 and values[word] % 10 == 0)
    ones = _any_of(word for word in words if 0 < values[word] < 20)
    ten = _any_of(word for word in words if values[word] == 10)
    more = _any_of(word for word in words if 7 <= values[word] <= 9)  # dix-huit
    return f"(?:\\d{{1,2}}|{tens}[ -]{ones}|{ten}[ -]{more}|{word})"


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def small(text: str, language: Language) -> int | None:
    """The value of a number below a hundred, or of a year; None where the words make none."""
    if text.isdecimal():
        return int(text)
    parts = list(parts_of(text, language))
    if not parts:
        return None
    return int(composed(parts) if language.analysed else sum(part.value for part in parts))


def dates(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    for pattern in (*NUMERIC, *month_patterns(language), *calendar_patterns(language), DECADE):
        for match in free_matches(pattern, plain, taken):
            names = [name for name, text in match.groupdict().items() if text]
            parts = [part_of(name, match, language) for name in names]
            facts = [part for part in parts if part]
            if len(facts) == len(parts):
                yield from facts
                taken.take(*match.span())


def part_of(name: str, match: re.Match[str], language: Language) -> Fact | None:
    """A part of a date, unless it is out of range."""
    if name == "name":
        month = language.phrases("times").value(match[name]) or months(language).get(match[name])
        return Fact("month", int(month.partition("=")[2]), *match.span(name)) if month else None
    number = small(match[name], language)
    if number is None or not 0 < number <= LIMITS[name]:
        return None
    return Fact(name, number, *match.span(name))


@cache
def months(language: Language) -> dict[str, str]:
    """The names of months, without the words before them ("in may"), and their values."""
    entries = lexicons.pairs(language.lists, "times").items()
    return {phrase.split()[-1]: value for phrase, value in entries if value.startswith("month=")}


@cache
def month_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    """Dates with the name of a month."""
    names, rules = sorted(months(language), key=len, reverse=True), language.facts
    if not names:
        return ()
    name = "|".join(re.escape(month).replace("\\*", "\\w*") for month in names)
    link = f"(?:{rules.day_link}\\s+)?" if rules.day_link else ""
    year = r"(?:,?\s+(?P<year>\d{4}))?(?!\d)"
    day = f"(?P<day>{number_pattern(language)}){rules.day_end}"
    return (
        re.compile(f"(?<!\\w){day}\\s+{link}(?P<name>{name})(?!\\w){year}"),
        re.compile(f"(?<!\\w)(?P<name>{name})\\.?\\s+{day}(?!\\w){year}"),
    )


@cache
def calendar_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    """Dates with a mark after each number: 年, 月, 日."""
    calendar = language.facts.calendar
    if calendar is None:
        return ()
    number, numerals = number_pattern(language), language.facts.numerals
    signs = "".join(sign for sign, part in numerals.items() if part.role == "sign")
    year = f"(?P<year>\\d{{4}}|[{signs}]{{4}}){calendar.year}"
    month, day = f"(?P<month>{number}){calendar.month}", f"(?P<day>{number}){calendar.day}"
    counted = f"(?<![{calendar.counters}])" if calendar.counters else ""
    patterns = [
        f"{year}\\s?{month}(?:{calendar.month_end})?(?:\\s?{day})?",
        f"(?<!\\d){month}\\s?{day}",
        year,
        f"(?<!\\d){counted}{month}(?!\\d)",
    ]
    if calendar.lone_days:
        patterns.append(f"(?<!\\d){day}(?!\\w)")
    return tuple(map(re.compile, patterns))


@cache
def clock_patterns(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    """How the clock is told, and the minutes to add to the hour: a number, "m" or "-m"."""
    number = number_pattern(language)
    edge = "(?<!\\w)" if language.spaced else "(?<!\\d)"
    made = []
    for template in lexicons.lines(language.lists, "clocks"):
        pattern, _, minutes = template.rpartition(" ")
        spelled = pattern.replace("{h}", f"(?P<h>{number})").replace("{m}", f"(?P<m>{number})")
        made.append((re.compile(edge + spelled.replace(" ", "\\s")), minutes))
    return tuple(made)


def clocks(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    for pattern, how in (*clock_patterns(language), (CLOCK, "m")):
        for match in free_matches(pattern, plain, taken):
            hour = small(match["h"], language)
            said = small(match["m"], language) if how.endswith("m") else int(how)
            if hour is None or said is None or hour > 24 or said > 59:
                continue
            if (
                how == "m"
                and said < 10
                and match.end("h") == match.start("m") - 1
                and (not match["m"].isdecimal())
            ):
                continue  # nine five is no clock
            taken.take(*match.span())
            yield Fact("clock", time_of(hour, -said if how == "-m" else said), *match.span())


def words(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    """Words of time: months, weekdays, tomorrow, noon."""
    for phrase in language.phrases("times").find(plain):
        start, end, _ = phrase
        if taken.covers(start, end):
            continue
        group, _, value = phrase.value.partition("=")
        if group == "clock":
            hour, _, minute = value.partition(":")
            yield Fact(group, time_of(int(hour), int(minute)), start, end)
        else:
            yield Fact(group, int(value) if value.isdecimal() else value, start, end)
        taken.take(start, end)


def joined(facts: Sequence[Fact], plain: str, language: Language, taken: Mask) -> list[Fact]:
    """Clocks with the half of the day beside them; "eight in the morning" is a clock."""
    clocks = {fact.span: fact for fact in facts if fact.group == "clock"}
    ends = {clock.end: clock for clock in clocks.values()}
    starts = {clock.start: clock for clock in clocks.values()}
    order = {span: number for number, span in enumerate(clocks)}
    kept = [fact for fact in facts if fact.group not in ("clock", "half")]
    for half in (fact for fact in facts if fact.group == "half"):
        beside = (
            ends.get(_before(half, plain, language)), starts.get(_after(half, plain, language))
        )  # fmt: skip
        if found := [clock for clock in beside if clock]:
            near = min(found, key=lambda clock: order[clock.span])  # one without a half first
            del clocks[near.span], ends[near.end], starts[near.start]
            time = near.value
            assert isinstance(time, Time)
            value = time._replace(half=time.half or str(half.value))
            start, end = min(near.start, half.start), max(near.end, half.end)
            clocks[start, end] = ends[end] = starts[start] = Fact("clock", value, start, end)
            order[start, end] = len(order)
        elif hour := bare_hour(plain, half, language):
            value = time_of(hour[0], 0)._replace(half=str(half.value))
            taken.take(hour[1], half.end)
            start, end = hour[1], half.end
            clocks[start, end] = ends[end] = starts[start] = Fact("clock", value, start, end)
            order[start, end] = len(order)
        else:
            kept.append(half)
    return sorted([*kept, *clocks.values()], key=lambda fact: fact.start)


def _before(half: Fact, plain: str, language: Language) -> int:
    """Where a clock ends that stands right before a half of the day."""
    text = plain[max(0, half.start - NEAR) : half.start]
    return half.start - len(text) + len(text.rstrip(f" ,{language.facts.half_after}"))


def _after(half: Fact, plain: str, language: Language) -> int:
    """Where a clock begins that stands right after it."""
    text = plain[half.end : half.end + NEAR]
    return half.end + len(text) - len(text.lstrip(f" ,{language.facts.half_before}"))


def bare_hour(plain: str, half: Fact, language: Language) -> tuple[int, int] | None:
    """A number right before a half of the day: its value and its place."""
    if language.analysed:
        return None
    offset = max(0, half.start - NEAR)
    before = plain[offset : half.start].rstrip()
    matches = [*HOUR.finditer(before), *word_pattern(language).finditer(before)]
    for match in matches:
        hour = small(match[0], language) if match.end() == len(before) else None
        if hour is not None and 0 < hour <= 12:
            return hour, offset + match.start()
    return None


def years(readings: Sequence[NumberReading], plain: str) -> Iterator[Fact]:
    """Numbers that are years: four digits of these centuries, which count nothing."""
    for number in readings:
        if number.literal and YEAR.fullmatch(plain[number.start : number.end]):
            yield Fact("year", int(number.value), number.start, number.end)
