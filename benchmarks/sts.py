"""Agreement with people: Spearman correlation on five STS sets, embedded profile.

    python benchmarks/sts.py [--pairs N]

Reads ../shared/data/sts beside the project's folder; prints, for each language, the cosine of the
embedder and BERTScore F of the last layer against the human similarity, the known limit, and how
often it was met. Exit code 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from gistmeter.core.cache import Cache
from gistmeter.models.loading import load_models

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "sts"
# the agreement that a trial with the same weights in 8 bits reached; we ask for 0.01 less
LIMITS = {
    "en": (0.871, 0.867),
    "zh": (0.823, 0.809),
    "ru": (0.822, 0.811),
    "ko": (0.803, 0.786),
    "ja": (0.784, 0.779),
}


def read_pairs(language: str) -> list[tuple[str, str, float]]:
    if language == "ja":
        lines = (DATA / "jsts-valid.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [(row["sentence1"], row["sentence2"], float(row["label"])) for row in rows]
    if language == "ko":
        with (DATA / "korsts-dev.tsv").open(encoding="utf-8") as file:
            table = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return [(row["sentence1"], row["sentence2"], float(row["score"])) for row in table]
    with (DATA / f"stsb-{language}-dev.csv").open(encoding="utf-8", newline="") as file:
        return [(first, second, float(score)) for first, second, score in csv.reader(file)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=0, help="only the first N pairs of a language")
    limit = parser.parse_args().pairs
    if not DATA.is_dir():
        print(f"The STS sets are not there: {DATA}")
        return 0
    models = load_models(["embedder", "matcher"], cache=Cache(None))
    assert models.embedder is not None and models.matcher is not None
    missed = 0
    print("language  pairs  cosine  at least  BERTScore F  at least  seconds")
    for language, (cosine_limit, match_limit) in LIMITS.items():
        rows = read_pairs(language)[: limit or None]
        first, second, human = (list(column) for column in zip(*rows, strict=True))
        start = time.perf_counter()
        matches = models.matcher.match(list(zip(first, second, strict=True)))
        vectors = models.embedder.embed(first + second).vectors
        seconds = time.perf_counter() - start
        cosine = np.sum(vectors[: len(rows)] * vectors[len(rows) :], axis=1)
        reached = [float(spearmanr(scores, human).statistic) for scores in (cosine, matches.f1)]
        wanted = [cosine_limit - 0.01, match_limit - 0.01]
        missed += sum(value < least for value, least in zip(reached, wanted, strict=True))
        print(
            f"{language:8}  {len(rows):5}  {reached[0]:.4f}  {wanted[0]:8.3f}  {reached[1]:11.4f}"
            f"  {wanted[1]:8.3f}  {seconds:7.1f}"
        )
    return 1 if missed and not limit else 0


if __name__ == "__main__":
    sys.exit(main())
