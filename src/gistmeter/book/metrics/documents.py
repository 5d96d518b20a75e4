"""What is kept of a book for people to look at, as a document that JSON can hold.

title, language, model, algorithm, bandwidth, widened
source, summary        {"sentences": [...], "headings": [{"text", "sentence"}]}; a heading stands
                       before the sentence with that index
path                   [[summary index, source index], ...]
sentences              one entry a summary sentence: index, sentence, best_source_index,
                       best_similarity, coverage_hit, covered, aligned_index,
                       aligned_similarity, position_deviation, scs, order_violation,
                       topk [[source index, similarity], ...], place (where it comes
                       from; None without a source), home (the place it stands at),
                       evidence, moved, changed (what differs, in words), marks (where, in both)
support                {"similarity": [...], "index": [...], "kept": [...], "words": [...]}: for
                       each source sentence the evidence of its best supporting summary sentence,
                       that sentence, whether that is enough, and how many content words it has
chapters               of the source: title, first, last, words, kept_words, cut, sentences (of the
                       summary, from there), unsupported, moved, changed
cuts                   stretches of the source that were cut: first, last, words, chapter
moves                  blocks that moved: first, last (summary), start, end (source), before, other,
                       text ("Chapter IV stands before Chapter III")
coverage_threshold     the mean best similarity (of coverage); thresholds: the calibrated ones
coverage_along         coverage_at in each tenth of the summary
recall_along           source_recall in each tenth of the source
heat_map               {"values": rows of the largest similarities in cells of the table, summary
                       down and source across, "rows", "columns": sentences on either side}
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from gistmeter.book.metrics import facts, measures
from gistmeter.book.metrics.band import Ints
from gistmeter.book.metrics.chapters import (
    Chapter,
    chapter_at,
    chapters_of,
    name_place,
    name_stretch,
)
from gistmeter.book.metrics.comparison import AlignmentSettings, Compared
from gistmeter.book.metrics.measures import Bools, Floats
from gistmeter.book.metrics.moves import Moved
from gistmeter.book.metrics.segmentation import Segments
from gistmeter.book.metrics.similarity import Similarity, block_rows
from gistmeter.core.signature import digest
from gistmeter.core.types import defined

HEAT_ROWS, HEAT_COLUMNS = 200, 400


def document_name(title: str, system: str) -> str:
    """The file of a book's document: readable, safe, and of its own for every book."""
    readable = re.sub(r"\W+", "-", f"{title} {system}").strip("-")[:60] or "book"
    return f"{readable}-{digest([title, system])[:8]}.json"


def describe_book(  # noqa: PLR0917
    title: str,
    texts: tuple[Segments, Segments],
    similarity: Similarity,
    compared: Compared,
    settings: AlignmentSettings,
    words: Floats,
    changes: facts.Changes | None = None,
) -> dict[str, Any]:
    """The document of a book; `texts` are source and summary, `words` how many content words each
    source sentence has, `changes` what differs in facts by summary sentence."""
    source, summary = texts
    support, threshold = compared.support, settings.support_threshold
    found = chapters_of(source)
    return {
        "kind": "book",
        "title": title,
        "algorithm": settings.algorithm,
        "bandwidth": compared.path.bandwidth,
        "widened": compared.path.widened,
        "source": describe_text(source),
        "summary": describe_text(summary),
        "path": compared.path.pairs.tolist(),
        "sentences": describe_sentences(summary, compared, changes or {}),
        "support": {
            "similarity": _numbers(support.similarity),
            "index": support.index.tolist(),
            "kept": [_flag(value) for value in compared.kept.tolist()],
            "words": words.astype(int).tolist(),
        },
        "chapters": describe_chapters(found, compared, words, changes),
        "cuts": describe_cuts(found, compared, words),
        "moves": describe_moves(found, compared.places, compared.moves, ~np.isnan(compared.moved)),
        "coverage_threshold": compared.threshold,
        "thresholds": {"coverage": settings.coverage_threshold, "support": threshold},
        "coverage_along": _numbers(np.array(measures.tenths(compared.coverage_at))),
        "recall_along": _numbers(np.array(measures.tenths(compared.kept))),
        "heat_map": heat_map(similarity),
    }


