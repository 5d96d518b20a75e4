"""Marks in languages that are read by morphemes, where negation follows the predicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Analyser, Morph
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.polarity import Kind, Mark, affirmed, polar_kinds


@dataclass(frozen=True, slots=True)
class MorphemeReader:
    """Finds polar words of several morphemes; a language says what its other morphemes mark."""

    lists: str
    analyser: Analyser
    follows: bool = True
    reach: int = 0
    longest: ClassVar[int] = 4  # morphemes of a polar word
    spaced: ClassVar[bool] = False  # whether a space ends a word
    negation_tags: ClassVar[tuple[str, ...]] = ()  # beginnings of the tags of negations
    prefix_tag: ClassVar[str] = ""  # and of prefixes

    def read(self, text: str) -> list[Mark]:
        tokens = self.analyser.tokens(text)
        silent = Mask(len(text), affirmed(text, self.lists))
        marks: list[Mark] = []
        place, denied = 0, False
        while place < len(tokens):
            count, word, kind = self._polar(tokens, place, silent)
            if kind is None:
                here = list(self.single(tokens, place, silent, denied))
            else:
                start, end = tokens[place].start, tokens[place + count - 1].end
                inner = int(place > 0 and self._is_prefix(tokens[place - 1]))
                here = [Mark(kind, start, end, place, inner)]
                if word in lexicons.words(self.lists, "shifters"):
                    here.append(Mark(Kind.SHIFTER, start, end, place))
            for mark in here:
                denied = mark.kind is Kind.NEGATION or (denied and mark.kind is not Kind.BORDER)
            marks += here
            place += count
        return marks

    def _polar(self, tokens: list[Morph], place: int, silent: Mask) -> tuple[int, str, Kind | None]:
        """The longest polar word that begins here, inflected or not."""
        kinds = {} if silent.covers(tokens[place].start) else polar_kinds(self.lists)
        for count in range(min(self.longest, len(tokens) - place), 0, -1):
            *before, last = some = tokens[place : place + count]
            if count == 1 and not last.content:
                break
            if self.spaced and any(left.end < right.start for left, right in pairwise(some)):
                continue  # 말고 집 is no 고집
            head = "".join(token.surface for token in before)
            for ending in self.spellings(last):
                kind = kinds.get(head + ending)
                if kind is not None:
                    return count, head + ending, kind
        return 1, "", None

    def spellings(self, token: Morph) -> Sequence[str]:
        """A word's last morpheme as it may be listed."""
        raise NotImplementedError

    def _is_prefix(self, token: Morph) -> bool:
        """Whether a morpheme denies the word that it begins."""
        negations = lexicons.words(self.lists, "negations")
        return token.surface in negations and token.tag.startswith(self.prefix_tag)

    def negates(self, token: Morph) -> bool:
        """Whether a morpheme is a negation of its own."""
        negations = lexicons.words(self.lists, "negations")
        return token.form in negations and token.tag.startswith(self.negation_tags)

    def single(
        self, tokens: list[Morph], place: int, silent: Mask, denied: bool, /
    ) -> Iterator[Mark]:
        """What a morpheme marks that begins no polar word; `denied`: its clause has a negation."""
        raise NotImplementedError
