"""Exchanges of two systems within clusters, for approximate randomisation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gistmeter.core.rows import Floats

BLOCK = 4_000_000  # numbers in memory at once: 32 MB


def exchanges(clusters: int, resamples: int, seed: int, width: int = 0) -> Iterator[Floats]:
    """Blocks of exchanges, 1 where a cluster's systems change places.

    All of them, each once, when there are no more than `resamples`: the test is then exact.
    `width` is how many numbers will be made of each, where they are more than clusters.
    """
    step = max(1, BLOCK // max(1, clusters, width))
    if exact(clusters, resamples):
        for start in range(0, 2**clusters, step):
            numbers = np.arange(start, min(start + step, 2**clusters), dtype=np.int64)[:, None]
            yield ((numbers >> np.arange(clusters)) & 1).astype(np.float64)
        return
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, step):
        size = min(step, resamples - start), (clusters + 7) // 8
        packed = generator.integers(0, 256, size=size, dtype=np.uint8)
        yield np.unpackbits(packed, axis=1)[:, :clusters].astype(np.float64)


def exact(clusters: int, resamples: int) -> bool:
    """Are all exchanges few enough to try each of them?"""
    return clusters < 31 and 2**clusters <= resamples
