"""What a report shows of speech: the word diff, the facts, and whole recordings to read along.

A recording is all rows of one group: the segments of a long text, the utterances of an STM, or one
long text that is cut here into pieces of so many expected words, at the same places for every
system. A piece holds the expected words once, and of each system only where it differs:

    [label, "the expected words", [place, words replaced, "words heard", …], 0, null]

0 is a piece that was heard as it was said, null one without a transcript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gistmeter.core import registry
from gistmeter.core.rows import Rows
from gistmeter.core.views import (
    Block,
    Opener,
    Row,
    View,
    mark,
    marked,
    script_language,
    shown,
    valid,
    visible,
)
from gistmeter.metrics.views import NAMES as ALARMS
from gistmeter.metrics.views import evidence_blocks, shown_alarms
from gistmeter.speech.metrics.edits import DiffRun, diff_from_json
from gistmeter.speech.metrics.fact_prompt import SemanticFact, Verdict, facts_from_json

DIFF, TEXT = 4000, 1500  # characters shown of a diff, and of a text beside it
GROUPS = (
    (Verdict.BOTH, "In both", "both"),
    (Verdict.EXPECTED, "Missing from the transcript", "missing"),
    (Verdict.GOT, "Only in the transcript", "extra"),
)
CONFUSED = (
    ("substituted", "substitutions", "Heard as another word", "missing"),
    ("deleted", "deletions", "Lost", "missing"),
    ("inserted", "insertions", "Put in", "extra"),
)
MISHEARD = 12  # words that are shown of each kind
LONG = 200  # words from which on a recording is worth its own page
PIECE = 30  # words
MEETINGS = 8  # that are drawn
SHARE = 3  # of the room that shared views have, times
Place = tuple[int, int, str]  # the row's number, the piece's in it, its expected words


class SpeechView(View):
    """Diff, facts, and the two texts as they came."""

    def opening(self, opener: Opener) -> list[Block]:
        """Meetings as a timeline; recordings to read along, to which items point."""
        return [*confusions(opener), *timelines(opener), *share_readings(opener)]

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        if "diff" not in row.rows.texts and "facts" not in row.rows.texts:
            return []
        blocks: list[Block] = []
        edits = diff_from_json(row.text("diff"))
        if edits is not None:
            blocks.append(_diff_block(edits, row))
        elif "got" in row.rows.texts and row.text("got") is None:
            blocks.append({"k": "note", "n": "Transcript", "x": "(none)"})
        places = opener.kept.get("places", {})
        if row.at in places:
            name, piece = places[row.at]
            system = shown(row.key("system"), 200)
            blocks.append({"k": "along", "of": name, "h": piece, "y": system})
        blocks += passages(row)
        blocks += evidence_blocks(row)
        facts = facts_from_json(row.text("facts"))
        if facts is not None:
            blocks.append({"k": "facts", "n": "Facts", "g": fact_groups(facts)})
        note = row.text("ser_note")
        if note:
            blocks.append({"k": "note", "x": shown(note)})
        alarms = shown_alarms(row)
        blocks += alarms.blocks()
        for name, label, spans in (
            ("expected", "Expected", alarms.expected),
            ("got", "Transcript", alarms.said),
        ):
            text = row.text(name)
            if text and (len(text) <= TEXT or row.at not in places):
                lang = row.lang(text[:400])
                runs = mark(text[:TEXT], (), valid(spans, len(text[:TEXT])))
                cut = len(text) - TEXT
                runs += [(f" … (+{cut:,} characters)", "")] if cut > 0 else []
                blocks.append(marked(label, runs, lang))
        return blocks


def confusions(opener: Opener) -> list[Block]:
    """What each system misheard most often: words heard as others, lost, put in."""
    noted, edits = (opener.run.notes.get(name) for name in ("confused_words", "edits"))
    blocks: list[Block] = []
    for system, lists in (noted if isinstance(noted, dict) else {}).items():
        totals = edits.get(system, {}) if isinstance(edits, dict) else {}
        groups = [
            [
                title,
                kind,
                [shown(line, 120) for line in _counted(lists.get(name))],
                totals.get(total),
            ]
            for name, total, title, kind in CONFUSED
        ]
        if any(lines for _, _, lines, _ in groups):
            title = f"Misheard most often by {shown(str(system), 60)}"
            blocks.append({"k": "facts", "n": title, "g": groups})
    return blocks


def _counted(entries: Any) -> Iterator[str]:
    """The first entries of a list of confused words, each with how often; broken ones left out."""
    for entry in entries[:MISHEARD] if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 3:
            words = " → ".join(str(word) for word in entry[:2] if word)
            yield f"{words} ({entry[2]}×)"


VIEW = SpeechView(
    heading="Speech: what was heard of what was said",
    noun="clip",
    part="segment",
    cluster="speaker",
    rated=("expected", "got"),
    decisive=("wer", "cer", "gist", "ser", "alarms", "keyword_f1", "latency"),
    methods={
        "wer": "the word error rate",
        "cer": "the character error rate",
        "gist": "the share of the meaning that survived, as careful readers would rate it",
        "ser": "the semantic error rate: the share of facts that were lost or changed",
        "alarms": "the share of clips (of long ones, segments) with a fact or word that differs",
    },
    names={
        "gist": "meaning kept",
        **ALARMS,
        **{
            info.name: info.title
            for load in registry.metrics("speech").values()
            for info in load().scores
            if info.title
        },
    },
    texts=("heard", "got", "expected"),
    reference="expected",
    against=(("wer", "ser"), ("wer", "sem_dist")),
)


def _diff_block(edits: list[DiffRun], row: Row) -> Block:
    """The alignment, or where it is long the passages with most errors, worst first."""
    lang = row.lang(str(edits[:20])[:400])
    if sum(len(expected) + len(got) for _, expected, got in edits) <= 2 * DIFF:
        return marked("Word by word", diff_runs(edits), lang)
    runs: list[tuple[str, str]] = []
    size = 0
    for piece in sorted(cut(edits), key=lambda piece: -wrong(changes(piece))):
        size += sum(len(expected) + len(got) for _, expected, got in piece)
        if runs and (size > DIFF or not wrong(changes(piece))):
            break
        runs += [("\n\n", ""), *diff_runs(piece)] if runs else diff_runs(piece)
    return marked("The worst passages, word by word", runs, lang)


def diff_runs(edits: Iterable[DiffRun]) -> list[tuple[str, str]]:
    """Runs of the diff: what was lost, then what stands in its place."""
    runs: list[tuple[str, str]] = []
    for kind, expected, got in edits:
        if kind == "=":
            runs.append((shown(got or expected), ""))
        else:
            runs += [(shown(expected), "deleted")] if expected else []
            runs += [(shown(got), "inserted")] if got else []
    spaced: list[tuple[str, str]] = []
    for at, run in enumerate(runs):
        spaced += [(" ", ""), run] if at else [run]
    return spaced


def fact_groups(facts: Iterable[SemanticFact]) -> list[list[Any]]:
    """Title, kind and sentences of the three groups."""
    return [
        [title, kind, [shown(fact.sentence, 400) for fact in facts if fact.verdict is verdict]]
        for verdict, title, kind in GROUPS
    ]


@dataclass(slots=True)
class Recording:
    """A recording: its pieces by their labels, and where a row's pieces begin."""

    name: str
    order: dict[str, int] = field(default_factory=dict)  # of the rows' ids
    pieces: dict[Place, tuple[str, dict[int, Any]]] = field(default_factory=dict)
    starts: dict[int, Place] = field(default_factory=dict)  # by row

    def add(
        self, at: int, row_id: str, label: str, edits: Iterable[DiffRun] | None, column: int
    ) -> None:
        """The pieces of a row of one system; a row without a transcript keeps its place."""
        rank = self.order.setdefault(row_id, len(self.order))
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
            heard = [cells.get(column) for column in range(len(systems))]
            lines.append([label or f"{said + 1:,}", words, *heard])
            said += len(words.split())
        lang = script_language(lines[0][1][:400], language) if lines else ""
        names = [shown(system, 200) for system in systems]
        return {"k": "reading", "t": shown(self.name, 120), "l": lang, "y": names, "r": lines}


