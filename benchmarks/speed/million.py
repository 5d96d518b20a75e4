"""One million pairs by lexical scores: linear time, memory within bounds. About ten minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import material
from benchmarks.harness import Goal, Megabytes, Work, fresh, run_command

PAIRS = 1_000_000


def pairs(folder: Path) -> Iterator[Work]:
    material.write_pairs(folder / "pairs.csv", PAIRS)
    given = ("text", "pairs.csv", "--language", "en", "--metrics", "lexical_cosine")

    def ours() -> Megabytes:
        return Megabytes(run_command(folder, *given, "--no-report", "--no-cache", "--quiet"))

    yield Work(
        f"lexical cosine of {PAIRS:,} pairs", fresh(ours), goals=(Goal("megabytes", 900),),
        rounds=1, warm=False, units=PAIRS,
    )  # fmt: skip


PARTS = (pairs,)
