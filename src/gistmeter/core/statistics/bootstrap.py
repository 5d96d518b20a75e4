"""Intervals by resampling rows and never a model.

The bootstrap (Efron 1979) over clusters: items that depend on each other (a text in its 24
arrangements, a book's sentences) are drawn together. A metric's `pool` runs unchanged on all
resamples at once (see `pool`); one that needs a whole column (`values`) is called once per
resample instead.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats, Rows, Value
from gistmeter.core.statistics import interval
from gistmeter.core.statistics.pool import (
    Clustered,
    Ints,
    NeedsValues,
    PoolFunction,
    Question,
    Resample,
    codes,
)
from gistmeter.core.types import ScoreInfo

BLOCK_BYTES = 64 * 1024**2  # of counts held at once
CHUNK = 16_384  # draws counted at once: few enough for a processor's cache
Intervals = dict[str, tuple[float, float]]


def bootstrap_weights(clusters: int, resamples: int, seed: int, width: int = 0) -> Iterator[Floats]:
    """Count matrices of a seeded bootstrap, in blocks that fit in memory.

    `width` is how many numbers will be made of each resample, where they are more than clusters.
    """
    bits = np.random.PCG64(seed)
    step = max(1, BLOCK_BYTES // (16 * max(clusters, width, 1)))
    rows = max(1, CHUNK // max(clusters, 1))
    left = np.zeros(0, dtype=np.int64)
    for start in range(0, resamples, step):
        counts = np.empty((min(step, resamples - start), clusters))
        for first in range(0, len(counts), rows):
            part = counts[first : first + rows]
            while left.size < part.size:
                left = np.concatenate([left, _draw(bits, clusters, part.size - left.size)])
            drawn, left = left[: part.size], left[part.size :]
            if len(part) > 1:
                drawn = drawn + np.repeat(np.arange(len(part)) * clusters, clusters)
            part[:] = np.bincount(drawn, minlength=part.size).reshape(part.shape)
        yield counts


def _draw(bits: np.random.PCG64, clusters: int, count: int) -> npt.NDArray[np.int64]:
    """About `count` numbers below `clusters`, all equally likely (Lemire, ACM TOMACS 29, 2019).

    The same numbers as `Generator.integers` gives, several times as fast for being computed in
    arrays; the few that would favour some clusters are left out.
    """
    raw = bits.random_raw((count + 1) // 2).view(np.uint32).astype(np.uint64)
    raw *= np.uint64(clusters)
    fair = raw.astype(np.uint32) >= np.uint32((2**32 - clusters) % clusters)
    raw >>= np.uint64(32)
    drawn = raw.view(np.int64)
    return drawn if fair.all() else drawn[fair]


def item_weights(clusters: Ints, resamples: int, seed: int) -> npt.NDArray[np.float32]:
    """How often each item counts: first the data as they are, then the resamples."""
    size = int(clusters.max(initial=-1)) + 1
    found = np.ones((resamples + 1, len(clusters)), dtype=np.float32)
    at = 1
    for weights in bootstrap_weights(size, resamples if size > 1 else 0, seed):
        found[at : at + len(weights)] = weights[:, clusters]
        at += len(weights)
    return found


def resampled(
    pool: PoolFunction,
    rows: Rows,
    *,
    seed: int,
    resamples: int,
    cluster: Sequence[str] | None = None,
) -> dict[str, Floats]:
    """A pool's values in every resample, by score name."""
    clustered = Clustered.of(rows, cluster)
    by_sums = True
    try:
        pool(Resample(clustered, np.ones((1, clustered.size))))  # to learn what will be asked
    except NeedsValues:
        by_sums = False
    gathered: dict[str, list[Floats]] = {}
    for weights in bootstrap_weights(clustered.size, resamples, seed, clustered.width):
        values = (
            pool(Resample(clustered, weights, clustered.weigh(weights)))
            if by_sums
            else _one_by_one(pool, clustered, weights)
        )
        for name, value in values.items():
            gathered.setdefault(name, []).append(
                np.broadcast_to(np.asarray(value, dtype=np.float64), (len(weights),))
            )
    return {name: np.concatenate(blocks) for name, blocks in gathered.items()}


