"""gistmeter: how much of the meaning survived.

The public names stand in `__init__.pyi`, beside this file, each with the module it lives in. They
are imported when they are first used, so that `import gistmeter` stays light. A module that once
had another name is still imported by the old one, with a warning.
"""

import importlib
import re
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from gistmeter.core import telemetry as telemetry  # before anything else is imported through us
from gistmeter.version import __version__ as __version__

_MODULES: dict[str, str] = {
    name: module
    for module, name in re.findall(
        r"^from (\S+) import (\w+) as \2$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
}
_MOVED = {
    "adapters": "tools.adapters",
    "cache": "core.cache",
    "comparison": "core.comparison",
    "engines": "core.engines",
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
    "speech.recognizers.protocols": "speech.recognizers",
    "text.metrics.reading": "text.metrics.logic",
    "texts": "text.api",
    "types": "core.types",
    "views": "core.views",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'gistmeter' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Moved:
    """Finds and loads modules of ours by their old names, and no other."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        for old, new in _MOVED.items() if name.startswith("gistmeter.") else ():
            rest = name.removeprefix(f"gistmeter.{old}")
            if rest != name and (not rest or rest.startswith(".")):
                return ModuleSpec(name, self, origin=f"gistmeter.{new}{rest}")
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(f"{spec.name} is now {spec.origin}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run under its present name, which it keeps."""
        present = module.__spec__.loader_state if module.__spec__ else None
        if present is not None:
            module.__spec__ = present


sys.meta_path.insert(0, _Moved())  # first, so that no module is imported under two names
