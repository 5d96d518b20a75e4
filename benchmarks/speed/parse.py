"""Parses of a gold and a system file, against reading and splitting the two in plain Python.

Generates both files with 12 columns, and a taxonomy of 200,000 classes where the shared one is
absent. Scoring includes reading, pairing, the taxonomy and all scores.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness import SHARED, Goal, Work, fresh

SHARED_TAXONOMY = SHARED / "golden" / "parse" / "semantic_hierarchy.csv"
TAGS = ["NOUN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "PUNCT", "CCONJ", "SCONJ", "AUX", "NUM"]
RELATIONS = ["nsubj", "obj", "obl", "nmod", "amod", "advmod", "det", "case", "punct", "conj", "cc"]
FEATURES = {
    "Case": ["Nom", "Gen", "Dat", "Acc", "Loc", "Ins"],
    "Gender": ["Masc", "Fem", "Neut"],
    "Number": ["Sing", "Plur"],
    "Tense": ["Past", "Pres", "Fut"],
    "Degree": ["Pos", "Cmp", "Sup"],
}
SYSTEM_ERRORS = 0.2
SENTENCES = 20_000


def generate(folder: Path, sentences: int, classes: list[str], seed: int = 1) -> tuple[Path, Path]:
    """Gold and system: Zipf-like words, random annotation, a fifth of each column wrong."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnoprstuvyzáéěščřžýí"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 11))) for _ in range(50_000)]
    slots = ["_", *(f"Slot{at}" for at in range(80))]

    def features() -> str:
        chosen = sorted(chance.sample(sorted(FEATURES), chance.randint(0, 4)))
        return "|".join(f"{name}={chance.choice(FEATURES[name])}" for name in chosen) or "_"

    def annotation(size: int) -> list[str]:
        return [
            chance.choice(TAGS), "_", features(), str(chance.randint(0, size)),
            chance.choice(RELATIONS), "_", "_", chance.choice(slots), chance.choice(classes),
        ]  # fmt: skip

    paths = folder / f"gold-{sentences}.conllu", folder / f"system-{sentences}.conllu"
    with (
        paths[0].open("w", encoding="utf-8") as gold,
        paths[1].open("w", encoding="utf-8") as system,
    ):
        for at in range(sentences):
            size = chance.randint(8, 32)
            head = f"# sent_id = s{at}\n# text = generated\n"
            gold.write(head)
            system.write(head)
            for number in range(1, size + 1):
                form = words[int(len(words) * chance.random() ** 3)]
                ours = [str(number), form, form[:6], *annotation(size)]
                other = [str(number), form, form, *annotation(size)]
                theirs = [
                    right if at < 2 or chance.random() > SYSTEM_ERRORS else wrong
                    for at, (right, wrong) in enumerate(zip(ours, other, strict=True))
                ]
                gold.write("\t".join(ours) + "\n")
                system.write("\t".join(theirs) + "\n")
            gold.write("\n")
            system.write("\n")
    return paths


def taxonomy(folder: Path) -> tuple[Path, list[str]]:
    """200,000 classes and some of their names."""
    if SHARED_TAXONOMY.exists():
        rows = [line.rstrip("\n").split(",") for line in SHARED_TAXONOMY.open(encoding="utf-8")]
        return SHARED_TAXONOMY, ["_", *(row[3] for row in rows[1:] if row[3] != "_")]
    chance = random.Random(2)
    path = folder / "taxonomy.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("ID,ParentID,Depth,Name\n")
        for at in range(200_000):
            parent = str(chance.randrange(max(0, at // 3 - 5), at)) if at > 20 else ""
            stream.write(f"{at},{parent},0,C{at}\n")
    return path, [f"C{at}" for at in range(1000)]


def read_plainly(paths: tuple[Path, ...]) -> None:
    """The measure: every line read and split at its tabs."""
    for path in paths:
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                line.rstrip("\n").split("\t")


def scorer(paths: tuple[Path, Path], classes: Path, cache_path: Path) -> Callable[[], object]:
    from gistmeter.core.cache import Cache
    from gistmeter.core.engines import measure
    from gistmeter.core.family import Context
    from gistmeter.core.wiring import build
    from gistmeter.parse.family import Parses, ParseSettings

    context = Context(Cache(cache_path), hear=lambda *_: None)
    settings = ParseSettings(gold=paths[0], systems=paths[1], taxonomy=classes)

    def score() -> object:
        read = Parses().read(settings, context)
        metrics = build(Parses(), read, settings, context)
        rows = measure(read.items, metrics)
        return {name: metric.pool(rows) for name, metric in metrics.items()}

    score()  # the first time compiles the taxonomy
    return score


def files(folder: Path) -> Iterator[Work]:
    classes, names = taxonomy(folder)
    paths = generate(folder, SENTENCES, names)
    size = sum(path.stat().st_size for path in paths) / 1e6
    score = scorer(paths, classes, folder / "cache.sqlite")
    yield Work(
        f"{SENTENCES:,} sentences, two files ({size:.0f} MB)", fresh(score),
        floor=lambda: read_plainly(paths), floor_name="read and split",
        goals=(Goal("limit", 1.5), Goal("megabytes", 25 * size)), rounds=3,
    )  # fmt: skip


PARTS = (files,)
