"""A book's tables: verdict, chapters, cut, moved, invented, changed, alignment.

Sentences and chapters are numbered from 1 in all of them, as in the report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gistmeter.book.documents import book_rows
from gistmeter.book.verdict import QUESTIONS, Edition, editions, percent
from gistmeter.core.types import Sheet
from gistmeter.core.views import shown

if TYPE_CHECKING:
    from gistmeter.core.run import Run

CUTS, INVENTED, MOVES, BOOKS = 5, 10, 10, 4  # that the terminal shows
TEXT = 200  # characters of a sentence in the terminal
Cells = list[list[object]]


def book_sheets(run: Run) -> list[Sheet]:
    """All tables, the alignment of every sentence last."""
    held = editions(run)
    return [
        verdict_sheet(run),
        chapters_sheet(held),
        Sheet("Cut", ["edition", "title", "chapter", "from", "to", "words", "text"], [
            [one.system, one.title, one.chapter_of(cut["first"]), cut["first"] + 1, cut["last"] + 1,
             cut["words"], " ".join(one.source[cut["first"] : cut["last"] + 1])]
            for one in held for cut in one.cuts
        ]),
        Sheet("Moved", ["edition", "title", "what", "from", "to", "source from", "source to"], [
            [one.system, one.title, move["text"], move["first"] + 1, move["last"] + 1,
             move["start"] + 1, move["end"] + 1]
            for one in held for move in one.moves
        ]),
        Sheet("Invented", ["edition", "title", "sentence", "text", "evidence", "nearest",
                           "nearest text"], [
            [one.system, one.title, entry["index"] + 1, entry["sentence"], entry["evidence"],
             entry["best_source_index"] + 1, one.source[entry["best_source_index"]]]
            for one in held for entry in one.invented
        ]),
        Sheet("Changed", ["edition", "title", "sentence", "text", "what differs", "source",
                          "source text"], [
            [one.system, one.title, entry["index"] + 1, entry["sentence"],
             "; ".join(entry["changed"]), entry["place"] + 1, one.source[entry["place"]]]
            for one in held for entry in one.changed
        ]),
        alignment_sheet(held),
    ]  # fmt: skip


def verdict_sheet(run: Run) -> Sheet:
    """Every edition's scores with their intervals over passages."""
    rows = book_rows(run)
    names = list(rows[0][2]) if rows else []
    columns = ["edition", "title"]
    for name in names:
        columns += [name, f"{name}_low", f"{name}_high"]
    cells: Cells = [
        [system, title, *(number for name in names for number in values[name])]
        for system, title, values in rows
    ]
    return Sheet("Verdict", columns, cells)


def chapters_sheet(held: list[Edition]) -> Sheet:
    columns = ["edition", "title", "chapter", "from", "to", "words", "kept", "sentences from it",
               "invented", "moved", "changed"]  # fmt: skip
    cells: Cells = [
        [one.system, one.title, chapter["title"], chapter["first"] + 1, chapter["last"] + 1,
         chapter["words"], _share(chapter), chapter["sentences"], chapter["unsupported"],
         chapter["moved"], chapter["changed"]]
        for one in held
        for chapter in one.document.get("chapters") or []
    ]  # fmt: skip
    return Sheet("Chapters", columns, cells)


def alignment_sheet(held: list[Edition]) -> Sheet:
    """Every sentence with where it comes from."""
    columns = ["edition", "title", "sentence", "text", "finding", "source", "chapter",
               "source_sentence", "similarity", "evidence", "scs"]  # fmt: skip
    cells: Cells = [
        [one.system, one.title, entry["index"] + 1, entry["sentence"], finding(entry),
         None if entry["place"] is None else entry["place"] + 1, one.chapter_of(entry["place"]),
         None if entry["place"] is None else one.source[entry["place"]],
         entry["aligned_similarity"], entry["evidence"], entry["scs"]]
        for one in held
        for entry in one.sentences
    ]  # fmt: skip
    return Sheet("Alignment", columns, cells)


def span(first: int, last: int) -> str:
    """Sentences from one to another as people number them: 5, or 5–8."""
    return f"{first + 1}" if first == last else f"{first + 1}–{last + 1}"


def finding(entry: Mapping[str, Any]) -> str:
    """What was found of a summary sentence, in a word."""
    if entry.get("covered") is False:
        return "invented"
    if entry.get("changed"):
        return "changed"
    return "moved" if entry.get("moved") else "kept"


def _share(chapter: Mapping[str, Any]) -> float:
    kept = chapter.get("kept_words")
    return math.nan if kept is None else kept / max(1, chapter["words"])


def overview_sheets(run: Run) -> list[Sheet]:
    """What the terminal shows after the scores."""
    held = editions(run)
    found = [_books(run)] if len({one.title for one in held}) > 1 else []
    if len(held) > BOOKS:
        return found
    for one in held:
        found += _edition(one, lead=f"{one.system}, {one.title}: " if len(held) > 1 else "")
    return found


def _books(run: Run) -> Sheet:
    """Every book's answers; their intervals take more room than a terminal has."""
    several = len(run.systems) > 1
    rows = book_rows(run)
    names = [name for name in QUESTIONS if rows and name in rows[0][2]]
    cells: Cells = [
        [f"{title} ({system})" if several else title, *(percent(held[name][0]) for name in names)]
        for system, title, held in rows
    ]
    note = "Intervals over each book's passages: -o books.xlsx, --output-path, or run.json"
    return Sheet("books", ["title", *names], cells, note=note)


def _edition(one: Edition, lead: str) -> list[Sheet]:
    cuts: Cells = [
        [f"{one.chapter_of(cut['first'])} {span(cut['first'], cut['last'])}".strip(),
         cut["words"], shown(one.source[cut["first"]], TEXT)]
        for cut in one.cuts[:CUTS]
    ]  # fmt: skip
    invented: Cells = [
        [entry["index"] + 1, shown(entry["sentence"], TEXT),
         f"{entry['best_source_index'] + 1}: {shown(one.source[entry['best_source_index']], TEXT)}"]
        for entry in one.invented[:INVENTED]
    ]  # fmt: skip
    moves: Cells = [
        [shown(str(move["text"]), TEXT), span(move["first"], move["last"])]
        for move in one.moves[:MOVES]
    ]
    changed: Cells = [
        [entry["index"] + 1, shown(entry["sentence"], TEXT), "; ".join(entry["changed"])]
        for entry in one.changed[:INVENTED]
    ]
    sheets = [
        Sheet(
            f"{lead}largest cuts", ["where", "words", "begins"], cuts, note=_rest(one.cuts, CUTS)
        ),
        Sheet(f"{lead}invented", ["no", "sentence", "nearest, no source"], invented,
              note=_rest(one.invented, INVENTED)),
        Sheet(f"{lead}moved", ["what", "sentences"], moves, note=_rest(one.moves, MOVES)),
        Sheet(f"{lead}changed", ["no", "sentence", "what differs"], changed,
              note=_rest(one.changed, INVENTED)),
    ]  # fmt: skip
    return [sheet for sheet in sheets if sheet.rows]


def _rest(found: Any, most: int) -> str:
    return f"and {len(found) - most} more: -o tables.xlsx" if len(found) > most else ""
