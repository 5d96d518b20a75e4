"""gistmeter: how much of the meaning survived.

The public names stand in `__init__.pyi`, beside this file, each with the module it lives in. They
are imported when they are first used, so that `import gistmeter` stays light.
"""

import importlib
import re
import sys
from pathlib import Path

from gistmeter.core.telemetry import switch_off
from gistmeter.moved import Moved
from gistmeter.version import __version__ as __version__

switch_off()  # before anything else can be imported through us
sys.meta_path.insert(0, Moved())  # first, so that no module is imported under two names

_HOMES: dict[str, str] = {
    name: module
    for module, name in re.findall(
        r"^from (\S+) import (\w+) as \2$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
}
__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'gistmeter' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
