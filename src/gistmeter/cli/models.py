"""`gistmeter models`: which model plays which role, where it is, and how to get it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gistmeter.cli.options import cache_file, configured_profiles
from gistmeter.errors import GistmeterError, InputError

app = typer.Typer(
    no_args_is_help=True,
    help="The models: list, pull, verify, info.",
    add_completion=False,
)

Profile = Annotated[
    str, typer.Option("--profile", "-p", help="One profile only; all of them if not given.")
]
Language = Annotated[
    str, typer.Option("--language", "-l", help="A language's code, where a profile depends on it.")
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE.toml", help="A TOML file with further [profiles.NAME]."),
]


@app.command("list")
def list_models(
    profile: Profile = "",
    language: Language = "",
    config: Config = None,
) -> None:
    """Each role: what a profile uses, where that is, or how to get it."""
    from gistmeter.models.inventory import list_models as look
    from gistmeter.models.settings import PROFILES

    profiles = configured_profiles(config)
    for name in [profile] if profile else [*PROFILES, *profiles]:
        entries = look(name, language, profiles)
        print(f"{name}{f' ({language})' if language else ''}")
        for entry in entries:
            if not entry.name and name != "embedded":
                continue  # a profile of one's own names what it needs
            mark = "ready  " if entry.ready else "missing"
            print(f"  {mark}  {entry.role.replace('_', '-'):13}  {entry.name or '-'}")
            print(f"           {entry.where}")
            if entry.command:
                print(f"           get it with: {entry.command}")


@app.command()
def pull(
    wanted: Annotated[
        str, typer.Argument(metavar="PROFILE|NAME", help="A profile, or a model of the hub.")
    ],
    language: Language = "",
    revision: Annotated[
        str, typer.Option("--revision", help="A branch, tag or commit of the hub's repository.")
    ] = "",
    config: Config = None,
) -> None:
    """Get a profile's models (or one model) for later use without a network."""
    from gistmeter.models import inventory

    profiles = configured_profiles(config)
    failed: list[GistmeterError] = []
    for name in inventory.names_to_pull(wanted, language, profiles):
        try:
            place = inventory.pull(name, revision, models_folder())
        except GistmeterError as error:
            failed.append(error)
            typer.echo(f"{name}: {error}", err=True)
            continue
        print(f"{name}: {place}")
    if failed:
        raise InputError(f"{len(failed)} of the models of '{wanted}' could not be had (see above)")


@app.command()
def verify(
    profile: Profile = "",
    language: Language = "",
    config: Config = None,
) -> None:
    """Compare the files of the models that are here with their hashes."""
    from gistmeter.models import inventory
    from gistmeter.models.settings import PROFILES

    profiles = configured_profiles(config)
    chosen = [profile] if profile else [*PROFILES, *profiles]
    names = [name for one in chosen for name in inventory.names_to_pull(one, language, profiles)]
    damaged = 0
    for check in inventory.verify(models_folder(), list(dict.fromkeys(names))):
        damaged += not check.whole
        print(f"{'whole  ' if check.whole else 'DAMAGED'}  {check.file}  ({check.detail})")
    if damaged:
        raise GistmeterError(f"{damaged} files are not what they should be")


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="A model of the hub, a folder, or e5-small.")],
    revision: Annotated[
        str, typer.Option("--revision", help="A branch, tag or commit of the hub's repository.")
    ] = "",
) -> None:
    """What is known about a model without loading it."""
    from gistmeter.models import inventory
    from gistmeter.models.settings import ModelSettings

    facts = inventory.inform(name, ModelSettings(revision=revision, offline=True))
    width = max(map(len, facts))
    for key, value in facts.items():
        print(f"{key:{width}}  {value}")


def models_folder() -> Path:
    """Where converted models are kept."""
    return cache_file().parent / "models"
