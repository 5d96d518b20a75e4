"""Marks in Korean: Kiwi's morphemes; negation stands before (안, 못) or after (않다, 없다, 아니다).

A clause ends at punctuation, at a connective ending (-고, -지만, -아서 …) that no auxiliary
follows, after 없이, and, once something was negated, at an adnominal ending before a noun
(좋지 않은 사람) unless the noun is a bound one (것, 수, 줄). The prefixes 불, 비, 무 and 미
belong to the word after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.ko.words import Kiwi
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.matching import Mask, mask, polar_kinds

LISTS = __name__.rpartition(".")[0]
NEGATIVE_TAGS = ("MAG", "VX", "VCN", "VA", "VV")
LONGEST = 4


@dataclass(frozen=True, slots=True)
class KoreanReader:
    """Negation before or after, within the clause."""

    follows: bool = True
    reach: int = 0
    lists: str = LISTS
    analyser: Kiwi = field(default_factory=Kiwi)

    def read(self, text: str) -> list[Mark]:
        tokens = self.analyser.tokens(text)
        silent = mask(text, self.lists)
        marks: list[Mark] = []
        place, denied = 0, False
        while place < len(tokens):
            count, word, kind = self._polar(tokens, place, silent)
            found = list(self._single(tokens, place, silent, denied)) if kind is None else []
            if kind is not None:
                first, last = tokens[place], tokens[place + count - 1]
                own = int(place > 0 and self._is_prefix(tokens[place - 1]))
                found.append(Mark(kind, first.start, last.end, place, own))
                if word in lexicons.words(self.lists, "shifters"):
                    found.append(Mark(Kind.SHIFTER, first.start, last.end, place))
            for mark in found:
                denied = mark.kind is Kind.NEGATION or (denied and mark.kind is not Kind.BORDER)
            marks += found
            place += count
        return marks

    def _polar(self, tokens: list[Token], place: int, silent: Mask) -> tuple[int, str, Kind | None]:
        kinds = {} if silent.covers(tokens[place].start) else polar_kinds(self.lists)
        for count in range(min(LONGEST, len(tokens) - place), 0, -1):
            some = tokens[place : place + count]
            if count == 1 and not some[0].content:
                break
            head = "".join(token.surface for token in some[:-1])
            last = some[-1]
            if any(left.end < right.start for left, right in pairwise(some)):
                continue  # 말고 집 is no 고집
            stem = f"{last.surface}다" if last.tag in ("XSV", "XSA") else last.form
            # Verbs are listed in dictionary form: 생기다 (to arise) is no 생기 (vigour).
            for ending in (stem,) if last.tag in ("VV", "VA") else (last.surface, stem):
                kind = kinds.get(head + ending)
                if kind is not None:
                    return count, head + ending, kind
        return 1, "", None

    def _single(
        self, tokens: list[Token], place: int, silent: Mask, denied: bool
    ) -> Iterator[Mark]:
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

    def _is_prefix(self, token: Token) -> bool:
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
