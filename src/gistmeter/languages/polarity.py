"""Polarity: which words of praise and blame a text has, and which of them are negated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolarWord:
    """A word that colours a text, where it stands, and what governs it."""

    text: str
    start: int
    end: int
    kind: str  # "positive", "negative" or "negation"
    negations: int = 0  # how many negations it stands under

    @property
    def negated(self) -> bool:
        return self.negations % 2 == 1


@dataclass(frozen=True, slots=True)
class Polarity:
    """Whether a text praises, blames, denies.

    `positive`: a word of praise under an even number of negations, or a word of blame under an odd
    one; `negative` the reverse; `negated`: some polar word or predicate is under an odd number.
    """

    positive: bool = False
    negative: bool = False
    negated: bool = False
    words: tuple[PolarWord, ...] = ()
