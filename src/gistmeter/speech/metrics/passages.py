"""Passages in which a transcript parts from what was said, and the numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from gistmeter.languages.guard import Facts
from gistmeter.languages.guard.amounts import Amount
from gistmeter.languages.guard.differences import (
    AMBIGUOUS,
    DATE_GROUPS,
    Known,
    digits_of,
    said_as_numbers,
)
from gistmeter.languages.guard.fact import Fact
from gistmeter.speech.metrics.edits import EQUAL, align
from gistmeter.speech.metrics.spoken_words import AMOUNTS, SpokenWord

APART = re.compile(r"[^\w.,:+-]|[.,:+-](?!\d)|(?<!\d)[.,:]|_")  # marks but those of a number
NEAR = 2  # words after a passage in which what was corrected is said rightly
SHORT_PART = 16  # letters of parts that are listed; longer ones are few, and looked for


class PartedPassage(NamedTuple):
    """Where the two texts part: what was said, what was heard in its place, and the next words."""

    own: Sequence[SpokenWord]
    other: Sequence[SpokenWord]
    after: Sequence[SpokenWord]


def passages_of(
    ours: Sequence[SpokenWord], theirs: Sequence[SpokenWord]
) -> Iterator[PartedPassage]:
    """Where two texts part."""
    for first, second in _regions([one.key for one in ours], [one.key for one in theirs]):
        yield PartedPassage(ours[first], theirs[second], ours[first.stop : first.stop + NEAR])


def _regions(said: Sequence[str], heard: Sequence[str]) -> Iterator[tuple[slice, slice]]:
    """Where two sequences of words part: places of both."""
    first = second = 0
    open_at: tuple[int, int] | None = None
    for edit in align(said, heard).edits:
        if edit.kind == EQUAL:
            if open_at is not None:
                yield slice(open_at[0], first), slice(open_at[1], second)
            open_at = None
        elif open_at is None:
            open_at = first, second
        first, second = first + len(edit.expected), second + len(edit.got)
    if open_at is not None:
        yield slice(open_at[0], first), slice(open_at[1], second)


def written(words: Sequence[SpokenWord], facts: Facts) -> str:
    """The letters and digits of a passage, as they are written."""
    if not words:
        return ""
    return APART.sub("", facts.plain[words[0].span[0] : words[-1].span[1]])


def alarm_kind(kind: str, one: Fact, two: Fact) -> str:
    if isinstance(one.value, Amount) and isinstance(two.value, Amount):
        return "unit" if one.value.value == two.value.value else kind
    return kind


def worth(fact: Fact) -> object:
    return fact.value.value if isinstance(fact.value, Amount) else fact.value


def ambiguous(one: Fact, two: Fact) -> bool:
    """Whether two amounts are the same but for a unit that may mean either."""
    if not (isinstance(one.value, Amount) and isinstance(two.value, Amount)):
        return False
    same = one.value.value == two.value.value
    return same and frozenset((one.value.dimension, two.value.dimension)) in AMBIGUOUS


def facts_of(words: Iterable[SpokenWord]) -> list[Fact]:
    return [one.fact for one in words if one.fact]


class SaidValues:
    """The numbers and dates of a text by their values."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[str, Known] = {}

    @cached_property
    def _numbers(self) -> frozenset[object]:
        return frozenset(map(worth, self._facts.of(*AMOUNTS)))

    @cached_property
    def _dated(self) -> frozenset[object]:
        dates = self._facts.of(*DATE_GROUPS)
        return frozenset(part for date in dates for part in said_as_numbers(date))

    def lacks(self, facts: Sequence[Fact]) -> list[Fact]:
        """Those of another text's facts that this one has nowhere; a bare number may be an hour, a
        day or a year."""
        return [
            fact
            for fact in facts
            if not self._of(fact.group).has(fact.value)
            and not (isinstance(fact.value, Amount) and fact.value.value in self._dated)
            and not (fact.group in DATE_GROUPS and self._numbers & said_as_numbers(fact))
        ]

    def _of(self, group: str) -> Known:
        if group not in self._known:
            groups = AMOUNTS if group in AMOUNTS else (group,)
            self._known[group] = Known.of(self._facts.of(*groups))
        return self._known[group]


class Substrings:
    """Whether a text has a part, asked for many short ones."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: dict[int, frozenset[str]] = {}

    def __contains__(self, part: str) -> bool:
        size = len(part)
        if not 0 < size <= SHORT_PART:
            return part in self._text
        if size not in self._parts:
            starts = range(len(self._text) - size + 1)
            self._parts[size] = frozenset(self._text[at : at + size] for at in starts)
        return part in self._parts[size]


def same_digits_in(own: Sequence[Fact], other: Sequence[Fact], said: Facts, heard: Facts) -> bool:
    """Whether two passages have the same digits, cut otherwise: ten oh two, 10:02."""
    lines = [
        "".join(re.sub(r"\D", "", _digits(fact, facts)) for fact in side)
        for side, facts in ((own, said), (other, heard))
    ]
    if len(own) == len(other) or not all(lines):
        return False
    return lines[0] == lines[1] or lines[0].replace("0", "") == lines[1].replace("0", "")


def _digits(fact: Fact, facts: Facts) -> str:
    written = facts.plain[fact.start : fact.end]
    return written if re.search(r"\d", written) else digits_of(fact, facts)
