"""Book."""

from __future__ import annotations
from gistmeter.report.html.drilldown.opening import Block, Item, Opener


def blocks(item: Item, opener: Opener) -> list[Block]:
    return []
