"""Polarity: which words of praise and blame a text has, and which of them are denied.

The rule. A reader of the language marks polar words, negations and the borders of clauses. Each
polar word is under as many negations as govern it within its clause: in languages where negation
comes before what it negates (Chinese, English, Czech, Russian) those that stand before it and at
most `reach` words away; in languages where it follows the predicate (Japanese, Korean) all of the
clause's. Two negations cancel: 不是不喜欢, "not without merit", 好きでないわけではない are praise.

- positive: some word of praise is under an even number, or some word of blame under an odd one;
- negative: the reverse;
- negated: some polar word is under an odd number of negations, or some clause has an odd number of
  negations that govern no polar word (the predicate is denied).

*Shifters* (avoid, overcome, lack; 克服, 缺乏) reverse their object but deny no predicate. *Concord*
words (Czech nikdo, Russian никогда, English nor) count only where their clause has no other
negation: "nikdy nebyl šťastný" is one negation. A negation can also be part of the word itself
(neschopný, 不誠実): it then governs that word alone. *Qualities* (才能, reputation) and people
(恩人, innocent) are what a predicate speaks of: they count only where their clause has no other
polar word. After a *contrast* (but, 可是, しかし, 지만) the words that follow decide. Where praise
and blame balance, the last word decides if the predicate comes last (Japanese, Korean). What a
negation denies that governs no polar word is kept in `denied`, cut to what endings leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple, Protocol

from gistmeter.languages import lexicons

_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_SPACED = re.compile(r"[a-z\u00e0-\u024f\u0400-\u04ff]")


class Kind(Enum):
    """What a mark says of the words under it."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEGATION = "negation"
    CONCORD = "concord"
    SHIFTER = "shifter"
    BORDER = "border"


class Mark(NamedTuple):
    """A place in the text that matters for polarity."""

    kind: Kind
    start: int
    end: int
    position: int = 0  # of the word, to measure how far a negation reaches
    own: int = 0  # negations inside the word itself


class Reader(Protocol):
    """Finds the marks of a text, in order."""

    @property
    def follows(self) -> bool:
        """Whether negation follows the predicate."""

    @property
    def reach(self) -> int:
        """How many words away a negation still governs a word after it."""

    def read(self, text: str) -> list[Mark]: ...


class PolarWord(NamedTuple):
    """A word that colours a text, where it stands, and how many negations it is under."""

    text: str
    start: int
    end: int
    kind: str  # "positive", "negative" or "negation"
    negations: int = 0

    @property
    def negated(self) -> bool:
        return self.negations % 2 == 1


class Polarity(NamedTuple):
    """Whether a text praises, blames, denies; `words` are what was found, in order."""

    positive: bool = False
    negative: bool = False
    negated: bool = False
    words: tuple[PolarWord, ...] = ()
    denied: tuple[str, ...] = ()  # beginnings of predicates that are denied and not polar
    last: bool = False  # whether the predicate comes last, and decides where words balance
    turn: int = 0  # where the text turns (but, 可是): what stands after it decides


def compose(reader: Reader, text: str) -> Polarity:
    """Read a text and apply the rule."""
    found: list[PolarWord] = []
    denied: list[str] = []
    for clause in _clauses(reader.read(text)):
        polar, clause_denied = _judge(reader, _without_qualities(reader, clause, text), text)
        found += polar
        denied += clause_denied
    coloured = [word for word in found if word.kind != "negation"]
    return Polarity(
        any((word.kind == "positive") != word.negated for word in coloured),
        any((word.kind == "negative") != word.negated for word in coloured),
        bool(denied) or any(word.negated for word in coloured),
        tuple(sorted(found, key=lambda word: word.start)),
        tuple(denied),
        reader.follows and bool(coloured),
        _turn(getattr(reader, "lists", lexicons.GENERIC), text),
    )


def _turn(lists: str, text: str) -> int:
    """Where the last word of contrast ends, 0 where there is none."""
    pattern = _contrasts(lists)
    found = list(pattern.finditer(text)) if pattern else []
    return found[-1].end() if found else 0


@cache
def _contrasts(lists: str) -> re.Pattern[str] | None:
    words = sorted(lexicons.words(lists, "contrasts"), key=len, reverse=True)
    spelled = [
        rf"\b{re.escape(word)}\b" if _SPACED.match(word) else re.escape(word) for word in words
    ]
    return re.compile("|".join(spelled), re.IGNORECASE) if spelled else None


def _without_qualities(reader: Reader, clause: list[Mark], text: str) -> list[Mark]:
    weak = lexicons.words(getattr(reader, "lists", lexicons.GENERIC), "qualities")
    polar = [mark for mark in clause if mark.kind in (Kind.POSITIVE, Kind.NEGATIVE)]
    strong = [mark for mark in polar if text[mark.start : mark.end].lower() not in weak]
    if not strong:
        return clause
    return [mark for mark in clause if mark not in polar or mark in strong]


def _clauses(marks: list[Mark]) -> Iterator[list[Mark]]:
    clause: list[Mark] = []
    for mark in marks:
        if mark.kind is Kind.BORDER:
            if clause:
                yield clause
            clause = []
        else:
            clause.append(mark)
    if clause:
        yield clause


def _judge(reader: Reader, clause: list[Mark], text: str) -> tuple[list[PolarWord], list[str]]:
    """The words of a clause with their negations, and what is denied beside them."""
    negations = [mark for mark in clause if mark.kind is Kind.NEGATION]
    if not negations:  # several words in concord are one negation
        negations = [mark for mark in clause if mark.kind is Kind.CONCORD][:1]
    shifters = [mark for mark in clause if mark.kind is Kind.SHIFTER]
    polar = [mark for mark in clause if mark.kind in (Kind.POSITIVE, Kind.NEGATIVE)]
    words = [
        PolarWord(text[mark.start : mark.end], mark.start, mark.end, "negation")
        for mark in clause
        if mark.kind in (Kind.NEGATION, Kind.CONCORD, Kind.SHIFTER)
    ]
    governing: set[Mark] = set()
    for mark in polar:
        governs = [one for one in negations if _governs(reader, one, mark)]
        governing.update(governs)
        count = mark.own + len(governs) + sum(_governs(reader, one, mark) for one in shifters)
        words.append(
            PolarWord(text[mark.start : mark.end], mark.start, mark.end, mark.kind.value, count)
        )
    idle = [one for one in negations if one not in governing]
    denied = [_predicate(reader, one, text) for one in idle] if len(idle) % 2 else []
    return words, denied


def _predicate(reader: Reader, negation: Mark, text: str) -> str:
    """The beginning of the word that a negation denies: what stands next to it."""
    if reader.follows:
        near = re.search(r"(\w+)\W*$", text[: negation.start])
        word = near[1] if near else ""
        return word[-2:] if _UNSPACED.search(word) else word[:2]
    stop = lexicons.words(getattr(reader, "lists", lexicons.GENERIC), "stopwords")
    after = (word.lower() for word in re.findall(r"\w+", text[negation.end :]))
    word = next((word for word in after if word not in stop), "")
    return word[:2] if _UNSPACED.search(word) else word[: max(3, round(0.6 * len(word)))]


def _governs(reader: Reader, negation: Mark, word: Mark) -> bool:
    if reader.follows and negation.kind is not Kind.SHIFTER:
        return True
    if reader.follows:  # an object stands before the verb that reverses it
        return word.start < negation.start
    return negation.start < word.start and word.position - negation.position <= reader.reach
