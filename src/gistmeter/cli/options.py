"""The options that every scoring command has, and where their values come from.

Flags win over environment variables (GISTMETER_COMMAND_OPTION), those over the configuration file,
that over the defaults.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from gistmeter.errors import InputError, UnknownName

DEFAULT_SEED = 20260


class Format(StrEnum):
    table = "table"
    json = "json"


def load_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take a TOML file's values as defaults of the command being parsed.

    Options at the top of the file serve every command that has them, those in [command] that
    command alone. A table inside (a profile, say) reaches the command as it is.
    """
    if path is None:
        return None
    document = read_config(path)
    command = command_of(context)
    own = document.get(command, {})
    if not isinstance(own, dict):
        raise InputError(f"{path}: [{command}] must be a table of options")
    known = {str(parameter.name) for parameter in context.command.params}
    defaults: dict[str, Any] = dict(context.default_map or {})
    for key, value in {**document, **own}.items():
        name = key.replace("-", "_").lower()
        if name in known:
            defaults[name] = value
        elif key in own:
            raise UnknownName(f"option of '{command}' in {path}", name, known - {"config"})
        elif name not in (anywhere := known_anywhere(context)):
            raise UnknownName(f"option or command in {path}", name, anywhere - {"config"})
    context.default_map = defaults
    return path


def command_of(context: typer.Context) -> str:
    """The table of the configuration file that a command reads: `parse score` reads [parse]."""
    inner: Any = context
    while inner.parent is not None and inner.parent.parent is not None:
        inner = inner.parent
    return str(inner.info_name)


def known_anywhere(context: typer.Context) -> set[str]:
    """Commands, the options of all of them, and profiles: a file may serve several commands."""
    found = {"profiles"}
    waiting: list[Any] = [context.find_root().command]
    while waiting:
        command = waiting.pop()
        inner = getattr(command, "commands", {})
        found |= {str(parameter.name) for parameter in command.params} | set(inner)
        waiting += inner.values()
    return found


def read_config(path: Path) -> dict[str, Any]:
    """A TOML file."""
    import tomllib

    from gistmeter.files import read_bytes

    try:
        return tomllib.loads(read_bytes(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML ({error})") from error


def configured_profiles(path: Path | None) -> dict[str, Mapping[str, Any]]:
    """The profiles of a configuration file: [profiles.NAME] with a model for each role."""
    profiles = read_config(path).get("profiles", {}) if path is not None else {}
    if not isinstance(profiles, dict) or not all(
        isinstance(one, dict) for one in profiles.values()
    ):
        raise InputError(f"{path}: [profiles] must hold tables, one a profile")
    return profiles


def shared_option(*flags: str, **settings: Any) -> Any:
    return typer.Option(*flags, rich_help_panel="Shared options", **settings)


@dataclass(frozen=True)
class SharedOptions:
    """The options of every scoring command; the field's annotation is the option."""

    output: Annotated[
        list[Path] | None,
        shared_option(
            "--output",
            "-o",
            metavar="PATH",
            help="Where to write: a file by its suffix (.json .csv .tsv .xlsx .parquet .md .html),"
            " or the run's folder. May be repeated. The run is always kept, by default in"
            " runs/COMMAND-TIME.",
        ),
    ] = None
    format: Annotated[
        Format,
        shared_option(help="What to print: a table for people, or JSON alone on stdout."),
    ] = Format.table
    quiet: Annotated[
        bool, shared_option("--quiet", "-q", help="No progress and no remarks; errors still show.")
    ] = False
    seed: Annotated[int, shared_option(help="Seed of the intervals; part of the signature.")] = (
        DEFAULT_SEED
    )
    resamples: Annotated[
        int,
        shared_option(
            min=0, max=1_000_000, help="Bootstrap resamples for the intervals; 0 for none."
        ),
    ] = 1000
    confidence: Annotated[
        float, shared_option(min=0.5, max=0.9999, help="Confidence of the intervals.")
    ] = 0.95
    fail_under: Annotated[
        list[str] | None,
        shared_option(
            metavar="SCORE=VALUE",
            help="Exit with 3 when a score of any system is worse than this. May be repeated.",
        ),
    ] = None
    resume: Annotated[
        bool,
        shared_option(
            "--resume",
            help="Go on with the unfinished run in the folder given by -o, or with the command's"
            " newest one.",
        ),
    ] = False
    overwrite: Annotated[
        bool, shared_option("--overwrite", help="Replace the run in the folder given by -o.")
    ] = False
    no_cache: Annotated[
        bool,
        shared_option("--no-cache", help="Neither read nor write the cache of model answers."),
    ] = False
    no_report: Annotated[
        bool,
        shared_option("--no-report", help="Do not write report.html into the run's folder."),
    ] = False
    config: Annotated[
        Path | None,
        shared_option(
            metavar="FILE.toml",
            is_eager=True,
            callback=load_config,
            help="Options from a TOML file: those at the top for every command, those in [COMMAND]"
            " for one. Flags win over the environment, that over the file.",
        ),
    ] = None


def parse_thresholds(given: Sequence[str]) -> dict[str, float]:
    """`--fail-under s_acc=0.7` as a mapping."""
    thresholds: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            threshold = float(value)
        except ValueError:
            threshold = math.nan
        if not name.strip() or math.isnan(threshold):
            raise InputError(f"--fail-under {text}: expected SCORE=VALUE, such as s_acc=0.7")
        thresholds[name.strip()] = threshold
    return thresholds


def parse_columns(given: Sequence[str]) -> dict[str, str]:
    """`--column prediction=Output` as a mapping from our name to the file's header."""
    columns: dict[str, str] = {}
    for text in given:
        name, mark, header = text.partition("=")
        if not mark or not name.strip() or not header.strip():
            raise InputError(f"--column {text}: expected NAME=HEADER, such as prediction=Output")
        columns[name.strip()] = header.strip()
    return columns


def cache_folder() -> Path:
    """Where answers and converted models are kept: GISTMETER_CACHE_DIR or the user's cache."""
    import platformdirs

    given = os.environ.get("GISTMETER_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("gistmeter"))


def cache_file() -> Path:
    """The file of the models' answers."""
    return cache_folder() / "answers.sqlite"
