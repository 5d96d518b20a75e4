"""A configuration file: options in TOML, for every command or for one, and profiles of models.

seed = 7                      # every command that has the option

[text]                        # `gistmeter text` alone
language = "zh"

[profiles.mine]               # --profile mine
embedder = "BAAI/bge-m3"

[evaluation.answers]          # `gistmeter check`, see docs/pipelines.md
shape = "text"

What it may do without being trusted is said in `trust.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter.core import registry
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.files import read_bytes
from gistmeter.core.settings import Settings, aliases_of, options_of
from gistmeter.core.trust import MEANINGS, Limits

PROFILES, EVALUATIONS = "profiles", "evaluation"
FAMILIES = "gistmeter.families"
LARGEST = 1_000_000
DOTS = 1000  # a key of keys is read in the square of their number


@dataclass(frozen=True, slots=True)
class Configuration:
    """A TOML file, read once, and what it is held to."""

    path: Path
    document: Mapping[str, Any]
    limits: Limits

    @classmethod
    def read(cls, path: Path, *, trust: bool = False) -> Configuration:
        """`trust` is the user's word that the file may do all that options can."""
        content = read_bytes(path)
        if len(content) > LARGEST or any(line.count(b".") > DOTS for line in content.splitlines()):
            raise InputError(
                f"{path}: no configuration is larger than {LARGEST:,} bytes, or has more than"
                f" {DOTS:,} dots in a line"
            )
        try:
            document = tomllib.loads(content.decode("utf-8"))
        except ValueError as error:  # also a number of thousands of digits
            raise InputError(f"{path}: is not TOML ({error})") from error
        except RecursionError:
            raise InputError(f"{path}: is not TOML (it is nested too deeply)") from None
        return cls(path, document, Limits.of(path, content, trusted=trust))

    def options(
        self, command: str, kinds: Sequence[type[Settings]], base: Path | None = None
    ) -> dict[str, Any]:
        """The options of a command; a name that no command knows is an error.

        Paths start at `base`, or at the working folder.
        """
        table = self.document.get(command, {})
        if not isinstance(table, dict):
            raise InputError(f"{self.path}: [{command}] must be a table of options")
        names = {name for kind in kinds for name in (*options_of(kind), *aliases_of(kind))}
        anywhere = {*names, *registry.names(FAMILIES), PROFILES, EVALUATIONS}
        options: dict[str, Any] = {}
        for key, value in {**self.document, **table}.items():
            name = key.replace("-", "_").lower()
            if name in names:
                options[name] = value
            elif key in table:
                place = f"option of '{command}' in {self.path}"
                raise UnknownName(place, name, names - {"config"})
            elif name not in anywhere and not _known_to_families(name):
                raise UnknownName(f"option or command in {self.path}", name, anywhere - {"config"})
        self.limits.check(options, kinds, base or Path(), "")
        return {**self.limits.withheld(kinds), **options}

    def profiles(self) -> dict[str, Mapping[str, Any]]:
        """[profiles.NAME] with a model for each role; only of a file that is trusted."""
        tables = self._tables(PROFILES, "profile")
        for name, roles in tables.items():
            self.limits.refuse(f"{PROFILES}.{name}", roles, MEANINGS["model"])
        return tables

    def evaluations(self) -> dict[str, dict[str, Any]]:
        """The evaluations of `gistmeter check`: [evaluation.NAME], each a table of options."""
        return self._tables(EVALUATIONS, "evaluation")

    def _tables(self, key: str, noun: str) -> dict[str, Any]:
        tables = self.document.get(key, {})
        if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
            raise InputError(f"{self.path}: [{key}] must hold tables, one per {noun}")
        return tables


def options_for(
    path: Path, command: str, kinds: Sequence[type[Settings]], *, trust: bool = False
) -> dict[str, Any]:
    """The options that a file gives a command."""
    return Configuration.read(path, trust=trust).options(command, kinds)


def profiles(path: Path | None, *, trust: bool = False) -> dict[str, Mapping[str, Any]]:
    """The profiles of a file; none where there is no file."""
    return {} if path is None else Configuration.read(path, trust=trust).profiles()


def _known_to_families(name: str) -> bool:
    families = (registry.find(FAMILIES, family) for family in registry.names(FAMILIES))
    kinds = [family.Settings for family in families]
    return any(name in (*options_of(kind), *aliases_of(kind)) for kind in kinds)
