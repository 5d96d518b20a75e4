"""What was measured of a book, described for people: its `BookDocument`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from gistmeter.book import book_document as documents
from gistmeter.book.book_document import (
    BookDocument,
    ChapterFindings,
    Cut,
    DescribedMove,
    FactMarks,
)
from gistmeter.book.metrics import measures
from gistmeter.book.metrics.book_comparison import AlignmentSettings, BookComparison
from gistmeter.book.metrics.changes import MEANING, Changes
from gistmeter.book.metrics.moves import MovedBlock
from gistmeter.book.metrics.segmentation import (
    Chapter,
    Segments,
    chapter_at,
    chapters_of,
    name_place,
    name_stretch,
)
from gistmeter.book.metrics.similarity import Bools, Floats, Ints, Similarity, block_rows
from gistmeter.core.signature import digest
from gistmeter.core.types import Book, defined
from gistmeter.languages.guard import Alarm

HEAT_ROWS, HEAT_COLUMNS = 200, 400


def document_name(title: str, system: str) -> str:
    """The file of a book's document: readable, safe, and different for every book."""
    readable = re.sub(r"\W+", "-", f"{title} {system}").strip("-")[:60] or "book"
    return f"{readable}-{digest([title, system])[:8]}.json"


def describe_book(  # noqa: PLR0917
    book: Book,
    model: str,
    texts: tuple[Segments, Segments],
    similarity: Similarity,
    compared: BookComparison,
    settings: AlignmentSettings,
    words: Floats,
    changes: Changes | None = None,
) -> BookDocument:
    """The document of a book; `texts` are source and summary, `words` how many content words each
    source sentence has, `changes` what differs in facts by summary sentence."""
    source, summary = texts
    chapters = chapters_of(source)
    return BookDocument(
        title=book.id,
        algorithm=settings.algorithm,
        bandwidth=compared.path.bandwidth,
        widened=compared.path.widened,
        source=source,
        summary=summary,
        path=tuple((row, column) for row, column in compared.path.pairs.tolist()),
        sentences=describe_sentences(summary, compared, changes or {}),
        support=documents.SourceSupport(
            _numbers(compared.support.similarity),
            tuple(compared.support.index.tolist()),
            tuple(map(_flag, compared.kept.tolist())),
            tuple(words.astype(int).tolist()),
        ),
        chapters=describe_chapters(chapters, compared, words, changes),
        cuts=describe_cuts(chapters, compared, words),
        moves=describe_moves(chapters, compared.places, compared.moves, ~np.isnan(compared.moved)),
        coverage_threshold=compared.threshold,
        thresholds=documents.UsedThresholds(
            settings.coverage_threshold, settings.support_threshold
        ),
        coverage_along=_numbers(np.array(measures.tenths(compared.coverage_at))),
        recall_along=_numbers(
            np.array(measures.tenths(words * compared.content)) / measures.tenths(words)
        ),
        heat_map=heat_map(similarity),
        system=book.system,
        language=book.language,
        model=model,
    )


def describe_chapters(
    chapters: Sequence[Chapter], compared: BookComparison, words: Floats, changes: Changes | None
) -> tuple[ChapterFindings, ...]:
    """Each chapter of the source: what of it was kept, and what came of it."""
    described = []
    homes = compared.homes
    for chapter in chapters:
        part = slice(chapter.first, chapter.last + 1)
        inside = (homes >= chapter.first) & (homes <= chapter.last)
        kept = compared.kept[part]
        described.append(
            ChapterFindings(
                **asdict(chapter),
                words=int(words[part].sum()),
                kept_words=defined(float((words[part] * compared.content[part]).sum())),
                cut=defined(float((1 - kept).sum())),
                sentences=int(inside.sum()),
                unsupported=defined(float(compared.unsupported[inside].sum())),
                moved=int(np.nansum(compared.moved[inside])),
                changed=None if changes is None else int(inside[list(changes)].sum()),
            )
        )
    return tuple(described)


