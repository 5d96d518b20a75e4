"""Marks where words are written apart and negation comes before what it negates.

Negations are listed words (not, never, без), and whatever the analyser's form makes one (wasn't is
not). Where a language negates by a *prefix* (Czech ne-, Russian не-), the prefix belongs to its
word alone (neschopný), unless the word is a verb, whose prefix negates the clause; words that only
begin like it (nebo, nemoc) are none, since what is left of them is no word. Clauses end at
punctuation and at conjunctions of contrast and cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gistmeter.languages import lexicons
from gistmeter.languages.analysers.lemmas import Lemmas, is_known, lemma
from gistmeter.languages.analysers.unicode import WORD, Unicode
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask, mask, polar_kinds

PIECE = re.compile(f'(?P<word>{WORD.pattern})|(?P<border>[.,;:!?…()"“”„«»—–\\n]+)')
LONGEST = 3


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix that negates, in a language whose dictionary tells what is a word without it."""

    text: str
    language: str
    is_verb: Callable[[str], bool] | None = None  # whether a word with the prefix is a verb


@dataclass(frozen=True, slots=True)
class SpacedReader:
    """Negation precedes; it reaches six words."""

    lists: str
    analyser: Unicode | Lemmas = field(default_factory=Unicode)
    prefix: Prefix | None = None
    follows: bool = False
    reach: int = 6

    def read(self, text: str) -> list[Mark]:
        silent = mask(text, self.lists, spaced=True)
        pieces = list(PIECE.finditer(text))
        marks: list[Mark] = []
        place = 0
        while place < len(pieces):
            piece = pieces[place]
            if piece["word"] is None:
                marks.append(Mark(Kind.BORDER, *piece.span(), place))
                place += 1
                continue
            count, kind = self._phrase(pieces, place)
            if count > 1 and kind is not None:
                marks.append(Mark(kind, piece.start(), pieces[place + count - 1].end(), place))
            else:
                marks += self._word(piece, place, silent)
            place += count
        return marks

    def _phrase(self, pieces: list[re.Match[str]], place: int) -> tuple[int, Kind | None]:
        """A polar phrase of several words that begins here."""
        kinds = polar_kinds(self.lists)
        for count in range(min(LONGEST, len(pieces) - place), 1, -1):
            some = pieces[place : place + count]
            if all(piece["word"] for piece in some):
                kind = kinds.get(" ".join(piece[0].lower() for piece in some))
                if kind is not None:
                    return count, kind
        return 1, None

    def _word(self, piece: re.Match[str], place: int, silent: Mask) -> Iterator[Mark]:
        word, start, end = piece[0].lower().replace("’", "'"), piece.start(), piece.end()
        form = self.analyser.form(word)
        kinds = polar_kinds(self.lists)
        kind = kinds.get(word) or kinds.get(form)
        negation = self._negation(word, form)
        shifts = {word, form} & lexicons.words(self.lists, "shifters")
        if word in lexicons.words(self.lists, "borders"):
            yield Mark(Kind.BORDER, start, end, place)
        elif silent.covers(start):
            return
        elif kind is not None:
            yield Mark(kind, start, end, place)
            if shifts:
                yield Mark(Kind.SHIFTER, start, end, place)
        elif negation is not None:
            yield Mark(negation, start, end, place)
        elif shifts:
            yield Mark(Kind.SHIFTER, start, end, place)
        elif self.prefix is not None:
            yield from self._prefixed(self.prefix, word, start, end, place)

    def _negation(self, word: str, form: str) -> Kind | None:
        if {word, form} & lexicons.words(self.lists, "concord"):
            return Kind.CONCORD
        if {word, form} & lexicons.words(self.lists, "negations"):
            return Kind.NEGATION
        return None

    def _prefixed(
        self, prefix: Prefix, word: str, start: int, end: int, place: int
    ) -> Iterator[Mark]:
        """A word that is its own negation."""
        rest = word.removeprefix(prefix.text)
        if rest == word or len(word) < 4 or not is_known(rest, prefix.language):
            return
        verb = prefix.is_verb is not None and prefix.is_verb(word)
        kind = polar_kinds(self.lists).get(lemma(rest, prefix.language))
        at = start + len(prefix.text)
        if verb:
            yield Mark(Kind.NEGATION, start, at, place)
        if kind is not None:
            yield Mark(kind, at, end, place, own=0 if verb else 1)
