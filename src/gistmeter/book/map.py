"""What the page draws of an edition: its map, what was found by chapter, both texts, the heat map.

The map has the original across and the edition down: a dot for each sentence of the edition, cut
stretches shaded, moved blocks framed, chapters named. All of it is data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gistmeter.book.book_document import (
    BookDocument,
    ChapterFindings,
    Edition,
    EditionSentence,
    Span,
)
from gistmeter.book.sheets import span
from gistmeter.book.verdict import percent
from gistmeter.core.views import Block, rounded, script_language, shown

CODES = {"kept": "k", "moved": "m", "invented": "i", "changed": "c"}
BINS = 400  # of a strip
DOTS = 3000  # sentences drawn in the map
CUTS, INVENTED, MOVED, CHANGED = 150, 150, 60, 100  # entries of a list
TEXT = 220  # characters of an entry
CELLS = (40, 80)  # of a heat map: down, across
SHADES = 9  # of a heat map
SENTENCE = 280  # characters shown of a sentence
SHORTEST = 60  # characters of a sentence that still tell which it is
ROOM = 1_800_000  # bytes of all texts in a page
OVERHEAD = 12  # bytes beside the words of a sentence
AROUND = 2  # neighbours of a used source sentence that are shown in longer ones


def book_map(edition: Edition) -> Block:
    """The map with its strips."""
    book = edition.book
    drawn = book.sentences[:: max(1, math.ceil(len(book.sentences) / DOTS))]
    return {
        "k": "map",
        "n": f"The map of the book: {shown(book.title, 80)}, {shown(edition.system, 60)}",
        "e": edition.name,
        "y": shown(edition.system, 80),
        "s": [len(book.sentences), len(book.source.sentences)],
        "c": [
            [shown(chapter.title, 60), chapter.first, chapter.last, _share(chapter)]
            for chapter in book.chapters
        ],
        "i": [entry.index for entry in drawn],
        "p": [entry.home for entry in drawn],
        "f": "".join(CODES[entry.finding] for entry in drawn),
        "o": "".join(_kept_digit(part) for part in _parts(book.support.kept, BINS)),
        "g": "".join(_gravest(part) for part in _parts(book.sentences, BINS)),
        "m": [
            [move.first, move.last, move.start, move.end, shown(move.text, 160)]
            for move in book.moves
        ],
    }


def _share(chapter: ChapterFindings) -> str:
    return "" if math.isnan(chapter.kept) else percent(chapter.kept)


def _kept_digit(kept: Sequence[bool | None]) -> str:
    """How much of a part of the original was kept, from 0 to 9; "-": not known."""
    known = [value for value in kept if value is not None]
    return str(min(9, round(9 * sum(known) / len(known)))) if known else "-"


def _gravest(entries: Sequence[EditionSentence]) -> str:
    """The gravest finding in a part of the edition."""
    return min((CODES[entry.finding] for entry in entries), key="icmk".index)


def _parts(values: Sequence[Any], most: int) -> list[Sequence[Any]]:
    count = min(len(values), most)
    edges = [len(values) * at // count for at in range(count + 1)] if count else []
    return [values[start:end] for start, end in pairwise(edges)]


def findings_by_chapter(edition: Edition) -> Block:
    """What was cut, invented, moved and changed, chapter by chapter; each entry opens its place."""
    book = edition.book
    left = len(book.cuts) - CUTS
    entries = sorted(_findings(book), key=lambda entry: entry[0])
    untitled = "The whole text" if len(book.chapters) == 1 else "Before the first heading"
    return {
        "k": "findings",
        "n": f"By chapter: {shown(book.title, 80)}, {shown(edition.system, 60)}",
        "e": edition.name,
        "y": shown(edition.system, 80),
        "t": shown(book.title, 200),
        "more": f"The {left:,} smallest cuts are in the table Cut (-o tables.xlsx)."
        if left > 0
        else "",
        "c": [
            [
                shown(chapter.title or untitled, 120),
                _share(chapter),
                [entry for place, entry in entries if chapter.first <= place <= chapter.last],
            ]
            for chapter in book.chapters
        ],
    }


def _findings(book: BookDocument) -> list[tuple[int, list[Any]]]:
    """Places in the original, each with an entry: kind, number of the sentence (from 1), text, what
    to say beside it, the places in edition and original that it opens."""

    def text(place: int | None) -> str:
        return shown(book.source_text(place), TEXT)

    cuts = [
        (cut.first, ["cut", span(cut.first, cut.last), text(cut.first), f"{cut.words} words", None,
                     cut.first])
        for cut in book.largest_cuts[:CUTS]
    ]  # fmt: skip
    invented = [
        (entry.home or 0, [
            "invented", str(entry.index + 1), shown(entry.sentence, TEXT),
            f"nearest, no source: {nearest + 1} {text(nearest)}", entry.index, nearest,
        ])
        for entry in book.invented[:INVENTED]
        for nearest in [entry.best_source_index]
    ]  # fmt: skip
    moved = [
        (move.start, ["moved", span(move.first, move.last), shown(move.text, TEXT), "", move.first,
                      move.start])
        for move in book.moves[:MOVED]
    ]  # fmt: skip
    changed = [
        (entry.place or 0, ["changed", str(entry.index + 1), shown(entry.sentence, TEXT),
                            shown("; ".join(entry.changed), TEXT), entry.index, entry.place])
        for entry in book.changed[:CHANGED]
    ]  # fmt: skip
    return [*cuts, *invented, *moved, *changed]


def book_view(book: BookDocument, room: int = ROOM) -> list[Block]:
    """The two texts side by side, and the heat map with the path."""
    return [parallel(book, room), *heat_map(book)]


def heat_map(book: BookDocument) -> list[Block]:
    """The similarities in a few shades, a letter for each cell; none where there are none."""
    table = book.heat_map
    if not (any(table.values) and table.rows and table.columns):
        return []
    cells = pooled(table.values, *CELLS)
    low, high = min(map(min, cells)), max(map(max, cells))
    step = (high - low) / SHADES or 1.0
    path = [list(pair) for pair in book.path]
    return [
        {
            "k": "heat",
            "n": "Similarity of every summary sentence with every source sentence",
            "c": [
                "".join(str(min(SHADES - 1, int((value - low) / step))) for value in line)
                for line in cells
            ],
            "p": path[:: max(1, len(path) // 150)],
            "s": [table.rows, table.columns],
            "a": ["summary sentence", "source sentence"],
            "v": [rounded(low, 2), rounded(high, 2)],
        }
    ]


def pooled(values: Sequence[Sequence[float]], down: int, across: int) -> list[list[float]]:
    """A smaller table of the largest values."""
    columns = _parts(range(max((len(line) for line in values), default=0)), across)
    return [
        [
            max((line[at] for line in lines for at in part if at < len(line)), default=0)
            for part in columns
        ]
        for lines in _parts(values, down)
    ]


def parallel(book: BookDocument, room: int = ROOM) -> Block:
    """Source and summary within so much room (bytes): sentences of long books are cut short, and
    only the used ones of the longest and their neighbours are shown."""
    source, entries = book.source.sentences, book.sentences
    longest = _longest(source, room / max(1, len(source) + len(entries)))
    kept = _kept(len(source), entries, whole=longest >= SHORTEST)
    longest = max(SHORTEST, longest)
    lines = {index: line for line, index in enumerate(kept) if index >= 0}
    return {
        "k": "parallel",
        "n": [f"Original, {len(source):,} sentences", f"Edition, {len(entries):,} sentences"],
        "hint": "Choose a sentence of the edition to see its source. Coloured: without a source.",
        "lang": script_language(" ".join(source[:5]), book.language),
        "l": [
            [index + 1, shown(source[index], longest)] if index >= 0 else [0, "⋯"] for index in kept
        ],
        "r": [shown(entry.sentence, longest) for entry in entries],
        "a": [None if entry.place is None else lines.get(entry.place) for entry in entries],
        "v": [rounded(entry.aligned_similarity or math.nan, 3) for entry in entries],
        "w": [at for at, entry in enumerate(entries) if entry.place is None],
        "m": _marks(entries, lines, longest),
    }


def _marks(
    entries: Sequence[EditionSentence], lines: dict[int, int], longest: int
) -> list[dict[int, list[Span]]]:
    """The words that differ in facts, by line of the original and of the edition."""
    left: dict[int, list[Span]] = {}
    right: dict[int, list[Span]] = {}
    for at, entry in enumerate(entries):
        if entry.marks is None or entry.place not in lines:
            continue
        line = lines[entry.place]
        right[at] = sorted(mark for mark in entry.marks.sentence if mark[1] <= longest)
        marked = [mark for mark in entry.marks.source if mark[1] <= longest]
        left[line] = sorted([*left.get(line, []), *marked])
    return [left, right]


def _longest(sentences: Sequence[str], room: float) -> int:
    """The characters to show of a sentence so that none takes more bytes than this."""
    sample = "".join(sentences[:: max(1, len(sentences) // 500)])
    size = len(sample.encode("utf-8", "replace")) / max(1, len(sample))
    return min(SENTENCE, int((room - OVERHEAD) / max(1.0, size)))


def _kept(size: int, entries: Sequence[EditionSentence], *, whole: bool) -> list[int]:
    """Indices of source sentences to show; -1 stands for some that are left out."""
    if whole:
        return list(range(size))
    near = {
        entry.place + step
        for entry in entries
        if entry.place is not None
        for step in range(-AROUND, AROUND + 1)
        if 0 <= entry.place + step < size
    }
    kept: list[int] = []
    for index in sorted(near):
        if kept and index > kept[-1] + 1:
            kept.append(-1)
        kept.append(index)
    return kept
