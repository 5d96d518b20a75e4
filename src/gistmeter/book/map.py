"""What the page draws of an edition: its map, what was found by chapter, both texts, the heat map.

The map has the original across and the edition down: every sentence of the edition is in it, as a
dot, or in a cell that says how many it holds; cut stretches shaded, moved blocks framed, chapters
named. Strips show the share of what was found in each part. All of it is data.
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
)
from gistmeter.book.edition_alarms import ALARM_LEVELS, Span
from gistmeter.book.flags import Flag, flags_of, kinds_of
from gistmeter.book.verdict import percent
from gistmeter.core.views import LONGEST, Block, rounded, script_language, shown

CODES = {"kept": "k", "moved": "m", "invented": "i", "changed": "c"}
BINS = 400  # of a strip
DOTS = 1500  # sentences of a kind that are drawn one by one; more become cells
GRID = (200, 300)  # cells of the map: down, across
CELLS = (40, 80)  # of a heat map: down, across
SHADES = 9  # of a heat map
REASON = 600  # characters of a reason
LENGTHS = (LONGEST, 1000, 500, 280, 140, 60)  # characters that are shown of a sentence
SHORTEST = 60  # that still tell which it is
ROOM = 2_800_000  # bytes of all texts in a page
OVERHEAD = 12  # bytes beside the words of a sentence
AROUND = 2  # neighbours of a used source sentence that are shown in longer ones
BESIDE = 1  # neighbours of a flagged sentence that are shown whole


def book_map(edition: Edition) -> Block:
    """The map with its strips."""
    book = edition.book
    dots, cells = _drawn(book)
    return {
        "k": "map",
        "n": f"The map of the book: {shown(book.title, 80)}, {shown(edition.system, 60)}",
        "e": edition.name,
        "y": shown(edition.system, 80),
        "t": shown(book.title, 200),
        "s": [len(book.sentences), len(book.source.sentences)],
        "c": [
            [shown(chapter.title, 60), chapter.first, chapter.last, _share(chapter)]
            for chapter in book.chapters
        ],
        "i": [entry.index for entry in dots],
        "p": [entry.home for entry in dots],
        "f": "".join(CODES[entry.finding] for entry in dots),
        "d": cells,
        "grid": list(GRID),
        "o": "".join(_kept_digit(part) for part in _parts(book.support.kept, BINS)),
        "g": [_counts(part) for part in _parts(book.sentences, BINS)],
        "m": [
            [move.first, move.last, move.start, move.end, shown(move.text, 160)]
            for move in book.moves
        ],
    }


def _drawn(book: BookDocument) -> tuple[list[EditionSentence], list[list[Any]]]:
    """The sentences that are dots, what was found on top of what was kept; and the cells of those
    that are too many: kind, row, column, how many, the first of them and its source."""
    dots: list[EditionSentence] = []
    cells: list[list[Any]] = []
    for kind, code in CODES.items():
        entries = [entry for entry in book.sentences if entry.finding == kind]
        if len(entries) <= DOTS:
            dots += entries
            continue
        held: dict[tuple[int, int], list[Any]] = {}
        for entry in entries:
            home = entry.home or 0
            row = entry.index * GRID[0] // len(book.sentences)
            column = home * GRID[1] // max(1, len(book.source.sentences))
            held.setdefault((row, column), [code, row, column, 0, entry.index, home])[3] += 1
        cells += held.values()
    return dots, cells


def _share(chapter: ChapterFindings) -> str:
    return "" if math.isnan(chapter.kept) else percent(chapter.kept)


def _kept_digit(kept: Sequence[bool | None]) -> str:
    """How much of a part of the original was kept, from 0 to 9; "-": not known."""
    known = [value for value in kept if value is not None]
    return str(min(9, round(9 * sum(known) / len(known)))) if known else "-"


def _counts(entries: Sequence[EditionSentence]) -> list[int]:
    """How many sentences of a part were kept, moved, invented and changed."""
    kinds = [entry.finding for entry in entries]
    return [kinds.count(kind) for kind in CODES]


def _parts(values: Sequence[Any], most: int) -> list[Sequence[Any]]:
    count = min(len(values), most)
    edges = [len(values) * at // count for at in range(count + 1)] if count else []
    return [values[start:end] for start, end in pairwise(edges)]


def findings_by_chapter(edition: Edition) -> Block:
    """Every flag, chapter by chapter; each opens its place. Texts are those of the book's view."""
    book, flags = edition.book, flags_of(edition.book)
    lead = "Claims by" if book.is_summary else "By"
    untitled = "The whole text" if len(book.chapters) == 1 else "Before the first heading"
    return {
        "k": "findings",
        "n": f"{lead} chapter: {shown(book.title, 80)}, {shown(edition.system, 60)}",
        "e": edition.name,
        "y": shown(edition.system, 80),
        "t": shown(book.title, 200),
        "level": ALARM_LEVELS.index(book.alarm_level),
        "levels": list(ALARM_LEVELS),
        "kinds": [kind for kind in kinds_of(book) if any(flag.kind == kind for flag in flags)],
        "c": [
            [shown(chapter.title or untitled, 120), _share(chapter), chapter.first, chapter.last]
            for chapter in book.chapters
        ],
        "a": [_entry(flag) for flag in flags],
    }


