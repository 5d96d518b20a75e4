"""Book: the sentence and its source, then the whole book once: heat map, both texts side by side.

A book's view is the same for all its sentences, so it is kept once in the page and every sentence
points to it.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

from gistmeter.report import charts
from gistmeter.report.html.drilldown.opening import Block, Item, Opener, plain, rounded
from gistmeter.report.html.wording import script_language, shown

CELLS = (40, 80)  # of a heat map: down, across
SENTENCE = 280  # characters shown of a sentence
WHOLE = 1500  # source sentences up to which all are shown
AROUND = 2  # neighbours of a used source sentence that are shown in longer ones
SCORES = (
    "coverage", "alignment_confidence", "scs", "coverage_at", "best_similarity",
    "position_deviation", "order_violations",
)  # fmt: skip


def blocks(item: Item, opener: Opener) -> list[Block]:
    """Blocks of a summary sentence."""
    if "sentence" not in item.rows.texts or "source_sentence" not in item.rows.texts:
        return []
    sentence, source = item.text("sentence"), item.text("source_sentence")
    found: list[Block] = []
    if sentence:
        found.append(plain("Summary sentence", sentence, item.lang(sentence)))
    if source:
        found.append(plain("Its source", source, item.lang(source)))
    elif sentence:
        found.append({"k": "note", "n": "Its source", "x": "none: the alignment skipped it"})
    rows = [
        [name, rounded(item.number(name)), 0, 1, ""]
        for name in SCORES
        if name in item.rows.numbers and math.isfinite(item.number(name))
    ]
    if rows:
        found.append({"k": "bars", "n": "Scores of the sentence", "r": rows})
    item.used |= set(item.rows.numbers)  # the rest is bookkeeping of sums
    _attach(item, opener, sentence or "")
    return found


def _attach(item: Item, opener: Opener, sentence: str) -> None:
    """Let the item point to its book's view, made when first asked for."""
    number = item.key("id").rpartition("#")[2]
    document = find_document(opener, item.key("group"), item.key("system"), number, sentence)
    if document is None:
        return
    name, content = document
    if name not in opener.shared and not opener.share(name, book_view(content, opener)):
        opener.shared[name] = [_too_large()]
    item.extra["e"] = name
    if number.isdigit():
        item.extra["h"] = int(number)


def _too_large() -> Block:
    return {
        "k": "note",
        "x": "The view of this book is left out: the books before it fill the page. Report its run "
        "alone to see it.",
    }


def find_document(
    opener: Opener, title: str, system: str, number: str, sentence: str
) -> tuple[str, Mapping[str, Any]] | None:
    """The document that holds this very sentence."""
    at = int(number) if number.isdigit() else -1
    for name in books(opener):
        content = opener.details[name]
        if content.get("title") != title or content.get("system", system) != system:
            continue
        entries = content.get("sentences") or []
        if 0 <= at < len(entries) and entries[at].get("sentence") == sentence:
            return name, content
    return None


def books(opener: Opener) -> list[str]:
    """The names of the documents that describe books."""
    if "books" not in opener.kept:
        opener.kept["books"] = [
            name
            for name in opener.details
            if isinstance(content := opener.details[name], Mapping)
            and content.get("kind") == "book"
        ]
    found: list[str] = opener.kept["books"]
    return found


def book_view(content: Mapping[str, Any], opener: Opener) -> list[Block]:
    """Heat map with the path, and the two texts side by side."""
    found: list[Block] = []
    picture = heat_map(content) if opener.pictures > 0 else None
    if picture:
        opener.pictures -= 1
        found.append(picture)
    found.append(parallel(content))
    return found


def heat_map(content: Mapping[str, Any]) -> Block | None:
    """The similarities as a picture; None where the document has none."""
    held = content.get("heat_map") or {}
    values, rows, columns = held.get("values"), held.get("rows"), held.get("columns")
    if not values or not rows or not columns:
        return None
    cells = pooled(values, *CELLS)
    path = [(float(row), float(column)) for row, column in content.get("path") or []]
    svg = charts.heat_map(
        cells, path, (int(rows), int(columns)), ("summary sentence", "source sentence")
    )
    data = base64.b64encode(svg.encode()).decode("ascii")
    return {
        "k": "picture",
        "n": "Similarity of every summary sentence with every source sentence; dots: the alignment",
        "u": f"data:image/svg+xml;base64,{data}",
    }


def pooled(values: Sequence[Sequence[float]], down: int, across: int) -> list[list[float]]:
    """A smaller table of the largest values."""
    rows = [values[start:end] for start, end in _parts(len(values), down)]
    width = max((len(line) for line in values), default=0)
    return [
        [
            max((line[at] for line in group for at in range(start, min(end, len(line)))), default=0)
            for start, end in _parts(width, across)
        ]
        for group in rows
    ]


def _parts(size: int, most: int) -> list[tuple[int, int]]:
    count = min(size, most)
    return [(size * at // count, size * (at + 1) // count) for at in range(count)]


def parallel(content: Mapping[str, Any]) -> Block:
    """Source and summary; long sources with the used sentences and their neighbours only."""
    source = list((content.get("source") or {}).get("sentences") or [])
    entries = list(content.get("sentences") or [])
    aligned = [entry.get("aligned_index") for entry in entries]
    weak = [
        at
        for at, entry in enumerate(entries)
        if entry.get("covered") is False or entry.get("aligned_index") is None
    ]
    kept = _kept(len(source), aligned)
    place = {index: at for at, index in enumerate(kept) if index >= 0}
    left: list[list[Any]] = [
        [index + 1, shown(source[index], SENTENCE)] if index >= 0 else [0, "⋯"] for index in kept
    ]
    lang = script_language(" ".join(source[:5]), str(content.get("language") or ""))
    return {
        "k": "parallel",
        "n": [f"Source, {len(source):,} sentences", f"Summary, {len(entries):,} sentences"],
        "hint": "Choose a summary sentence to see its source. Coloured: weakly supported.",
        "lang": lang,
        "l": left,
        "r": [shown(str(entry.get("sentence") or ""), SENTENCE) for entry in entries],
        "a": [place.get(index) if index is not None else None for index in aligned],
        "v": [rounded(entry.get("aligned_similarity") or math.nan, 3) for entry in entries],
        "w": weak,
    }


def _kept(size: int, aligned: Sequence[int | None]) -> list[int]:
    """Indices of source sentences to show; -1 stands for some that are left out."""
    if size <= WHOLE:
        return list(range(size))
    near = {
        index + step
        for index in aligned
        if index is not None
        for step in range(-AROUND, AROUND + 1)
        if 0 <= index + step < size
    }
    kept: list[int] = []
    for index in sorted(near):
        if kept and index > kept[-1] + 1:
            kept.append(-1)
        kept.append(index)
    return kept
