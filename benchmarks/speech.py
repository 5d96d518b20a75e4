"""How fast transcripts are scored, and whether jiwer agrees.

    python benchmarks/speech.py              rates: ours, jiwer's, and the whole command
    python benchmarks/speech.py --sem-dist   the whole command with the semantic distance, cold

Seven systems' transcripts of 11 earnings calls, 96,681 reference words. Known limits: the table of
all systems with intervals in under 20 s for the error rates, and in under 8 minutes cold with the
semantic distance, on two cores that have nothing else to do. CPU seconds are printed beside the
wall clock, because a busy machine shows the second only.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "speech" / "earnings21_eval10"
SYSTEMS = (
    "amazon", "google", "kaldi_librispeech", "microsoft", "rev_espnet", "rev_kaldi", "speechmatics",
)  # fmt: skip
Result = TypeVar("Result")


def lines(name: str) -> dict[str, str]:
    text = (DATA / f"{name}.txt").read_text("utf-8")
    return dict(line.split("\t", 1) for line in text.splitlines())


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def compare_with_jiwer() -> None:
    """CPU seconds of ours and jiwer's on the same normalised texts, and the largest difference."""
    import jiwer

    from gistmeter.languages import get
    from gistmeter.metrics.transcription import ErrorRates, Normalisation
    from gistmeter.types import Clip

    said = lines("ref")
    metric = ErrorRates(Normalisation(get("en")))
    plain = metric.normalisation.normalise
    clips = [
        Clip(key, said[key], text, system)
        for system in SYSTEMS
        for key, text in lines(system).items()
    ]
    rows, ours = timed(lambda: metric.measure(clips))
    parts = rows.by("system")
    theirs = worst = 0.0
    for system in SYSTEMS:
        heard = lines(system)
        pairs = [plain(said[key]) for key in said], [plain(heard[key]) for key in said]
        wer, seconds = timed(lambda pairs=pairs: jiwer.wer(*pairs))
        cer, more = timed(lambda pairs=pairs: jiwer.cer(*pairs))
        theirs += seconds + more
        pooled = metric.pool(parts[system])
        worst = max(worst, abs(pooled["wer"] - 100 * wer), abs(pooled["cer"] - 100 * cer))
    print(f"WER and CER of 77 transcripts: ours {ours:.1f} s of CPU, jiwer {theirs:.1f} s")
    print(f"  ratio {theirs / ours:.1f} (ours also normalises, aligns and keeps the diff)")
    print(f"  largest difference {worst:.1e} (limit 1e-9)")


def run_command(metrics: str, limit: float) -> None:
    """The whole command in a fresh cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "gistmeter", "speech", "--expected", str(DATA / "ref.txt"),
            *(part for name in SYSTEMS for part in ("--got", str(DATA / f"{name}.txt"))),
            "--metrics", metrics, "-o", str(Path(folder) / "run"),
        ]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(
            command, check=True, env={**os.environ, "GISTMETER_CACHE_DIR": f"{folder}/cache"}
        )
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"gistmeter speech --metrics {metrics}: {wall:.1f} s, {cpu:.1f} s of CPU")
    print(f"  limit {limit:g} s on two free cores; {wall / limit:.2f} of it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sem-dist", action="store_true", help="with the semantic distance")
    options = parser.parse_args()
    if not DATA.exists():
        print(f"The transcripts of the earnings calls are not here ({DATA}); nothing was measured")
        return
    if options.sem_dist:
        run_command("wer,cer,sem_dist", 480)
        return
    compare_with_jiwer()
    run_command("wer,cer", 20)


if __name__ == "__main__":
    main()
