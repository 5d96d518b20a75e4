"""Is an abridgement faithful to its book? The metric: a row for each summary sentence.

A book's value of a score comes from its sentences' rows, the pooled value is the mean over books.
Every source sentence is counted under one summary sentence, so that sums over rows are sums over
the source too. Rows of one book are drawn together by the bootstrap where there are several books;
for a single book, blocks of neighbouring sentences are (Künsch, Ann. Statist. 17, 1989), since
neighbours depend on each other.

Undefined, with the reason: a book whose source or summary has no sentence; a sentence that the
model could not read; for what is measured on pairs, a sentence that the alignment skipped;
coverage_at and source_recall for a model without calibrated thresholds. A single sentence is
aligned with its best source, or, under dtw, with all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from gistmeter.errors import GistmeterError
from gistmeter.metrics.alignment.comparison import Comparison, Settings, compare_book
from gistmeter.metrics.alignment.documents import describe_book, document_name
from gistmeter.metrics.alignment.paths import check_settings
from gistmeter.metrics.alignment.segmentation import Segments, Splitter, segment
from gistmeter.metrics.alignment.similarity import compare
from gistmeter.metrics.alignment.thresholds import Thresholds
from gistmeter.models.protocols import Embedder
from gistmeter.rows import KEYS, Floats, Pool, Rows, Value, divide
from gistmeter.types import Book, ScoreInfo

PAIRED = ("alignment_confidence", "position_weight", "order_violations")
SINGLE = ("coverage", "scs", "coverage_at")
BASES = (*PAIRED, *SINGLE, "source_sentences")


@dataclass(frozen=True, slots=True)
class BookAlignment(Settings):
    """Coverage, confidence, order and compactness of a summary on its alignment with the source.

    All scores lie in [0, 1] (confidence in [−1, 1]); higher is better but for order_violations.
    """

    embedder: Embedder = field(kw_only=True)
    splitters: Mapping[str, Splitter] = field(kw_only=True)  # by language; "" for any other
    calibrated: Mapping[str, Thresholds] = field(default_factory=dict)  # by language, if not given
    resampled: str = "books"  # what the intervals draw: books, or sentences in blocks

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("coverage"),
        ScoreInfo("alignment_confidence", lowest=-1.0),
        ScoreInfo("pfs", basis="position_weight"),
        ScoreInfo("scs"),
        ScoreInfo("coverage_at"),
        ScoreInfo("source_recall", basis="source_sentences"),
        ScoreInfo("order_violations", higher_is_better=False),
    )

    def measure(self, items: Sequence[Book]) -> Rows:
        """Rows of all books, in order."""
        check_settings(self.algorithm, self.gap_penalty, self.bandwidth, self.band)
        return Rows.concat([self._measure_book(at, book) for at, book in enumerate(items)])

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """The mean over books of each score."""
        books = [self._pool_book(book) for book in rows.by("group").values()]
        # How often a book was drawn; with blocks of a single book it cancels out.
        drawn = [book.sum("book_share") for book in rows.by("group").values()]
        return {
            info.name: _weighted_mean([book[info.name] for book in books], drawn)
            for info in self.scores
        }

    def _pool_book(self, rows: Pool) -> dict[str, Value]:
        if not all(name in rows for name in (*BASES, "position_loss", "source_supported")):
            return {info.name: float("nan") for info in self.scores}
        distance = rows.ratio("position_loss", "position_weight")
        return {
            "coverage": rows.mean("coverage"),
            "alignment_confidence": rows.mean("alignment_confidence"),
            "pfs": np.maximum(1 - distance, 0.0) ** self.pfs_gamma,
            "scs": rows.mean("scs"),
            "coverage_at": rows.mean("coverage_at"),
            "source_recall": rows.ratio("source_supported", "source_sentences"),
            "order_violations": rows.mean("order_violations"),
        }

    def _measure_book(self, at: int, book: Book) -> Rows:
        splitter = self.splitters.get(book.language) or self.splitters.get("")
        if splitter is None:
            raise GistmeterError(f"'{book.id}': there are no sentence rules for '{book.language}'")
        source, summary = segment(book.source, splitter), segment(book.summary, splitter)
        for text, name in ((source, "source"), (summary, "summary")):
            if not text.sentences:
                return _unscored(at, book, f"the {name} has no sentence")
        return self.measure_sentences(book, source, summary, at)

    def measure_sentences(
        self, book: Book, source: Segments, summary: Segments, at: int = 0
    ) -> Rows:
        """Rows of a book that is already split; both sides must have sentences."""
        found = self.embedder.embed([*source.sentences, *summary.sentences])
        split = len(source.sentences)
        similarity = compare(found.vectors[split:], found.vectors[:split])
        settings = self.settings_for(book.language)
        compared = compare_book(similarity, settings)
        document = describe_book(book.id, (source, summary), similarity, compared, settings)
        document |= {"system": book.system, "language": book.language, "model": self.embedder.id}
        rows = _rows(at, book, compared, blocks=self.resampled == "sentences")
        rows = rows.with_texts(
            {
                "sentence": summary.sentences,
                "source_sentence": [
                    source.sentences[place] if place >= 0 else None
                    for place in compared.pairs.index.tolist()
                ],
            }
        ).with_details({document_name(book.id, book.system): document})
        failed = {row - split: why for row, why in found.failures.items() if row >= split}
        return self._explain(_without(rows, failed), compared, settings)

    def settings_for(self, language: str) -> Settings:
        """The settings for books of a language, thresholds that were not given included."""
        values = {part.name: getattr(self, part.name) for part in fields(Settings)}
        known = self.calibrated.get(language) or self.calibrated.get("")
        if known is not None:
            for name, threshold in (
                ("coverage_threshold", known.coverage),
                ("support_threshold", known.support),
            ):
                values[name] = threshold if values[name] is None else values[name]
        if values["support_threshold"] is None:
            # A threshold that was given for one use is a better guess for the other than none.
            values["support_threshold"] = values["coverage_threshold"]
        return Settings(**values)

    def _explain(self, rows: Rows, compared: Comparison, settings: Settings) -> Rows:
        skipped = np.flatnonzero(~compared.pairs.aligned).tolist()
        for name in PAIRED:
            rows = rows.with_reasons(name, dict.fromkeys(skipped, "skipped by the alignment"))
        unknown = f"no threshold is calibrated for {self.embedder.id}; give one"
        for name, threshold in (
            ("coverage_at", settings.coverage_threshold),
            ("source_sentences", settings.support_threshold),
        ):
            if threshold is None:
                rows = rows.with_reasons(name, dict.fromkeys(range(len(rows)), unknown))
        return rows


def block_length(sentences: int) -> int:
    """How many neighbours are drawn together: the cube root, as is usual for block bootstraps."""
    return max(1, int(np.ceil(np.cbrt(sentences))))


def block_labels(title: str, sentences: int) -> list[str]:
    """The block of each summary sentence of a book, for resampling within it."""
    length = block_length(sentences)
    return [f"{title}#{at // length}" for at in range(sentences)]


def _rows(at: int, book: Book, compared: Comparison, *, blocks: bool) -> Rows:
    count = len(compared.coverage)
    keys = {
        "id": [f"{book.id}#{index}" for index in range(count)],
        "system": [book.system] * count,
        "group": [book.id] * count,
        "cluster": block_labels(book.id, count) if blocks else [book.id] * count,
    }
    pairs = compared.pairs
    return Rows(keys, np.full(count, at, np.int64)).with_numbers(
        {
            "coverage": compared.coverage,
            "alignment_confidence": pairs.similarity,
            "position_deviation": compared.deviation,
            "position_weight": compared.weight,
            "position_loss": compared.weight * compared.deviation,
            "scs": compared.scs,
            "coverage_at": compared.coverage_at,
            "source_supported": compared.source_supported,
            "source_sentences": compared.source_sentences,
            "order_violations": compared.order_violations,
            "best_similarity": compared.best.top,
            "best_source_index": compared.best.index[:, 0],
            "aligned_index": np.where(pairs.aligned, pairs.index, np.nan),
            "book_share": np.full(count, 1 / count),
        }
    )


def _unscored(at: int, book: Book, reason: str) -> Rows:
    """One row for a book that cannot be measured."""
    keys = {key: [str(getattr(book, key))] for key in KEYS}
    rows = Rows(keys, np.array([at], np.int64)).with_numbers(
        {name: [np.nan] for name in (*BASES, "position_loss", "source_supported")}
    )
    for name in BASES:
        rows = rows.with_reasons(name, {0: reason})
    return rows.with_numbers({"book_share": [1.0]})


def _without(rows: Rows, failed: Mapping[int, str]) -> Rows:
    """Take back what was computed for summary sentences that the model could not read."""
    if not failed:
        return rows
    places = list(failed)
    columns = dict(rows.numbers)
    for name in (*PAIRED, *SINGLE, "position_loss", "position_deviation", "best_similarity"):
        column = columns[name].copy()
        column[places] = np.nan
        columns[name] = column
    rows = rows.with_numbers(columns)
    for name in (*PAIRED, *SINGLE):
        rows = rows.with_reasons(name, failed)
    return rows


def _weighted_mean(values: Sequence[Value], weights: Sequence[Value]) -> Value:
    """The mean of the defined values; NaN where there are none."""
    table = np.array(np.broadcast_arrays(*values), dtype=np.float64)
    share: Floats = np.array(np.broadcast_arrays(*weights), dtype=np.float64)
    share = np.where(np.isnan(table), 0.0, share)
    mean: Value = divide((np.nan_to_num(table) * share).sum(axis=0), share.sum(axis=0))
    return mean
