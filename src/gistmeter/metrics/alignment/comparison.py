"""One book: its similarities, its path, and what is measured on them, sentence by sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gistmeter.metrics.alignment import measures
from gistmeter.metrics.alignment.band import Ints
from gistmeter.metrics.alignment.measures import BestSources, Floats, Pairs, Support
from gistmeter.metrics.alignment.paths import Path, align
from gistmeter.metrics.alignment.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Settings:
    """How a book is aligned and measured."""

    algorithm: str = "monotone"
    gap_penalty: float = -0.5
    bandwidth: int | None = None
    band: str = "slanted"
    pfs_gamma: float = 3.0
    alpha: float = 10.0
    scs_beta: float = 0.1
    top_k: int = 3
    coverage_threshold: float | None = None
    support_threshold: float | None = None
    order_tolerance: float = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """The measures of one book; every array has a number for each summary sentence."""

    path: Path
    best: BestSources
    pairs: Pairs
    support: Support  # for each source sentence
    coverage: Floats
    coverage_at: Floats
    deviation: Floats
    weight: Floats
    scs: Floats
    order_violations: Floats
    source_supported: Floats
    source_sentences: Floats
    threshold: float  # of coverage: the mean best similarity


def compare_book(similarity: Similarity, settings: Settings) -> Comparison:
    """Align a book and measure it; both sides must have sentences."""
    rows, columns = similarity.shape
    path = align(
        similarity,
        settings.algorithm,
        settings.gap_penalty,
        settings.bandwidth,
        settings.band,
    )
    best = measures.best_sources(similarity, settings.top_k)
    pairs = measures.pairs_of(path.pairs, similarity)
    support = measures.support(pairs, similarity)
    homes = measures.home_sentences(pairs, columns)
    supported = _at_least(support.similarity, settings.support_threshold)
    return Comparison(
        path=path,
        best=best,
        pairs=pairs,
        support=support,
        coverage=measures.coverage_hits(best.top).astype(np.float64),
        coverage_at=_at_least(best.top, settings.coverage_threshold),
        deviation=measures.deviations(pairs, columns),
        weight=measures.weights(pairs),
        scs=measures.compactness(best, columns, settings.alpha, settings.scs_beta),
        order_violations=measures.off_path(pairs, best, columns, settings.order_tolerance),
        source_supported=_sums(homes, supported, rows),
        source_sentences=_sums(homes, supported * 0 + 1, rows),
        threshold=float(best.top.mean()),
    )


def _at_least(values: Floats, threshold: float | None) -> Floats:
    """1 where a value reaches the threshold, 0 where not, NaN without a threshold."""
    if threshold is None:
        return np.full(len(values), np.nan)
    return (values >= threshold - measures.EQUALITY).astype(np.float64)


def _sums(homes: Ints, values: Floats, rows: int) -> Floats:
    """Sums of source sentences' values by summary sentence; NaN where they are undefined."""
    if np.isnan(values).any():
        return np.full(rows, np.nan)
    return np.bincount(homes, values, minlength=rows).astype(np.float64)
