"""Fit how likely an editor agrees with an alarm: `src/gistmeter/book/metrics/data/alarms.json`.

    python -m training.alarms --data DATA             fit on all three novels
    python -m training.alarms --data DATA --every 1   on whole novels, not on every eighth chapter

The data are three novels with their published abridgements (AbLit). Fair sentences are those of the
abridgement; a quarter of them is falsified in another edition (`false_editions`), and blocks are
moved in a third. An alarm on a fair sentence is false, although abridgers do change a fact now and
then. Probabilities are for editions of which 2% of the sentences are at fault. To be run again
whenever the judge or the embedder changes: answers are kept in the cache, so only what is new takes
time.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.book.metrics import changes, suspicions
from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.book.metrics.book_comparison import thresholds_for
from gistmeter.book.metrics.suspicions import FEATURES, Suspicion
from gistmeter.core.cache import Cache, cache_file
from gistmeter.core.types import Book
from gistmeter.metrics.gist import weights_of
from gistmeter.models.loading import load_judge, load_models
from training.claims import fit
from training.false_editions import (
    ENGLISH,
    KINDS,
    MadeEdition,
    Novel,
    falsify,
    moved_blocks,
    other_sentences,
    read_novels,
)

TARGET = Path(suspicions.__file__).parent / "data" / "alarms.json"
EVERY = 8  # chapters of which one is read
PRIOR, SHARE = 0.02, 0.25  # of sentences at fault: in the world, and in the editions for the fit
MOVES = 15  # blocks that move in an edition
PENALTY, FEW = 0.0001, 0.01  # where there are many suspicions, and few
LEAN = 0.05  # weight of all faults beside all fair sentences in the fit
LEVELS = {
    "faults": {"sure": 0.8, "balanced": 0.5, "all": 0.03},
    "cut": {"sure": 0.9, "balanced": 0.5, "all": 0.0},
}  # the least probability: `balanced` is what is more likely right than not


@dataclass(frozen=True, slots=True)
class LabelledBook:
    """The suspicions of a novel's fair and made editions, and whether each is right."""

    rows: Mapping[str, list[tuple[Suspicion, bool]]]  # by kind
    sentences: int  # of it


def metric_of(embedder: Any, judge: Any) -> BookAlignment:
    """The metric as a run has it, but for the fit of the alarms."""
    return BookAlignment(
        embedder=embedder, splitters={"en": ENGLISH},
        calibrated=thresholds_for(embedder.id, ["en"]), resampled="passages",
        guard=changes.identity(["en"]), judge=judge, weights=weights_of("book"),
    )  # fmt: skip


def suspect(metric: BookAlignment, novel: Novel, edition: MadeEdition) -> list[Suspicion]:
    book = Book(novel.name, "", "", "made", "en")
    read = metric.read_sentences(book, novel.source, edition.summary)
    checked = metric.check_facts(book, read)
    assert checked is not None
    return suspicions.suspicions(read, checked, "en")


def label(metric: BookAlignment, novel: Novel, foreign: Sequence[str]) -> LabelledBook:
    """The editions of a novel; `foreign` sentences are put into one of them."""
    chance = random.Random(novel.name)
    fair = suspect(metric, novel, falsify(novel, 0.0, (), "fit", chance))
    rows: dict[str, list[tuple[Suspicion, bool]]] = {kind: [] for kind in FEATURES}
    for one in fair:
        if one.kind == "cut":
            known = [kept for kept in novel.kept[one.start : one.end + 1] if kept is not None]
            if known:
                rows["cut"].append((one, sum(known) < len(known) / 2))
        else:
            rows[one.kind].append((one, False))
    false = falsify(novel, SHARE, foreign, "fit", chance)
    for one in suspect(metric, novel, false):
        fault = false.faults[one.first] if one.first is not None else ""
        if fault in KINDS and one.kind == ("invented" if fault == "invented" else "changed"):
            rows[one.kind].append((one, True))
    stirred = falsify(novel, 0.0, (), "fit", chance, list(moved_blocks(MOVES)))
    for one in suspect(metric, novel, stirred):
        if one.kind == "moved" and one.first is not None and one.last is not None:
            right = "moved" in stirred.faults[one.first : one.last + 1]
            rows["moved"].append((one, right))
    return LabelledBook(rows, len(novel.summary.sentences))


def fit_alarms(books: Sequence[LabelledBook]) -> dict[str, Any]:
    """Weights by kind, and the least probability of each level."""
    weights = {}
    for kind, names in FEATURES.items():
        own = [pair for book in books for pair in book.rows[kind]]
        table = np.array([one.row for one, _ in own])
        right = np.array([right for _, right in own])
        lean = LEAN if kind in {"changed", "invented"} else right.sum() / (~right).sum()
        share = np.where(right, lean * (~right).sum() / max(1, right.sum()), 1.0)
        values = fit(table, right.astype(float), share, None,
                     PENALTY if kind in {"changed", "invented"} else FEW)  # fmt: skip
        if kind in {"changed", "invented"}:  # what was made is far more often at fault
            values[-1] += np.log(PRIOR / (1 - PRIOR)) - np.log(lean)
        weights[kind] = {"intercept": round(float(values[-1]), 4)} | dict(
            zip(names, values[:-1].round(4).tolist(), strict=True)
        )
    return {"weights": weights, "levels": LEVELS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--every", type=int, default=EVERY)
    options = parser.parse_args()
    cache = Cache(cache_file())
    embedder, judge = load_models(["embedder"], cache=cache).embedder, load_judge(cache)
    assert embedder is not None
    novels = read_novels(options.data, options.every)
    metric, foreign = metric_of(embedder, judge), other_sentences(options.data, "fit")
    books = {name: label(metric, novel, foreign) for name, novel in novels.items()}
    content = {
        "languages": ["en"], "embedder": embedder.id.partition("-q")[0], "judge": judge.id,
        "fitted on": {"novels": sorted(books), "one chapter of": options.every,
                      "fair sentences": sum(book.sentences for book in books.values())},
        **fit_alarms(list(books.values())),
    }  # fmt: skip
    print(json.dumps(content, indent=1))
    TARGET.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
