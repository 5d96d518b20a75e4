"""Thai: words by PyThaiNLP (Apache 2.0), longest matching in its dictionary (newmm).

Thai is written without spaces. Where PyThaiNLP is not installed its words are clusters of a
consonant with its vowels and tones; the id says which, so that scores of the two are not mixed.
Sentences are cut at terminators and lines, not at spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from gistmeter.languages.analysers import UNICODE, Morph, is_word, version_of
from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.language import Language
from gistmeter.languages.numbers import join_grouped


@cache
def tokenize() -> Any:
    """PyThaiNLP's function, or None where it is not installed."""
    try:
        from pythainlp.tokenize import word_tokenize
    except ImportError:
        return None
    return word_tokenize


@dataclass(frozen=True, slots=True)
class Thai:
    """Words by dictionary, or clusters."""

    @property
    def id(self) -> str:
        version = version_of("pythainlp")
        return UNICODE.id if version.endswith("-absent") else version

    def tokens(self, text: str) -> list[Morph]:
        if tokenize() is None:
            return UNICODE.tokens(text)
        made, place = [], 0
        for word in tokenize()(text, engine="newmm", keep_whitespace=True):
            start = text.find(word, place)
            if start < 0 or not is_word(word):
                continue
            place = start + len(word)
            made.append(Morph(word, word.lower(), start, place))
        return made

    def words(self, text: str) -> list[str]:
        return [token.surface for token in self.tokens(text)]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        return [token.form for token in self.tokens(text) if token.form not in stop]


LANGUAGE = Language(
    "th",
    Thai(),
    name="Thai",
    aliases=("tha", "ภาษาไทย"),
    spaced=False,
    steps=(join_grouped,),
    hint=WrittenIn("\u0e01-\u0e5b"),
)