def who_is_who(edition: Edition) -> list[Block]:
    """The book's people, a line for each, as `--people` reads them; none where none are known."""
    lines = "\n".join(" = ".join(person.names) for person in edition.book.people)
    name = f"People: {shown(edition.book.title, 80)}, {shown(edition.system, 60)}"
    return [{"k": "people", "n": name, "x": lines}] if lines else []


def _entry(flag: Flag) -> list[Any]:
    """A flag as the page has it, short: what is not there at the end is left off."""
    entry: list[Any] = [
        flag.kind, flag.place, flag.first, flag.last, flag.start, flag.end,
        shown(flag.reason, REASON),
        None if flag.probability is None else rounded(flag.probability, 2),
        flag.marks or None, flag.source_marks or None, ALARM_LEVELS.index(flag.level) or None,
        flag.further or None,
    ]  # fmt: skip
    while entry[-1] is None:
        entry.pop()
    return entry


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
    only the used ones of the longest and their neighbours are shown. What a flag points to is
    there whole, while as much room again lasts."""
    source, entries = book.source.sentences, book.sentences
    longest = _longest([*source, *(entry.sentence for entry in entries)], room)
    flagged = _flagged(book)
    kept = _kept(len(source), entries, flagged[0], whole=longest >= SHORTEST)
    longest = max(SHORTEST, longest)
    lines = {index: line for line, index in enumerate(kept) if index >= 0}
    left = _shown([source[index] if index >= 0 else "⋯" for index in kept], longest,
                  {lines[index] for index in flagged[0]}, room)  # fmt: skip
    return {
        "k": "parallel",
        "n": [f"Original, {len(source):,} sentences", f"Edition, {len(entries):,} sentences"],
        "hint": "Choose a sentence of the edition to see its source. Coloured: without a source.",
        "lang": script_language(" ".join(source[:5]), book.language),
        "l": [[index + 1, text] for index, text in zip(kept, left, strict=True)],
        "r": _shown([entry.sentence for entry in entries], longest, flagged[1], room),
        "a": [None if entry.place is None else lines.get(entry.place) for entry in entries],
        "v": [rounded(entry.aligned_similarity or math.nan, 3) for entry in entries],
        "w": [at for at, entry in enumerate(entries) if entry.place is None],
        "m": _marks(entries, lines),
    }


def _flagged(book: BookDocument) -> tuple[set[int], set[int]]:
    """The sentences of source and summary that flags show, with their neighbours; of a cut or a
    move, where it begins."""
    sides: tuple[set[int], set[int]] = set(), set()
    sizes = len(book.source.sentences), len(book.sentences)
    for flag in flags_of(book):
        for side, place, size in zip(sides, (flag.start, flag.first), sizes, strict=True):
            if place is not None:
                side.update(range(max(0, place - BESIDE), min(size, place + BESIDE + 1)))
        for first, last in ((flag.start or 0, flag.end or 0), *flag.further):
            sides[0].update(range(first, last + 1) if book.is_summary else ())
    return sides


def _shown(texts: Sequence[str], longest: int, whole: set[int], room: int) -> list[str]:
    """Texts cut to a length, but for those that are to be whole while there is room for them."""
    told = []
    for at, text in enumerate(texts):
        is_whole = at in whole and len(text) < room
        room -= len(text) if is_whole and len(text) > longest else 0
        told.append(shown(text) if is_whole else shown(text, longest))
    return told


def _marks(
    entries: Sequence[EditionSentence], lines: dict[int, int]
) -> list[dict[int, list[Span]]]:
    """The words that differ in facts, by line of the original and of the edition."""
    left: dict[int, list[Span]] = {}
    right: dict[int, list[Span]] = {}
    for at, entry in enumerate(entries):
        if entry.marks is None or entry.place not in lines:
            continue
        line = lines[entry.place]
        right[at] = sorted(entry.marks.sentence)
        left[line] = sorted([*left.get(line, []), *entry.marks.source])
    return [left, right]


def _longest(texts: Sequence[str], room: int) -> int:
    """The characters to show of a text so that all take no more bytes than this."""
    sample = "".join(texts[:: max(1, len(texts) // 500)])
    size = max(1.0, len(sample.encode("utf-8", "replace")) / max(1, len(sample)))
    left = room - OVERHEAD * len(texts)
    fitting = (
        most for most in LENGTHS if size * sum(min(len(text), most) for text in texts) <= left
    )
    return next(fitting, 0)


def _kept(
    size: int, entries: Sequence[EditionSentence], flagged: set[int], *, whole: bool
) -> list[int]:
    """Indices of source sentences to show; -1 stands for some that are left out."""
    if whole:
        return list(range(size))
    near = flagged | {
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
