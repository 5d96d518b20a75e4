"""The four shapes of data. A family is a folder here and a line in the registry."""

from __future__ import annotations

from typing import Any

from gistmeter import registry
from gistmeter.families.family import Family

GROUP = "gistmeter.families"


def family_of(name: str) -> Family[Any, Any]:
    """The family of a name; a run of no family (one of `evaluate`) gets what all have."""
    if name not in registry.names(GROUP):
        return Family()
    found: Family[Any, Any] = registry.find(GROUP, name)()
    return found


__all__ = ["Family", "family_of"]