def cut(edits: Iterable[DiffRun], size: int = PIECE) -> Iterator[list[DiffRun]]:
    """An alignment in pieces of so many expected words; an insertion stays with the word before."""
    piece: list[DiffRun] = []
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


def changes(piece: Iterable[DiffRun]) -> list[Any] | int:
    """Where a piece was heard differently: place, words replaced, words heard; runs joined."""
    replaced: list[Any] = []
    at = 0
    for kind, expected, got in piece:
        size = len(expected.split())
        if kind != "=":
            if replaced and replaced[-3] + replaced[-2] == at:
                replaced[-2] += size
                replaced[-1] = f"{replaced[-1]} {visible(got)}".strip()
            else:
                replaced += [at, size, visible(got)]
        at += size
    return replaced or 0


def wrong(cell: list[Any] | int | None) -> int:
    """Word errors of a piece: what was replaced or put in, whichever is more."""
    if not cell or isinstance(cell, int):
        return 0
    return sum(max(cell[at + 1], len(cell[at + 2].split())) for at in range(0, len(cell), 3))


def passages(row: Row) -> list[Block]:
    """The segments of a long text that lost most of their meaning; each can be heard."""
    found = row.document("worst_segments")
    size = max(len((row.text("expected") or "").split()), 1)
    lines = [
        [f"{value:.2f}", round(start / size, 4), shown(str(expected), TEXT), shown(str(got), TEXT)]
        for line in (found if isinstance(found, list) else ())
        if isinstance(line, list) and len(line) == 4
        for value, start, expected, got in [line]
    ]
    return [{"k": "passages", "n": "Segments that lost most (gist)", "r": lines}] if lines else []


