"""Dates and times, taken apart: year, month, day, weekday, the clock, the half of the day.

Each part is a fact of its own, so that "3 May" and "3 May 2020" agree in what both say. A clock is
hour and minute; 15:00 and 3 in the afternoon are the same, and 3 o'clock fits either half.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.facts import Fact, Mask
from gistmeter.languages.guard.listed import listed
from gistmeter.languages.guard.numbers import Reading, composed, parts_of, vocabulary, word_pattern

NUMERIC = (
    re.compile(r"(?<!\d)(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>\d{4})\. ?(?P<month>\d{1,2})\. ?(?P<day>\d{1,2})(?!\d)\.?"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})(?!\d)"),
)
CLOCK = re.compile(r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:])")
DECADE = re.compile(r"(?<!\d)(?:1[0-9]|20)?(?P<decade>\d0)['’]?s\b")
YEAR = re.compile(r"(?<![\d.,])(?P<year>1[0-9]\d\d|20\d\d)(?![\d%]|[.,]\d)")
DAY_END = r"(?:st|nd|rd|th|\.|-?го|-?е)?"
HALVES = frozenset(("am", "pm"))


class Time(NamedTuple):
    """An hour of twelve, a minute, and the half of the day where it is known."""

    hour: int
    minute: int
    half: str = ""

    def same(self, other: Time) -> bool:
        halves = {self.half, other.half} - {""}
        return self[:2] == other[:2] and len(halves) < 2


def time_of(hour: int, minute: int) -> Time:
    hour, minute = (hour + minute // 60) % 24, minute % 60
    half = "pm" if hour > 12 else "am" if hour == 0 else ""
    return Time(hour % 12, minute, half)


@cache
def number_pattern(language: Language) -> str:
    """A number below a hundred, in digits or in words."""
    small = sorted(
        (word for word, part in vocabulary(language).items() if part.value < 100), key=len
    )
    if not small:
        return r"\d{1,2}"
    joint = "" if language.analysed else "(?:[ -]"
    words = "|".join(map(re.escape, reversed(small)))
    more = f"(?:{words}){{1,3}}" if language.analysed else f"(?:{words}){joint}(?:{words}))?"
    return f"(?:\\d{{1,2}}|{more})"


@cache
def clock_patterns(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    number = number_pattern(language)
    edge = "(?<!\\w)" if language.spaced else "(?<!\\d)"
    made = []
    for template in lexicons.lines(language.lists, "clocks"):
        pattern, _, value = template.rpartition(" ")
        spelled = pattern.replace("{h}", f"(?P<h>{number})").replace("{m}", f"(?P<m>{number})")
        made.append((re.compile(edge + spelled.replace(" ", "\\s")), value))
    return tuple(made)


def small(text: str, language: Language) -> int | None:
    """The value of a number below a hundred; None where the words make none."""
    if text.isdecimal():
        return int(text)
    parts = list(parts_of(text, language, Mask(len(text))))
    if not parts:
        return None
    if not language.analysed:
        return int(sum(part.value for part in parts))
    return int(composed(parts))


def read_times(plain: str, language: Language, taken: Mask) -> list[Fact]:
    """All parts of dates and times; what they are made of is taken."""
    found = [*dates(plain, language, taken)]
    found += clocks(plain, language, taken)
    found += words(plain, language, taken)
    return joined(found, plain, language, taken)


def dates(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    patterns = [*NUMERIC, *month_patterns(language), DECADE]
    for pattern in patterns:
        for match in pattern.finditer(plain):
            if taken.covers(*match.span()):
                continue
            parts = {name: text for name, text in match.groupdict().items() if text}
            made = [part_of(name, text, match, language) for name, text in parts.items()]
            if all(made):
                yield from (fact for fact in made if fact)
                taken.take(*match.span())


def part_of(name: str, text: str, match: re.Match[str], language: Language) -> Fact | None:
    """A part of a date, unless it is out of range."""
    start, end = match.span(name)
    if name == "name":
        value = listed(language, "times").value(text)
        value = value or listed(language, "times").value(f"in {text}")
        return Fact("month", int(value.partition("=")[2]), start, end) if value else None
    number = year_of(text, language) if name == "year" else small(text, language)
    limits = {"month": 12, "day": 31, "decade": 90, "year": 9999}
    if number is None or not 0 < number <= limits[name]:
        return None
    return Fact(name, number, start, end)


def year_of(text: str, language: Language) -> int | None:
    if text.isdecimal():
        return int(text)
    parts = list(parts_of(text, language, Mask(len(text))))
    return int(composed(parts)) if parts else None


@cache
def month_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    """Dates with the name of a month, or with 年, 月, 日."""
    entries = lexicons.pairs(language.lists, "times").items()
    months = sorted({w.split()[-1] for w, v in entries if v.startswith("month=")}, key=len)
    number = number_pattern(language)
    if months:
        name = "|".join(re.escape(m).replace("\\*", "\\w*") for m in reversed(months))
        year = r"(?:,?\s+(?P<year>\d{4}))?(?!\d)"
        day = f"(?P<day>{number})"
        return (
            re.compile(f"(?<!\\w){day}{DAY_END}\\s+(?:of\\s+)?(?P<name>{name})(?!\\w){year}"),
            re.compile(f"(?<!\\w)(?P<name>{name})\\.?\\s+{day}{DAY_END}(?!\\w){year}"),
        )
    if not language.facts.digits:
        return ()
    marks = {"ko": "년월일"}.get(language.code, "年月日")
    signs = "".join(language.facts.digits)
    year = f"(?P<year>\\d{{4}}|[{signs}]{{4}}){marks[0]}"
    month, day = f"(?P<month>{number}){marks[1]}", f"(?P<day>{number})[{marks[2]}号號]"
    gap = "\\s?"
    return (
        re.compile(f"{year}{gap}{month}(?:份)?(?:{gap}{day})?"),
        re.compile(f"(?<!\\d){month}{gap}{day}"),
        re.compile(f"{year}"),
        re.compile(f"(?<!\\d)(?<![个個か箇ヶ]){month}(?![\\d])"),
        re.compile(f"(?<!\\d){day}(?![\\w])") if language.code != "ko" else re.compile("(?!)"),
    )


def clocks(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    for match in CLOCK.finditer(plain):
        if not taken.covers(*match.span()):
            taken.take(*match.span())
            yield Fact("clock", time_of(int(match["h"]), int(match["m"])), *match.span())
    for pattern, how in clock_patterns(language):
        for match in pattern.finditer(plain):
            if taken.covers(*match.span()):
                continue
            hour = small(match["h"], language)
            said = small(match["m"], language) if "m" in match.groupdict() else 0
            if hour is None or said is None or hour > 24:
                continue
            minutes = {"m": said, "-m": -said}.get(how)
            minutes = int(how) if minutes is None else minutes
            taken.take(*match.span())
            yield Fact("clock", time_of(hour, minutes), *match.span())


def words(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    for found in listed(language, "times").find(plain):
        if taken.covers(found.start, found.end):
            continue
        group, _, value = found.value.partition("=")
        if group == "clock":
            hour, _, minute = value.partition(":")
            yield Fact(group, time_of(int(hour), int(minute)), found.start, found.end)
        else:
            number = int(value) if value.isdecimal() else value
            yield Fact(group, number, found.start, found.end)
        taken.take(found.start, found.end)


def joined(found: list[Fact], plain: str, language: Language, taken: Mask) -> list[Fact]:
    """Clocks with the half of the day beside them; "eight in the morning" is a clock."""
    clocks = [fact for fact in found if fact.group == "clock"]
    halves = [fact for fact in found if fact.group == "half"]
    kept = [fact for fact in found if fact.group not in ("clock", "half")]
    for half in halves:
        near = next((one for one in clocks if beside(one, half, plain)), None)
        if near is not None:
            clocks.remove(near)
            time = near.value
            assert isinstance(time, Time)
            value = time._replace(half=time.half or str(half.value))
            clocks.append(near._replace(value=value, start=min(near.start, half.start),
                                        end=max(near.end, half.end)))  # fmt: skip
        elif (hour := bare_hour(plain, half, language)) is not None:
            value = time_of(hour[0], 0)._replace(half=str(half.value))
            taken.take(hour[1], half.end)
            clocks.append(Fact("clock", value, hour[1], half.end))
        else:
            kept.append(half)
    return sorted([*kept, *clocks], key=lambda fact: fact.start)


def beside(clock: Fact, half: Fact, plain: str) -> bool:
    if half.start >= clock.end:
        return not plain[clock.end : half.start].strip(" ,的")
    return half.end <= clock.start and not plain[half.end : clock.start].strip(" ,的のに")


def bare_hour(plain: str, half: Fact, language: Language) -> tuple[int, int] | None:
    """A number right before a half of the day: its value and its place."""
    if language.analysed:
        return None
    before = plain[max(0, half.start - 20) : half.start].rstrip()
    offset = max(0, half.start - 20)
    found = [*re.finditer(r"(?<![\d.,:])\d{1,2}$", before)]
    found += [one for one in word_pattern(language).finditer(before) if one.end() == len(before)]
    for one in found:
        hour = small(one[0], language)
        if hour is not None and 0 < hour <= 12:
            return hour, offset + one.start()
    return None


def years(readings: list[Reading], plain: str) -> Iterator[tuple[Reading, Fact]]:
    """Numbers that are years: four digits of these centuries, which count nothing."""
    for one in readings:
        if one.literal and YEAR.fullmatch(plain[one.start : one.end]):
            yield one, Fact("year", int(one.value), one.start, one.end)
