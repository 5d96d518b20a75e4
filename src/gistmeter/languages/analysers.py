"""Analysers: texts to words. Dictionaries are loaded at first use, and only once.

An analyser gives *tokens*: a word's surface with its place in the text, the form under which it is
compared (a lemma where inflection would hide that two words are the same), and its part of speech
where the library knows it. Stop words and polarity are read from these.

`Unicode` takes words by character classes: runs of letters and digits, with marks that join them.
Scripts written without spaces have no such runs. Han and kana are taken character by character;
Thai, Lao, Khmer and Burmese by clusters (a consonant with the vowels and tone marks around it),
the smallest pieces that a reader would count. `Lemmas` compares these words by their lemmas in
simplemma (Barbaresi), a dictionary look-up; a word that it does not know is its own lemma.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from typing import Any, NamedTuple, Protocol

from gistmeter.core.files import printable

ENDLESS, PIECE = re.compile(r"\w{1000,}|[^\w\s]{1000,}"), 500
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
# The same words, found in a third of the time, of a text that is all ASCII.
ASCII_WORD = re.compile(rf"{NUMBER}|[A-Za-z0-9]+(?:['\-][A-Za-z0-9]+)*")


class Morph(NamedTuple):
    """A word or morpheme of a text."""

    surface: str
    form: str  # lemma or normalised form, in lower case
    start: int
    end: int
    tag: str = ""  # part of speech, as the analyser names it
    content: bool = True  # whether its part of speech can carry content
    base: str = ""  # dictionary form as it would be written here, where that differs from `form`


class Analyser(Protocol):
    """What a language asks of the library that knows its words."""

    @property
    def id(self) -> str:
        """Library and version, for signatures; nothing is imported for it."""

    def tokens(self, text: str) -> list[Morph]:
        """The words of a text in order, punctuation included, white space not."""

    def words(self, text: str) -> list[str]:
        """The surface words, without punctuation: what word error rates and ROUGE count."""

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        """Forms of the words that carry content: neither word nor form is a stop word."""


def well_formed(text: str) -> str:
    """The text as every library can take it, of the same length.

    Lone surrogates, which JSON can hold and no library in C takes, are replaced. A thousand letters
    (or marks) without a break are no word of any language, and take some libraries quadratic time:
    such a run is broken, by a space in place of every five-hundredth.
    """
    return ENDLESS.sub(_broken, printable(text))


def _broken(run: re.Match[str]) -> str:
    letters = list(run[0])
    letters[PIECE::PIECE] = " " * len(letters[PIECE::PIECE])
    return "".join(letters)


@cache
def version_of(package: str) -> str:
    """`package-version`, or `package-absent` where it is not installed."""
    try:
        return f"{package}-{metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package}-absent"


def word_pattern(text: str) -> re.Pattern[str]:
    """What matches the words of a text."""
    return ASCII_WORD if text.isascii() else WORD


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

    def tokens(self, text: str) -> list[Morph]:
        return [
            Morph(match[0], self.form(match[0].lower()), *match.span())
            for match in word_pattern(text).finditer(text)
        ]

    def words(self, text: str) -> list[str]:
        return word_pattern(text).findall(text)

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        words, form_of = map(str.lower, word_pattern(text).findall(text)), _forms(self)
        return [form for word in words if word not in stop and (form := form_of(word)) not in stop]


UNICODE = Unicode()


@cache
def _forms(analyser: Unicode) -> Callable[[str], str]:
    return lru_cache(maxsize=1 << 16)(analyser.form)


@cache
def _lemmatizer() -> Any:
    from simplemma import Lemmatizer  # it reads a language's dictionary at its first word

    return Lemmatizer()


@lru_cache(maxsize=200_000)
def lemma(word: str, language: str) -> str:
    """The dictionary form, in lower case."""
    return str(_lemmatizer().lemmatize(word, lang=language)).lower()


@lru_cache(maxsize=50_000)
def is_known(word: str, language: str) -> bool:
    """Whether the dictionary has this word."""
    from simplemma import is_known as has

    return bool(has(word, lang=language))


@dataclass(frozen=True, slots=True)
class Lemmas(Unicode):
    """Unicode words, compared by their lemmas.

    A dictionary drops negations that are part of a word (wasn't is be, nepřišel is přijít); what
    did not happen is not what happened. `denied` gives the form of such words, "" of all others.
    """

    language: str
    denied: Callable[[str], str] | None = None

    @property
    def id(self) -> str:
        return version_of("simplemma")

    def form(self, word: str) -> str:
        """The form under which a word, in lower case, is compared."""
        return (self.denied and self.denied(word)) or lemma(word, self.language)