def describe_cuts(
    chapters: Sequence[Chapter], compared: BookComparison, words: Floats
) -> tuple[Cut, ...]:
    """Neighbouring source sentences that were not kept, a stretch for each chapter."""
    cuts: list[Cut] = []
    for at in np.flatnonzero(compared.kept == 0).tolist():
        number = chapter_at(chapters, at)
        if not (cuts and cuts[-1].last == at - 1 and cuts[-1].chapter == number):
            cuts.append(Cut(at, at, 0, number, whole=False))
        whole = (cuts[-1].first, at) == (chapters[number].first, chapters[number].last)
        cuts[-1] = replace(cuts[-1], last=at, words=cuts[-1].words + int(words[at]), whole=whole)
    return tuple(cuts)


def describe_moves(
    chapters: Sequence[Chapter], places: Ints, moves: Sequence[MovedBlock], placed: Bools
) -> tuple[DescribedMove, ...]:
    """The blocks that moved, each put in words; `placed` are the sentences that count."""
    used = places[placed].tolist()
    described = []
    for move in moves:
        block = slice(move.first, move.last + 1)
        stretch = name_stretch(chapters, places[block][placed[block]].tolist(), used)
        way = f"{'stand' if stretch.plural else 'stands'} {'before' if move.before else 'after'}"
        text = f"{stretch.name} {way} {name_place(chapters, move.other)}"
        described.append(DescribedMove(**asdict(move), text=text[:1].upper() + text[1:]))
    return tuple(described)


def describe_sentences(
    summary: Segments, compared: BookComparison, changes: Changes
) -> tuple[documents.EditionSentence, ...]:
    """One entry per summary sentence; what is undefined is None."""
    best, pairs = compared.best, compared.pairs
    sourced, homes = compared.sourced, compared.homes
    blocks = [range(move.first, move.last + 1) for move in compared.moves]
    inside = {at for block in blocks for at in block if sourced[at]}
    return tuple(
        documents.EditionSentence(
            index=at,
            sentence=sentence,
            best_source_index=int(best.index[at, 0]),
            best_similarity=float(best.similarity[at, 0]),
            coverage_hit=bool(compared.coverage[at]),
            covered=_flag(compared.coverage_at[at]),
            aligned_index=int(pairs.index[at]) if pairs.index[at] >= 0 else None,
            aligned_similarity=defined(pairs.similarity[at]),
            position_deviation=defined(compared.deviation[at]),
            scs=float(compared.scs[at]),
            order_violation=_flag(compared.order_violations[at]),
            topk=tuple(zip(best.index[at].tolist(), best.similarity[at].tolist(), strict=True)),
            place=int(compared.places[at]) if sourced[at] else None,
            home=int(homes[at]),
            evidence=float(compared.evidence[at]),
            moved=True if at in inside else _flag(compared.moved[at]),
            changed=tuple(describe_change(alarm) for alarm in changes.get(at, ())),
            marks=mark_changes(changes[at]) if at in changes else None,
        )
        for at, sentence in enumerate(summary.sentences)
    )


def describe_change(alarm: Alarm) -> str:
    """What differs, in words."""
    return "meaning: contradicts its source" if alarm.kind == MEANING else str(alarm)


def mark_changes(alarms: Sequence[Alarm]) -> FactMarks:
    """Where the words stand that differ; a sentence that differs as a whole has no marks."""
    marked = [alarm for alarm in alarms if alarm.kind != MEANING]
    return FactMarks(
        tuple(alarm.reference_span for alarm in marked),
        tuple(alarm.candidate_span for alarm in marked),
    )


def heat_map(similarity: Similarity) -> documents.HeatMap:
    """The table of similarities, pooled by maxima to a size that can be drawn."""
    rows, columns = similarity.shape
    down = np.linspace(0, rows, min(rows, HEAT_ROWS) + 1).astype(np.int64)
    across = np.linspace(0, columns, min(columns, HEAT_COLUMNS) + 1).astype(np.int64)
    narrow = np.empty((rows, len(across) - 1), np.float32)
    for start, stop in block_rows(rows, columns):
        block = similarity.block(start, stop, 0, columns)
        narrow[start:stop] = np.maximum.reduceat(block, across[:-1], axis=1)
    pooled = np.maximum.reduceat(narrow, down[:-1], axis=0)
    values = tuple(tuple(round(float(value), 4) for value in row) for row in pooled)
    return documents.HeatMap(values, rows, columns)


def _numbers(values: Floats) -> tuple[float | None, ...]:
    return tuple(map(defined, values.tolist()))


def _flag(value: float) -> bool | None:
    return bool(value) if math.isfinite(value) else None
