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
def lemmatizer(language: str) -> Any:
    """simplemma's look-up; the dictionary of a language is read at its first word."""
    try:
        from simplemma import Lemmatizer
    except ImportError as error:
        raise MissingDependency("simplemma", language, "Lemmatisation") from error
    return Lemmatizer()


@lru_cache(maxsize=200_000)
def lemma(word: str, language: str) -> str:
    """The dictionary form, in lower case."""
    return str(lemmatizer(language).lemmatize(word, lang=language)).lower()


@lru_cache(maxsize=50_000)
def is_known(word: str, language: str) -> bool:
    """Whether the dictionary has this word."""
    lemmatizer(language)
    from simplemma import is_known as has

    return bool(has(word, lang=language))


def is_negated(word: str) -> bool:
    """Whether a Czech word is the negation of a word: nepřišel is, nejlepší and nebo are not."""
    return (
        word.startswith("ne")
        and not lemma(word, "cs").startswith("ne")
        and is_known(word[2:], "cs")
    )


def negated_lemma(word: str, language: str) -> str:
    """The lemma with the prefix of negation, where the dictionary would drop it.

    For Czech it gives nepřišel the lemma přijít and for English wasn't the lemma be; what did not
    happen is not what happened.
    """
    if language == "en" and (word == "cannot" or word.endswith(("n't", "n’t"))):
        return "not"
    form = lemma(word, language)
    if language == "cs" and is_negated(word):
        return f"ne{form}"
    return form


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Unicode words, compared by their lemmas."""

    language: str

    @property
    def id(self) -> str:
        return version_of("simplemma")

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(
                found[0], negated_lemma(found[0].lower(), self.language), found.start(), found.end()
            )
            for found in WORD.finditer(text)
        ]

    def words(self, text: str) -> list[str]:
        return WORD.findall(text)

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        return [
            form
            for word in map(str.lower, WORD.findall(text))
            if word not in stop and (form := negated_lemma(word, self.language)) not in stop
        ]
