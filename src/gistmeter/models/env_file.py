"""Keys in a file `.env` of the working folder: those that the environment lacks.

Nothing but keys of known names is read from it, and a line says which were taken. The file came
with the folder, perhaps from a stranger: a link, or a file larger than any list of keys, is left
alone.
"""

from __future__ import annotations

import logging
import os
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from gistmeter.core.errors import InputError
from gistmeter.core.files import read_plain
from gistmeter.models.credentials import SERVICES

logger = logging.getLogger(__name__)
ENV_FILE = ".env"
MOST = 1 << 16  # bytes of such a file
_KEY = re.compile(r"[!-~]{1,1000}")  # what a header can carry
_EXPORT = re.compile(r"^export\s+")


def filed_keys(names: Iterable[str], folder: Path = Path()) -> dict[str, str]:
    """The keys of these names in a folder's `.env`; quotes around them and comments go."""
    keys: dict[str, str] = {}
    wanted = set(names)
    for line in _content(folder).splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if (name := _EXPORT.sub("", name)) in wanted:
            quoted = re.match(r"""(["'])(.*?)\1""", value)
            value = quoted[2] if quoted else value.partition(" #")[0].strip()
            keys |= {name: value} if _KEY.fullmatch(value) else {}
    return keys


def _content(folder: Path) -> str:
    path = folder / ENV_FILE
    if not os.path.lexists(path) or path.is_dir():  # a folder of this name is an environment
        return ""
    try:
        return read_plain(path, MOST).decode("utf-8", "replace")
    except InputError as error:
        logger.warning("%s. No key is taken from it", error)
        return ""


def environment_with(names: Iterable[str], say: Callable[[str], None]) -> Mapping[str, str]:
    """The environment, with keys of these names that only `.env` here has; whoever reads one is
    told so, once."""
    filed = {name: key for name, key in filed_keys(names).items() if not os.environ.get(name)}
    return ChainMap(_Filed(filed, say), os.environ)


class _Filed(dict[str, str]):
    def __init__(self, keys: Mapping[str, str], say: Callable[[str], None]) -> None:
        super().__init__(keys)
        self._say, self._told = say, set[str]()

    def __getitem__(self, name: str) -> str:
        key = super().__getitem__(name)
        if name not in self._told:
            self._told.add(name)
            self._say(f"{name} taken from {ENV_FILE} in this folder")
        return key


def model_keys() -> list[str]:
    """The variables of the keys of all services of language models."""
    return [name for service in SERVICES.values() for name in service.variables]
