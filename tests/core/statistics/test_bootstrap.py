"""The bootstrap's weights are those of numpy's own generator, only faster."""

from __future__ import annotations

import numpy as np
import pytest

from gistmeter.core.statistics import bootstrap_weights


@pytest.mark.parametrize(
    ("clusters", "resamples", "seed"),
    [(1, 5, 2), (7, 1000, 3), (100, 300, 20260), (10_000, 450, 1), (1_500_000, 3, 5)],
)
def test_weights_are_counts_of_numpys_draws(clusters: int, resamples: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    drawn = 0
    for weights in bootstrap_weights(clusters, resamples, seed):
        for row in weights:
            expected = np.bincount(generator.integers(0, clusters, clusters), minlength=clusters)
            assert np.array_equal(row, expected)
            drawn += 1
    assert drawn == resamples
