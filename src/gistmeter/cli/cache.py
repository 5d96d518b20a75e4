"""`gistmeter cache`: what is kept of the models' answers."""

from __future__ import annotations

from gistmeter.cli import console
from gistmeter.cli.command import SettingsCommand, ToolGroup


def info() -> None:
    from gistmeter.core.cache import Cache, cache_file

    found = Cache(cache_file()).info()
    console.show(f"path     {found.path}")
    console.show(f"entries  {found.entries:,}")
    console.show(f"size     {found.size / 1e6:,.1f} MB")


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
