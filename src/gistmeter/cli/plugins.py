"""Metrics of other packages in our commands: found by name, given the models they ask for.

A metric's fields that bear the name of a role (`embedder`, `matcher`, `cross_encoder`, `nli`) get
that role's model, cached as for our own metrics; its other fields keep their defaults.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gistmeter import registry
from gistmeter.errors import InputError

if TYPE_CHECKING:
    from gistmeter.types import Metric

ROLES = ("embedder", "matcher", "cross_encoder", "nli")


def is_plugin(name: str) -> bool:
    """Whether an installed package adds a metric of this name."""
    group = "gistmeter.metrics"
    return name in registry.names(group) and name not in registry.TABLES[group]


def plugin_metrics(
    names: Sequence[str], load: Callable[[Sequence[str]], Any] | None = None
) -> dict[str, Metric]:
    """The named metrics; `load` gives the models of some roles (as `load_models` does)."""
    found: dict[str, Metric] = {}
    for name in names:
        kind = registry.find("gistmeter.metrics", name)
        if not dataclasses.is_dataclass(kind):
            raise InputError(f"The metric '{name}' is not a dataclass, so it cannot be signed")
        roles = [part.name for part in dataclasses.fields(kind) if part.name in ROLES]
        if roles and load is None:
            raise InputError(f"The metric '{name}' needs models, which this command does not load")
        models = load(roles) if roles and load else None
        for role in roles:
            if getattr(models, role) is None:
                raise InputError(f"The metric '{name}' needs a {role}: {models.absent[role]}")
        found[name] = kind(**{role: getattr(models, role) for role in roles})
    return found
