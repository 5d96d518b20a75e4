"""What a text says that can be checked: its facts, each of a kind, with its place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gistmeter.languages import Language
from gistmeter.languages.analysers import Morph
from gistmeter.languages.normal_forms import normal_form

KINDS = ("number", "date", "unit", "name", "negation", "quantity", "comparative")
Span = tuple[int, int]


class Fact(NamedTuple):
    """Something that a text says: a number, a month, a name."""

    group: str  # what it can stand in place of: "number", "month", "name" …
    value: Hashable
    start: int
    end: int
    weak: bool = False  # said in passing: "one", "both"

    @property
    def span(self) -> Span:
        return self.start, self.end


class Denial(NamedTuple):
    """A negation and the word that it denies, by its place among the tokens."""

    token: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the guard knows of a text."""

    text: str
    plain: str  # as the lists spell it, of the same length
    tokens: tuple[Morph, ...]
    found: tuple[Fact, ...]
    denials: tuple[Denial, ...]
    content: frozenset[str]  # forms of words that carry content
    reversing: frozenset[str]  # words that deny without a negation: lack, 禁止
    forms: frozenset[str]  # forms of all words but those of quantity

    def of(self, *groups: str) -> list[Fact]:
        return [fact for fact in self.found if fact.group in groups]

    def next_form(self, fact: Fact) -> str:
        """The form of the word after a fact, "" at the end."""
        return self.forms_after([fact])[0]

    def forms_after(self, facts: Sequence[Fact]) -> list[str]:
        """The form of the word after each fact, "" at the end."""
        starts = [token.start for token in self.tokens]
        places = (bisect_left(starts, fact.end) for fact in facts)
        return [self.tokens[at].form if at < len(starts) else "" for at in places]


class _Folding(dict[int, int | str]):
    """Characters to one width and case, each to one character."""

    def __missing__(self, code: int) -> int | str:
        folded = normal_form("NFKC", chr(code)).lower()
        self[code] = folded if len(folded) == 1 else code
        return self[code]


_FOLDING = _Folding()


def plain_text(text: str, language: Language) -> str:
    """The text as the lists spell it: one width, small letters; places stay as they are."""
    folded = text.translate(_FOLDING)
    respell = language.facts.respell
    respelled = respell(folded) if respell is not None else folded
    return respelled if len(respelled) == len(text) else folded
