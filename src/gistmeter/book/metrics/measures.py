"""The formulas: what is measured on similarities and a path.

M summary sentences s_i, N source sentences x_j, t_i = max_j sim(s_i, x_j):

coverage            share of t_i ≥ TH − 10⁻⁶ with TH the mean of t_i, so that equal values count.
alignment_confidence  mean similarity of the path's pairs (i, j_i).
pfs                 (1 − D)^γ, D the mean of d_i = |(i + ½)/M − (j_i + ½)/N| weighted by
                    max(sim, 10⁻⁶).
scs                 mean of 1 − clip(σ_i²/β, 0, 1), σ_i² the variance of the positions (j + ½)/N of
                    the k best sources of s_i under softmax(α·sim).
source_recall       Σ wⱼ·hⱼ / Σ wⱼ over the source sentences, wⱼ the content words of each; hⱼ is
                    the share of them (`shared`, below) that the summary sentences beside it have if
                    one of these supports it, else 0. Beside it are those placed at it, or else the
                    last before and the first after it; one supports it with `evidence` ≥ a
                    calibrated threshold. Looking beside the path instead of everywhere tells kept
                    from dropped sentences better (AUC 0.978 against 0.956 on gold), since any
                    summary names a book's people all over.
unsupported         share of summary sentences whose `evidence` of a source anywhere stays below a
                    calibrated threshold; coverage_at is the share of the others.
moved               share of the supported summary sentences that stand in another order (`moves`).
fidelity            source_recall · ((1 − unsupported)(1 − changed))⁵ · (1 − moved): one number to
                    rank editions by; 1 for a verbatim copy. A wrong sentence costs as much as five
                    that were left out.
changed             share of the supported summary sentences whose facts differ from their source's.
order_violations    share of summary sentences whose best source lies more than a tolerance (a share
                    of N) away from their source on the path.

A path may hold several pairs of one summary sentence; the most similar is its pair.

evidence            similarity + w·(shared − ½). `shared` is the share of a sentence's content words
                    that the other text has, each word counted by how much it says:
                    log((N + 1)/(n + ½)) for a word in n of the N source sentences. A sentence
                    without content words ("So it was.") shares ½: its words tell nothing. `w` is
                    calibrated with the thresholds of a model; without one it is 0, and evidence is
                    similarity.

Words help where cosines fail: any summary names a book's people all over, and a long sentence that
merges three has a low cosine with each. On gold chapters (AbLit) the best of kept and dropped
sentences told apart goes from 5.9% to 3.8% of dropped ones taken for kept, and that of own and
foreign sentences from 12.8% to 2.6% of foreign ones missed (98% of the own ones found).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, log
from typing import Any

import numpy as np

from gistmeter.book.metrics.similarity import (
    Bools,
    Floats,
    Ints,
    Similarity,
    block_rows,
    stretches,
)

LEAST_WEIGHT = 1e-6
EQUALITY = 1e-6
TENTHS = 10
AROUND = 1  # neighbours of a source sentence that may share a summary sentence's words
NEUTRAL = 0.5
Content = Sequence[Sequence[str]]  # the content words of each sentence


@dataclass(frozen=True, slots=True)
class BestSources:
    """The k most similar source sentences of each summary sentence, best first."""

    index: Ints  # (M, k); of equally similar ones the first
    similarity: Floats  # (M, k)

    @property
    def top(self) -> Floats:
        return self.similarity[:, 0]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The source sentence of each summary sentence on the path; −1 and NaN where it has none."""

    index: Ints
    similarity: Floats

    @property
    def aligned(self) -> Bools:
        return self.index >= 0


@dataclass(frozen=True, slots=True)
class Support:
    """How well the summary supports each source sentence, and which of its sentences does."""

    similarity: Floats  # (N,); −1 where nothing is aligned
    index: Ints  # (N,)


