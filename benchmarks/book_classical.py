"""Books: clauses of classical Chinese histories, cut, merged, retold and moved; who finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import classical
import numpy as np

from gistmeter.book.metrics import measures
from gistmeter.book.metrics.paths import align
from gistmeter.book.metrics.similarity import compare

SEEDS = range(3)
WAYS = ("blocks", "monotone", "dtw")


def check_classical(embed: Callable[[Sequence[str]], np.ndarray]) -> None:
    """The share of sentences on their own clauses, by algorithm."""
    for name, clauses, blocks in (
        ("Shiji", classical.history(), 6),
        ("annals", classical.annals(), 40),
        ("in order", classical.annals(seed=1), 0),
    ):
        source = embed(clauses)
        shares: dict[str, list[float]] = {way: [] for way in (*WAYS, "argmax")}
        for seed in SEEDS:
            texts, gold = classical.made_edition(clauses, seed, blocks)
            table = compare(embed(texts), source)
            places = {way: measures.pairs_of(align(table, way).pairs, table).index for way in WAYS}
            places["argmax"] = measures.best_sources(table, 1).index[:, 0]
            for way, found in places.items():
                shares[way].append(classical.places_right(found.tolist(), gold))
        told = ", ".join(f"{way} {np.mean(held):.1%}" for way, held in shares.items())
        print(f"  {name:9} {len(clauses):5} clauses: {told}")
