"""48,000 predictions by the whole command, cold and again. Over half an hour on two cores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Work
from benchmarks.speed import jobs


def whole(folder: Path) -> Iterator[Work]:
    return jobs.predictions(folder, idioms=1000)


PARTS = (whole,)
