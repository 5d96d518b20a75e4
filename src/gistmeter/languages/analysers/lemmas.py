"""Words of inflected languages with their lemmas by simplemma (Barbaresi), a dictionary look-up.

Words are runs of letters and digits; a word that the dictionary does not know is its own lemma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gistmeter.languages.analysers import Token, version_of
from gistmeter.languages.analysers.unicode import WORD


@cache
def lemmatizer() -> Any:
    """simplemma's look-up; the dictionary of a language is read at its first word."""
    from simplemma import Lemmatizer

    return Lemmatizer()


@lru_cache(maxsize=200_000)
def lemma(word: str, language: str) -> str:
    """The dictionary form, in lower case."""
    return str(lemmatizer().lemmatize(word, lang=language)).lower()


@lru_cache(maxsize=50_000)
def is_known(word: str, language: str) -> bool:
    """Whether the dictionary has this word."""
    from simplemma import is_known as has

    return bool(has(word, lang=language))


@dataclass(frozen=True, slots=True)
class Lemmas:
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

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(found[0], self.form(found[0].lower()), found.start(), found.end())
            for found in WORD.finditer(text)
        ]

    def words(self, text: str) -> list[str]:
        return WORD.findall(text)

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        return [
            form
            for word in map(str.lower, WORD.findall(text))
            if word not in stop and (form := self.form(word)) not in stop
        ]
