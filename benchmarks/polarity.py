"""How often a polarity conflict is found between texts that mean the same, where none should be.

    python benchmarks/polarity.py /data [--examples]

`/data` holds `idiom/orderprobe-*.csv` (explanations of one idiom, in pairs), `sts/` (pairs to which
people gave at least 95% of the highest score) and, where it is there, `train/` (paraphrases; the
rules were mended before the eyes of 600 pairs of each set, which are left out). An explanation that
names another sense of its idiom (也指, 后比喻, 原形容) is no paraphrase of the others, and is left
out; those that stay may still speak of the picture on one side and of its meaning on the other.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from gistmeter import languages
from gistmeter.text.formats.references import read_references
from gistmeter.text.metrics.polarity_conflict import conflicts

IDIOMS = {"zh": "Simplified_Chinese", "zh-Hant": "Traditional_Chinese", "ko": "Korean"}
OTHER_SENSE = re.compile(
    r"(旧时|舊時|有时|有時|引申|后来|後來|现在|現在|[也又亦后後现現今古旧舊原本或常多])"
    r".{0,3}?(指|比喻|形容|为|為|作|喻|沒有)"
)
ALIKE = 0.95
SEED, LOOKED_AT = 5, 600  # which pairs of a set were looked at
CODES = ("zh", "en", "ru", "ja", "ko")
Pair = tuple[str, str]


def explanations(folder: Path, code: str) -> Iterator[Pair]:
    path = folder / "idiom" / f"orderprobe-{IDIOMS[code]}.csv"
    for own in read_references(path).by_idiom.values():
        same = [text for text in own if not OTHER_SENSE.match(text)]
        yield from itertools.combinations(same, 2)


def alike(folder: Path, code: str) -> Iterator[Pair]:
    """Development pairs that people found the same."""
    if code in ("en", "zh", "ru"):
        with (folder / "sts" / f"stsb-{code}-dev.csv").open(encoding="utf-8") as stream:
            rows = [(one[0], one[1], one[2]) for one in csv.reader(stream)]
    elif code == "ko":
        with (folder / "sts" / "korsts-dev.tsv").open(encoding="utf-8") as stream:
            table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            rows = [(one["sentence1"], one["sentence2"], one["score"]) for one in table]
    else:
        lines = (folder / "sts" / "jsts-valid.jsonl").read_text(encoding="utf-8").splitlines()
        found = map(json.loads, lines)
        rows = [(one["sentence1"], one["sentence2"], one["label"]) for one in found]
    return ((one, other) for one, other, score in rows if float(score) >= 5 * ALIKE)


def kept_aside(folder: Path, code: str) -> Iterator[Pair]:
    """Training pairs of a language, alike or paraphrases, but for those that were looked at."""
    train = folder / "train"
    for path in (*sorted((train / "sts").glob("*.gz")), train / "para" / "pawsx.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            rows = [row for row in map(json.loads, stream) if row["lang"] == code]
        found = [
            (row["a"], row["b"])
            for row in rows
            if row.get("score", row.get("label", 0)) >= ALIKE and row["a"] != row["b"]
        ]
        random.Random(SEED).shuffle(found)
        yield from found[LOOKED_AT:]


def measure(code: str, pairs: Iterator[Pair], shown: bool) -> tuple[int, int]:
    """Conflicts found, and comparisons: each pair is read both ways."""
    pack, fired, asked = languages.get(code), 0, 0
    for one, other in pairs:
        for said, expected in ((one, other), (other, one)):
            if one != other:
                found = conflicts(pack.polarity(said), pack.polarity(expected), expected)
                fired, asked = fired + found, asked + 1
                if found and shown:
                    print(f"    {said}  |  {expected}")
    return fired, asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--examples", action="store_true", help="show the pairs that are wrong")
    given = parser.parse_args()
    sets = [(f"explanations {code}", code, explanations(given.data, code)) for code in IDIOMS]
    sets += [(f"STS {code}", code, alike(given.data, code)) for code in CODES]
    if (given.data / "train").is_dir():
        sets += [(f"kept aside {code}", code, kept_aside(given.data, code)) for code in CODES]
    for name, code, pairs in sets:
        fired, asked = measure(code, pairs, given.examples)
        if asked:
            print(f"{name:24} {fired:4} of {asked:6}  {100 * fired / asked:.2f}%", flush=True)


if __name__ == "__main__":
    main()
