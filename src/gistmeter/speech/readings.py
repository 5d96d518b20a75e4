"""Whole recordings to read along: what was said beside what each system heard, piece by piece.

A recording is all rows of one group: the segments of a long text, the utterances of an STM, or one
long text that is cut here into pieces of so many expected words, at the same places for every
system. A piece holds the expected words once, and of each system only where it differs:

    [label, "the expected words", [place, words replaced, "words heard", …], 0, null]

0 is a piece that was heard as it was said, null one without a transcript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gistmeter.core.rows import Rows
from gistmeter.core.views import Block, Opener, script_language, shown, visible

LONG = 200  # words from which on a recording is worth its own page
PIECE = 30  # words
SHARE = 3  # of the room that shared views have, times
Edit = tuple[str, str, str]  # kind, expected words, got words
Place = tuple[int, int, str]  # the row's number, the piece's in it, its expected words


@dataclass(slots=True)
class Reading:
    """A recording: its pieces by their labels, and where a row's pieces begin."""

    name: str
    order: dict[str, int] = field(default_factory=dict)  # of the rows' ids
    pieces: dict[Place, tuple[str, dict[int, Any]]] = field(default_factory=dict)
    starts: dict[int, Place] = field(default_factory=dict)  # by row

    def add(self, at: int, own: str, label: str, edits: Iterable[Edit] | None, column: int) -> None:
        """The pieces of a row of one system; a row without a transcript keeps its place."""
        rank = self.order.setdefault(own, len(self.order))
        for number, piece in enumerate(cut(edits or ())):
            words = visible(" ".join(expected for _, expected, _ in piece if expected))
            place = (rank, number, words)
            _, cells = self.pieces.setdefault(place, ("" if number else label, {}))
            cells[column] = changes(piece)
            self.starts.setdefault(at, place)

    def errors(self) -> int:
        return sum(wrong(cell) for _, cells in self.pieces.values() for cell in cells.values())

    def block(self, systems: list[str], language: str) -> Block:
        lines: list[list[Any]] = []
        said = 0
        for place in sorted(self.pieces):
            words, (label, cells) = place[2], self.pieces[place]
            own = [cells.get(column) for column in range(len(systems))]
            lines.append([label or f"{said + 1:,}", words, *own])
            said += len(words.split())
        lang = script_language(lines[0][1][:400], language) if lines else ""
        names = [shown(system, 200) for system in systems]
        return {"k": "reading", "t": shown(self.name, 120), "l": lang, "y": names, "r": lines}


def cut(edits: Iterable[Edit], size: int = PIECE) -> Iterator[list[Edit]]:
    """An alignment in pieces of so many expected words; an insertion stays with the word before."""
    piece: list[Edit] = []
    said = 0
    for kind, expected, got in edits:
        words, heard = expected.split(), got.split()
        even = kind in "=sd" and (kind == "d" or len(words) == len(heard))
        while words and even:
            if said >= size:
                yield piece
                piece, said = [], 0
            now = min(len(words), size - said)
            piece.append((kind, " ".join(words[:now]), " ".join(heard[:now])))
            said, words, heard = said + now, words[now:], heard[now:]
        if not even:
            piece.append((kind, expected, got))
            said += len(words)
    if piece:
        yield piece


def changes(piece: Iterable[Edit]) -> list[Any] | int:
    """Where a piece was heard otherwise: place, words replaced, words heard; neighbours as one."""
    found: list[Any] = []
    at = 0
    for kind, expected, got in piece:
        size = len(expected.split())
        if kind != "=":
            if found and found[-3] + found[-2] == at:
                found[-2] += size
                found[-1] = f"{found[-1]} {visible(got)}".strip()
            else:
                found += [at, size, visible(got)]
        at += size
    return found or 0


def wrong(cell: list[Any] | int | None) -> int:
    """Word errors of a piece: what was replaced or put in, whichever is more."""
    if not cell or isinstance(cell, int):
        return 0
    return sum(max(cell[at + 1], len(cell[at + 2].split())) for at in range(0, len(cell), 3))


def share_readings(opener: Opener) -> list[Block]:
    """Give the page its recordings, those with most errors first, and say which have no room."""
    rows = opener.run.rows
    if rows is None or "diff" not in rows.texts or "words_expected" not in rows.numbers:
        return []
    systems = list(opener.run.systems)
    found = sorted(_gather(rows, systems), key=lambda one: -one.errors())
    kept, left = [], 0
    room = opener.views * SHARE
    places: dict[int, tuple[str, int]] = opener.kept.setdefault("places", {})
    for reading in found:
        block = reading.block(systems, opener.language)
        size = len(json.dumps(block, ensure_ascii=False).encode("utf-8", "replace"))
        if size > room:
            left += 1
            continue
        room -= size
        name = f"reading {reading.name}"
        opener.share(name, [block], limited=False)
        kept.append(name)
        numbers = {place: number for number, place in enumerate(sorted(reading.pieces))}
        places |= {at: (name, numbers[place]) for at, place in reading.starts.items()}
    if not kept:
        return []
    more = f"{left:,} further recordings do not fit. `gistmeter report RUN --all` puts them in."
    return [{"k": "readings", "n": "Whole recordings", "r": kept, "x": more if left else ""}]


def _gather(rows: Rows, systems: list[str]) -> list[Reading]:
    names = _names(rows)
    said: dict[tuple[str, str], float] = {}
    counts = np.nan_to_num(rows.values("words_expected")).tolist()
    for name, system, count in zip(names, rows.keys["system"], counts, strict=True):
        said[name, system] = said.get((name, system), 0.0) + count
    long = {name for (name, _), count in said.items() if count >= LONG}
    found: dict[str, Reading] = {}
    columns = {system: column for column, system in enumerate(systems)}
    for at, (name, system) in enumerate(zip(names, rows.keys["system"], strict=True)):
        if name in long and system in columns:
            reading = found.setdefault(name, Reading(name))
            own, cluster = rows.keys["id"][at], rows.keys["cluster"][at]
            label = _label(name, own, cluster)
            reading.add(at, own, label, edits_of(rows.texts["diff"][at]), columns[system])
    return list(found.values())


def _names(rows: Rows) -> list[str]:
    """The recording of each row: its group, else its file."""
    files = rows.texts.get("file") or rows.keys["id"]
    groups = rows.keys["group"]
    return [
        group or file or own
        for group, file, own in zip(groups, files, rows.keys["id"], strict=True)
    ]


def _label(name: str, own: str, cluster: str) -> str:
    """A piece's time and speaker where its id has them, else its id; a long text's are counted."""
    timed = re.fullmatch(re.escape(name) + r"-(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", own)
    speaker = "" if cluster == own else f" {cluster}"
    if timed:
        minutes, seconds = divmod(float(timed[1]), 60)
        return shown(f"{minutes:.0f}:{seconds:04.1f}{speaker}", 80)
    return "" if own.partition("#")[0] == name else shown(f"{own}{speaker}", 80)


def edits_of(text: str | None) -> list[Edit] | None:
    """The alignment that a cell holds as JSON; None where there is none."""
    try:
        held = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(held, list):
        return None
    return [
        (str(edit[0]), str(edit[1]), str(edit[2]))
        for edit in held
        if isinstance(edit, list) and len(edit) == 3
    ]
