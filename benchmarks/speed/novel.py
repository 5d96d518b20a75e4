"""A whole novel beside its abridgement, and again after ten edited sentences. Minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Work
from benchmarks.speed import jobs


def whole(folder: Path) -> Iterator[Work]:
    return jobs.novel(folder, sentences=1_000_000)


PARTS = (whole,)
