"""`gistmeter trust FOLDER`: let the configurations of a folder do all that options can do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand
from gistmeter.core import trust
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option


@dataclass(frozen=True, kw_only=True)
class Trusted(Settings):
    """Which folder, and whether it stays trusted."""

    title: ClassVar[str] = "trust"
    folder: Path | None = option(
        None, "The folder of the configuration files (*.toml), or one file.",
        panel="input", reach="read", argument="only", metavar="FOLDER",
    )  # fmt: skip
    remove: bool = option(False, "Trust the folder no longer.", panel="input")

    def check(self) -> None:
        if self.remove and self.folder is None:
            raise InputError("Name the folder that is trusted no longer")


def work(settings: Trusted) -> None:
    if settings.folder is None:
        folders = trust.trusted_folders().values()
        for folder in folders:
            _show(folder)
        if not folders:
            console.show("No folder is trusted. Trust one: gistmeter trust FOLDER")
    elif settings.remove:
        console.show(f"No longer trusted: {trust.distrust(settings.folder)}")
    else:
        folder = trust.trust(settings.folder)
        console.show("Trusted, as they are now:")
        _show(folder)


def _show(folder: trust.TrustedFolder) -> None:
    console.show(str(folder.path))
    for name in sorted(folder.digests):
        console.show(f"  {folder.state(name):9}  {name}")


command = SettingsCommand(
    "trust",
    (Trusted,),
    work,
    summary="Which configuration files may run commands, ask services, read and write anywhere.",
    description=(
        "A configuration (gistmeter check, --config) may read below its own folder, write below"
        " runs/ and use the embedded models. One of a trusted folder may do all that options can."
        " The files are trusted as they are: one that changes must be trusted again. Without a"
        " folder, lists what is trusted."
    ),
    examples=(
        "gistmeter trust .",
        "gistmeter trust",
        "gistmeter trust . --remove",
    ),
)
