"""Models that know the answer: what the cache spares. Whole commands are in `jobs`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.harness import Goal, Work


def models(folder: Path) -> Iterator[Work]:
    from gistmeter.core.cache import Cache
    from gistmeter.models.loading import load_models

    texts = material.mixed(400)
    pairs = list(zip(texts[::2], texts[1::2], strict=True))

    def asking(path: Path) -> Callable[[], Any]:
        found = load_models(["embedder", "matcher"], cache=Cache(path))
        return lambda: (found.matcher.match(pairs), found.embedder.embed(texts))

    def cold() -> Callable[[], Any]:
        (folder / "cold.sqlite").unlink(missing_ok=True)
        return asking(folder / "cold.sqlite")

    asking(folder / "warm.sqlite")()
    yield Work(
        f"{len(texts)} texts and {len(pairs)} pairs known", lambda: asking(folder / "warm.sqlite"),
        cold, "cold", goals=(Goal("ratio", 30, least=True),),
    )  # fmt: skip


PARTS = (models,)
