"""Texts: does S_Acc know an explanation when it meets one, and how long does a large run take?

    python benchmarks/text.py agreement      # on ../shared/data/idiom
    python benchmarks/text.py scale [--idioms 1000]

*Agreement*: where an idiom has two distinct explanations, the second is scored against the first,
and so are other idioms' second explanations. A component's rate is the share of those shuffled ones
that the right one beats (a tie counts half). Known: STS and BERTScore reach 0.89 in Chinese and
0.85 in Korean with the embedded profile.

*Scale*: 1,000 idioms × 24 arrangements × 2 systems through the command line, twice: cold with an
empty cache, then warm. Limits on two free cores: 10 minutes cold, 20 seconds warm, 2 GB.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gistmeter import languages
from gistmeter.cache import Cache
from gistmeter.formats.references import read_references
from gistmeter.metrics.accuracy import SemanticAccuracy
from gistmeter.models.loading import load_models
from gistmeter.types import Pair

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "idiom"
FILES = {"zh": "orderprobe-Simplified_Chinese.csv", "ko": "orderprobe-Korean.csv"}
KNOWN = {"zh": 0.89, "ko": 0.85}
SHUFFLES = 30
COMPONENTS = ("bertscore", "sts", "lexical_cosine", "representation", "f_beta", "s_acc")


def agreement() -> None:
    models = load_models(["embedder", "matcher"], cache=Cache(None))
    for code, name in FILES.items():
        if not (DATA / name).exists():
            print(f"{code}: {DATA / name} is not here")
            continue
        known = read_references(DATA / name).by_idiom
        explained = [own for own in known.values() if len(own) > 1]
        shuffles = min(SHUFFLES, len(explained) - 1)
        pairs = [
            Pair(f"{at}/{shift}", explained[(at + shift) % len(explained)][1], (own[0],))
            for shift in range(shuffles + 1)
            for at, own in enumerate(explained)
        ]
        metric = SemanticAccuracy({code: languages.get(code)}, models.embedder, models.matcher)
        rows = metric.measure(pairs)
        print(f"{code}: {len(explained)} idioms, each against {shuffles} shuffled explanations")
        rates = {}
        for component in COMPONENTS:
            table = rows.values(component).reshape(shuffles + 1, -1)
            table = np.where(np.isnan(table), -1.0, table)
            rates[component] = float(
                ((table[0] > table[1:]) + 0.5 * (table[0] == table[1:])).mean()
            )
            limit = KNOWN[code] if component in ("bertscore", "sts") else None
            note = f"  (known: {limit})" if limit else ""
            print(f"  {component:15} {rates[component]:.4f}{note}")
        best = max((rate, component) for component, rate in rates.items() if component in (
            "bertscore", "sts", "lexical_cosine", "f_beta"))  # fmt: skip
        print(f"  S_Acc less its best component ({best[1]}): {rates['s_acc'] - best[0]:+.4f}")


def scale(idioms: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_tables(folder, idioms)
        print(f"{count:,} predictions of {idioms:,} idioms")
        cold = measure(folder, "cold")
        warm = measure(folder, "warm")
        print(f"warm / cold: {warm / cold:.3f} of the time")


def write_tables(folder: Path, idioms: int) -> int:
    """Two systems whose predictions are all different, from pieces of real explanations."""
    if (DATA / FILES["zh"]).exists():
        known = read_references(DATA / FILES["zh"]).by_idiom
    else:
        known = {
            f"第{number}条": (f"第{number}条成语的解释，共有{number}个字",)
            for number in range(1000)
        }
    chosen = [(idiom, own) for idiom, own in known.items() if own][:idioms]
    table(folder / "chinese.csv", ["idiom", "explanation"], [(i, "||".join(o)) for i, o in chosen])
    pieces = sorted({piece for _, own in chosen for text in own for piece in text.split("，")})
    seeded = random.Random(7)
    count = 0
    for system in ("close", "far"):
        rows = []
        for arrangement in range(1, 25):
            for idiom, own in chosen:
                said = [seeded.choice(own)] if system == "close" else [seeded.choice(pieces)]
                said.append(seeded.choice(pieces))
                rows.append((idiom, f"arrangement{arrangement}", "，".join(said)))
        table(folder / f"{system}.csv", ["idiom", "arrangement", "Prediction"], rows)
        count += len(rows)
    return count


def table(path: Path, header: list[str], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def measure(folder: Path, name: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "gistmeter", "text", "close.csv", "far.csv", "--references",
         "chinese.csv", "-o", f"run-{name}", "--quiet"],
        cwd=folder,
        env={**os.environ, "GISTMETER_CACHE_DIR": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
        check=True,
    )  # fmt: skip
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{name}: {took:.1f} s, {processor:.1f} s of processor time, "
        f"{after.ru_maxrss / 1024**2:.2f} GB at most"
    )
    return took


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=["agreement", "scale", "all"], default="all")
    parser.add_argument("--idioms", type=int, default=1000)
    chosen = parser.parse_args()
    if chosen.part in ("agreement", "all"):
        agreement()
    if chosen.part in ("scale", "all"):
        scale(chosen.idioms)
