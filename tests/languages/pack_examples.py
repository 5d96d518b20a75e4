"""The packs that are registered, and the example sentences in their folders."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any

import pytest

from gistmeter import languages
from gistmeter.languages.codes import GROUP, folders, packs

PACKS = tuple(sorted(packs()))
CODES = (*PACKS, "generic")


@cache
def examples(code: str) -> dict[str, Any]:
    """What a pack's `examples.toml` says; a pack without one is not finished."""
    package = folders().get(code)
    if package is None:
        package = next(iter(entry_points(group=GROUP, name=code))).module
    file = resources.files(package) / "examples.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def cases(section: str) -> list[Any]:
    """(code, key, value) of a section in every pack's examples."""
    found = []
    for code in PACKS:
        held = examples(code).get(section, [])
        pairs = held.items() if isinstance(held, dict) else enumerate(held)
        found += [pytest.param(code, name, value, id=f"{code}:{name}") for name, value in pairs]
    return found


def joined(language: languages.Language, sentences: list[str]) -> str:
    """Sentences as a paragraph."""
    return ("" if language.splitter.wide else " ").join(sentences)
