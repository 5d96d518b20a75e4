"""Four jobs that users wait for, as whole commands in fresh processes.

A quarter of a novel beside its abridgement, again after ten edited sentences; 4,800 predictions of
idioms, and again; seven recognisers on one recorded call, with gist by segment. `novel` and
`predictions` are the whole of the first two.

Where the value of a row has a goal, it is the job's time over the time that its networks ran within
it (embedder and judge, each text and pair once): what is above 1 is ours to spare.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.harness import Goal, Megabytes, Work, fresh, shared
from benchmarks.speed.speech import SYSTEMS, lines

LAUNCH = """
import json, resource, runpy, sys, time
from pathlib import Path
from gistmeter.models import runtime

spent, opened = {"wall": 0.0, "processor": 0.0}, runtime.open_session

class Timed:
    def __init__(self, session):
        self.session = session
    def __getattr__(self, name):
        return getattr(self.session, name)
    def run(self, *given):
        wall, processor = time.perf_counter(), time.process_time()
        try:
            return self.session.run(*given)
        finally:
            spent["wall"] += time.perf_counter() - wall
            spent["processor"] += time.process_time() - processor

runtime.open_session = lambda *given, **options: Timed(opened(*given, **options))
target, *sys.argv[1:] = sys.argv[1:]
started = time.perf_counter()
try:
    runpy.run_module("gistmeter", run_name="__main__", alter_sys=True)
finally:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    used = {"whole": time.perf_counter() - started, "used": time.process_time(), "peak": peak}
    Path(target).write_text(json.dumps(spent | used))
"""
NOVEL, SENTENCES = "daniel-deronda", 1500  # of the original: a quarter of a novel
EDITED = 10
ALONE = Goal("value", 1.15)


def job(folder: Path, *arguments: str) -> dict[str, float]:
    """Run a command; its seconds, its peak in megabytes, and the seconds of its networks."""
    target = folder / "spent.json"
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, str(target), *arguments],
        cwd=folder, env={**os.environ, "GISTMETER_CACHE_DIR": str(folder / "answers")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"gistmeter {' '.join(arguments)}: {done.stderr[-2000:]}")
    spent: dict[str, float] = json.loads(target.read_text())
    return spent


def beside_networks(spent: dict[str, float]) -> float:
    return spent["whole"] / spent["wall"] if spent["wall"] else float("nan")


def novel(folder: Path, sentences: int = SENTENCES) -> Iterator[Work]:
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import load_models

    with gzip.open(shared("data/book/ablit_novels.jsonl.gz"), "rt", encoding="utf-8") as file:
        every = [json.loads(line) for line in file]
    chapters: list[dict[str, Any]] = []
    for one in every:
        if one["book"] == NOVEL and sum(len(held["orig_sents"]) for held in chapters) < sentences:
            chapters.append(one)
    original = [one["original"][a:b] for one in chapters for a, b in one["orig_sents"]]
    edition = [one["abridged"][a:b] for one in chapters for a, b in one["abr_sents"]]
    texts = list(dict.fromkeys(text.strip() for text in (*original, *edition)))
    (folder / "original.txt").write_text("\n\n".join(one["original"] for one in chapters))
    abridged = "\n\n".join(one["abridged"] for one in chapters)
    (folder / "edition.txt").write_text(abridged)
    given = ("book", "original.txt", "edition.txt", "--overwrite", "--quiet", "-o")
    took: list[float] = []

    def cold() -> Megabytes:
        spent = job(folder, *given, "novel")
        took.append(spent["whole"])
        return Megabytes(spent["peak"])

    def reading() -> None:
        load_models(["embedder"], cache=Cache(None)).embedder.embed(texts)

    name = f"a novel, {len(original):,} × {len(edition):,} sentences"
    yield Work(
        f"{name}, verdict and page", fresh(cold), floor=reading, floor_name="reading them once",
        goals=(Goal("limit", 2.0), Goal("megabytes", 1000)), rounds=1, warm=False,
    )  # fmt: skip

    def edited() -> float:
        """The share of the first run's time."""
        step = len(edition) // (EDITED + 1)
        changed = abridged
        for at in range(EDITED):
            sentence = edition[step * (at + 1)]
            changed = changed.replace(sentence, f"{sentence} And so it was, {at} times over.", 1)
        (folder / "edition.txt").write_text(changed)
        return job(folder, *given, "again")["whole"] / took[-1]

    yield Work(
        f"{name}, again after {EDITED} edited: share of the first time", fresh(edited),
        goals=(Goal("value", 0.03), Goal("seconds", 15)), rounds=1, warm=False,
    )  # fmt: skip


def predictions(folder: Path, idioms: int = 100) -> Iterator[Work]:
    count = material.write_systems(folder, idioms)
    given = ("text", "close.csv", "far.csv", "--references", "explanations.csv", "--language", "zh")
    yield from twice(
        folder, f"{count:,} predictions", (*given, "-o", "run", "--overwrite", "--quiet"),
        count, (Goal("seconds", 8),),
    )  # fmt: skip


def twice(
    folder: Path, name: str, given: tuple[str, ...], units: float, again: tuple[Goal, ...] = ()
) -> Iterator[Work]:
    """A job with an empty cache, and the same once more."""

    def cold() -> float:
        return beside_networks(job(folder, *given))

    def known() -> Megabytes:
        return Megabytes(job(folder, *given)["peak"])

    yield Work(
        f"{name}: over the time of its networks", fresh(cold), goals=(ALONE,), rounds=1,
        warm=False, units=units,
    )  # fmt: skip
    yield Work(f"{name}, again", fresh(known), goals=again, rounds=1, warm=False, units=units)


def speech(folder: Path) -> Iterator[Work]:
    said = lines("ref")
    call = min(said, key=lambda name: len(said[name].split()))
    (folder / "ref.txt").write_text(f"{call}\t{said[call]}\n")
    given = ["speech", "--expected", "ref.txt", "--language", "en"]
    for system in SYSTEMS:
        (folder / f"{system}.txt").write_text(f"{call}\t{lines(system)[call]}\n")
        given += ["--got", f"{system}.txt"]
    words = len(said[call].split())
    yield from twice(
        folder, f"a call of {words:,} words × {len(SYSTEMS)} recognisers",
        (*given, "-o", "run", "--overwrite", "--quiet"), words * len(SYSTEMS),
    )  # fmt: skip


Part = Callable[[Path], Iterator[Work]]
PARTS: tuple[Part, ...] = (novel, predictions, speech)
