"""What every speed benchmark shares: both sides in turns, warm, repeated, with memory and limits.

A case yields `Work`: ours, a peer that does the same, a goal, and the least that the machine needs
(`floor`). `measure` runs each side once to warm up, then ours, the peer and the floor in turns, and
takes the median. Ratios are of two timings of the same round, so that a slow moment slows both.
Wall time counts for the goals, or processor time (of this process and its children) where the
machine is shared; both are printed and kept.

Peak memory is the most that ours added to the process, or all of a command's.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
LAUNCH = """
import runpy, sys
from pathlib import Path
target, *sys.argv[1:] = sys.argv[1:]
try:
    runpy.run_module("gistmeter", run_name="__main__", alter_sys=True)
finally:
    status = Path("/proc/self/status")
    peak = status.read_text().partition("VmHWM:")[2].split()[0] if status.exists() else "0"
    Path(target).write_text(peak)
"""


class Absent(Exception):
    """What a case needs and is not here; it is said, and the work is left out."""


@dataclass(frozen=True)
class Goal:
    """What a number has to reach. `of`: ratio (peer / ours), limit (ours / floor), seconds,
    megabytes, rate (units per second) or value (what ours returns)."""

    of: str
    bound: float
    least: bool = False  # whether the number has to be at least the bound, not at most

    def __str__(self) -> str:
        return f"{self.of} {'≥' if self.least else '≤'} {self.bound:g}"


@dataclass(frozen=True)
class Work:
    """Something to measure. What is timed comes from a function that makes it anew each round."""

    name: str
    ours: Callable[[], Callable[[], Any]]
    peer: Callable[[], Callable[[], Any]] | None = None
    peer_name: str = ""
    floor: Callable[[], Any] | None = None
    floor_name: str = ""
    goals: tuple[Goal, ...] = ()
    units: float = 0.0  # of work done by ours, for a rate
    peer_share: float = 1.0  # of the work that the peer is given, where all would take too long
    rounds: int = 3
    warm: bool = True


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    wall: float
    processor: float
    megabytes: float
    value: Any = None


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    work: str
    ours: float  # seconds of wall time
    ours_processor: float
    peer: float | None
    peer_processor: float | None
    peer_name: str
    ratio: float | None  # the peer's time over ours
    ratio_processor: float | None
    spread: float  # of the ratio (of ours without a peer): largest less smallest, over the median
    megabytes: float
    limit: float | None  # our time over the floor's
    floor_name: str
    rate: float | None
    value: float | None
    goals: tuple[str, ...]
    missed: tuple[str, ...]


def fresh(work: Callable[[], Any]) -> Callable[[], Callable[[], Any]]:
    """Work that keeps nothing from round to round, so that it need not be made anew."""
    return lambda: work


def need(*packages: str) -> None:
    """Refuse a work whose peer is not installed."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise Absent(f"{', '.join(missing)} is not installed (pip install 'gistmeter[bench]')")


def shared(name: str) -> Path:
    """A file of the shared data beside the project."""
    path = SHARED / name
    if not path.exists():
        raise Absent(f"../shared/{name} is not here")
    return path


def run_command(folder: Path, *arguments: str, **environment: str) -> float:
    """Run `gistmeter …` in a process of its own; the most megabytes that it held."""
    target = folder / "peak.txt"
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, str(target), *arguments],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"gistmeter {' '.join(arguments)}: {done.stderr[-2000:]}")
    return int(target.read_text()) / 1024


class Megabytes(float):
    """What a command says of its own memory."""


def run(work: Callable[[], Any]) -> Cost:
    """Time work, its children included."""
    gc.collect()
    before = _resident("VmRSS")
    if REFERENCES.exists():
        REFERENCES.write_text("5")  # forget the peak so far
    processor, started = _processor(), time.perf_counter()
    value = work()
    wall, used = time.perf_counter() - started, _processor() - processor
    peak = value if isinstance(value, Megabytes) else max(0.0, _resident("VmHWM") - before)
    return Cost(wall, used, float(peak), value)


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _resident(field: str) -> float:
    if not STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(STATUS.read_text().partition(f"{field}:")[2].split()[0]) / 1024


