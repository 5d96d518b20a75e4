"""The first screen of a book's report: its map, its strips, and what was found by chapter.

The map has the original across and the edition down: a dot for each sentence of the edition, cut
stretches shaded, moved blocks framed, chapters named. All of it is data that the page draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from gistmeter.book.sheets import finding, span
from gistmeter.book.verdict import Edition, percent
from gistmeter.core.views import Block, shown

CODES = {"kept": "k", "moved": "m", "invented": "i", "changed": "c"}
BINS = 400  # of a strip
DOTS = 3000  # sentences drawn in the map
LISTED = {"cut": 150, "invented": 150, "moved": 60, "changed": 100}  # entries of a list
TEXT = 220  # characters of an entry


def book_map(one: Edition) -> Block:
    """The map with its strips."""
    entries, size = one.sentences, len(one.source)
    step = max(1, math.ceil(len(entries) / DOTS))
    drawn = entries[::step]
    return {
        "k": "map",
        "n": f"The map of the book: {shown(one.title, 80)}, {shown(one.system, 60)}",
        "e": one.name,
        "y": shown(one.system, 80),
        "s": [len(entries), size],
        "c": [
            [shown(str(chapter["title"]), 60), chapter["first"], chapter["last"], _share(chapter)]
            for chapter in one.document.get("chapters") or []
        ],
        "i": [entry["index"] for entry in drawn],
        "p": [entry.get("home", entry.get("place")) for entry in drawn],
        "f": "".join(CODES[finding(entry)] for entry in drawn),
        "o": _strip((one.document.get("support") or {}).get("kept") or []),
        "g": _edition_strip(entries),
        "m": [
            [move["first"], move["last"], move["start"], move["end"], shown(move["text"], 160)]
            for move in one.moves
        ],
    }


def _share(chapter: Mapping[str, Any]) -> str:
    kept = chapter.get("kept_words")
    return "" if kept is None else percent(kept / max(1, chapter["words"]))


def _strip(kept: Sequence[bool | None]) -> str:
    """How much of each part of the original was kept, a digit from 0 to 9; "-": not known."""
    found = []
    for part in _parts(kept):
        known = [value for value in part if value is not None]
        found.append(str(min(9, round(9 * sum(known) / len(known)))) if known else "-")
    return "".join(found)


def _edition_strip(entries: Sequence[Mapping[str, Any]]) -> str:
    """The gravest finding in each part of the edition."""
    return "".join(
        min((CODES[finding(entry)] for entry in part), key="icmk".index) for part in _parts(entries)
    )


def _parts(values: Sequence[Any]) -> list[Sequence[Any]]:
    count = min(len(values), BINS)
    edges = [len(values) * at // count for at in range(count + 1)] if count else []
    return [values[start:end] for start, end in pairwise(edges)]


def findings_by_chapter(one: Edition) -> Block:
    """What was cut, invented, moved and changed, chapter by chapter; each entry opens its place.

    An entry: kind, number of the sentence (from 1), text, what to say beside it, the places in
    edition and original that it opens.
    """
    source = one.source
    entries: list[tuple[int, list[Any]]] = []
    for cut in one.cuts[: LISTED["cut"]]:
        first, last = cut["first"], cut["last"]
        named = span(first, last)
        beside = f"{cut['words']} words"
        entries.append((first, ["cut", named, _text(source, first), beside, None, first]))
    for entry in one.invented[: LISTED["invented"]]:
        nearest = entry["best_source_index"]
        told = f"nearest, no source: {nearest + 1} {_text(source, nearest)}"
        own = ["invented", str(entry["index"] + 1), shown(entry["sentence"], TEXT), told]
        entries.append((entry.get("home") or 0, [*own, entry["index"], nearest]))
    for move in one.moves[: LISTED["moved"]]:
        named = span(move["first"], move["last"])
        own = ["moved", named, shown(str(move["text"]), TEXT), "", move["first"], move["start"]]
        entries.append((move["start"], own))
    for entry in one.changed[: LISTED["changed"]]:
        told = "; ".join(entry["changed"])
        own = [
            "changed",
            str(entry["index"] + 1),
            shown(entry["sentence"], TEXT),
            shown(told, TEXT),
        ]
        entries.append((entry["place"], [*own, entry["index"], entry["place"]]))
    entries.sort(key=lambda pair: pair[0])
    left = len(one.cuts) - LISTED["cut"]
    return {
        "k": "findings",
        "n": f"By chapter: {shown(one.title, 80)}, {shown(one.system, 60)}",
        "e": one.name,
        "y": shown(one.system, 80),
        "t": shown(one.title, 200),
        "more": f"The {left:,} smallest cuts are in the table Cut (-o tables.xlsx)."
        if left > 0
        else "",
        "c": _grouped(one, entries),
    }


def _text(source: Sequence[str], place: int) -> str:
    return shown(source[place], TEXT) if place < len(source) else ""


def _grouped(one: Edition, entries: Sequence[tuple[int, list[Any]]]) -> list[list[Any]]:
    chapters = one.document.get("chapters") or []
    found = []
    for chapter in chapters:
        own = [held for place, held in entries if chapter["first"] <= place <= chapter["last"]]
        title = str(chapter["title"]) or (
            "The whole text" if len(chapters) == 1 else "Before the first heading"
        )
        found.append([shown(title, 120), _share(chapter), own])
    return found
