"""The rows of one book: what was measured of its summary sentences and source passages, and `gist`.

`gist` of a sentence is the probability that what it says is in the original. An abridged sentence
says less than its source, so only one direction counts, from the passage to the sentence:

    gist = 1 / (1 + exp(−(b + Σ wᵢ·xᵢ)))

over the evidence of a source (above its threshold, so that it means the same in every language),
what the judge says of the sentence, and whether a fact was found changed. The weights stand with
those of the other shapes and are fitted by `training/gist.py`: sentences of published abridgements,
as they are, with a fact changed, and beside sentences of other books.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gistmeter.book.metrics.book_comparison import BookComparison, ReadBook
from gistmeter.book.metrics.changes import (
    MEANING,
    Changes,
    FactCheck,
    JudgedSentence,
    ask,
    is_cut,
    pair_sources,
)
from gistmeter.core.rows import KEYS, Floats, Rows
from gistmeter.core.types import Book
from gistmeter.metrics.gist import probability
from gistmeter.models.protocols import JudgeModel

PAIRED = ("alignment_confidence", "position_weight", "order_violations")
SINGLE = ("coverage", "scs", "coverage_at", "unsupported", "moved")
JUDGED = ("gist", "follows", "contradicts", "differs")
BASES = (*PAIRED, *SINGLE, "source_words")
FURTHER = ("position_loss", "source_kept_words")
FEATURES = ("evidence", "follows", "contradicts", "differs", "changed")
FAR = 0.15  # evidence further from the threshold counts no more


def block_length(sentences: int) -> int:
    """How many neighbours are a passage: the cube root, as is usual for block bootstraps."""
    return max(1, int(np.ceil(np.cbrt(sentences))))


def passage_labels(rows: Rows) -> list[str]:
    """The passage of each row of a book, for resampling within it."""
    titles = rows.keys["group"]
    return [
        title if math.isnan(number) else f"{title}#{int(number)}"
        for title, number in zip(titles, rows.values("passage").tolist(), strict=True)
    ]


def _keyed(at: int, book: Book, names: Sequence[str], clusters: Sequence[str]) -> Rows:
    count = len(names)
    keys = {
        "id": [f"{book.id}#{name}" for name in names],
        "system": [book.system] * count,
        "group": [book.id] * count,
        "cluster": list(clusters),
    }
    return Rows(keys, np.full(count, at, np.int64))


def sentence_rows(at: int, book: Book, compared: BookComparison, *, by_passage: bool) -> Rows:
    """One row per summary sentence; `by_passage`: passages are drawn, not books."""
    count = len(compared.coverage)
    passage = compared.homes // block_length(len(compared.kept))
    clusters = [f"{book.id}#{number}" if by_passage else book.id for number in passage.tolist()]
    pairs = compared.pairs
    rows = _keyed(at, book, [str(index + 1) for index in range(count)], clusters)
    return rows.with_numbers(
        {
            "unsupported": compared.unsupported,
            "moved": compared.moved,
            "evidence": compared.evidence,
            "coverage": compared.coverage,
            "alignment_confidence": pairs.similarity,
            "position_deviation": compared.deviation,
            "position_weight": compared.weight,
            "position_loss": compared.weight * compared.deviation,
            "scs": compared.scs,
            "coverage_at": compared.coverage_at,
            "order_violations": compared.order_violations,
            "best_similarity": compared.best.top,
            "best_source_index": compared.best.index[:, 0],
            "aligned_index": np.where(pairs.aligned, pairs.index, np.nan),
            "passage": passage,
            "book_share": np.full(count, 1 / count),
        }
    )


def passage_rows(
    at: int, book: Book, compared: BookComparison, words: Floats, *, by_passage: bool
) -> Rows:
    """One row per passage of the source; `words`: content words of each source sentence."""
    passage = np.arange(len(words)) // block_length(len(words))
    count = int(passage[-1]) + 1
    names = [f"passage {number + 1}" for number in range(count)]
    clusters = [f"{book.id}#{number}" if by_passage else book.id for number in range(count)]
    return _keyed(at, book, names, clusters).with_numbers(
        {
            "source_words": np.bincount(passage, words * (compared.kept * 0 + 1), count),
            "source_kept_words": np.bincount(passage, words * compared.content, count),
            "passage": np.arange(count),
            "book_share": np.zeros(count),
        }
    )


def unscored_row(at: int, book: Book, reason: str) -> Rows:
    """One row for a book that cannot be measured."""
    keys = {key: [str(getattr(book, key))] for key in KEYS}
    rows = Rows(keys, np.array([at], np.int64)).with_numbers(
        {name: [np.nan] for name in (*BASES, *FURTHER, "passage")}
    )
    for name in BASES:
        rows = rows.with_reasons(name, {0: reason})
    return rows.with_numbers({"book_share": [1.0]})


def without_failures(rows: Rows, failures: Mapping[int, str]) -> Rows:
    """Take back what was computed for summary sentences that the model could not read."""
    if not failures:
        return rows
    taken = (
        *PAIRED, *SINGLE, *JUDGED, "changed", "position_loss", "position_deviation",
        "best_similarity",
    )  # fmt: skip
    columns = {name: rows.numbers[name].copy() for name in taken if name in rows.numbers}
    for column in columns.values():
        column[list(failures)] = np.nan
    rows = rows.with_numbers(columns)
    for name in (*PAIRED, *SINGLE, *(("gist",) if "gist" in columns else ())):
        rows = rows.with_reasons(name, failures)
    return rows


def changed_column(compared: BookComparison, changes: Changes) -> Floats:
    """1 where facts differ, 0 where not, NaN for a sentence without a source."""
    changed = np.where(compared.sourced, 0.0, np.nan)
    changed[list(changes)] = 1.0
    return changed


def judge_unsourced(read: ReadBook, judge: JudgeModel, language: str) -> dict[int, JudgedSentence]:
    """What the judge says of sentences without a source, beside the nearest passage."""
    best, sourced = read.compared.best, read.compared.sourced
    nearest = {at: int(best.index[at, 0]) for at in np.flatnonzero(~sourced).tolist()}
    pairs = pair_sources(read.source, read.summary, nearest)
    return ask([pair for pair in pairs if not is_cut(pair, language)], judge)


def judged_columns(count: int, checked: FactCheck) -> tuple[dict[str, Floats], dict[int, str]]:
    """What the judge says of every summary sentence, as columns, and by sentence why nothing.

    A sentence that is its source, or its source with words left out, follows from it. One whose
    fact the rules found changed does not, and differs. One without a source is judged beside the
    nearest passage.
    """
    columns = {
        "follows": np.ones(count),
        "contradicts": np.zeros(count),
        "differs": np.zeros(count),
    }
    by_rule = {at for at, found in checked.changes.items() if found[0].kind != MEANING}
    judged = {at: answer for at, answer in checked.judged.items() if at not in by_rule}
    columns["follows"][list(by_rule)], columns["differs"][list(by_rule)] = 0.0, 1.0
    for at, answer in judged.items():
        columns["follows"][at] = answer.entailment
        columns["contradicts"][at] = answer.contradiction
        columns["differs"][at] = answer.changed
    return columns, {at: answer.failure for at, answer in judged.items() if answer.failure}


def gist_features(columns: Mapping[str, Floats], threshold: float) -> Floats:
    """The features of sentences from their columns."""
    above = np.clip(columns["evidence"] - threshold, -FAR, FAR) / FAR
    changed = np.nan_to_num(columns["changed"])  # a sentence without a source has none
    features = {**columns, "evidence": above, "changed": changed}
    return np.column_stack([features[name] for name in FEATURES])


def gist_of(
    columns: Mapping[str, Floats], threshold: float, weights: Mapping[str, float]
) -> Floats:
    """The gist of each sentence."""
    return probability(gist_features(columns, threshold), weights, FEATURES)
