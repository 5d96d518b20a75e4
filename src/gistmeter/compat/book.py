"""AlignEval's calls: `evaluate_corpus` for many books, `evaluate_alignment` for one.

>>> from gistmeter import align_sentences
>>> align_sentences([[0.9, 0.1, 0.2], [0.1, 0.2, 0.8]])
[(0, 0), (1, 2)]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gistmeter.book.api import pair_books
from gistmeter.book.book_report import BookReport, macro_metrics, make_reports
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics.paths import align_sentences
from gistmeter.core.cache import Cache
from gistmeter.core.family import Items
from gistmeter.core.options import RunSettings
from gistmeter.core.score import score
from gistmeter.models.protocols import Embedder

__all__ = ["BookReport", "EvaluationConfig", "align_sentences", "evaluate_alignment",
           "evaluate_corpus"]  # fmt: skip
EvaluationConfig = BookSettings
SYSTEM = "summary"


def evaluate_corpus(
    source_map: Mapping[str, str],
    summary_map: Mapping[str, str],
    config: EvaluationConfig | None = None,
    show_progress: bool = False,
    *,
    embedder: Embedder | None = None,
    cache: Cache | None = None,
    **options: Any,
) -> tuple[dict[str, BookReport], dict[str, float | None]]:
    """Reports by title, and the macro averages over books.

    Both maps must have the same titles. `embedder` takes the place of the configured model;
    `cache` keeps what models said, by default for this call only; `options` are those of a run
    (seed, resamples, confidence).
    """
    books = pair_books(source_map, summary_map, SYSTEM)
    settings = config or EvaluationConfig()
    if embedder is not None:
        settings = replace(settings, model_name=embedder)
    from gistmeter.report.progress import ProgressBars

    bars = ProgressBars(quiet=not show_progress, every=0.0)
    try:
        run = score(
            Books(), settings, items=Items(books), how=RunSettings.of(options), cache=cache,
            progress=bars.update if show_progress else None,
        )  # fmt: skip
    finally:
        bars.stop()
    return make_reports(run, SYSTEM), macro_metrics(run, SYSTEM)


def evaluate_alignment(
    book_id: str, source: str, summary: str, config: EvaluationConfig | None = None, **options: Any
) -> tuple[BookReport, dict[str, float | None]]:
    """The report of one book and its metrics; `options` as for `evaluate_corpus`."""
    reports, _ = evaluate_corpus({book_id: source}, {book_id: summary}, config, **options)
    return reports[book_id], dict(reports[book_id].global_metrics)
