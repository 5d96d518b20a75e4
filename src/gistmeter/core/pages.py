"""What a page of one item shows, as plain data: a family makes it, `report` renders it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """A number to show: what it is, its value as text, and a remark."""

    label: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A further part of a page: cards, a remark, and facts in groups where there are any.

    `html` is a fragment that a user's own metric brought, trusted as it is, in place of all that.
    """

    title: str = ""
    cards: Sequence[Card] = ()
    note: str = ""
    facts: Sequence[Mapping[str, str]] | None = None
    html: str = ""


@dataclass(frozen=True, slots=True)
class PairView:
    """All that the page of a pair of texts shows."""

    title: str
    cards: Sequence[Card]
    diff: Sequence[tuple[str, str, str]]  # kind, expected words, got words
    expected: str
    got: str
    sections: Sequence[Section] = ()
    language: str = ""
    error: str = ""


def percent(value: float) -> str:
    """A percentage for people, a dash where it is undefined."""
    return f"{value:.1f}%" if math.isfinite(value) else "–"


def understanding_section(
    *, ser: float, extra: float, facts: Sequence[Mapping[str, str]], note: str = ""
) -> Section:
    """The Semantic Understanding section: four cards and the list of facts."""
    cards = [
        Card(
            "Semantic Error Rate", percent(ser), "missing facts of those expected; lower is better"
        ),
        Card("Understanding", percent(100 - ser), "expected facts preserved"),
        Card("Missing", percent(ser), "expected facts absent from the transcript"),
        Card("Extra", percent(extra), "facts of the transcript that were not said"),
    ]
    return Section("Semantic Understanding", cards, note, facts)


def custom_section(score: float, detail: str = "", html: str = "") -> Section:
    """A custom metric: its own HTML where it brings some."""
    return Section("Custom metric", [Card("Score", percent(score), detail)], html=html)
