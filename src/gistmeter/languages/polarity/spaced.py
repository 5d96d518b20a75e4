"""Marks in English, Czech and Russian: words and lemmas, negation before what it negates.

English negations are words (not, never, without) and the ending n't. In Czech the prefix ne- makes
any verb a negation, and belongs to an adjective, adverb or noun alone (neschopný); words that only
begin with ne- (nebo, nemoc) are told apart by their lemmas. In Russian не, нет and без
negate, and the prefix не- belongs to its word. Clauses end at punctuation and at conjunctions of
contrast and cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gistmeter.languages import lexicons
from gistmeter.languages.analysers.lemmas import is_known, is_negated, lemma, negated_lemma
from gistmeter.languages.analysers.unicode import WORD
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask, mask, polar_kinds

PIECE = re.compile(f'(?P<word>{WORD.pattern})|(?P<border>[.,;:!?…()"“”„«»—–\\n]+)')
PREFIX = {"cs": "ne", "ru": "не"}
LONGEST = 3
VERB = ("t", "ci")  # how Czech infinitives end


@dataclass(frozen=True, slots=True)
class SpacedReader:
    """Negation precedes; it reaches six words."""

    language: str
    follows: bool = False
    reach: int = 6

    def read(self, text: str) -> list[Mark]:
        silent = mask(text, self.language)
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
        kinds = polar_kinds(self.language)
        for count in range(min(LONGEST, len(pieces) - place), 1, -1):
            some = pieces[place : place + count]
            if all(piece["word"] for piece in some):
                kind = kinds.get(" ".join(piece[0].lower() for piece in some))
                if kind is not None:
                    return count, kind
        return 1, None

    def _word(self, piece: re.Match[str], place: int, silent: Mask) -> Iterator[Mark]:
        word, start, end = piece[0].lower().replace("’", "'"), piece.start(), piece.end()
        form = negated_lemma(word, self.language)
        kinds = polar_kinds(self.language)
        kind = kinds.get(word) or kinds.get(form)
        negation = self._negation(word, form)
        shifts = {word, form} & lexicons.words(self.language, "shifters")
        if word in lexicons.words(self.language, "borders"):
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
        else:
            yield from self._prefixed(word, start, end, place)

    def _negation(self, word: str, form: str) -> Kind | None:
        if {word, form} & lexicons.words(self.language, "concord"):
            return Kind.CONCORD
        if {word, form} & lexicons.words(self.language, "negations"):
            return Kind.NEGATION
        if self.language == "en" and (word.endswith("n't") or word == "cannot"):
            return Kind.NEGATION
        return None

    def _prefixed(self, word: str, start: int, end: int, place: int) -> Iterator[Mark]:
        """A word that is its own negation."""
        prefix = PREFIX.get(self.language)
        if prefix is None or not word.startswith(prefix) or len(word) < 4:
            return
        if not is_known(word[len(prefix) :], self.language):
            return
        form = lemma(word[len(prefix) :], self.language)
        verb = self.language == "cs" and is_negated(word) and lemma(word, "cs").endswith(VERB)
        kind = polar_kinds(self.language).get(form)
        at = start + len(prefix)
        if verb:
            yield Mark(Kind.NEGATION, start, at, place)
        if kind is not None:
            yield Mark(kind, at, end, place, own=0 if verb else 1)
