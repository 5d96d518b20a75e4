"""The commands `cache`, `trust` and `completion`: what is kept and set up on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from gistmeter.cli import console
from gistmeter.cli.commands import SettingsCommand, ToolGroup
from gistmeter.core import trust
from gistmeter.core.errors import InputError
from gistmeter.core.settings import Settings, option


def info() -> None:
    from gistmeter.core.cache import Cache, cache_file

    cached = Cache(cache_file()).info()
    console.show(f"path     {cached.path}")
    console.show(f"entries  {cached.entries:,}")
    console.show(f"size     {cached.size / 1e6:,.1f} MB")


def clear() -> None:
    from gistmeter.core.cache import Cache, cache_file, cache_folder
    from gistmeter.models.inventory import stale

    cache = Cache(cache_file())
    old = stale(cache_folder() / "models")
    size = sum(file.stat().st_size for file in [*cache.files(), *old])
    cache.clear()
    for file in old:
        file.unlink(missing_ok=True)
    console.show(f"Cleared {size / 1e6:,.1f} MB")


def path() -> None:
    from gistmeter.core.cache import cache_file

    console.show(str(cache_file()))


cache_command = ToolGroup(
    "cache",
    [
        SettingsCommand(
            "info", (), info, summary="How many answers are kept, and how much room they take."
        ),
        SettingsCommand(
            "clear", (), clear,
            summary="Forget all answers, and models that an earlier version converted. Those in use"
            " stay.",
        ),
        SettingsCommand(
            "path", (), path,
            summary="The file that holds them. Set GISTMETER_CACHE_DIR to choose its folder.",
        ),
    ],
    summary="The cache of model answers: info, clear, path.",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TrustSettings(Settings):
    """Which folder, and whether it stays trusted."""

    title: ClassVar[str] = "trust"
    folder: Path | None = option(
        None, "The folder of the configuration files (*.toml), or one file.",
        panel="input", reach="read", argument="only", metavar="FOLDER",
    )  # fmt: skip
    remove: bool = option(False, "Stop trusting the folder.", panel="input")

    def check(self) -> None:
        if self.remove and self.folder is None:
            raise InputError("Name the folder that is trusted no longer")


def trust_folder(settings: TrustSettings) -> None:
    if settings.folder is None:
        folders = trust.trusted_folders().values()
        for folder in folders:
            _show_folder(folder)
        if not folders:
            console.show("No folder is trusted. Trust one: gistmeter trust FOLDER")
    elif settings.remove:
        console.show(f"No longer trusted: {trust.distrust(settings.folder)}")
    else:
        folder = trust.trust(settings.folder)
        console.show("Trusted, as they are now:")
        _show_folder(folder)


def _show_folder(folder: trust.TrustedFolder) -> None:
    console.show(str(folder.path))
    for name in sorted(folder.digests):
        console.show(f"  {folder.state(name):9}  {name}")


trust_command = SettingsCommand(
    "trust",
    (TrustSettings,),
    trust_folder,
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


@dataclass(frozen=True, kw_only=True)
class CompletionSettings(Settings):
    """Which shell."""

    title: ClassVar[str] = "completion"
    shell: Literal["bash", "zsh", "fish"] = option(
        "bash", "bash, zsh or fish.", panel="input", argument="only", metavar="SHELL"
    )


def complete(settings: CompletionSettings) -> int:
    from click.shell_completion import get_completion_class

    from gistmeter.cli import app

    kind = get_completion_class(settings.shell)
    assert kind is not None
    completion = kind(app, {}, "gistmeter", "_GISTMETER_COMPLETE")
    console.write(completion.source() + os.linesep)
    return 0


completion_command = SettingsCommand(
    "completion",
    (CompletionSettings,),
    complete,
    summary="Completion for bash, zsh or fish.",
    examples=(
        'eval "$(gistmeter completion bash)"     # in ~/.bashrc',
        'eval "$(gistmeter completion zsh)"      # in ~/.zshrc',
        "gistmeter completion fish > ~/.config/fish/completions/gistmeter.fish",
    ),
)
