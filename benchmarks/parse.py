"""How fast parses are scored, as ratios within one run.

    python benchmarks/parse.py [--sentences 20000] [--repeat 3]

Generates a gold and a system of 12 columns, and a taxonomy of 200,000 classes (in place of the
shared one where that is absent). Limits: scoring both files takes at most 3 times as long as
reading them and splitting lines and tabs in plain Python, the taxonomy included; peak memory stays
under 25 times the files' size; ten times the sentences take at most 11 times as long. Processor
time is measured, the best of a few repetitions, since machines are noisy.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED_TAXONOMY = ROOT.parent / "shared" / "golden" / "parse" / "semantic_hierarchy.csv"
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
    print("The shared taxonomy is not here: one of the same size is generated.")
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


def best(work: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def scorer(paths: tuple[Path, Path], classes: Path, cache_path: Path) -> Callable[[], object]:
    from gistmeter.cache import Cache
    from gistmeter.families.family import Context
    from gistmeter.families.parse import Parses, ParseSettings
    from gistmeter.score import measure

    context = Context(Cache(cache_path), hear=lambda *_: None)
    settings = ParseSettings(gold=paths[0], systems=paths[1], taxonomy=classes)

    def score() -> object:
        read = Parses().read(settings, context)
        metrics = Parses().build(read, settings, context)
        rows = measure(read.items, metrics)
        return {name: metric.pool(rows) for name, metric in metrics.items()}

    score()  # the first time compiles the taxonomy
    return score


def peak_memory(paths: tuple[Path, Path], classes: Path) -> int:
    """Bytes at the peak of a process that scores, less those of one that only imports.

    Read from /proc: `ru_maxrss` would count what this process held when it forked.
    """
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from gistmeter.cache import Cache\n"
        "from gistmeter.families.family import Context\n"
        "from gistmeter.families.parse import Parses, ParseSettings\n"
        "from gistmeter.score import measure\n"
        "if len(sys.argv) > 1:\n"
        "    gold, system, classes = map(Path, sys.argv[1:])\n"
        "    settings = ParseSettings(gold=gold, systems=system, taxonomy=classes)\n"
        "    context = Context(Cache(None), hear=lambda *_: None)\n"
        "    read = Parses().read(settings, context)\n"
        "    measure(read.items, Parses().build(read, settings, context))\n"
        "status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "print(status['VmHWM'].split()[0])\n"
    )

    def peak(*arguments: str) -> int:
        out = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        return int(out.stdout) * 1024

    return peak(*map(str, (*paths, classes))) - peak()


def report(name: str, value: float, limit: float) -> bool:
    kept = value <= limit
    print(f"{name:<58} {value:7.2f}   limit {limit:g}   {'ok' if kept else 'TOO MUCH'}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        classes, names = taxonomy(folder)
        large = generate(folder, options.sentences, names)
        small = generate(folder, max(1, options.sentences // 10), names)
        size = sum(path.stat().st_size for path in large)
        print(f"{options.sentences:,} sentences, {size / 1e6:.1f} MB in two files")
        plain = best(lambda: read_plainly(large), options.repeat)
        scored = best(scorer(large, classes, folder / "cache.sqlite"), options.repeat)
        tenth = best(scorer(small, classes, folder / "cache.sqlite"), options.repeat)
        print(f"plain {plain:.2f} s, scored {scored:.2f} s, a tenth of it {tenth:.2f} s")
        kept = [
            report("time, in readings and splittings of the files", scored / plain, 3),
            report("time for ten times the sentences", scored / tenth, 11),
        ]
        if Path("/proc/self/status").exists():
            memory = peak_memory(large, classes) / size
            kept.append(report("peak memory, in sizes of the files", memory, 25))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"processor time in all: {usage.ru_utime + usage.ru_stime:.0f} s")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
