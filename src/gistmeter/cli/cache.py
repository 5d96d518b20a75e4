"""`gistmeter cache`: what is kept of the models' answers."""

from __future__ import annotations

import typer

from gistmeter.cli.shared import cache_file

app = typer.Typer(
    no_args_is_help=True,
    help="The cache of model answers: info, clear, path.",
    add_completion=False,
)


@app.command()
def info() -> None:
    """How many answers are kept, and how much room they take."""
    from gistmeter.cache import Cache

    found = Cache(cache_file()).info()
    print(f"path     {found.path}")
    print(f"entries  {found.entries:,}")
    print(f"size     {found.size / 1e6:,.1f} MB")


@app.command()
def clear() -> None:
    """Forget all answers. Models converted for use stay: `gistmeter models` knows them."""
    from gistmeter.cache import Cache

    cache = Cache(cache_file())
    size = sum(file.stat().st_size for file in cache.files())
    cache.clear()
    print(f"Cleared {size / 1e6:,.1f} MB")


@app.command()
def path() -> None:
    """The file that holds them. Set GISTMETER_CACHE_DIR to choose its folder."""
    print(cache_file())
