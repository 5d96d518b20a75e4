"""48,000 predictions by the whole command, cold and again. Over half an hour on two cores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Goal, Work
from benchmarks.speed import cache

IDIOMS = 1000


def command(folder: Path) -> Iterator[Work]:
    return cache.command(folder, IDIOMS, (Goal("seconds", 8),))


PARTS = (command,)
