"""Code of the user's own, by "module:attribute", from the folder where a command is given.

The folder is never put on the import path: a `jinja2.py` or a `*.dist-info` beside the data would
then be taken for an installed one. Its modules are found last of all, and only by the name that the
user gave and by one another.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from gistmeter.core import registry
from gistmeter.core.errors import InputError

IMPORTING = ("importlib", "_frozen_importlib", "_frozen_importlib_external")


class WorkingFolder(MetaPathFinder):
    """Finds the modules of a folder for those who may import them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wanted = ""  # the module that the user named, while it is loaded
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del target
        if path is not None or not (fullname == self.wanted or self._asked_from_within()):
            return None
        spec = PathFinder.find_spec(fullname, [str(self.folder)])
        self.found |= {fullname} if spec else set()
        return spec

    def _asked_from_within(self) -> bool:
        """Whether the module that imports was itself found here."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and _package(frame) in IMPORTING:
            frame = frame.f_back
        return frame is not None and _package(frame) in self.found


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def load(target: str) -> Any:
    """What "module:attribute" stands for: installed, or in the working folder."""
    folder = Path.cwd()
    found = [one for one in sys.meta_path if isinstance(one, WorkingFolder)]
    finder = next((one for one in found if one.folder == folder), None)
    if finder is None:
        finder = WorkingFolder(folder)
        sys.meta_path.append(finder)
    module = target.partition(":")[0]
    finder.wanted = module.partition(".")[0]
    try:
        return registry.load(target)
    except InputError as error:
        file = folder.joinpath(*module.split(".")).with_suffix(".py")
        loaded = getattr(sys.modules.get(module), "__file__", None)
        if file.exists() and module in sys.modules and loaded != str(file):
            raise InputError(
                f"{error}: it is an installed module, which goes before {file}. Rename the file"
            ) from error
        raise
    finally:
        finder.wanted = ""
