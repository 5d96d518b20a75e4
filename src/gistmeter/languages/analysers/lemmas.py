"""Words of inflected languages with their lemmas by simplemma (Barbaresi), a dictionary look-up.

Words are runs of letters and digits; a word that the dictionary does not know is its own lemma.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of
from gistmeter.languages.analysers.unicode import WORD


@cache
def lemmatizer() -> Any:
    try:
        from simplemma import Lemmatizer
    except ImportError as error:
        raise MissingDependency(
            "simplemma", "cs", "Lemmatisation of Czech, Russian and English"
        ) from error
    return Lemmatizer()


@lru_cache(maxsize=200_000)
def lemma(word: str, language: str) -> str:
    """The dictionary form, in lower case."""
    return str(lemmatizer().lemmatize(word, lang=language)).lower()


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Unicode words, compared by their lemmas."""

    language: str

    @property
    def id(self) -> str:
        return version_of("simplemma")

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(found[0], self.form(found[0]), found.start(), found.end())
            for found in WORD.finditer(text)
        ]

    def words(self, text: str) -> list[str]:
        return WORD.findall(text)

    def forms(self, text: str) -> list[str]:
        return [self.form(word) for word in WORD.findall(text)]

    def form(self, word: str) -> str:
        return lemma(word.lower(), self.language)
