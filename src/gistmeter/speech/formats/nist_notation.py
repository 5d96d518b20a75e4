"""What NIST's transcripts allow: `{ nineteen / 19 / @ }` and `(%hesitation)`.

Of alternatives any may be said, `@` being nothing. A word in brackets may be left out, and counts
as right then, as with sclite's -D; a fragment, `budg-`, is right if the word heard begins so, as
with -F. NIST's own scoring (hubscr) sets both. A reading is the one path through all this that is
nearest to what was heard, by sclite's weights: 4 for a substitution, 3 for an insertion or a
deletion, 2 for an optional word that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product

from gistmeter.core.errors import InputError

SUBSTITUTION, GAP, EXCUSED = 4, 3, 2
MOST_PATHS = 256  # of one group of alternatives that are nested
DEEPEST = 20  # groups within each other; deeper braces are words
MOST_CELLS = 16_000_000  # words of all choices, times words that were heard
_TOKEN = re.compile(r"[{}]|[^\s{}]+")
_EDGE = re.compile(r"^\W+|\W+$")
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a transcript: what may stand there, and whether it may be left out."""

    choices: tuple[Words, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ChosenReading:
    """The words that count as said, and how many more were rightly left out."""

    text: str
    excused: int = 0


def has_choices(text: str) -> bool:
    """Whether a text is to be resolved at all."""
    return any(mark in text for mark in ("{", "(", "@")) or bool(re.search(r"-(?:\s|$)", text))


def read_slots(text: str) -> list[Slot]:
    """The places of a transcript; braces that do not close are words."""
    written = _TOKEN.findall(text)
    closing = _closings(written)
    slots, at = [], 0
    while at < len(written):
        word = written[at]
        if at in closing:
            slots.append(Slot(tuple(dict.fromkeys(_group(written, at, closing)))))
            at = closing[at] + 1
            continue
        at += 1
        if len(word) > 2 and word[0] == "(" and word[-1] == ")":
            slots.append(Slot(((word[1:-1],), ()), optional=True))
        elif word != "@":
            slots.append(Slot(((word,),)))
    return slots


def _closings(written: Sequence[str]) -> dict[int, int]:
    """Where each group ends, by where it begins."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    heights = [0]  # of the groups within each open one, and outside of all
    for at, word in enumerate(written):
        if word == "{":
            opened.append(at)
            heights.append(0)
        elif word == "}" and opened:
            begun, height = opened.pop(), heights.pop() + 1
            heights[-1] = max(heights[-1], height)
            if height <= DEEPEST:
                closing[begun] = at
    return closing


def _group(written: Sequence[str], begun: int, closing: Mapping[int, int]) -> list[Words]:
    """The choices of a group."""
    choices: list[Words] = []
    parts: list[list[Words]] = []
    at = begun + 1
    while at <= closing[begun]:
        word = written[at]
        if at in closing:
            parts.append(_group(written, at, closing))
            at = closing[at]
        elif word == "/" or at == closing[begun]:
            paths = islice(product(*parts), MOST_PATHS)
            choices += [tuple(chain.from_iterable(path)) for path in paths]
            parts = []
        else:
            parts.append([() if word == "@" else (word,)])
        at += 1
    return choices


def choose(text: str, heard: Sequence[str]) -> ChosenReading:
    """The reading of a transcript that is nearest to the words heard.

    >>> choose("{ nineteen / 19 } rooms { um / @ } (uh) yes", ["19", "rooms", "yes"])
    ChosenReading(text='19 rooms yes', excused=1)
    """
    slots = read_slots(text)
    said = sum(len(words) for slot in slots for words in slot.choices)
    if said * len(heard) > MOST_CELLS:
        raise InputError(
            f"A text with alternatives or optional words has {said:,} words, and {len(heard):,} "
            f"were heard: at most {MOST_CELLS:,} pairs of words are compared. Cut it into segments "
            f"(STM). It begins: {text[:60]}"
        )
    known = [_plain(word) for word in heard]
    costs = [GAP * at for at in range(len(heard) + 1)]
    steps: list[list[tuple[int, int]]] = []  # by slot and column: the choice, the column before
    for slot in slots:
        best: list[tuple[int, int, int]] = []
        for number, words in enumerate(slot.choices):
            row, origin = costs, list(range(len(costs)))
            for word in words:
                row, origin = _next_row(row, origin, word, known)
            left = EXCUSED if slot.optional and not words else 0
            spelled = [(cost + left, number, origin[at]) for at, cost in enumerate(row)]
            best = spelled if not best else [min(pair) for pair in zip(best, spelled, strict=True)]
        costs = [cost for cost, _, _ in best]
        steps.append([(number, before) for _, number, before in best])
    return _follow(slots, steps, heard)


def _next_row(
    row: Sequence[int], origin: Sequence[int], word: str, heard: Sequence[str]
) -> tuple[list[int], list[int]]:
    """The costs after one more expected word, and the columns that their slot began in."""
    plain, costs, begun = _plain(word), [row[0] + GAP], [origin[0]]
    for at, other in enumerate(heard):
        paths = (
            (row[at] + (0 if _same(word, plain, other) else SUBSTITUTION), origin[at]),
            (row[at + 1] + GAP, origin[at + 1]),
            (costs[at] + GAP, begun[at]),
        )
        cost, before = min(paths, key=lambda path: path[0])
        costs.append(cost)
        begun.append(before)
    return costs, begun


def _same(word: str, plain: str, heard: str) -> bool:
    if plain == heard:
        return True
    fragment = len(word) > 1 and word[-1] == "-"
    return fragment and bool(plain) and heard.startswith(plain)


def _plain(word: str) -> str:
    return _EDGE.sub("", word.casefold()) or word


def _follow(
    slots: Sequence[Slot], steps: Sequence[Sequence[tuple[int, int]]], heard: Sequence[str]
) -> ChosenReading:
    words: list[str] = []
    excused, column = 0, len(heard)
    for slot, step in zip(reversed(slots), reversed(steps), strict=True):
        number, before = step[column]
        chosen = slot.choices[number]
        excused += slot.optional and not chosen
        own = heard[before:column]
        for word in reversed(chosen):
            whole = [other for other in own if _same(word, _plain(word), _plain(other))]
            words.append(whole[0] if word[-1:] == "-" and whole else word)
        column = before
    return ChosenReading(" ".join(reversed(words)), excused)
