"""Marks where words are written apart and negation comes before what it negates.

Negations are listed words (not, never, без), and whatever the analyser's form makes one (wasn't is
not). Where a language negates by a *prefix* (Czech ne-, Russian не-), the prefix belongs to its
word alone (neschopný), unless the word is a verb, whose prefix negates the clause; words that only
begin like it (nebo, nemoc) are none, since what is left of them is no word. Clauses end at
punctuation and at conjunctions of contrast and cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import NamedTuple

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import ASCII_WORD, WORD, Lemmas, Unicode, is_known, lemma
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.polarity import Kind, Mark, affirmed, polar_kinds

PIECE, ASCII_PIECE = (
    re.compile(f'(?P<word>{word.pattern})|(?P<border>[.,;:!?…()"“”„«»—–\\n]+)')
    for word in (WORD, ASCII_WORD)
)
LONGEST = 3


@dataclass(frozen=True, slots=True)
class SpacedReader:
    """Negation precedes; it reaches six words."""

    lists: str
    analyser: Unicode = field(default_factory=Unicode)
    prefix: str = ""  # that negates; the dictionary of lemmas tells what is a word without it
    follows: bool = False
    reach: int = 6
    is_verb: Callable[[str], bool] | None = None  # whether a word with the prefix is a verb

    def read(self, text: str) -> list[Mark]:
        pieces = list((ASCII_PIECE if text.isascii() else PIECE).finditer(text))
        words = [piece[0].lower() if piece.lastgroup == "word" else "" for piece in pieces]
        begins, signs_of = _begins(self.lists), _remembered(self)
        silent: Mask | None = None  # most texts have nothing that it could silence
        marks: list[Mark] = []
        place = 0
        while place < len(pieces):
            word = words[place]
            count, kind = self._phrase(words, place) if word in begins else (1, None)
            if not word:
                marks.append(Mark(Kind.BORDER, *pieces[place].span(), place))
            elif kind is not None:
                start, end = pieces[place].start(), pieces[place + count - 1].end()
                marks.append(Mark(kind, start, end, place))
            elif here := signs_of(word.replace("’", "'")):
                start, end = pieces[place].span()
                silent = silent or Mask(len(text), affirmed(text, self.lists, spaced=True))
                if here[0].kind is Kind.BORDER or not silent.covers(start):
                    marks += [sign.at(start, end, place) for sign in here]
            place += count
        return marks

    def _phrase(self, words: Sequence[str], place: int) -> tuple[int, Kind | None]:
        """A polar phrase of several words that begins here."""
        kinds = polar_kinds(self.lists)
        for count in range(min(LONGEST, len(words) - place), 1, -1):
            some = words[place : place + count]
            kind = kinds.get(" ".join(some)) if all(some) else None
            if kind is not None:
                return count, kind
        return 1, None


class Sign(NamedTuple):
    """What a word, or the part of it before or after its prefix, marks."""

    kind: Kind
    prefix: int = 0  # letters of the prefix; below 0 where the part is the prefix itself
    own: int = 0  # negations inside the word itself

    def at(self, start: int, end: int, place: int) -> Mark:
        if self.prefix < 0:
            return Mark(self.kind, start, start - self.prefix, place)
        return Mark(self.kind, start + self.prefix, end, place, self.own)


@cache
def _begins(lists: str) -> frozenset[str]:
    """The first words of polar phrases."""
    return frozenset(word.partition(" ")[0] for word in polar_kinds(lists) if " " in word)


@cache
def _remembered(reader: SpacedReader) -> Callable[[str], tuple[Sign, ...]]:
    """`signs` of a reader, of whose many fields no hash is then made for each word."""
    return lru_cache(maxsize=1 << 16)(partial(signs, reader))


def signs(reader: SpacedReader, word: str) -> tuple[Sign, ...]:
    """What a word marks wherever it stands."""
    form, lists = reader.analyser.form(word), reader.lists
    kinds = polar_kinds(lists)
    kind = kinds.get(word) or kinds.get(form)

    def listed(name: str) -> bool:
        return not lexicons.words(lists, name).isdisjoint((word, form))

    shifts = (Sign(Kind.SHIFTER),) if listed("shifters") else ()
    if word in lexicons.words(lists, "borders"):
        return (Sign(Kind.BORDER),)
    if kind is not None:
        return (Sign(kind), *shifts)
    if listed("concord") or listed("negations"):
        return (Sign(Kind.CONCORD if listed("concord") else Kind.NEGATION),)
    return shifts or _prefixed(reader, word)


def _prefixed(reader: SpacedReader, word: str) -> tuple[Sign, ...]:
    """A word that is its own negation."""
    rest, length = word.removeprefix(reader.prefix), len(reader.prefix)
    if rest == word or len(word) < 4 or not isinstance(reader.analyser, Lemmas):
        return ()
    language = reader.analyser.language
    if not is_known(rest, language):
        return ()
    verb = reader.is_verb is not None and reader.is_verb(word)
    kind = polar_kinds(reader.lists).get(lemma(rest, language))
    negation = (Sign(Kind.NEGATION, -length),) if verb else ()
    return negation if kind is None else (*negation, Sign(kind, length, 0 if verb else 1))
