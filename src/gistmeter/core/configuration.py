"""A configuration file: options in TOML, for every command or for one, and profiles of models.

seed = 7                      # every command that has the option

[text]                        # `gistmeter text` alone
language = "zh"

[profiles.mine]               # --profile mine
embedder = "BAAI/bge-m3"

[evaluation.answers]          # `gistmeter check`, see docs/pipelines.md
shape = "text"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError, UnknownName

PROFILES, EVALUATIONS = "profiles", "evaluation"


def read(path: Path) -> dict[str, Any]:
    """A TOML file."""
    import tomllib

    from gistmeter.core.files import read_bytes

    try:
        return tomllib.loads(read_bytes(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML ({error})") from error


def options_for(path: Path, command: str, known: Iterable[str]) -> dict[str, Any]:
    """The options of a command; a name that no command knows is an error."""
    document, names = read(path), set(known)
    own = document.get(command, {})
    if not isinstance(own, dict):
        raise InputError(f"{path}: [{command}] must be a table of options")
    anywhere = {*names, *_commands(), PROFILES, EVALUATIONS}
    found: dict[str, Any] = {}
    for key, value in {**document, **own}.items():
        name = key.replace("-", "_").lower()
        if name in names:
            found[name] = value
        elif key in own:
            raise UnknownName(f"option of '{command}' in {path}", name, names - {"config"})
        elif name not in anywhere and not _known_to_families(name):
            raise UnknownName(f"option or command in {path}", name, anywhere - {"config"})
    return found


def _commands() -> set[str]:
    from gistmeter.core import registry

    return set(registry.names("gistmeter.families"))


def _known_to_families(name: str) -> bool:
    from gistmeter.core import registry
    from gistmeter.core.settings import options_of

    families = (registry.find("gistmeter.families", one) for one in _commands())
    return any(name in options_of(family.Settings) for family in families)


def evaluations(path: Path) -> dict[str, dict[str, Any]]:
    """The evaluations of `gistmeter check`: [evaluation.NAME], each a table of options."""
    held = read(path).get(EVALUATIONS, {})
    if not isinstance(held, dict) or not all(isinstance(one, dict) for one in held.values()):
        raise InputError(f"{path}: [{EVALUATIONS}] must hold tables, one per evaluation")
    return held


def profiles(path: Path | None) -> dict[str, Mapping[str, Any]]:
    """The profiles of a configuration file: [profiles.NAME] with a model for each role."""
    held = read(path).get(PROFILES, {}) if path is not None else {}
    if not isinstance(held, dict) or not all(isinstance(one, dict) for one in held.values()):
        raise InputError(f"{path}: [{PROFILES}] must hold tables, one per profile")
    return held