def best_sources(similarity: Similarity, k: int) -> BestSources:
    """Both texts must have sentences; k is cut to N."""
    rows, columns = similarity.shape
    k = min(k, columns)
    index = np.empty((rows, k), np.int64)
    values = np.empty((rows, k))
    for start, stop in block_rows(rows, columns):
        block: Any = similarity.block(start, stop, 0, columns)
        least = np.partition(block, columns - k, axis=1)[:, columns - k]
        at, column = np.nonzero(block >= least[:, None])
        reached = block[at, column]
        order = np.lexsort((column, -reached, at))
        firsts = np.searchsorted(at, np.arange(stop - start))
        chosen = order[firsts[:, None] + np.arange(k)]
        index[start:stop] = column[chosen]
        values[start:stop] = reached[chosen]
    return BestSources(index, values)


def pairs_of(path: Ints, similarity: Similarity) -> Pairs:
    """One pair per summary sentence: the most similar of its pairs, the first of equals."""
    rows = similarity.shape[0]
    index = np.full(rows, -1, np.int64)
    values = np.full(rows, np.nan)
    if len(path):
        similarities = similarity.at(path[:, 0], path[:, 1])
        order = np.lexsort((path[:, 1], -similarities, path[:, 0]))
        sentences, firsts = np.unique(path[order, 0], return_index=True)
        index[sentences] = path[order[firsts], 1]
        values[sentences] = similarities[order[firsts]]
    return Pairs(index, values)


def coverage_hits(top: Floats) -> Bools:
    """Which summary sentences reach the mean of all."""
    hits: Bools = top >= top.mean() - EQUALITY
    return hits


def deviations(pairs: Pairs, columns: int) -> Floats:
    """How far each pair is from the same relative place in both texts; NaN without a pair."""
    count = len(pairs.index)
    distance = np.abs((np.arange(count) + 0.5) / count - (pairs.index + 0.5) / columns)
    return np.where(pairs.aligned, distance, np.nan)


def weights(pairs: Pairs) -> Floats:
    return np.maximum(pairs.similarity, LEAST_WEIGHT)  # NaN stays NaN


def compactness(best: BestSources, columns: int, alpha: float, beta: float) -> Floats:
    """SCS of each summary sentence: 1 where its best sources stand together."""
    places = (best.index + 0.5) / columns
    scaled = alpha * (best.similarity - best.similarity.max(axis=1, keepdims=True))
    share = np.exp(scaled)
    share /= share.sum(axis=1, keepdims=True)
    mean = (share * places).sum(axis=1, keepdims=True)
    variance = (share * (places - mean) ** 2).sum(axis=1)
    kept: Floats = 1 - np.clip(variance / beta, 0.0, 1.0)
    return kept


def near_sentences(places: Ints, columns: int) -> tuple[Ints, Ints]:
    """Pairs of source and summary sentences: those placed at each source sentence, else the last
    before and the first after it. Some must be placed.

    Sentences go by their places in the source, wherever they stand in the summary.
    """
    sentences = np.flatnonzero(places >= 0)
    sentences = sentences[np.argsort(places[sentences], kind="stable")]
    sorted_places = places[sentences]
    every = np.arange(columns)
    before = np.maximum(np.searchsorted(sorted_places, every, side="right") - 1, 0)
    after = np.minimum(np.searchsorted(sorted_places, every), len(sentences) - 1)
    # Sentences that share a place stand between `after` and `before`.
    owners, near = stretches(np.minimum(before, after), np.maximum(before, after))
    return owners, sentences[near]


def off_path(pairs: Pairs, best: BestSources, columns: int, tolerance: float) -> Floats:
    """1 where the best source lies far from the path, 0 where not, NaN without a pair."""
    far = np.abs(best.index[:, 0] - pairs.index) > tolerance * columns
    return np.where(pairs.aligned, far.astype(np.float64), np.nan)


