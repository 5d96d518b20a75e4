"""Hints: how sure a language is that a text is in it, where that can be told without statistics.

A hint is a function from a text to a confidence in [0, 1]; 0 where it cannot say. A script that
one language alone is written in tells it (`WrittenIn`), and so do function words (`Uses`). A fifth
of a text is enough: names, numbers and terms come in Latin letters in every language.

Han characters are shared by three of our languages (`HanHint`). Kana are Japanese, and so are
characters that Japan alone has simplified. Chinese is traditional where characters that only
traditional writing has outnumber those that only simplified writing has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from gistmeter.languages import lexicons

LETTER = re.compile(r"[^\W\d_]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
ENOUGH = 0.2  # of a text
KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fd-\u30ff\uff66-\uff9f]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]")
UNSURE = 0.7  # the confidence where no character tells scripts apart

Writing = Literal["japanese", "simplified", "traditional"]


def confidence(part: int, whole: int) -> float:
    """How sure a share of a text makes: certain from a half on, nothing below a fifth."""
    share = part / whole if whole else 0.0
    return min(1.0, 0.5 + share) if share >= ENOUGH else 0.0


@dataclass(frozen=True, slots=True)
class WrittenIn:
    """A language that alone is written in some letters, given as ranges: "\u0e01-\u0e5b"."""

    letters: str

    def __call__(self, text: str) -> float:
        count = len(re.findall(f"[{self.letters}]", text))
        return confidence(count, len(LETTER.findall(text))) if count else 0.0


@dataclass(frozen=True, slots=True)
class Uses:
    """A language that is known by its function words: the stop words in a pack's folder."""

    lists: str

    def __call__(self, text: str) -> float:
        words = [word.lower() for word in WORD.findall(text)]
        stop = lexicons.words(self.lists, "stopwords")
        return confidence(sum(word in stop for word in words), len(words))


@dataclass(frozen=True, slots=True)
class HanHint:
    """How sure it is that a text is in one of the three ways of writing."""

    writing: Writing

    def __call__(self, text: str) -> float:
        kana, han = len(KANA.findall(text)), len(HAN.findall(text))
        sure = confidence(kana + han, len(LETTER.findall(text))) if kana + han else 0.0
        if not sure:
            return 0.0
        writing, certain = writing_of(text, kana, han)
        return (sure if certain else min(sure, UNSURE)) if writing == self.writing else 0.0


def writing_of(text: str, kana: int, han: int) -> tuple[Writing, bool]:
    """How a text is written, and whether some character tells."""
    only = _characters().items()
    count = {writing: sum(letter in letters for letter in text) for writing, letters in only}
    if kana > 0.05 * (kana + han):
        return "japanese", True
    if count["japanese"] > 0.02 * han:
        return "japanese", False  # titles and short texts without kana
    if count["traditional"] > count["simplified"]:
        return "traditional", True
    return "simplified", count["simplified"] > 0


@cache
def _characters() -> Mapping[Writing, frozenset[str]]:
    """The characters that only one way of writing has."""
    japanese, traditional, simplified = (
        frozenset("".join(lexicons.lines(f"gistmeter.languages.{folder}", name)))
        for folder, name in (("ja", "simplified"), ("zh", "traditional"), ("zh", "simplified"))
    )
    return {
        "japanese": japanese - traditional - simplified,
        "traditional": traditional - simplified,
        "simplified": simplified - traditional,
    }
