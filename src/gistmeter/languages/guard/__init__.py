"""The guard: what of the facts differs between two texts, found by rules and without a model.

    >>> from gistmeter.languages.guard import compare
    >>> [str(alarm) for alarm in compare("He bought 3 apples.", "He bought 13 apples.", "en")]
    ['number: 3 → 13']
    >>> len(compare("She bought a dozen eggs.", "She bought twelve eggs.", "en"))
    0

Numbers, dates, units, names, negations, quantity words and comparatives of each text are read by
the lists and rules of its language. What both texts say is no difference, in whatever form they
say it; what stands in one text in place of something else in the other is an `Alarm`. Something
that only one of them says is none: a shorter text is not a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gistmeter import languages
from gistmeter.languages import lexicons
from gistmeter.languages.guard.differences import Alarm, Alarms, compare_facts
from gistmeter.languages.guard.extraction import read_facts
from gistmeter.languages.guard.fact import KINDS, Facts

__all__ = ["KINDS", "Alarm", "Alarms", "Facts", "Guard", "compare", "identity", "read"]
REVISION = 3  # to be raised when the rules change what they find
REMEMBERED = 1 << 14  # texts whose facts are kept: references come again with every system


@lru_cache(maxsize=REMEMBERED)
def read(text: str, language: str) -> Facts:
    """The facts of a text in a language, named by its code."""
    return read_facts(text, languages.get(language))


def compare(reference: str, candidate: str, language: str) -> Alarms:
    """What differs between two texts of a language; seen from the other side it is mirrored."""
    if reference == candidate:
        return Alarms()
    return compare_facts(
        read(reference, language), read(candidate, language), languages.get(language)
    )


def identity(language: str) -> str:
    """What could change an answer: the rules, the analyser and the lists."""
    pack = languages.get(language)
    return f"guard-{REVISION}/{pack.id}/{lexicons.fingerprint(pack.lists, lexicons.FACT_LISTS)}"


@dataclass(frozen=True, slots=True)
class Guard:
    """The guard of a language as metrics ask it; it stands in a signature by its `id`."""

    language: str

    @property
    def id(self) -> str:
        return identity(self.language)

    @property
    def reads(self) -> bool:
        """Whether the language has a reader of its own; without one, no alarm says nothing."""
        pack = languages.get(self.language)
        return pack.reader is not None or bool(lexicons.pairs(pack.lists, "numbers"))

    @property
    def why_not(self) -> str:
        """The reason of a score that lacks the reader."""
        name = languages.name_of(self.language) or self.language
        return f"no reader of numbers, negation and dates for {name}"

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Alarms]:
        """What differs in each pair of reference and candidate."""
        return [compare(reference, candidate, self.language) for reference, candidate in pairs]

    def content_words(self, texts: Sequence[str]) -> list[Sequence[str]]:
        """The words of each text that carry content, by their dictionary forms."""
        pack = languages.get(self.language)
        return [pack.content_words(text) for text in texts]
