"""Phrases of a list found in a text, with what the list says of each.

A line is a phrase and a value. A * stands for the rest of a word. Where words are spaced a phrase
is made of whole words; the longest phrase wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import Language, lexicons

NEVER = re.compile("(?!)")


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase of a list, where it stands, and its value there."""

    start: int
    end: int
    value: str


@dataclass(frozen=True)
class Phrases:
    """A list that is ready to be looked for."""

    pattern: re.Pattern[str]
    exact: dict[str, str]
    open: tuple[tuple[re.Pattern[str], str], ...]  # phrases with a *, and their values

    def find(self, text: str) -> Iterator[Found]:
        """All phrases from left to right, none within another."""
        for found in self.pattern.finditer(text):
            yield Found(found.start(), found.end(), self.value(found[0]))

    def at(self, text: str, place: int) -> Found | None:
        """The phrase that begins at a place."""
        found = self.pattern.match(text, place)
        return Found(place, found.end(), self.value(found[0])) if found else None

    def value(self, phrase: str) -> str:
        spelled = " ".join(phrase.split())
        if spelled in self.exact:
            return self.exact[spelled]
        return next((value for one, value in self.open if one.fullmatch(spelled)), "")


@cache
def phrases(lists: str, name: str, spaced: bool) -> Phrases:
    """The phrases of one list of a language; in spaced writing they are whole words."""
    bare = name in ("counters", "numberless")
    entries = (
        dict.fromkeys(lexicons.lines(lists, name), "") if bare else lexicons.pairs(lists, name)
    )
    if not entries:
        return Phrases(NEVER, {}, ())
    ordered = sorted(entries, key=len, reverse=True)
    pattern = "|".join(map(written, ordered))
    if spaced:
        pattern = f"(?:(?<!\\w)|(?<=\\d))(?:{pattern})(?!\\w)"
    return Phrases(
        re.compile(pattern),
        {phrase: value for phrase, value in entries.items() if "*" not in phrase},
        tuple((re.compile(written(one)), entries[one]) for one in ordered if "*" in one),
    )


def written(phrase: str) -> str:
    """A pattern of a phrase of a list."""
    return re.escape(phrase).replace("\\*", "\\w*").replace("\\ ", "\\s+")


def listed(language: Language, name: str) -> Phrases:
    """A list of a language, or of its fallback: particles make words open at their end."""
    return phrases(language.lists, name, language.spaced and not language.particles)