def tenths(values: Floats) -> list[float]:
    """Means of a text's tenths, first to last; NaN for a tenth without sentences."""
    part = np.arange(len(values)) * TENTHS // max(len(values), 1)
    seen = ~np.isnan(values)
    sums = np.bincount(part[seen], values[seen], minlength=TENTHS)
    counts = np.bincount(part[seen], minlength=TENTHS)
    return [float(a) / int(n) if n else float("nan") for a, n in zip(sums, counts, strict=True)]


@dataclass(frozen=True, slots=True)
class ContentWords:
    """The content words of both texts, and how much each word says."""

    source: tuple[frozenset[str], ...]
    summary: tuple[frozenset[str], ...]
    sizes: Floats  # how many content words each source sentence has, 1 at least
    worth: dict[str, float] = field(default_factory=dict)
    rare: float = 1.0  # the worth of a word that the source lacks

    @classmethod
    def of(cls, source: Content, summary: Content) -> ContentWords:
        sentences = tuple(frozenset(words) for words in source)
        often = Counter(word for words in sentences for word in words)
        every = len(sentences) + 1
        return cls(
            sentences,
            tuple(frozenset(words) for words in summary),
            np.array([max(1, len(words)) for words in source], np.float64),
            {word: log(every / (count + 0.5)) for word, count in often.items()},
            log(every / 0.5),
        )

    def shared(self, words: frozenset[str], others: Sequence[frozenset[str]]) -> float:
        """The share of the words' worth that stands in the others."""
        # Sets have another order in every process: `fsum` gives the same bits in any.
        total = fsum(self.worth.get(word, self.rare) for word in words)
        if not total:
            return NEUTRAL
        there = words & frozenset().union(*others)
        return fsum(self.worth.get(word, self.rare) for word in there) / total


def summary_evidence(best: BestSources, words: ContentWords | None, weight: float) -> Floats:
    """For each summary sentence, the evidence that the source has it somewhere."""
    if words is None or not weight:
        return best.top
    shared = np.empty(best.index.shape)
    for at, sentence in enumerate(words.summary):
        for rank, place in enumerate(best.index[at].tolist()):
            around = words.source[max(0, place - AROUND) : place + AROUND + 1]
            shared[at, rank] = words.shared(sentence, around)
    adjusted: Floats = best.top + weight * (shared.max(axis=1) - NEUTRAL)
    return adjusted


def words_there(places: Ints, words: ContentWords) -> Floats:
    """For each source sentence, the share of its content words that the summary sentences beside it
    have; 1 for one without content words."""
    columns = len(words.source)
    if not (places >= 0).any():
        return np.zeros(columns)
    owners, sentences = near_sentences(places, columns)
    beside = np.split(sentences, np.searchsorted(owners, np.arange(1, columns)))
    return np.array(
        [
            words.shared(content, [words.summary[at] for at in near.tolist()]) if content else 1.0
            for content, near in zip(words.source, beside, strict=True)
        ]
    )


def source_evidence(
    places: Ints, similarity: Similarity, words: ContentWords | None, weight: float
) -> Support:
    """For each source sentence, the best evidence among the summary sentences beside it; of equals
    the first sentence in source order."""
    columns = similarity.shape[1]
    if not (places >= 0).any():
        return Support(np.full(columns, -1.0), np.full(columns, -1, np.int64))
    owners, sentences = near_sentences(places, columns)
    evidence = similarity.at(sentences, owners)
    if words is not None and weight:
        shared = [
            words.shared(words.source[owner], [words.summary[sentence]])
            for owner, sentence in zip(owners.tolist(), sentences.tolist(), strict=True)
        ]
        evidence = evidence + weight * (np.array(shared) - NEUTRAL)
    order = np.lexsort((np.arange(len(evidence)), -evidence, owners))
    firsts = order[np.searchsorted(owners, np.arange(columns))]
    return Support(evidence[firsts], sentences[firsts])
