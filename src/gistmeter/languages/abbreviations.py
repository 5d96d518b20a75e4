"""Full stops that end no sentence: after abbreviations, initials, ordinals and list numbers.

`abbreviations.txt` in a pack's folder has an abbreviation (without its last stop) and a class per
line:

- `title`: something always follows (Mr., prof., им.): never an end;
- `number`: no end before a number (No. 5, str. 12, гл. IV), else an end;
- `end`: may end a sentence (etc., atd., и т.д.): an end where a capital follows.

Initials and abbreviations with stops inside that no list has (J. R. R. Tolkien, U.S.) are an end
only where a function word with a capital follows: "in the U.S. He" but "the U.S. Army".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import lexicons

LAST_WORD = re.compile(r"[^\s\"“„‘‚«‹»(\[—–]+$")
DOTTED = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]$")
ROMAN = re.compile(r"[IVXLC]+$")
NUMBER_FOLLOWS = re.compile(r"\d|(?:[IVXLC]{2,}|[VX])\b")
NEXT_WORD = re.compile(r"([^\W\d_]{2,}(?!\.)|[^\W\d_](?=[\s'’]))")
DIGITS = re.compile(r"\d+$")
DATE = re.compile(r"\d\.\s?\d{1,2}$")


@cache
def classes(lists: str) -> Mapping[str, str]:
    """The abbreviations of a list, in lower case, with their classes."""
    return {word.lower(): kind for word, kind in lexicons.pairs(lists, "abbreviations").items()}


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Decides about full stops in one language."""

    lists: str
    ordinals: bool = False
    words: str = ""  # capital letters that are words, no initials

    def ends(self, head: str, following: str, first: bool) -> bool:
        """Whether a full stop ends a sentence.

        `head` is what stands before it, from the sentence's beginning if `first`; `following` what
        comes next, from its first letter or digit on, which is not a small letter.
        """
        found = LAST_WORD.search(head)
        if found is None:
            return True
        word = found[0].rpartition("--")[2].lstrip("'’")
        if not word:
            return True
        alone = first and not head[: found.start()].strip()
        if DIGITS.match(word):
            return self._ends_after_number(head, following, alone)
        initial = len(word) == 1 and word.isupper()
        kind = None if initial else classes(self.lists).get(word.lower())
        if kind == "number" or (kind is None and word in ("№", "§")):
            return NUMBER_FOLLOWS.match(following) is None
        if kind is not None:
            return kind == "end"
        if ROMAN.match(word) and (alone or (self.ordinals and len(word) + (word in "VX") > 1)):
            return False
        if DOTTED.match(word) and word[-1].lower() != word[-1].upper():
            return self._ends_after_initial(word, head[: found.start()], following)
        return True

    def _ends_after_number(self, head: str, following: str, alone: bool) -> bool:
        if alone:  # 1. Introduction
            return False
        if not self.ordinals:
            return True
        dated = DATE.search(head) is not None  # 5. 6. 1990; 2024. 5. 3. 열렸다
        return not following[:1].isdigit() and (not dated or following[:1].isupper())

    def _ends_after_initial(self, word: str, before: str, following: str) -> bool:
        if word in self.words and before.strip():
            return True
        if word.islower() and before.rstrip()[-1:].isdigit():  # 1990 г. Он
            return True
        starter = NEXT_WORD.match(following)
        return starter is not None and starter[1].lower() in lexicons.words(self.lists, "stopwords")