def _one_by_one(pool: PoolFunction, clustered: Clustered, weights: Floats) -> dict[str, Floats]:
    drawn: dict[str, list[float]] = {}
    everyone = np.arange(len(clustered.cluster))
    for counts in weights.astype(np.int64):
        rows = clustered.rows.take(np.repeat(everyone, counts[clustered.cluster]))
        for name, value in pool(rows).items():
            drawn.setdefault(name, []).append(float(np.asarray(value)))
    return {name: np.asarray(values) for name, values in drawn.items()}


def intervals(
    pool: PoolFunction,
    rows: Rows,
    *,
    seed: int,
    resamples: int = 1000,
    confidence: float = 0.95,
    infos: Sequence[ScoreInfo] = (),
    cluster: Sequence[str] | None = None,
    keyed: bool = False,
) -> Intervals:
    """The interval of every pooled score that has values in enough clusters (see `interval`).

    `infos` give the range and the basis of scores. `keyed` weighs clusters by their keys, as the
    parts of a large run are, and counts rows in place of clusters.
    """
    labels = codes(cluster or rows.keys["cluster"])
    clusters = len(np.unique(labels))
    if resamples < 1 or clusters < interval.FEWEST:
        return {}
    by_key = keyed and cluster is None and clusters >= FEWEST
    draw = _by_key if by_key else partial(resampled, cluster=cluster)
    drawn = draw(pool, rows, seed=seed, resamples=resamples)

    def counted(basis: str) -> int:
        known = ~np.isnan(rows.values(basis)) if basis in rows else np.ones(len(rows), np.bool_)
        return int(known.sum()) if by_key else len(np.unique(labels[known]))

    return bounds_of(pool(rows), drawn, confidence, infos, counted)


def bounds_of(
    values: Mapping[str, Value],
    drawn: Mapping[str, Value],
    confidence: float,
    infos: Sequence[ScoreInfo],
    counted: Callable[[str], int],
) -> Intervals:
    """The intervals of scores with a value in each resample; `counted` says how many independent
    parts have the basis of a score."""
    found: Intervals = {}
    known = {info.name: info for info in infos}
    for name, column in drawn.items():
        every = np.atleast_1d(np.asarray(column, dtype=np.float64))
        finite = every[np.isfinite(every)]
        info = known.get(name)
        clusters = counted((info.basis if info else "") or name)
        # A score that most resamples leave undefined has no honest interval.
        if clusters < interval.FEWEST or len(finite) * 2 <= len(every):
            continue
        value = float(np.asarray(values[name]).reshape(-1)[0])
        error = interval.standard_error(finite, clusters)
        ends = interval.ends_of(info, value, finite)
        lean = float(interval.skewness(finite))
        low, high = interval.limits(value, error, clusters, confidence, ends, lean=lean)
        if math.isfinite(low):
            found[name] = float(low), float(high)
    return found


def _by_key(pool: PoolFunction, rows: Rows, *, seed: int, resamples: int) -> Mapping[str, Value]:
    clustered = Clustered.of(rows)
    try:
        pool(Resample(clustered, np.ones((1, clustered.size))))
    except NeedsValues:
        return resampled(pool, rows, seed=seed, resamples=resamples)
    sums = scaled(keyed_sums(clustered, list(dict.fromkeys(rows.keys["cluster"])), resamples, seed))
    drawn = {question: np.delete(own, 0, own.ndim - 2) for question, own in sums.items()}
    return pool(Resample(clustered, np.zeros((resamples, 0)), drawn))


def percentile_interval(drawn: Floats, confidence: float, *, least: int = 2) -> tuple[float, float]:
    """The middle share of the values that are defined; NaN where they are fewer than `least`."""
    finite = drawn[np.isfinite(drawn)]
    if finite.size < least:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(finite, [tail, 1 - tail])
    return float(low), float(high)


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