def timelines(opener: Opener) -> list[Block]:
    """Who spoke when: as it was, with the share of words in error, and as each system has it."""
    by_system = opener.documents("meetings.json")
    names = list(dict.fromkeys(name for own in by_system.values() for name in own))
    meetings: list[Any] = []
    for name in names[:MEETINGS]:
        held = {system: own[name] for system, own in by_system.items() if name in own}
        said = next(iter(held.values()))["said"]
        # Errors are a system's own: beside several the first lanes only say who spoke.
        known = said if len(held) == 1 else [piece[:3] for piece in said]
        lanes = [["", lane, bars] for lane, bars in _lanes(known)]
        for system, meeting in held.items():
            lanes += [[shown(system, 80), lane, bars] for lane, bars in _lanes(meeting["heard"])]
        meetings += [[shown(name, 120), lanes]] if lanes else []
    if not meetings:
        return []
    left = len(names) - MEETINGS
    more = [f"{left:,} further meetings are not drawn."] if left > 0 else []
    others = [shown(system, 80) for system in opener.run.systems if system not in by_system]
    if others:
        drawn = ", ".join(shown(system, 80) for system in by_system)
        more.append(f"Drawn: {drawn}. Without speakers: {', '.join(others)}.")
    return [{"k": "timeline", "n": "Who spoke when", "r": meetings, "x": " ".join(more)}]


def _lanes(pieces: Iterable[Sequence[Any]]) -> list[tuple[str, list[list[Any]]]]:
    """Bars of each speaker: beginning, end and, where it is known, the share of words in error."""
    lanes: dict[str, list[list[Any]]] = {}
    for speaker, start, end, *errors in pieces:
        share = [round(errors[0] / errors[1], 2)] if len(errors) == 2 and errors[1] else []
        lanes.setdefault(shown(speaker, 60), []).append([round(start, 1), round(end, 1), *share])
    return list(lanes.items())


def share_readings(opener: Opener) -> list[Block]:
    """Give the page its recordings, those with most errors first, and say which have no room."""
    rows = opener.run.rows
    if rows is None or "diff" not in rows.texts or "words_expected" not in rows.numbers:
        return []
    systems = list(opener.run.systems)
    recordings = sorted(_gather(rows, systems), key=lambda recording: -recording.errors())
    kept, left = [], 0
    room = opener.views * SHARE
    places: dict[int, tuple[str, int]] = opener.kept.setdefault("places", {})
    for recording in recordings:
        block = recording.block(systems, opener.language)
        size = len(json.dumps(block, ensure_ascii=False).encode("utf-8", "replace"))
        if size > room:
            left += 1
            continue
        room -= size
        name = f"reading {recording.name}"
        opener.share(name, [block], limited=False)
        kept.append(name)
        numbers = {place: number for number, place in enumerate(sorted(recording.pieces))}
        places |= {at: (name, numbers[place]) for at, place in recording.starts.items()}
    if not kept:
        return []
    more = f"{left:,} further recordings do not fit. `gistmeter report RUN --all` puts them in."
    return [{"k": "readings", "n": "Whole recordings", "r": kept, "x": more if left else ""}]


def _gather(rows: Rows, systems: list[str]) -> list[Recording]:
    names = _names(rows)
    said: dict[tuple[str, str], float] = {}
    counts = np.nan_to_num(rows.values("words_expected")).tolist()
    for name, system, count in zip(names, rows.keys["system"], counts, strict=True):
        said[name, system] = said.get((name, system), 0.0) + count
    long = {name for (name, _), count in said.items() if count >= LONG}
    recordings: dict[str, Recording] = {}
    columns = {system: column for column, system in enumerate(systems)}
    for at, (name, system) in enumerate(zip(names, rows.keys["system"], strict=True)):
        if name in long and system in columns:
            recording = recordings.setdefault(name, Recording(name))
            row_id = rows.keys["id"][at]
            label = _label(name, row_id, rows.keys["cluster"][at])
            edits = diff_from_json(rows.texts["diff"][at])
            recording.add(at, row_id, label, edits, columns[system])
    return list(recordings.values())


def _names(rows: Rows) -> list[str]:
    """The recording of each row: its group, else its file."""
    files = rows.texts.get("file") or rows.keys["id"]
    keys = zip(rows.keys["group"], files, rows.keys["id"], strict=True)
    return [group or file or row_id for group, file, row_id in keys]


def _label(name: str, row_id: str, cluster: str) -> str:
    """A piece's time and speaker where its id has them, else its id; a long text's are counted."""
    timed = re.fullmatch(re.escape(name) + r"-(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", row_id)
    speaker = "" if cluster == row_id else f" {cluster}"
    if timed:
        minutes, seconds = divmod(float(timed[1]), 60)
        return shown(f"{minutes:.0f}:{seconds:04.1f}{speaker}", 80)
    return "" if row_id.partition("#")[0] == name else shown(f"{row_id}{speaker}", 80)
