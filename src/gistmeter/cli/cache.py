"""`gistmeter cache`: what is kept of the models' answers."""

from __future__ import annotations

from gistmeter.cli import locations
from gistmeter.cli.command import SettingsCommand, ToolGroup


def info() -> None:
    from gistmeter.cache import Cache

    found = Cache(locations.cache_file()).info()
    print(f"path     {found.path}")
    print(f"entries  {found.entries:,}")
    print(f"size     {found.size / 1e6:,.1f} MB")


def clear() -> None:
    from gistmeter.cache import Cache

    cache = Cache(locations.cache_file())
    size = sum(file.stat().st_size for file in cache.files())
    cache.clear()
    print(f"Cleared {size / 1e6:,.1f} MB")


def path() -> None:
    print(locations.cache_file())


command = ToolGroup(
    "cache",
    [
        SettingsCommand(
            "info", (), info, summary="How many answers are kept, and how much room they take."
        ),
        SettingsCommand(
            "clear", (), clear,
            summary="Forget all answers. Models converted for use stay: `gistmeter models` knows"
            " them.",
        ),
        SettingsCommand(
            "path", (), path,
            summary="The file that holds them. Set GISTMETER_CACHE_DIR to choose its folder.",
        ),
    ],
    summary="The cache of model answers: info, clear, path.",
)  # fmt: skip
