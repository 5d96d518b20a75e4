"""Resamples that weigh a cluster by its key, so that parts of the data can be weighed apart.

The bootstrap draws clusters from all of them: whoever draws must know how many there are, and
holds a weight for each. The Poisson bootstrap (Hanley and MacGibbon 2006; Chamandy et al. 2012)
gives every cluster a weight of its own, Poisson with mean 1, and is the same for many clusters.
Here a cluster's weights are a function of its key and the seed. So a part of the data is weighed
where it lies, a cluster that several parts have weighs the same in each, two systems are weighed
alike on what they share, and the weighted sums of the parts add up to those of the whole. The
number of rows, which varies between resamples, is scaled to that of the data.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats
from gistmeter.core.statistics.pool import Clustered, Question

LARGE = 200_000  # rows from which resamples go by key
FEWEST = 30  # clusters: of fewer, a resample might have none
BLOCK = 4_000_000  # weights in memory at once: 32 MB
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
LANES = 4  # weights from one word of 64 bits
LEVELS = 1 << 16
ROWS = ("rows",)  # the question how many rows there are


def keyed_sums(
    clustered: Clustered, labels: Sequence[str], resamples: int, seed: int
) -> dict[Question, Floats]:
    """The sums of all that was asked: of the data as they are, then of every resample.

    `labels` are the clusters' keys in the order of their numbers.
    """
    size = np.bincount(clustered.cluster, minlength=clustered.size).astype(np.float64)
    clustered.totals[ROWS] = size
    sums: dict[Question, Floats] = {}
    at = 0
    for weights in keyed_weights(labels, resamples, seed):
        for question, own in clustered.weigh(weights, at).items():
            sums[question] = sums[question] + own if question in sums else own
        at += weights.shape[1]
    return sums


def scaled(sums: dict[Question, Floats]) -> dict[Question, Floats]:
    """The same as if every resample had as many rows as the data."""
    rows = sums[ROWS]
    with np.errstate(divide="ignore"):
        share = np.where(rows > 0, rows[0] / rows, 0.0)
    return {
        question: own * (share if own.ndim == 1 else share[:, None])  # of sparse counts by label
        for question, own in sums.items()
        if question != ROWS
    }


def keyed_weights(labels: Sequence[str], resamples: int, seed: int) -> Iterator[Floats]:
    """The weights of clusters, some clusters at a time: first 1, then those of the resamples."""
    table = _poisson()
    step = max(1, BLOCK // (resamples + 1))
    words = np.arange(1, -(-resamples // LANES) + 1, dtype=np.uint64) * GOLDEN
    for first in range(0, len(labels), step):
        keys = _hashed(labels[first : first + step], seed)
        lanes = _mixed(keys[:, None] + words).view("<u2")[:, :resamples]
        weights = np.ones((resamples + 1, len(keys)))
        weights[1:] = table[lanes].T
        yield weights


def _hashed(labels: Sequence[str], seed: int) -> npt.NDArray[np.uint64]:
    salt = str(seed).encode()[: hashlib.blake2b.SALT_SIZE]
    found = b"".join(
        hashlib.blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt).digest()
        for label in labels
    )
    return np.frombuffer(found, "<u8")


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Each word as one that looks drawn at random (SplitMix64; Steele, Lea and Flood 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return np.ascontiguousarray(words ^ (words >> np.uint64(31)), dtype="<u8")


def _poisson() -> npt.NDArray[np.uint8]:
    """The Poisson weight of each level of a number between 0 and 1."""
    chances = np.cumsum([math.exp(-1) / math.factorial(often) for often in range(16)])
    return np.searchsorted(chances, (np.arange(LEVELS) + 0.5) / LEVELS).astype(np.uint8)
