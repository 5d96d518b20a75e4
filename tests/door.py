"""The steps of the one door by themselves, for tests that look behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gistmeter.core.cache import Cache
from gistmeter.core.family import Context, Family, Items
from gistmeter.core.settings import Settings
from gistmeter.core.wiring import build


@dataclass(frozen=True)
class Prepared:
    """What a family has settled before anything is measured."""

    items: Any
    metrics: dict[str, Any]
    remarks: list[str]


def prepare(
    family: Family[Any, Any], settings: Settings, items: Any = None, cache: Cache | None = None
) -> Prepared:
    """Items and metrics of a family, from the settings' files or from given items."""
    context = Context(cache or Cache(None), hear=lambda *_: None)
    read = Items(items) if items is not None else family.read(settings, context)
    read = family.prepare(read, settings, context)
    return Prepared(read.items, build(family, read, settings, context), context.remarks)
