"""How well the guard tells changed facts from other words for the same.

    python benchmarks/guard.py                    # the pairs of tests/languages/guard, by half
    python benchmarks/guard.py --data FOLDER      # also the alarm rate on true paraphrases

Each file of pairs has two halves: odd lines were looked at while the rules were made, even lines
were only measured. Precision is the share of pairs with an alarm whose fact was changed; recall the
share of changed pairs that have an alarm. FOLDER holds `train/para` and `sts`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gistmeter.languages.guard import Alarms, compare

PAIRS = Path(__file__).parent.parent / "tests" / "languages" / "guard"
LANGUAGES = ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru")
SAME = 4.5  # of 5: people's score from which two sentences say the same


class Case(NamedTuple):
    kind: str  # of the change, or "same"
    reference: str
    candidate: str


class Quality(NamedTuple):
    precision: float
    recall: float
    right_kind: float  # of the changed pairs: the alarm is of the kind that was changed
    wrong: list[tuple[Case, Alarms]]


def read_pairs(language: str, half: str = "") -> list[Case]:
    """The pairs of a language: all, the odd lines ("seen"), or the even ones ("kept aside")."""
    lines = (PAIRS / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    cases = [Case(*line.split("\t")) for line in lines]
    return {"": cases, "seen": cases[::2], "kept aside": cases[1::2]}[half]


def measure(cases: Iterable[Case], language: str) -> Quality:
    hits = false = misses = typed = 0
    wrong = []
    for case in cases:
        alarms = compare(case.reference, case.candidate, language)
        changed = case.kind != "same"
        hits += changed and bool(alarms)
        misses += changed and not alarms
        false += bool(alarms) and not changed
        typed += changed and case.kind in alarms.kinds
        if bool(alarms) != changed:
            wrong.append((case, alarms))
    total = hits + misses
    return Quality(hits / max(1, hits + false), hits / total, typed / total, wrong)


def paraphrases(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """Set, language and two texts that people found to say the same."""
    for path in sorted((data / "train" / "para").glob("*.jsonl.gz")):
        if "xling" in path.name:
            continue
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["label"] == 1:
                    yield path.name.split(".")[0], row["lang"], row["a"], row["b"]
    for language in ("en", "zh", "ru"):
        with (data / "sts" / f"stsb-{language}-dev.csv").open(encoding="utf-8", newline="") as file:
            for one, other, score in csv.reader(file):
                if float(score) >= SAME:
                    yield "sts", language, one, other
    for line in (data / "sts" / "jsts-valid.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["label"] >= SAME:
            yield "sts", "ja", row["sentence1"], row["sentence2"]
    rows = (data / "sts" / "korsts-dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for line in rows:
        *_, score, one, other = line.split("\t")
        if float(score) >= SAME:
            yield "sts", "ko", one, other


def show_pairs(verbose: bool) -> None:
    print(f"{'language':10}{'half':12}{'n':>5}{'precision':>11}{'recall':>8}{'right kind':>12}")
    for language in LANGUAGES:
        for half in ("seen", "kept aside"):
            cases = read_pairs(language, half)
            found = measure(cases, language)
            print(
                f"{language:10}{half:12}{len(cases):5}{found.precision:11.3f}{found.recall:8.3f}"
                f"{found.right_kind:12.3f}"
            )
            if verbose and half == "seen":
                for case, alarms in found.wrong:
                    print("   ", *case, [str(alarm) for alarm in alarms], sep=" | ")


def show_paraphrases(data: Path, limit: int, verbose: bool) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    alarmed: Counter[tuple[str, str]] = Counter()
    kinds: dict[tuple[str, str], Counter[str]] = {}
    spent: Counter[str] = Counter()
    for name, language, one, other in paraphrases(data):
        key = (name, language)
        if seen[key] >= limit:
            continue
        seen[key] += 1
        began = time.process_time()
        alarms = compare(one, other, language)
        spent[language] += time.process_time() - began  # type: ignore[assignment]
        alarmed[key] += bool(alarms)
        kinds.setdefault(key, Counter()).update(alarms.kinds)
        if verbose and alarms:
            print(name, language, one, other, [str(alarm) for alarm in alarms], sep=" | ")
    for key, count in sorted(seen.items()):
        parts = ", ".join(f"{kind} {number}" for kind, number in kinds[key].most_common())
        print(f"{key[0]:18}{key[1]:4}{count:6} pairs{alarmed[key] / count:8.1%} alarmed  ({parts})")
    for language, seconds in sorted(spent.items()):
        pairs = sum(count for key, count in seen.items() if key[1] == language)
        print(f"{language:4}{pairs / seconds:10,.0f} pairs a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, default=1000, help="paraphrases of a set and language")
    parser.add_argument("--verbose", action="store_true", help="show what went wrong")
    chosen = parser.parse_args()
    show_pairs(chosen.verbose)
    if chosen.data:
        show_paraphrases(chosen.data, chosen.limit, chosen.verbose)


if __name__ == "__main__":
    main()
