"""Matching word lists against a text: polar words, and phrases that are no negations."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import lexicons
from gistmeter.languages.polarity import Kind, Polarity


@cache
def affirmations(lists: str, spaced: bool) -> re.Pattern[str] | None:
    """A pattern of the phrases that look like negations; `~` in the list stands for some words."""
    phrases = sorted(lexicons.lines(lists, "affirmations"), key=len, reverse=True)
    if not phrases:
        return None
    parts = (re.escape(phrase).replace("\\~", "[^，。；！？、,.;!?]{1,6}?") for phrase in phrases)
    pattern = "|".join(part.replace("\\ ", r"\s+") for part in parts)
    return re.compile(f"(?<!\\w)(?:{pattern})(?!\\w)" if spaced else pattern, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mask:
    """Stretches of a text, in order and apart, in which nothing is a negation."""

    spans: tuple[tuple[int, int], ...]

    def covers(self, place: int) -> bool:
        at = bisect_right(self.spans, (place, sys.maxsize)) - 1
        return at >= 0 and place < self.spans[at][1]


def mask(text: str, lists: str, *more: re.Pattern[str], spaced: bool = False) -> Mask:
    """Where the text has phrases that look like negations and are none; `more` finds others.

    Where words are `spaced` a phrase is made of whole words.
    """
    listed = affirmations(lists, spaced)
    patterns = more if listed is None else (listed, *more)
    spans: list[tuple[int, int]] = []
    for start, end in sorted(one.span() for each in patterns for one in each.finditer(text)):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return Mask(tuple(spans))


def present(words: Sequence[str], lists: str) -> Polarity:
    """Whether any word of praise, of blame, any negation is among the words."""
    kinds, negations = polar_kinds(lists), lexicons.words(lists, "negations")
    found = {kinds.get(word) for word in words}
    negated = any(word in negations for word in words)
    return Polarity(Kind.POSITIVE in found, Kind.NEGATIVE in found, negated)


@cache
def polar_kinds(lists: str) -> dict[str, Kind]:
    """Every polar word with its kind."""
    kinds = dict.fromkeys(lexicons.words(lists, "positive"), Kind.POSITIVE)
    kinds.update(dict.fromkeys(lexicons.words(lists, "negative"), Kind.NEGATIVE))
    return kinds
