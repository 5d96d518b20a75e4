"""How long until a user sees anything: the command's help, and a first small score."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness import Goal, Megabytes, Work, fresh, run_command

PASS = [sys.executable, "-c", "pass"]


def helps(folder: Path) -> Iterator[Work]:
    def python() -> None:
        subprocess.run(PASS, check=True)

    def tables() -> None:
        subprocess.run([sys.executable, "-c", "import numpy, polars"], check=True)

    def call(*arguments: str) -> Callable[[], Megabytes]:
        return lambda: Megabytes(run_command(folder, *arguments))

    yield Work(
        "gistmeter --help", fresh(call("--help")), floor=python, floor_name="python -c pass",
        goals=(Goal("limit", 7),), rounds=7,
    )  # fmt: skip
    yield Work(
        "gistmeter text --help", fresh(call("text", "--help")), floor=python,
        floor_name="python -c pass", rounds=5,
    )  # fmt: skip
    (folder / "two.csv").write_text("prediction,reference\na fine day,a fine day\na b,a c\n")
    words = ("text", "two.csv", "--language", "en", "--metrics", "lexical_cosine", "--no-report")
    yield Work(
        "two pairs, words only", fresh(call(*words)), floor=tables,
        floor_name="import numpy, polars", goals=(Goal("limit", 2.5),), rounds=5,
    )  # fmt: skip


PARTS = (helps,)
