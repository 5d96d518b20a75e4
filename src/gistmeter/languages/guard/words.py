"""Quantity words and words that compare, found by their lists."""

from __future__ import annotations

from collections.abc import Iterator

from gistmeter.languages import Language
from gistmeter.languages.guard.facts import Fact, Mask
from gistmeter.languages.guard.listed import listed

# What cannot be true of the same things: all against some, most against few.
CONFLICTS = {
    frozenset(pair)
    for pair in (
        ("all", "some"), ("all", "most"), ("all", "few"), ("all", "none"), ("all", "notall"),
        ("all", "only"), ("all", "many"), ("none", "some"), ("none", "most"), ("none", "many"),
        ("most", "few"), ("many", "few"), ("most", "some"),
        ("always", "never"), ("always", "sometimes"), ("always", "rarely"), ("always", "often"),
        ("often", "never"), ("often", "rarely"), ("often", "sometimes"), ("sometimes", "never"),
    )
}  # fmt: skip


def read_quantities(plain: str, language: Language) -> Iterator[Fact]:
    for found in listed(language, "quantities").find(plain):
        if found.value != "other":
            yield Fact("quantity", found.value, found.start, found.end)


def read_comparisons(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    """Dimension and direction of every word that compares."""
    found = [
        one
        for one in listed(language, "comparisons").find(plain)
        if not taken.covers(one.start, one.end)
    ]
    marked = any(one.value == "marker" for one in found)
    for one in found:
        if one.value in ("marker", "other") or (one.value.endswith("?") and not marked):
            continue
        yield Fact("comparative", one.value.rstrip("?"), one.start, one.end)
