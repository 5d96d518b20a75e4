"""Marks in Korean: Kiwi's morphemes; negation stands before (안, 못) or after (않다, 없다, 아니다).

A clause ends at punctuation, at a connective ending (-고, -지만, -아서 …) that no auxiliary
follows, after 없이, and, once something was negated, at an adnominal ending before a noun
(좋지 않은 사람) unless the noun is a bound one (것, 수, 줄). The prefixes 불, 비, 무 and 미
belong to the word after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.ko.words import Kiwi
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask
from gistmeter.languages.polarity.morphemes import MorphemeReader

LISTS = __name__.rpartition(".")[0]
NEGATIVE_TAGS = ("MAG", "VX", "VCN", "VA", "VV")


@dataclass(frozen=True, slots=True)
class KoreanReader(MorphemeReader):
    """Negation before or after, within the clause."""

    lists: str = LISTS
    analyser: Kiwi = field(default_factory=Kiwi)
    spaced: ClassVar[bool] = True

    def spellings(self, token: Token) -> tuple[str, ...]:
        """Verbs are listed in dictionary form: 생기다 (to arise) is no 생기 (vigour)."""
        stem = f"{token.surface}다" if token.tag in ("XSV", "XSA") else token.form
        return (stem,) if token.tag in ("VV", "VA") else (token.surface, stem)

    def single(self, tokens: list[Token], place: int, silent: Mask, denied: bool) -> Iterator[Mark]:
        token = tokens[place]
        after = tokens[place + 1 : place + 3]
        if self.negates(token):
            if self._sets_aside(tokens, place):
                yield Mark(Kind.BORDER, token.start, token.end, place)
            elif not silent.covers(token.start):
                yield Mark(Kind.NEGATION, token.start, token.end, place)
            if token.form == "없이":
                yield Mark(Kind.BORDER, token.end, token.end, place)
        elif token.form in lexicons.words(self.lists, "shifters") and token.tag != "VX":
            yield Mark(Kind.SHIFTER, token.start, token.end, place)
        elif self._parts(token, after, denied):
            yield Mark(Kind.BORDER, token.start, token.end, place)

    def negates(self, token: Token) -> bool:
        return token.form in lexicons.words(self.lists, "negations") and token.tag.startswith(
            NEGATIVE_TAGS
        )

    @staticmethod
    def _sets_aside(tokens: list[Token], place: int) -> bool:
        """모자 말고: instead of a hat. It denies the noun before it and no more."""
        return tokens[place].form == "말" and place > 0 and tokens[place - 1].tag.startswith("N")

    def is_prefix(self, token: Token) -> bool:
        return token.surface in lexicons.words(self.lists, "negations") and token.tag == "XPN"

    def _parts(self, token: Token, after: list[Token], denied: bool) -> bool:
        if token.tag in ("SF", "SP", "SE"):
            return True
        if token.tag == "EC":
            rest = after[1:] if after and after[0].tag == "JX" else after
            return token.form != "지" and not (rest and rest[0].tag.startswith("VX"))
        if token.tag == "ETM":
            return denied and bool(after) and after[0].tag in ("NNG", "NNP", "NP")
        return False
