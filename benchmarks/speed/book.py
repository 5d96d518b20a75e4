"""Alignment of books: the kernels against plain loops, a whole book, and a book run again."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import ROOT, Goal, Work, fresh

ROWS, COLUMNS = 400, 4000


def kernels(folder: Path) -> Iterator[Work]:
    del folder
    sys.path.insert(0, str(ROOT / "tests" / "book"))
    import plain_loops

    from gistmeter.book.metrics.paths import align_sentences

    table = np.random.default_rng(0).random((ROWS, COLUMNS))
    listed = table.tolist()
    loops: dict[str, Callable[[], object]] = {
        "nw": lambda: plain_loops.needleman_wunsch(listed, -0.5),
        "dtw": lambda: plain_loops.dtw(listed),
        "monotone": lambda: plain_loops.monotone(listed),
    }
    for name, loop in loops.items():
        yield Work(
            f"{name}, {ROWS} × {COLUMNS:,}",
            fresh(lambda name=name: align_sentences(table, name)),  # type: ignore[misc]
            fresh(loop), "plain loop", table.max, "similarity.max()",
            goals=(Goal("limit", 30),), rounds=7,
        )  # fmt: skip


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def whole(folder: Path) -> Iterator[Work]:
    """2,000 summary sentences in a book of 20,000, from their vectors to the path."""
    del folder
    from gistmeter.book.metrics.paths import align
    from gistmeter.book.metrics.similarity import compare

    seeded = np.random.default_rng(0)
    source = unit(seeded.standard_normal((20_000, 384)).astype(np.float32))
    chosen = source[np.sort(seeded.integers(0, 20_000, 2000))]
    summary = unit(chosen + 0.03 * seeded.standard_normal(chosen.shape).astype(np.float32))
    for name in ("blocks", "monotone", "nw", "dtw"):
        yield Work(
            f"whole book, {name}, 2,000 × 20,000",
            fresh(lambda name=name: align(compare(summary, source), name)),  # type: ignore[misc]
            floor=lambda: summary @ source.T, floor_name="its cosines",
            goals=(Goal("seconds", 3), Goal("megabytes", 1500)), rounds=2,
        )  # fmt: skip


def edited(folder: Path) -> Iterator[Work]:
    """A story of 200 sentences, embedded again after one was edited."""
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import load_models

    samples = ROOT / "src" / "gistmeter" / "samples" / "book" / "originals.json"
    pieces = next(iter(json.loads(samples.read_text("utf-8")).values())).split(". ")
    sentences = [f"{piece} {at}." for at in range(8) for piece in pieces][:200]
    cache, count = Cache(folder / "story.sqlite"), itertools.count()

    def known() -> Callable[[], object]:
        models = load_models(["embedder"], cache=cache)
        models.embedder.embed([f"Warm {next(count)}.", *sentences])  # so that the model is loaded
        return lambda: models.embedder.embed([*sentences[:-1], f"Then it rained {next(count)}."])

    def anew() -> Callable[[], object]:
        models = load_models(["embedder"], cache=Cache(None))
        models.embedder.embed(["warm"])
        return lambda: models.embedder.embed(sentences)

    yield Work(
        "200 sentences after one was edited", known, anew, "all anew",
        goals=(Goal("ratio", 20, least=True),),
    )  # fmt: skip


PARTS = (kernels, whole, edited)