def describe_text(text: Segments) -> dict[str, Any]:
    return {
        "sentences": list(text.sentences),
        "headings": [{"text": mark.text, "sentence": mark.sentence} for mark in text.headings],
    }


def describe_chapters(
    chapters: Sequence[Chapter], compared: Compared, words: Floats, changes: facts.Changes | None
) -> list[dict[str, Any]]:
    """Each chapter of the source: what of it was kept, and what came of it."""
    found = []
    homes = compared.homes
    for chapter in chapters:
        part = slice(chapter.first, chapter.last + 1)
        own = (homes >= chapter.first) & (homes <= chapter.last)
        kept = compared.kept[part]
        found.append(
            {
                "title": chapter.title,
                "first": chapter.first,
                "last": chapter.last,
                "words": int(words[part].sum()),
                "kept_words": defined(float((words[part] * kept).sum())),
                "cut": defined(float((1 - kept).sum())),
                "sentences": int(own.sum()),
                "unsupported": defined(float(compared.unsupported[own].sum())),
                "moved": int(np.nansum(compared.moved[own])),
                "changed": None if changes is None else int(own[list(changes)].sum()),
            }
        )
    return found


def describe_cuts(
    chapters: Sequence[Chapter], compared: Compared, words: Floats
) -> list[dict[str, Any]]:
    """Neighbouring source sentences that were not kept, a stretch for each chapter."""
    found: list[dict[str, Any]] = []
    for at in np.flatnonzero(compared.kept == 0).tolist():
        number = chapter_at(chapters, at)
        if found and found[-1]["last"] == at - 1 and found[-1]["chapter"] == number:
            found[-1]["last"] = at
            found[-1]["words"] += int(words[at])
        else:
            found.append({"first": at, "last": at, "words": int(words[at]), "chapter": number})
    for cut in found:
        chapter = chapters[cut["chapter"]]
        cut["whole"] = cut["first"] == chapter.first and cut["last"] == chapter.last
    return found


def describe_moves(
    chapters: Sequence[Chapter], places: Ints, moves: Sequence[Moved], placed: Bools
) -> list[dict[str, Any]]:
    """The blocks that moved, each said in a sentence; `placed` are the sentences that count."""
    used = places[placed].tolist()
    found = []
    for move in moves:
        block = slice(move.first, move.last + 1)
        named = name_stretch(chapters, places[block][placed[block]].tolist(), used)
        many = " – " in named or named.startswith("sentences")
        way = f"{'stand' if many else 'stands'} {'before' if move.before else 'after'}"
        text = f"{named} {way} {name_place(chapters, move.other)}"
        found.append({**asdict(move), "text": text[:1].upper() + text[1:]})
    return found


def describe_sentences(
    summary: Segments, compared: Compared, changes: facts.Changes
) -> list[dict[str, Any]]:
    """An entry for each summary sentence; what it has not is None."""
    best, pairs = compared.best, compared.pairs
    sourced, homes = compared.sourced, compared.homes
    blocks = [range(move.first, move.last + 1) for move in compared.moves]
    inside = {at for block in blocks for at in block if sourced[at]}
    return [
        {
            "index": at,
            "sentence": sentence,
            "best_source_index": int(best.index[at, 0]),
            "best_similarity": float(best.similarity[at, 0]),
            "coverage_hit": bool(compared.coverage[at]),
            "covered": _flag(compared.coverage_at[at]),
            "aligned_index": int(pairs.index[at]) if pairs.index[at] >= 0 else None,
            "aligned_similarity": defined(pairs.similarity[at]),
            "position_deviation": defined(compared.deviation[at]),
            "scs": float(compared.scs[at]),
            "order_violation": _flag(compared.order_violations[at]),
            "topk": [
                [int(index), float(value)]
                for index, value in zip(best.index[at], best.similarity[at], strict=True)
            ],
            "place": int(compared.places[at]) if sourced[at] else None,
            "home": int(homes[at]),
            "evidence": float(compared.evidence[at]),
            "moved": True if at in inside else _flag(compared.moved[at]),
            "changed": [facts.told(alarm) for alarm in changes.get(at, ())],
            "marks": facts.marks(changes[at]) if at in changes else None,
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
    return [defined(value) for value in values.tolist()]


def _flag(value: float) -> bool | None:
    return bool(value) if math.isfinite(value) else None
