"""`gistmeter cache`: what is kept of the models' answers."""

from __future__ import annotations

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand, ToolGroup
from gistmeter.core import locations


def info() -> None:
    from gistmeter.core.cache import Cache

    found = Cache(locations.cache_file()).info()
    console.show(f"path     {found.path}")
    console.show(f"entries  {found.entries:,}")
    console.show(f"size     {found.size / 1e6:,.1f} MB")


def clear() -> None:
    from gistmeter.core.cache import Cache
    from gistmeter.models.inventory import stale

    cache = Cache(locations.cache_file())
    old = stale(locations.cache_folder() / "models")
    size = sum(file.stat().st_size for file in [*cache.files(), *old])
    cache.clear()
    for file in old:
        file.unlink(missing_ok=True)
    console.show(f"Cleared {size / 1e6:,.1f} MB")


def path() -> None:
    console.show(str(locations.cache_file()))


command = ToolGroup(
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
