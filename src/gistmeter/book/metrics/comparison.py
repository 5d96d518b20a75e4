"""One book: its similarities, its path, and what is measured on them, sentence by sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gistmeter.book.metrics import measures
from gistmeter.book.metrics.band import Ints
from gistmeter.book.metrics.evidence import Words, source_evidence, summary_evidence
from gistmeter.book.metrics.measures import BestSources, Floats, Pairs, Support
from gistmeter.book.metrics.moves import Moved, find_moved
from gistmeter.book.metrics.paths import MOVE_COST, Path, align
from gistmeter.book.metrics.similarity import Similarity
from gistmeter.core.wiring import setting

ALPHA = 10.0


@dataclass(frozen=True, slots=True)
class AlignmentSettings:
    """How a book is aligned and measured."""

    algorithm: str = setting("blocks", "alignment")
    gap_penalty: float = setting(-0.5)
    move_cost: float = setting(MOVE_COST)
    bandwidth: int | None = setting(None)
    band: str = setting("slanted")
    pfs_gamma: float = setting(3.0)
    alpha: float | None = setting(None)
    scs_beta: float = setting(0.1)
    top_k: int = setting(3)
    coverage_threshold: float | None = setting(None)
    support_threshold: float | None = setting(None)
    word_weight: float | None = setting(None)
    order_tolerance: float = setting(0.05)


@dataclass(frozen=True, slots=True)
class Compared:
    """The measures of one book; arrays have a number for each summary sentence, or where said
    for each source sentence."""

    path: Path
    best: BestSources
    pairs: Pairs
    places: Ints  # where in the source each sentence comes from; −1: nowhere
    evidence: Floats
    support: Support  # for each source sentence
    moves: tuple[Moved, ...]
    coverage: Floats
    coverage_at: Floats
    moved: Floats  # NaN where a sentence has no source, or no content words
    kept: Floats  # for each source sentence
    deviation: Floats
    weight: Floats
    scs: Floats
    order_violations: Floats
    threshold: float  # of coverage: the mean best similarity

    @property
    def unsupported(self) -> Floats:
        return 1 - self.coverage_at

    @property
    def sourced(self) -> measures.Bools:
        """Which sentences have a source; without a threshold all that have a place."""
        found: measures.Bools = (self.coverage_at != 0) & (self.places >= 0)
        return found

    @property
    def homes(self) -> Ints:
        """Where in the source each sentence belongs: its own place, or, for one without a source,
        that of the last sentence before it that has one (else of the first)."""
        at = np.where(self.sourced, np.arange(len(self.places)), -1)
        last = np.maximum.accumulate(at)
        first = int(np.argmax(self.sourced))
        homes: Ints = np.maximum(self.places[np.where(last < 0, first, last)], 0)
        return homes


def compare_book(
    similarity: Similarity, settings: AlignmentSettings, words: Words | None = None
) -> Compared:
    """Align a book and measure it; both sides must have sentences."""
    columns = similarity.shape[1]
    path = align(
        similarity,
        settings.algorithm,
        settings.gap_penalty,
        settings.bandwidth,
        settings.band,
        settings.move_cost,
    )
    best = measures.best_sources(similarity, settings.top_k)
    pairs = measures.pairs_of(path.pairs, similarity)
    places = pairs.index
    if settings.algorithm != "blocks":  # the three questions are answered in one way
        blocks = align(similarity, "blocks", move_cost=settings.move_cost)
        places = measures.pairs_of(blocks.pairs, similarity).index
    weight = settings.word_weight or 0.0
    evidence = summary_evidence(best, words, weight)
    support = source_evidence(places, similarity, words, weight)
    coverage_at = _at_least(evidence, settings.coverage_threshold)
    placed = (coverage_at != 0) & _telling(words, len(places))  # without a threshold all are
    moves = tuple(find_moved(places, placed))
    return Compared(
        path=path,
        best=best,
        pairs=pairs,
        places=places,
        evidence=evidence,
        support=support,
        moves=moves,
        coverage=measures.coverage_hits(best.top).astype(np.float64),
        coverage_at=coverage_at,
        moved=_in_moves(moves, placed),
        kept=_at_least(support.similarity, settings.support_threshold),
        deviation=measures.deviations(pairs, columns),
        weight=measures.weights(pairs),
        scs=measures.compactness(best, columns, settings.alpha or ALPHA, settings.scs_beta),
        order_violations=measures.off_path(pairs, best, columns, settings.order_tolerance),
        threshold=float(best.top.mean()),
    )


def _at_least(values: Floats, threshold: float | None) -> Floats:
    """1 where a value reaches the threshold, 0 where not, NaN without a threshold."""
    if threshold is None:
        return np.full(len(values), np.nan)
    return (values >= threshold - measures.EQUALITY).astype(np.float64)


def _telling(words: Words | None, count: int) -> measures.Bools:
    """Which summary sentences have content words, so that their order says something."""
    own: measures.Bools = np.array([bool(found) for found in words.summary] if words else [], bool)
    return own if own.any() else np.ones(count, bool)


def _in_moves(moves: tuple[Moved, ...], placed: measures.Bools) -> Floats:
    """1 in blocks that moved, 0 elsewhere, NaN for sentences whose order tells nothing."""
    found = np.where(placed, 0.0, np.nan)
    for move in moves:
        part = found[move.first : move.last + 1]
        part[~np.isnan(part)] = 1.0
    return found
