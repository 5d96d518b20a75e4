"""Run benchmarks: `python -m benchmarks [NAME …]`, or all cases of speed without a name.

Every case of speed prints one table and writes `build/bench/NAME.json`; without names each runs in
a process of its own, and the tables go into benchmarks/README.md with the machine they are from.
The benchmarks of validity print how far scores agree with people; further arguments are theirs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, Absent, Row, measure, table, to_json

SPEED = (
    "jobs", "startup", "statistics", "parse", "speech", "book", "report", "text", "torch",
    "judge", "cache", "growth",
)  # fmt: skip
LONG = ("million", "predictions", "novel")  # not part of a run of all
VALIDITY = (
    "validity",
    "meaning",
    "book_check",
    "book_alarms",
    "guard",
    "languages",
    "sts",
    "comparison",
    "idioms",
    "polarity",
    "coverage",
    "people_coverage",
    "people_savings",
    "rating_load",
    "speech_pairs",
    "summaries",
    "fact_tables",
)
SCRIPTS = {"book_check": ("book", ["check"])}
FOLDER = ROOT / "build" / "bench"
README = Path(__file__).with_name("README.md")
MARK = "<!-- tables -->"


def run_case(name: str, *, processor: bool, quick: bool = False) -> list[str]:
    """The goals that were missed, and the parts that failed."""
    case = importlib.import_module(f"benchmarks.speed.{name}")
    rows: list[Row] = []
    left_out: list[str] = []
    failed: list[str] = []
    # No random letters in the path: bert-score takes one with "t5" in it for a T5.
    folder = Path(tempfile.gettempdir()) / f"gistmeter-bench.{os.getpid()}"
    folder.mkdir()
    try:
        for part in case.PARTS:
            try:
                for work in part(folder):
                    short = replace(work, rounds=1, warm=False) if quick else work
                    rows.append(measure(short, processor=processor))
                    print(f"{name}: {work.name}", file=sys.stderr, flush=True)
            except Absent as why:
                left_out.append(f"{part.__name__} ({why})")
            except Exception as error:  # what was measured before is kept
                traceback.print_exc()
                failed.append(f"{part.__name__} (failed: {error})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(to_json(name, rows, left_out + failed), encoding="utf-8")
    print(f"\n## {name}\n\n{table(rows, left_out + failed)}\n", flush=True)
    missed = [f"{row.work}: {goal}" for row in rows for goal in row.missed]
    return [f"{name}: {what}" for what in missed + failed]


def run_all(*, processor: bool, quick: bool) -> int:
    started = time.perf_counter()
    failed = []
    given = [*(["--clock", "processor"] if processor else []), *(["--quick"] if quick else [])]
    for name in SPEED:
        (FOLDER / f"{name}.json").unlink(missing_ok=True)
        subprocess.run([sys.executable, "-m", "benchmarks", name, *given], check=False, cwd=ROOT)
        failed += [] if (FOLDER / f"{name}.json").exists() else [name]
    minutes = (time.perf_counter() - started) / 60
    write_readme(minutes, failed, quick=quick)
    print(f"{minutes:.0f} minutes in all. Tables: {README.relative_to(ROOT)}")
    return 1 if failed else 0


def write_readme(minutes: float, failed: Sequence[str], *, quick: bool = False) -> None:
    """Put the tables of the last run into the README, and say where a peer is faster."""
    found = [json.loads(path.read_text("utf-8")) for name in (*SPEED, *LONG)
             if (path := FOLDER / f"{name}.json").exists()]  # fmt: skip
    if not found:
        return
    machine: dict[str, Any] = found[0]["machine"]
    lines = [MARK, "", f"{minutes:.0f} minutes on: "
             + ", ".join(f"{key} {value}" for key, value in machine.items()) + ".", ""]  # fmt: skip
    lines += ["One round without warm-up: no figures to go by.", ""] if quick else []
    rows = {one["case"]: [Row(**row) for row in one["rows"]] for one in found}
    slower = [f"{row.work}: {row.peer_name} takes {row.ratio:.2f} of our time"
              for own in rows.values() for row in own if row.ratio and row.ratio < 1]  # fmt: skip
    missed = [f"{row.work}: {goal}" for own in rows.values() for row in own for goal in row.missed]
    lines += _listed("Where a peer is faster", slower) + _listed("Goals that are missed", missed)
    lines += _listed("Cases that failed", list(failed))
    for one in found:
        lines += [f"### {one['case']}", "", table(rows[one["case"]], one["left_out"]), ""]
    before = README.read_text("utf-8").partition(MARK)[0]
    README.write_text(before + "\n".join(lines), encoding="utf-8")


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", "", *(f"- {line}" for line in lines or ["none"]), ""]


def run_script(name: str, arguments: Sequence[str]) -> None:
    """A benchmark of validity, as the script that it is."""
    script, first = SCRIPTS.get(name, (name, []))
    here = Path(__file__).parent
    sys.path.insert(0, str(here))
    sys.argv = [str(here / f"{script}.py"), *first, *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"speed: {', '.join(SPEED + LONG)}; validity: {', '.join(VALIDITY)}",
    )
    parser.add_argument(
        "--clock",
        choices=["wall", "processor"],
        default="wall",
        help="the time that goals are held to: processor on a shared machine",
    )
    parser.add_argument("--quick", action="store_true", help="one round, no warm-up: does it run?")
    options, more = parser.parse_known_args()  # fmt: skip
    processor = options.clock == "processor"
    if not options.names:
        return run_all(processor=processor, quick=options.quick)
    if options.names[0] in VALIDITY:
        run_script(options.names[0], [*options.names[1:], *more])
        return 0
    unknown = [name for name in options.names if name not in (*SPEED, *LONG)]
    if unknown or more:
        known = ", ".join((*SPEED, *LONG, *VALIDITY))
        parser.error(f"unknown: {' '.join([*unknown, *more])}. Known: {known}")
    cases = (run_case(n, processor=processor, quick=options.quick) for n in options.names)
    missed = [goal for case in cases for goal in case]
    for goal in missed:
        print(f"missed: {goal}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
