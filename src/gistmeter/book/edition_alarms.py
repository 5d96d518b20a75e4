"""An alarm of a book as a value: what an editor should look at, how likely it is right, and why.

Places are indices of sentences, from 0. A probability says how likely an editor would agree; the
levels cut the list at probabilities that were fitted (`metrics/data/alarms.json`).
"""

from __future__ import annotations

from dataclasses import dataclass

ALARM_KINDS = ("changed", "invented", "moved", "cut")  # the gravest first
ALARM_LEVELS = ("sure", "balanced", "all")  # the shortest list first
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AlarmReason:
    """What differs, with the words of both sides and where they stand.

    kind: number, date, unit, name, negation, quantity, comparative, roles (who did what), opposite
    (a word in place of its opposite), words (other words in place of the source's), meaning (the
    sentence as a whole contradicts its source), no source, order, cut.
    """

    kind: str
    source_words: str = ""
    sentence_words: str = ""
    place: int | None = None  # the source sentence that `source_span` is of
    source_span: Span | None = None
    sentence_span: Span | None = None  # in the sentence of the alarm

    def __str__(self) -> str:
        words = (self.source_words, self.sentence_words)
        if not any(words):
            return SAID.get(self.kind, self.kind)
        return f"{self.kind}: {' → '.join(one or '(nothing)' for one in words)}"


SAID = {
    "meaning": "meaning: contradicts its source",
    "no source": "no source: no passage says this",
    "order": "order: stands elsewhere in the original",
    "cut": "cut: not in the edition",
}


@dataclass(frozen=True, slots=True)
class EditionAlarm:
    """One thing to look at; the list of a book has the most probable first."""

    kind: str  # one of ALARM_KINDS
    probability: float  # that an editor would agree
    level: str  # the shortest list that has it: sure, balanced or all
    first: int | None = None  # sentences of the edition; None: a cut has none
    last: int | None = None
    start: int | None = None  # sentences of the source: the passage it was compared with
    end: int | None = None
    reasons: tuple[AlarmReason, ...] = ()

    def is_shown(self, level: str) -> bool:
        """Whether a list of this level has it."""
        return ALARM_LEVELS.index(self.level) <= ALARM_LEVELS.index(level)


@dataclass(frozen=True, slots=True)
class Person:
    """One of the book's people: all the names that mean the same person, the commonest first."""

    names: tuple[str, ...]
    mentions: int = 0
