"""Where modules live that once had another name: the old one still imports, with a warning."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

PREFIX = "gistmeter."
HOMES = {
    "adapters": "tools.adapters",
    "cache": "core.cache",
    "comparison": "core.comparison",
    "errors": "core.errors",
    "guard": "languages.guard",
    "metrics.consistency": "text.metrics.consistency",
    "metrics.distance": "speech.metrics.distance",
    "metrics.information": "text.metrics.information",
    "metrics.latency": "speech.metrics.latency",
    "metrics.logic": "text.metrics.logic",
    "metrics.reading": "text.metrics.logic",
    "pytest_plugin": "tools.pytest_plugin",
    "recognizers": "speech.recognizers",
    "rows": "core.rows",
    "runs": "core.runs",
    "settings": "core.settings",
    "types": "core.types",
    "views": "core.views",
}


def home_of(name: str) -> str:
    """The present name of a module, or empty where it never had another."""
    known = name.removeprefix(PREFIX)
    for old, new in HOMES.items():
        if known == old or known.startswith(old + "."):
            return PREFIX + new + known.removeprefix(old)
    return ""


class Moved(MetaPathFinder, Loader):
    """Answers for names of ours that moved, and for no other."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        home = home_of(name) if name.startswith(PREFIX) else ""
        return ModuleSpec(name, self, origin=home) if home else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(f"{spec.name} is now {spec.origin}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run under its present name, which it keeps."""
        own = module.__spec__.loader_state if module.__spec__ else None
        if own is not None:
            module.__spec__ = own
