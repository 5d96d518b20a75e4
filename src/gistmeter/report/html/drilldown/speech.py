"""Speech: the word diff, the facts in three groups, and the sound where it is at hand."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gistmeter.report.html.drilldown.opening import Block, Item, Opener, marked, plain
from gistmeter.report.html.wording import shown

if TYPE_CHECKING:
    from gistmeter.run import Run

SOUNDS = {".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "audio/ogg", ".mp3": "audio/mpeg"}
DIFF, TEXT = 9000, 1500  # characters shown of a diff, and of a text beside it
GROUPS = (
    ("both", "In both", "both"),
    ("expected", "Missing from the transcript", "missing"),
    ("got", "Only in the transcript", "extra"),
)


def blocks(item: Item, opener: Opener) -> list[Block]:
    """Blocks of a clip: sound, diff, facts, and the two texts as they came."""
    if "diff" not in item.rows.texts and "facts" not in item.rows.texts:
        return []
    found: list[Block] = []
    attach_audio(item, opener)
    edits = item.document("diff")
    if isinstance(edits, list):
        found.append(marked("Word by word", diff_runs(edits), item.lang(str(edits)[:400])))
    facts = item.document("facts")
    if isinstance(facts, list):
        found.append({"k": "facts", "n": "Facts", "g": fact_groups(facts)})
    note = item.text("ser_note")
    if note:
        found.append({"k": "note", "x": shown(note)})
    for name, label in (("expected", "Expected"), ("got", "Transcript")):
        text = item.text(name)
        if text:
            found.append(plain(label, text, item.lang(text[:400]), longest=TEXT))
    return found


def diff_runs(edits: list[Any]) -> list[tuple[str, str]]:
    """Runs of the diff: what was lost, then what stands in its place."""
    runs: list[tuple[str, str]] = []
    size = 0
    for at, edit in enumerate(edits):
        if size > DIFF:
            runs.append((f"… ({len(edits) - at:,} further runs of words)", ""))
            break
        if not (isinstance(edit, list) and len(edit) == 3):
            continue
        kind, expected, got = (str(part) for part in edit)
        size += len(expected) + len(got) + 30
        if kind == "=":
            runs.append((shown(got or expected), ""))
        else:
            runs += [(shown(expected), "deleted")] if expected else []
            runs += [(shown(got), "inserted")] if got else []
    spaced: list[tuple[str, str]] = []
    for at, run in enumerate(runs):
        spaced += [(" ", ""), run] if at else [run]
    return spaced


def fact_groups(facts: list[Any]) -> list[list[Any]]:
    """Title, kind and sentences of the three groups."""
    sentences: dict[str, list[str]] = {verdict: [] for verdict, _, _ in GROUPS}
    for fact in facts:
        if isinstance(fact, dict) and fact.get("verdict") in sentences:
            parts = (str(fact.get(part, "")) for part in ("subject", "predicate", "object"))
            sentences[fact["verdict"]].append(shown(" ".join(part for part in parts if part), 400))
    return [[title, kind, sentences[verdict]] for verdict, title, kind in GROUPS]


def attach_audio(item: Item, opener: Opener) -> None:
    """Let the item point to its recording.

    All recordings are embedded where together they are small enough, each once however many
    systems heard it; else they are linked by relative path.
    """
    name = item.text("audio")
    path = Path(name) if name else None
    if name is None or path is None or path.suffix.lower() not in SOUNDS or not path.is_file():
        return
    if name not in opener.shared:
        source = _embedded(path) if _all_fit(opener) else _linked(path, opener)
        if source is None:
            return
        opener.share(name, [{"k": "audio", "n": "Audio", "u": source}], limited=False)
    item.extra["a"] = name


def _all_fit(opener: Opener) -> bool:
    if "sounds" not in opener.kept:
        opener.kept["sounds"] = recorded(opener.run) <= opener.sounds
    return bool(opener.kept["sounds"])


def recorded(run: Run) -> int:
    """Bytes of all recordings that a run names and that are at hand."""
    column = run.rows.texts.get("audio", ()) if run.rows is not None else ()
    files = [Path(name) for name in {name for name in column if name}]
    return sum(file.stat().st_size for file in files if file.is_file())


def _embedded(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{SOUNDS[path.suffix.lower()]};base64,{data}"


def _linked(path: Path, opener: Opener) -> str | None:
    if opener.page is None:
        return None
    link = os.path.relpath(path.resolve(), opener.page.resolve().parent)
    return quote(Path(link).as_posix())
