"""One book: its similarities, its path, and what is measured on them, sentence by sentence.

`Thresholds` say from which evidence on a sentence counts as supported. Cosines of one model mean
nothing for another, so a threshold exists only for models it was calibrated for, on gold alignments
of English novels with their published abridgements (AbLit, the dev chapters). Each is the threshold
that best tells two kinds of sentences apart (Youden's J):

coverage   the best similarity of abridged sentences with their own chapter, against that of
           abridged sentences of other novels with the same chapter;
support    the similarity of source sentences with the summary sentences beside them on the path,
           for those that the abridgement kept, against those that it dropped.

For other languages there is no such gold, and the same model's cosines lie elsewhere: they are
carried over with sentence pairs that people rated (STS). Where the pairs are translations of the
English ones (zh, ru, ko), to the similarity below which the same share of pairs lies; for Japanese,
by how much the threshold that best tells rated pairs apart differs from the English one. A language
that has none in its pack takes the English thresholds.

`benchmarks/book.py calibrate` computes them again, with error rates of novels left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gistmeter import languages as packs
from gistmeter.book.metrics import measures
from gistmeter.book.metrics.measures import BestSources, ContentWords, Pairs, Support
from gistmeter.book.metrics.moves import MovedBlock, find_moved
from gistmeter.book.metrics.paths import MOVE_COST, AlignmentPath, align
from gistmeter.book.metrics.similarity import Bools, Floats, Ints, Similarity
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

    def with_thresholds(self, known: Thresholds | None) -> Self:
        """The same with the calibrated values where none were given."""

        def first(value: float | None, other: float) -> float:
            return other if value is None else value

        chosen = self
        if known is not None:
            chosen = replace(
                self,
                coverage_threshold=first(self.coverage_threshold, known.coverage),
                support_threshold=first(self.support_threshold, known.support),
                word_weight=first(self.word_weight, known.words),
                alpha=first(self.alpha, known.alpha),
            )
        if chosen.support_threshold is None:
            # A threshold that was given for one use is a better guess for the other than none.
            return replace(chosen, support_threshold=chosen.coverage_threshold)
        return chosen


@dataclass(frozen=True, slots=True)
class Thresholds:
    coverage: float  # evidence that a summary sentence has a source
    support: float  # evidence that a source sentence is in the summary beside it
    words: float = 0.0  # what shared words count in the evidence
    alpha: float = 10.0  # sharpness of the weights in scs


# The beginning of a model's id -> its thresholds; those of other languages are in their packs
CALIBRATED: Mapping[str, Thresholds] = {
    "e5-small": Thresholds(coverage=0.89, support=0.85, words=0.1, alpha=40.0)
}


def thresholds_for(model: str, languages: Iterable[str]) -> dict[str, Thresholds]:
    """The calibrated thresholds of a model, by its id, for some languages; empty without any."""
    for name, english in CALIBRATED.items():
        if model.startswith(name):
            by_language = {code: packs.get(code).thresholds.get(name) for code in languages}
            return {
                code: replace(english, coverage=pair[0], support=pair[1]) if pair else english
                for code, pair in by_language.items()
            }
    return {}


@dataclass(frozen=True, slots=True)
class BookComparison:
    """The measures of one book; arrays have a number for each summary sentence, or where said
    for each source sentence."""

    path: AlignmentPath
    best: BestSources
    pairs: Pairs
    places: Ints  # where in the source each sentence comes from; −1: nowhere
    evidence: Floats
    support: Support  # for each source sentence
    moves: tuple[MovedBlock, ...]
    coverage: Floats
    coverage_at: Floats
    moved: Floats  # NaN where a sentence has no source, or no content words
    kept: Floats  # whether each source sentence is supported
    content: Floats  # the share of its content words that is there, 0 without support
    deviation: Floats
    weight: Floats
    scs: Floats
    order_violations: Floats
    threshold: float  # of coverage: the mean best similarity

    @property
    def unsupported(self) -> Floats:
        return 1 - self.coverage_at

    @property
    def sourced(self) -> Bools:
        """Which sentences have a source; without a threshold all that have a place."""
        sourced: Bools = (self.coverage_at != 0) & (self.places >= 0)
        return sourced

    @property
    def homes(self) -> Ints:
        """Where in the source each sentence belongs: its own place, or, for one without a source,
        that of the last sentence before it that has one (else of the first)."""
        at = np.where(self.sourced, np.arange(len(self.places)), -1)
        last = np.maximum.accumulate(at)
        first = int(np.argmax(self.sourced))
        homes: Ints = np.maximum(self.places[np.where(last < 0, first, last)], 0)
        return homes


@dataclass(frozen=True, slots=True)
class ReadBook:
    """The sentences of both texts, and what was measured when they were compared."""

    source: Sequence[str]
    summary: Sequence[str]
    similarity: Similarity
    compared: BookComparison
    words: ContentWords
    settings: AlignmentSettings
    failures: Mapping[int, str]  # summary sentences that the model could not read


def compare_book(
    similarity: Similarity, settings: AlignmentSettings, words: ContentWords | None = None
) -> BookComparison:
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
    evidence = measures.summary_evidence(best, words, weight)
    support = measures.source_evidence(places, similarity, words, weight)
    kept = _at_least(support.similarity, settings.support_threshold)
    # Words of two languages cannot be compared: then a sentence counts whole.
    there = 1.0 if words is None else measures.words_there(places, words)
    coverage_at = _at_least(evidence, settings.coverage_threshold)
    placed = (coverage_at != 0) & _telling(words, len(places))  # without a threshold all are
    moves = tuple(find_moved(places, placed))
    return BookComparison(
        path=path,
        best=best,
        pairs=pairs,
        places=places,
        evidence=evidence,
        support=support,
        moves=moves,
        coverage=measures.coverage_hits(best.top).astype(np.float64),
        coverage_at=coverage_at,
        moved=in_moves(moves, placed),
        kept=kept,
        content=kept * there,
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


def _telling(words: ContentWords | None, count: int) -> Bools:
    """Which summary sentences have content words, so that their order says something."""
    telling: Bools = np.array([bool(content) for content in words.summary] if words else [], bool)
    return telling if telling.any() else np.ones(count, bool)


def in_moves(moves: tuple[MovedBlock, ...], placed: Bools) -> Floats:
    """1 in blocks that moved, 0 elsewhere, NaN for sentences whose order means nothing."""
    moved = np.where(placed, 0.0, np.nan)
    for move in moves:
        part = moved[move.first : move.last + 1]
        part[~np.isnan(part)] = 1.0
    return moved
