"""Books: how right alignments and findings are. How fast they are: `python -m benchmarks book`.

    python benchmarks/book.py            everything
    python benchmarks/book.py gold       gold alignments found, by algorithm
    python benchmarks/book.py check      made editions: what is found of cuts, inventions and moves
    python benchmarks/book.py changed    made editions with changed facts; false alarms on real ones
    python benchmarks/book.py classical  made abridgements of classical Chinese histories
    python benchmarks/book.py calibrate  the thresholds of unsupported and source_recall, and α
    ... --model NAME                     with another sentence model

Data: ../shared/data/book and ../shared/data/sts beside the project; without them those parts are
left out.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "tests" / "book"))

import book_changed  # noqa: E402
import book_classical  # noqa: E402
import book_editions  # noqa: E402
import book_moves  # noqa: E402
from book_editions import Bound  # noqa: E402
from gold import Chapter, read_chapters, share_right  # noqa: E402

from gistmeter.book.metrics import measures  # noqa: E402
from gistmeter.book.metrics.paths import align  # noqa: E402
from gistmeter.book.metrics.similarity import compare  # noqa: E402
from gistmeter.core.cache import Cache  # noqa: E402
from gistmeter.models.loading import load_judge, load_models  # noqa: E402


def chapters() -> list[Chapter]:
    path = SHARED / "book" / "ablit_dev_rows.jsonl"
    if not path.exists():
        print(f"  left out: {path.relative_to(ROOT.parent)} is not here")
        return []
    return list(read_chapters(path))


Vectors = dict[str, tuple[np.ndarray, np.ndarray]]  # by book: source, summary


def load_embedder(model: str) -> Any:
    return load_models(["embedder"], cache=Cache(None), names={"embedder": model}).embedder


def embed(found: Sequence[Chapter], model: str) -> tuple[Vectors, str]:
    embedder = load_embedder(model)
    return {
        chapter.book: (
            embedder.embed(chapter.source).vectors,
            embedder.embed(chapter.summary).vectors,
        )
        for chapter in found
    }, embedder.id


def gold(model: str) -> None:
    print("Summary sentences on their gold source (limit: 98.5% for the default, blocks)")
    found = chapters()
    if not found:
        return
    by_book = {chapter.book: chapter for chapter in found}
    vectors, name = embed(found, model)
    print(f"  model {name}")
    tables = {book: compare(summary, source) for book, (source, summary) in vectors.items()}
    for algorithm in ("blocks", "monotone", "nw", "dtw"):
        places = {}
        for book, table in tables.items():
            path = align(table, algorithm)
            places[book] = measures.pairs_of(path.pairs, table).index.tolist()
        print(f"  {algorithm:9} {share_right(by_book, places):.1%}")
    best = {
        book: measures.best_sources(table, 1).index[:, 0].tolist() for book, table in tables.items()
    }
    print(f"  {'argmax':9} {share_right(by_book, best):.1%}")


def bind(model: str) -> tuple[dict[str, Bound], str]:
    found = chapters()
    vectors, name = embed(found, model) if found else ({}, "")
    return {one.book: Bound(one, *vectors[one.book]) for one in found}, name


def check(model: str) -> None:
    library, _ = bind(model)
    if library:
        book_editions.check(library)
        book_moves.check_moves(library)


def changed(model: str) -> None:
    library, _ = bind(model)
    rated = SHARED / "sts" / "stsb-zh-dev.csv"
    if library and rated.exists():
        book_changed.check_changed(library, read_pairs(rated), load_judge(Cache(None)))


def classical(model: str) -> None:
    print("Sentences on their own clauses (blocks is to be no worse than argmax)")
    embedder = load_embedder(model)
    book_classical.check_classical(lambda texts: embedder.embed(texts).vectors)


def calibrate(model: str) -> None:
    print("Thresholds of evidence: those that 96% of kept and 98% of own sentences reach")
    library, name = bind(model)
    if not library:
        return
    print(f"  model {name}")
    kept, _ = book_editions.support_cases(library)
    own, _ = book_editions.coverage_cases(library)
    english = {
        "coverage": book_editions.threshold(own, book_editions.OWN),
        "support": book_editions.threshold(kept, book_editions.KEPT),
    }
    print("  " + ", ".join(f"{side} {value:.3f}" for side, value in english.items()))
    print(f"  move cost {book_moves.move_cost(library):.1f}")
    carry_over(model, english)
    embedder = load_embedder(model)
    book_editions.sharpness(library, lambda texts: embedder.embed(texts).vectors)


def separate(same: np.ndarray, other: np.ndarray) -> float:
    """The threshold with the largest difference between both shares above it."""
    candidates = np.unique(np.concatenate([same, other]))
    above = [1 - np.searchsorted(np.sort(side), candidates) / len(side) for side in (same, other)]
    return float(candidates[int(np.argmax(above[0] - above[1]))])


def carry_over(model: str, english: dict[str, float]) -> None:
    """The same thresholds for other languages, by sentence pairs that people rated."""
    files = {code: SHARED / "sts" / f"stsb-{code}-dev.csv" for code in ("en", "zh", "ru")}
    files |= {"ko": SHARED / "sts" / "korsts-dev.tsv", "ja": SHARED / "sts" / "jsts-valid.jsonl"}
    if not all(path.exists() for path in files.values()):
        print("  other languages left out: shared/data/sts is not here")
        return
    similarity, best = {}, {}
    for code, path in files.items():
        embedder = load_embedder(model)
        pairs = read_pairs(path)
        first, second = (embedder.embed([pair[at] for pair in pairs]).vectors for at in (0, 1))
        rated = np.array([pair[2] for pair in pairs])
        similarity[code] = (first * second).sum(axis=1)
        same, other = similarity[code][rated >= 3.5], similarity[code][rated <= 1.5]
        best[code] = separate(same, other)
    for code, values in similarity.items():
        carried = {
            name: threshold + best[code] - best["en"]
            if code == "ja"  # its pairs are not translations of the English ones
            else float(np.quantile(values, (similarity["en"] < threshold).mean()))
            for name, threshold in english.items()
        }
        print(f"  {code}: " + ", ".join(f"{name} {value:.3f}" for name, value in carried.items()))


def read_pairs(path: Path) -> list[tuple[str, str, float]]:
    """Sentence, sentence, rating from 0 to 5."""
    with path.open(encoding="utf-8", newline="") as stream:
        if path.suffix == ".tsv":
            rows = [line.split("\t") for line in stream.read().splitlines()[1:]]
            return [(cells[5], cells[6], float(cells[4])) for cells in rows]
        if path.suffix == ".jsonl":
            found = map(json.loads, stream)
            return [(one["sentence1"], one["sentence2"], float(one["label"])) for one in found]
        return [(row[0], row[1], float(row[2])) for row in csv.reader(stream)]


def main() -> None:
    arguments = sys.argv[1:]
    model = ""
    if "--model" in arguments:
        at = arguments.index("--model")
        model = arguments[at + 1]
        del arguments[at : at + 2]
    parts = {
        "gold": lambda: gold(model),
        "check": lambda: check(model),
        "changed": lambda: changed(model),
        "classical": lambda: classical(model),
        "calibrate": lambda: calibrate(model),
    }
    for name in arguments or parts:
        if name not in parts:
            sys.exit(f"Unknown part '{name}'. Parts: {', '.join(parts)}")
        parts[name]()


if __name__ == "__main__":
    main()
