"""Words by Unicode's character classes: runs of letters and digits, with marks that join them.

Scripts written without spaces have no such runs. Han and kana are taken character by character;
Thai, Lao, Khmer and Burmese by clusters (a consonant with the vowels and tone marks around it),
the smallest pieces that a reader would count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gistmeter.languages.analysers import Token

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u309f\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI_LAO = "[เแโใไເແໂໃໄ]?[ก-ฮກ-ຮ][ะ-ฺๅ็-๎ະ-ຼ່-ໍ]*"
BASE = "[\u1000-\u102a\u103f-\u1055\u1780-\u17b3]"
# The signs U+1039 and U+17D2 put the next consonant under the one before them.
BRAHMIC = f"{BASE}(?:[\u1039\u17d2]{BASE}|[\u102b-\u103e\u1056-\u1059\u17b4-\u17d3])*"
UNSPACED = f"[{HAN}]|[{KANA}]|{THAI_LAO}|{BRAHMIC}|[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]"
LETTER = f"[^\\W_{HAN}{KANA}\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]"
NUMBER = r"\d+(?:[.,]\d+)+"
# Combining marks are no word characters for `re`, but belong to the letter before them.
MARK = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f"
    "\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    "\u0abc-\u0acd\u0b3c-\u0b4d\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbc-\u0ccd\u0d3e-\u0d4d"
    "\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f8d-\u0fbc]"
)
RUN = f"{LETTER}(?:{LETTER}|{MARK})*"
WORD = re.compile(f"{NUMBER}|{RUN}(?:['’\\-‐]{RUN})*|{UNSPACED}")


def is_word(word: str) -> bool:
    """Whether there is a letter or digit in it."""
    return word.isalnum() or any(character.isalnum() for character in word)


@dataclass(frozen=True, slots=True)
class Unicode:
    """Words for any language, without a dictionary."""

    @property
    def id(self) -> str:
        return "unicode"

    def form(self, word: str) -> str:
        """A word, in lower case, is compared as it stands."""
        return word

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(found[0], found[0].lower(), found.start(), found.end())
            for found in WORD.finditer(text)
        ]

    def words(self, text: str) -> list[str]:
        return WORD.findall(text)

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        return [word for word in map(str.lower, WORD.findall(text)) if word not in stop]


UNICODE = Unicode()
