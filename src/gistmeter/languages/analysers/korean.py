"""Korean morphemes by Kiwi (kiwipiepy): stems and nouns without particles and endings.

Words, as word error rates count them, are the morphemes joined back to what stands between two
borders of morphemes that carry content; content is nouns, stems of verbs and adjectives, adverbs,
roots, numerals and foreign words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from gistmeter.errors import MissingDependency
from gistmeter.languages.analysers import Token, version_of

CONTENT = frozenset("NNG NNP NR NP VV VA MM MAG XR SL SH SN XPN".split())


@cache
def analyser() -> Any:
    """Kiwi with its own model, loaded once."""
    try:
        from kiwipiepy import Kiwi
    except ImportError as error:
        raise MissingDependency("kiwipiepy", "ko", "Korean morphological analysis") from error
    return Kiwi(num_workers=1)


@dataclass(frozen=True, slots=True)
class Kiwi:
    """Morphemes by Kiwi."""

    @property
    def id(self) -> str:
        return f"{version_of('kiwipiepy')}+{version_of('kiwipiepy_model')}"

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(
                text[found.start : found.end],
                found.lemma.lower(),
                found.start,
                found.end,
                found.tag,
                found.tag.partition("-")[0] in CONTENT,
            )
            for found in analyser().tokenize(text)
        ]

    def words(self, text: str) -> list[str]:
        return [
            found.form
            for found in analyser().tokenize(text)
            if not (found.tag.startswith("S") and found.tag not in ("SL", "SH", "SN"))
        ]

    def forms(self, text: str) -> list[str]:
        return [
            found.lemma.lower()
            for found in analyser().tokenize(text)
            if found.tag.partition("-")[0] in CONTENT
        ]
