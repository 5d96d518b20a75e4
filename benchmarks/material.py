"""Texts for the benchmarks: real sentences of the shared data, put together anew."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

from benchmarks.harness import shared

REPEATS = 24  # predictions of each reference


def sentences(language: str) -> list[tuple[str, str]]:
    """Pairs of sentences that people compared."""
    if language == "ja":
        lines = shared("data/sts/jsts-valid.jsonl").read_text("utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.strip()]
        return [(one["sentence1"], one["sentence2"]) for one in found]
    if language == "ko":
        with shared("data/sts/korsts-dev.tsv").open(encoding="utf-8") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            return [(row["sentence1"], row["sentence2"]) for row in rows]
    path = shared(f"data/sts/stsb-{language}-dev.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1]) for row in csv.reader(file)]


def mixed(count: int) -> list[str]:
    """Sentences of five languages, shuffled evenly, no two alike."""
    columns = [[pair[0] for pair in sentences(code)] for code in ("en", "zh", "ru", "ko", "ja")]
    texts = (text for row in zip(*columns, strict=False) for text in row)
    return list(dict.fromkeys(texts))[:count]


def idioms(count: int) -> tuple[list[str], list[str]]:
    """Predictions and references in Chinese: each reference before 24 different predictions."""
    path = shared("data/idiom/orderprobe-Simplified_Chinese.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        found = [part.strip() for row in csv.reader(file) for part in row[1].split("||")]
    texts = list(dict.fromkeys(text for text in found if text))
    references, others = texts[:count], texts[count:]
    rows = [
        (others[(at * REPEATS + turn) % len(others)], reference)
        for turn in range(REPEATS)
        for at, reference in enumerate(references)
    ]
    return [row[0] for row in rows], [row[1] for row in rows]


def write_pairs(path: Path, count: int, language: str = "en") -> None:
    """A table of predictions and references, nearly all distinct, made of real sentences."""
    seeded, base = random.Random(7), sentences(language)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "prediction", "reference"])
        for at in range(count):
            (said, expected), (more, _) = seeded.choice(base), seeded.choice(base)
            longer = f"{said} {more}" if seeded.random() < 0.5 else said
            writer.writerow([at, longer, f"{expected} {at}"])


def write_systems(folder: Path, idioms_wanted: int) -> int:
    """Two systems, 24 arrangements of each idiom, predictions all different: how many."""
    predictions, references = idioms(idioms_wanted)
    names = {reference: f"idiom{at}" for at, reference in enumerate(dict.fromkeys(references))}
    with (folder / "explanations.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("idiom", "explanation"), *((n, r) for r, n in names.items())])
    seeded, pieces = random.Random(7), predictions
    for system in ("close", "far"):
        with (folder / f"{system}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("idiom", "arrangement", "Prediction"))
            for at, reference in enumerate(references):
                first = reference if system == "close" else seeded.choice(pieces)
                arrangement = f"arrangement{at // len(names) + 1}"
                writer.writerow(
                    (names[reference], arrangement, f"{first}，{seeded.choice(pieces)}")
                )
    return 2 * len(references)
