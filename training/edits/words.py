"""The word lists of the rules, one TOML file a language.

`dates`, `units`, `names`, `numbers`: groups whose members may stand for each other in form but not
in meaning. `antonyms`, `quantities`: pairs that change the meaning. `synonyms`, `numerals`: pairs
that keep it. `negated`: a word and its negated opposite. `roles`: people and things that may trade
places.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

Pairs = tuple[tuple[str, str], ...]
Groups = tuple[tuple[str, ...], ...]
FOLDER = Path(__file__).parent / "lists"


def _load() -> dict[str, dict[str, Any]]:
    return {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.toml"))
    }


def _pairs(lists: dict[str, Any], name: str) -> Pairs:
    """Lines of the form `left = right`."""
    lines = [line.split("=", 1) for line in lists.get(name, "").splitlines() if "=" in line]
    return tuple((left.strip(), right.strip()) for left, right in lines)


def _groups(lists: dict[str, Any], name: str) -> Groups:
    """Lines of words with `|` between."""
    lines = [line for line in lists.get(name, "").splitlines() if line.strip()]
    return tuple(tuple(word.strip() for word in line.split("|")) for line in lines)


LISTS = _load()
DATES = {language: _groups(lists, "dates") for language, lists in LISTS.items()}
UNITS = {language: _groups(lists, "units") for language, lists in LISTS.items()}
NAMES = {language: _groups(lists, "names") for language, lists in LISTS.items()}
NUMBERS = {language: _groups(lists, "numbers") for language, lists in LISTS.items()}
ROLES = {language: sum(_groups(lists, "roles"), ()) for language, lists in LISTS.items()}
ANTONYMS = {language: _pairs(lists, "antonyms") for language, lists in LISTS.items()}
QUANTITIES = {language: _pairs(lists, "quantities") for language, lists in LISTS.items()}
SYNONYMS = {language: _pairs(lists, "synonyms") for language, lists in LISTS.items()}
NUMERALS = {language: _pairs(lists, "numerals") for language, lists in LISTS.items()}
NEGATED = {language: _pairs(lists, "negated") for language, lists in LISTS.items()}
