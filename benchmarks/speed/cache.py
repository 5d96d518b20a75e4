"""A run, and the same run again: what the cache spares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.harness import Goal, Megabytes, Work, fresh, run_command

IDIOMS = 40


def models(folder: Path) -> Iterator[Work]:
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import load_models

    texts = material.mixed(400)
    pairs = list(zip(texts[::2], texts[1::2], strict=True))

    def asking(path: Path) -> Callable[[], Any]:
        found = load_models(["embedder", "matcher"], cache=Cache(path))
        return lambda: (found.matcher.match(pairs), found.embedder.embed(texts))

    def cold() -> Callable[[], Any]:
        (folder / "cold.sqlite").unlink(missing_ok=True)
        return asking(folder / "cold.sqlite")

    asking(folder / "warm.sqlite")()
    yield Work(
        f"{len(texts)} texts and {len(pairs)} pairs known", lambda: asking(folder / "warm.sqlite"),
        cold, "cold", goals=(Goal("ratio", 30, least=True),),
    )  # fmt: skip


def command(folder: Path, idioms: int = IDIOMS, goals: tuple[Goal, ...] = ()) -> Iterator[Work]:
    """The whole command, with report, cold and again; goals are those of the second run."""
    count = material.write_systems(folder, idioms)
    given = ("text", "close.csv", "far.csv", "--references", "explanations.csv", "--language", "zh")

    def run() -> Megabytes:
        return Megabytes(run_command(
            folder, *given, "-o", "run", "--overwrite", "--quiet",
            GISTMETER_CACHE_DIR=str(folder / "answers"),
        ))  # fmt: skip

    name = f"gistmeter text, {count:,} predictions"
    yield Work(name, fresh(run), rounds=1, warm=False, units=count)
    yield Work(f"{name}, again", fresh(run), goals=goals, rounds=1, warm=False, units=count)


PARTS = (models, command)
