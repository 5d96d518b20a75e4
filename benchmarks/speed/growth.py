"""Ten times, a hundred times the items: time and memory must not grow faster.

The value of a row is the fitted exponent of time or memory, the slope of its logarithm over that of
the items. Every size is measured in a process of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import material
from benchmarks.harness import Cost, Goal, Megabytes, Work, run, run_command
from benchmarks.speed import parse

STEPS = (1, 10, 100)
GOAL, MEMORY = Goal("value", 1.05), Goal("value", 0.7)
LEAST = 0.02  # seconds: less cannot be told from the noise of starting


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of the least squares in logarithms."""
    across, up = [math.log(size) for size in sizes], [math.log(max(c, 1e-9)) for c in costs]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    above = sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True))
    return above / sum((x - middle) ** 2 for x in across)


def grow(
    name: str, sizes: Sequence[int], call: Callable[[int], Callable[[], Megabytes]]
) -> Iterator[Work]:
    """Exponents of time and memory, each less what the smallest task of all takes."""
    base = run(call(2))
    costs: list[Cost] = [run(call(size)) for size in sizes]
    seconds = [max(cost.processor - base.processor, LEAST) for cost in costs]
    megabytes = [max(cost.megabytes - base.megabytes, 1) for cost in costs]
    last, told = costs[-1], f"{name}: {', '.join(f'{size:,}' for size in sizes)}"
    yield Work(
        f"{told}; {last.processor:.1f} s at last", lambda: lambda: exponent(sizes, seconds),
        goals=(GOAL,), rounds=1, warm=False,
    )  # fmt: skip
    yield Work(  # the first tenfold disappears in what the smallest task takes
        f"{told}; memory, {last.megabytes:.0f} MB at last",
        lambda: lambda: exponent(sizes[1:], megabytes[1:]), goals=(MEMORY,), rounds=1, warm=False,
    )  # fmt: skip


def texts(folder: Path) -> Iterator[Work]:
    def call(size: int) -> Callable[[], Megabytes]:
        material.write_pairs(folder / f"pairs{size}.csv", size)
        given = ("text", f"pairs{size}.csv", "--language", "en", "--metrics", "lexical_cosine")
        output = ("--no-report", "--no-cache", "--quiet")
        return lambda: Megabytes(run_command(folder, *given, *output))

    yield from grow("lexical scores of pairs", [400 * step for step in STEPS], call)


def parses(folder: Path) -> Iterator[Work]:
    classes, names = parse.taxonomy(folder)

    def call(size: int) -> Callable[[], Megabytes]:
        gold, system = parse.generate(folder, size, names)
        given = ("parse", str(gold), str(system), "--taxonomy", str(classes))
        return lambda: Megabytes(run_command(folder, *given, "--quiet"))

    yield from grow("parses of sentences", [100 * step for step in STEPS], call)


PARTS = (texts, parses)
