"""Everything that no family has claimed: remaining texts, then remaining numbers."""

from __future__ import annotations

from typing import Any

from gistmeter.report.html.drilldown.opening import Block, Item, Opener, plain, rounded


def blocks(item: Item, opener: Opener) -> list[Block]:  # noqa: ARG001
    """The columns that are still unused, so that nothing a metric wrote stays hidden."""
    found: list[Block] = []
    for name in item.rows.texts:
        if name not in item.used:
            text = item.text(name)
            if text:
                found.append(plain(name, text, item.lang(text[:400])))
    rows: list[list[Any]] = []
    for name in item.rows.numbers:
        if name not in item.used:
            value = rounded(item.number(name))
            if value is not None:
                rows.append([name, value])
    if rows:
        found.append({"k": "table", "f": "All numbers", "c": ["name", "value"], "r": rows})
    return found
