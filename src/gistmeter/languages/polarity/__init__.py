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
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import NamedTuple, Protocol

from gistmeter.languages import lexicons

_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_SPACED = re.compile(r"[a-z\u00e0-\u024f\u0400-\u04ff]")
_WORD = re.compile(r"\w{1,100}")  # more letters are no word, and many of them would be read often
_LAST = re.compile(r"\w*\Z")
START, POSITION = attrgetter("start"), attrgetter("position")


class Kind(Enum):
    """What a mark says of the words under it."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEGATION = "negation"
    CONCORD = "concord"
    SHIFTER = "shifter"
    BORDER = "border"


COLOURED = (Kind.POSITIVE, Kind.NEGATIVE)


class Mark(NamedTuple):
    """A place in the text that matters for polarity."""

    kind: Kind
    start: int
    end: int
    position: int = 0  # of the word, to measure how far a negation reaches
    own: int = 0  # negations inside the word itself


class PolarityReader(Protocol):
    """Finds the marks of a text, in order."""

    @property
    def lists(self) -> str:
        """The package with the word lists."""

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


def compose(reader: PolarityReader, text: str) -> Polarity:
    """Read a text and apply the rule."""
    words: list[PolarWord] = []
    idle: list[Mark] = []
    for clause in _clauses(reader.read(text)):
        clause_words, clause_idle = _judge(reader, _without_qualities(reader, clause, text), text)
        words += clause_words
        idle += clause_idle if len(clause_idle) % 2 else []
    denied = _before(idle, text) if reader.follows else _after(idle, text, reader.lists)
    coloured = [word for word in words if word.kind != "negation"]
    *_, turn = 0, *(contrast.end() for contrast in _contrasts(reader.lists).finditer(text))
    return Polarity(
        any((word.kind == "positive") != word.negated for word in coloured),
        any((word.kind == "negative") != word.negated for word in coloured),
        bool(denied) or any(word.negated for word in coloured),
        tuple(sorted(words, key=lambda word: word.start)),
        tuple(denied),
        reader.follows and bool(coloured),
        turn,
    )


def present(words: Sequence[str], lists: str) -> Polarity:
    """Whether any word of praise, of blame, any negation is among the words."""
    kinds, negations = polar_kinds(lists), lexicons.words(lists, "negations")
    among = {kinds.get(word) for word in words}
    negated = any(word in negations for word in words)
    return Polarity(Kind.POSITIVE in among, Kind.NEGATIVE in among, negated)


@cache
def polar_kinds(lists: str) -> dict[str, Kind]:
    """Every polar word with its kind."""
    kinds = dict.fromkeys(lexicons.words(lists, "positive"), Kind.POSITIVE)
    return kinds | dict.fromkeys(lexicons.words(lists, "negative"), Kind.NEGATIVE)


def affirmed(
    text: str, lists: str, *more: re.Pattern[str], spaced: bool = False
) -> list[tuple[int, int]]:
    """Where the text has phrases that look like negations and are none; `more` finds others.

    Where words are `spaced` a phrase is made of whole words. The stretches are in order and apart.
    """
    patterns = (_affirmations(lists, spaced), *more)
    spans: list[tuple[int, int]] = []
    for start, end in sorted(match.span() for each in patterns for match in each.finditer(text)):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


@cache
def _affirmations(lists: str, spaced: bool) -> re.Pattern[str]:
    """A pattern of the phrases that look like negations; `~` in the list stands for some words."""
    phrases = sorted(lexicons.lines(lists, "affirmations"), key=len, reverse=True)
    if not phrases:
        return lexicons.NEVER
    parts = (re.escape(phrase).replace("\\~", "[^，。；！？、,.;!?]{1,6}?") for phrase in phrases)
    pattern = "|".join(part.replace("\\ ", r"\s+") for part in parts)
    return re.compile(f"(?<!\\w)(?:{pattern})(?!\\w)" if spaced else pattern, re.IGNORECASE)


@cache
def _contrasts(lists: str) -> re.Pattern[str]:
    """A pattern of the words after which a text turns."""
    words = sorted(lexicons.words(lists, "contrasts"), key=len, reverse=True)
    spelled = [
        rf"\b{re.escape(word)}\b" if _SPACED.match(word) else re.escape(word) for word in words
    ]
    return re.compile("|".join(spelled), re.IGNORECASE) if spelled else lexicons.NEVER


def _without_qualities(reader: PolarityReader, clause: list[Mark], text: str) -> list[Mark]:
    weak = lexicons.words(reader.lists, "qualities")
    kept = [
        mark
        for mark in clause
        if mark.kind not in COLOURED or text[mark.start : mark.end].lower() not in weak
    ]
    return kept if any(mark.kind in COLOURED for mark in kept) else clause


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


def negations_of(clause: list[Mark]) -> list[Mark]:
    """The negations of a clause; several words in concord are one negation."""
    negations = [mark for mark in clause if mark.kind is Kind.NEGATION]
    return negations or [mark for mark in clause if mark.kind is Kind.CONCORD][:1]


def _judge(
    reader: PolarityReader, clause: list[Mark], text: str
) -> tuple[list[PolarWord], list[Mark]]:
    """The words of a clause with their negations, and the negations that govern none of them."""
    negations = sorted(negations_of(clause), key=START)
    shifters = sorted((mark for mark in clause if mark.kind is Kind.SHIFTER), key=START)
    words: list[PolarWord] = []
    governing: set[int] = set()
    for mark in sorted(clause, key=lambda mark: mark.kind in COLOURED):
        kind, count = "negation", 0
        if mark.kind in COLOURED:
            governs = _governing(reader, negations, mark)
            if not reader.follows or not governing:  # where it follows, all of them govern
                governing.update(governs)
            shifted = len(_governing(reader, shifters, mark))
            kind, count = mark.kind.value, mark.own + len(governs) + shifted
        words.append(PolarWord(text[mark.start : mark.end], mark.start, mark.end, kind, count))
    return words, [mark for place, mark in enumerate(negations) if place not in governing]


def _before(negations: Sequence[Mark], text: str) -> list[str]:
    """The beginnings of the words that negations deny which follow them."""
    words = []
    for negation in negations:
        end = negation.start
        while end and not _WORD.match(text, end - 1):
            end -= 1
        last = _LAST.search(text[max(0, end - 100) : end])
        words.append(last[0] if last else "")
    return [word[-2:] if _UNSPACED.search(word) else word[:2] for word in words]


def _after(negations: Sequence[Mark], text: str, lists: str) -> list[str]:
    """The beginnings of the words that negations deny which stand before them."""
    if not negations:
        return []
    stop = lexicons.words(lists, "stopwords")
    content = [match for match in _WORD.finditer(text) if match[0].lower() not in stop]
    words = []
    for negation in negations:
        rest = _WORD.match(text, negation.end)  # of the same word: 不高兴
        word = rest[0].lower() if rest else ""
        if not word or word in stop:
            place = bisect_left(content, negation.end, key=re.Match.start)
            word = content[place][0].lower() if place < len(content) else ""
        words.append(word)
    return [
        word[:2] if _UNSPACED.search(word) else word[: max(3, round(0.6 * len(word)))]
        for word in words
    ]


def _governing(reader: PolarityReader, negations: Sequence[Mark], word: Mark) -> range:
    """The places of the negations that govern a word, among those of its clause, in order."""
    if reader.follows and not (negations and negations[0].kind is Kind.SHIFTER):
        return range(len(negations))
    if reader.follows:  # an object stands before the verb that reverses it
        return range(bisect_right(negations, word.start, key=START), len(negations))
    first = bisect_left(negations, word.position - reader.reach, key=POSITION)
    return range(first, max(first, bisect_left(negations, word.start, key=START)))