def measure(work: Work, *, processor: bool = False) -> Row:
    """Ours, the peer and the floor in turns."""
    sides = [work.ours, work.peer, fresh(work.floor) if work.floor else None]
    if work.warm:
        for side in sides:
            if side is not None:
                side()()
    rounds = [[run(side()) if side else None for side in sides] for _ in range(work.rounds)]
    ours, peer, floor = ([one for one in side if one] for side in zip(*rounds, strict=True))

    def ratios(above: Sequence[Cost], below: Sequence[Cost], clock: str) -> list[float]:
        pairs = zip(above, below, strict=True)
        return [getattr(one, clock) / max(getattr(other, clock), 1e-9) for one, other in pairs]

    def middle(values: Iterable[float]) -> float | None:
        found = list(values)
        return statistics.median(found) if found else None

    share = 1 / work.peer_share
    by_wall = [share * ratio for ratio in ratios(peer, ours, "wall")] if peer else []
    by_processor = [share * ratio for ratio in ratios(peer, ours, "processor")] if peer else []
    clock = "processor" if processor else "wall"
    limit = middle(ratios(ours, floor, clock)) if floor else None
    seconds = statistics.median(getattr(one, clock) for one in ours)
    values = [float(one.value) for one in ours if isinstance(one.value, int | float)]
    told = by_wall or [one.wall for one in ours]
    numbers = {
        "ratio": middle(by_processor if processor else by_wall),
        "limit": limit,
        "seconds": seconds,
        "megabytes": max(one.megabytes for one in ours),
        "rate": work.units / seconds if work.units else None,
        "value": middle(values),
    }
    return Row(
        work.name,
        statistics.median(one.wall for one in ours),
        statistics.median(one.processor for one in ours),
        middle(share * one.wall for one in peer),
        middle(share * one.processor for one in peer),
        work.peer_name,
        middle(by_wall),
        middle(by_processor),
        (max(told) - min(told)) / max(statistics.median(told), 1e-9),
        max(one.megabytes for one in ours),
        limit,
        work.floor_name,
        numbers["rate"],
        None if isinstance(ours[0].value, Megabytes) else numbers["value"],
        tuple(map(str, work.goals)),
        tuple(str(goal) for goal in work.goals if not _met(goal, numbers[goal.of])),
    )


def _met(goal: Goal, found: float | None) -> bool:
    if found is None:
        return False
    return found >= goal.bound if goal.least else found <= goal.bound


def machine() -> dict[str, Any]:
    """What the numbers were taken on."""
    from importlib.metadata import version

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")
    flags = next((line for line in lines if line.startswith("flags")), "")
    return {
        "processor": named or platform.processor(),
        "instructions": next((f for f in ("avx512f", "avx2") if f in flags), ""),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "onnxruntime", "polars")},
        "when": time.strftime("%Y-%m-%d"),
    }


HEADER = ("work", "ours", "peer", "peer / ours", "spread", "peak", "× limit", "goal")


def cells(row: Row) -> list[str]:
    """A row as it is shown; processor time in brackets."""
    told = [f"{row.rate:.0f}/s"] if row.rate else []
    told += [f"{row.value:.3g}"] if row.value is not None else []
    peer = "–" if row.peer is None else f"{row.peer_name}: {_time(row.peer, row.peer_processor)}"
    ratio = "–" if row.ratio is None else f"{row.ratio:.2f}× ({row.ratio_processor:.2f}×)"
    limit = "–" if row.limit is None else f"{row.limit:.2f}× {row.floor_name}"
    goals = [f"{goal} **missed**" if goal in row.missed else goal for goal in row.goals]
    return [
        row.work, " ".join([_time(row.ours, row.ours_processor), *told]), peer, ratio,
        f"{row.spread:.0%}", f"{row.megabytes:.0f} MB", limit, "; ".join(goals) or "–",
    ]  # fmt: skip


def _time(wall: float, processor: float | None) -> str:
    def spell(seconds: float) -> str:
        return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"

    return f"{spell(wall)} ({spell(processor or 0)})"


def table(rows: Sequence[Row], left_out: Sequence[str] = ()) -> str:
    """A table in Markdown, which a terminal shows as well."""
    lines = [HEADER, ["---"] * len(HEADER), *map(cells, rows)]
    shown = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([*(shown if rows else []), *(f"Left out: {why}." for why in left_out)])


def to_json(name: str, rows: Sequence[Row], left_out: Sequence[str]) -> str:
    found = {
        "case": name,
        "machine": machine(),
        "rows": [asdict(row) for row in rows],
        "left_out": list(left_out),
    }
    return json.dumps(found, ensure_ascii=False, indent=1)
