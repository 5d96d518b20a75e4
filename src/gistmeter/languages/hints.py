"""Hints: how sure a language is that a text is in it, where that can be told without statistics.

A hint is a function from a text to a confidence in [0, 1]; 0 where it cannot say. A script that
one language alone is written in tells it (`WrittenIn`), and so do function words (`Uses`). A fifth
of a text is enough: names, numbers and terms come in Latin letters in every language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import lexicons

LETTER = re.compile(r"[^\W\d_]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
ENOUGH = 0.2  # of a text


def confidence(part: int, whole: int) -> float:
    """How sure a share of a text makes: certain from a half on, nothing below a fifth."""
    share = part / whole if whole else 0.0
    return min(1.0, 0.5 + share) if share >= ENOUGH else 0.0


@cache
def _letters(ranges: str) -> re.Pattern[str]:
    return re.compile(f"[{ranges}]")


@dataclass(frozen=True, slots=True)
class WrittenIn:
    """A language that alone is written in some letters, given as ranges: "\u0e01-\u0e5b"."""

    letters: str

    def __call__(self, text: str) -> float:
        found = len(_letters(self.letters).findall(text))
        return confidence(found, len(LETTER.findall(text))) if found else 0.0


@dataclass(frozen=True, slots=True)
class Uses:
    """A language that is known by its function words: the stop words in a pack's folder."""

    lists: str

    def __call__(self, text: str) -> float:
        words = [word.lower() for word in WORD.findall(text)]
        return confidence(sum(word in lexicons.words(self.lists, "stopwords") for word in words),
                          len(words))  # fmt: skip
