"""Word lists: plain text in a pack's folder, one word per line, source and licence on line 1.

- `stopwords` carry no content;
- `negations` reverse what they govern, no further than `borders`; `concord` words do so only where
  nothing else does in the clause; `shifters` do the same to their object (avoid, overcome, lack);
- `affirmations` are phrases that look like negations or polar words and are none (not only);
- `positive` and `negative` are words of praise and blame; after `contrasts` (but) they decide;
- `abbreviations` and `numbers` have a second column: a class, and a value.

Lists are named by the package in whose folder they are (`gistmeter.languages.en`), which may be
of another distribution. A list that a language does not have is empty.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

GENERIC = "gistmeter.languages.generic"  # for languages without lists of their own
LISTS = (
    "stopwords", "negations", "concord", "borders", "shifters", "affirmations", "positive",
    "negative", "qualities", "contrasts", "overrides", "abbreviations", "numbers",
)  # fmt: skip


_OWN: dict[str, Mapping[str, str]] = {}  # lists of users by the name of their package


def register(package: str, own: Mapping[str, Sequence[str]]) -> str:
    """The name of lists that are those of a package but for the given ones; what they hold is in
    the name, so that the same lists have the same one."""
    texts = {name: "\n".join(["# given by the user", *held]) for name, held in own.items()}
    content = "\0".join(f"{name}\0{text}" for name, text in sorted(texts.items()))
    named = f"{package}+{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _OWN[named] = texts
    return named


@cache
def lines(package: str, name: str) -> tuple[str, ...]:
    """The lines of one list in order; those that begin with # are remarks."""
    found = (line.strip() for line in _read(package, name).splitlines())
    return tuple(line for line in found if line and not line.startswith("#"))


@cache
def words(package: str, name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(lines(package, name))


@cache
def pairs(package: str, name: str) -> Mapping[str, str]:
    """The words of a list with two columns, and what stands beside each."""
    return MappingProxyType(dict(line.rsplit(maxsplit=1) for line in lines(package, name)))


@cache
def fingerprint(package: str, names: tuple[str, ...] = LISTS) -> str:
    """Eight hexadecimal digits that change when any of these lists of the package does."""
    everything = "\0".join(_read(package, name) for name in names)
    return hashlib.sha256(everything.encode()).hexdigest()[:8]


@cache
def _read(package: str, name: str) -> str:
    own, mark, _ = package.rpartition("+")
    if mark:
        return _OWN[package][name] if name in _OWN[package] else _read(own, name)
    try:
        file = resources.files(package) / f"{name}.txt"
    except ModuleNotFoundError:
        return ""
    return file.read_text(encoding="utf-8") if file.is_file() else ""
