"""What is kept of a book for people to look at, as a document that JSON can hold.

title, language, model, algorithm, bandwidth, widened
source, summary        {"sentences": [...], "headings": [{"text", "sentence"}]}; a heading stands
                       before the sentence with that index
path                   [[summary index, source index], ...]
sentences              one entry a summary sentence: index, sentence, best_source_index,
                       best_similarity, coverage_hit, covered, aligned_index,
                       aligned_similarity, position_deviation, scs, order_violation,
                       topk [[source index, similarity], ...]
support                {"similarity": [...], "index": [...]}: for each source sentence its best
                       supporting summary sentence beside it on the path
coverage_threshold     the mean best similarity (of coverage); thresholds: the calibrated ones
coverage_along         coverage_at in each tenth of the summary
recall_along           source_recall in each tenth of the source
heat_map               {"values": rows of the largest similarities in cells of the table, summary
                       down and source across, "rows", "columns": sentences on either side}
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from gistmeter.metrics.alignment import measures
from gistmeter.metrics.alignment.comparison import Comparison, Settings
from gistmeter.metrics.alignment.measures import Floats
from gistmeter.metrics.alignment.segmentation import Segments
from gistmeter.metrics.alignment.similarity import Similarity, block_rows
from gistmeter.signature import digest

HEAT_ROWS, HEAT_COLUMNS = 200, 400


def document_name(title: str, system: str) -> str:
    """The file of a book's document: readable, safe, and of its own for every book."""
    readable = re.sub(r"\W+", "-", f"{title} {system}").strip("-")[:60] or "book"
    return f"{readable}-{digest([title, system])[:8]}.json"


def describe_book(
    title: str,
    texts: tuple[Segments, Segments],
    similarity: Similarity,
    compared: Comparison,
    settings: Settings,
) -> dict[str, Any]:
    """The document of a book; `texts` are source and summary."""
    source, summary = texts
    support, threshold = compared.support, settings.support_threshold
    supported = np.full(len(source.sentences), np.nan)
    if threshold is not None:
        supported = (support.similarity >= threshold - measures.EQUALITY).astype(np.float64)
    return {
        "kind": "book",
        "title": title,
        "algorithm": settings.algorithm,
        "bandwidth": compared.path.bandwidth,
        "widened": compared.path.widened,
        "source": describe_text(source),
        "summary": describe_text(summary),
        "path": compared.path.pairs.tolist(),
        "sentences": describe_sentences(summary, compared),
        "support": {
            "similarity": _numbers(support.similarity),
            "index": support.index.tolist(),
        },
        "coverage_threshold": compared.threshold,
        "thresholds": {"coverage": settings.coverage_threshold, "support": threshold},
        "coverage_along": _numbers(np.array(measures.tenths(compared.coverage_at))),
        "recall_along": _numbers(np.array(measures.tenths(supported))),
        "heat_map": heat_map(similarity),
    }


def describe_text(text: Segments) -> dict[str, Any]:
    return {
        "sentences": list(text.sentences),
        "headings": [{"text": mark.text, "sentence": mark.sentence} for mark in text.headings],
    }


def describe_sentences(summary: Segments, compared: Comparison) -> list[dict[str, Any]]:
    """An entry for each summary sentence; what it has not is None."""
    best, pairs = compared.best, compared.pairs
    return [
        {
            "index": at,
            "sentence": sentence,
            "best_source_index": int(best.index[at, 0]),
            "best_similarity": float(best.similarity[at, 0]),
            "coverage_hit": bool(compared.coverage[at]),
            "covered": _flag(compared.coverage_at[at]),
            "aligned_index": int(pairs.index[at]) if pairs.index[at] >= 0 else None,
            "aligned_similarity": _number(pairs.similarity[at]),
            "position_deviation": _number(compared.deviation[at]),
            "scs": float(compared.scs[at]),
            "order_violation": _flag(compared.order_violations[at]),
            "topk": [
                [int(index), float(value)]
                for index, value in zip(best.index[at], best.similarity[at], strict=True)
            ],
        }
        for at, sentence in enumerate(summary.sentences)
    ]


def heat_map(similarity: Similarity) -> dict[str, Any]:
    """The table of similarities, pooled by maxima to a size that can be drawn."""
    rows, columns = similarity.shape
    down = np.linspace(0, rows, min(rows, HEAT_ROWS) + 1).astype(np.int64)
    across = np.linspace(0, columns, min(columns, HEAT_COLUMNS) + 1).astype(np.int64)
    narrow = np.empty((rows, len(across) - 1), np.float32)
    for start, stop in block_rows(rows, columns):
        block = similarity.block(start, stop, 0, columns)
        narrow[start:stop] = np.maximum.reduceat(block, across[:-1], axis=1)
    pooled = np.maximum.reduceat(narrow, down[:-1], axis=0)
    values = [[round(float(value), 4) for value in row] for row in pooled]
    return {"values": values, "rows": rows, "columns": columns}


def _numbers(values: Floats) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _flag(value: float) -> bool | None:
    return bool(value) if math.isfinite(value) else None
