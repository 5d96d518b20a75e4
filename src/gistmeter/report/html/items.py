"""The items a page carries: all of them while there is room, else those worth seeing.

Worth seeing are the unscored, the worst, those on which systems differ most, and an even
sample of the rest; how they were chosen is said above the table.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError
from gistmeter.core.files import read_plain
from gistmeter.core.item_columns import LANGUAGE, SAMPLE, columns_of
from gistmeter.core.rows import Rows
from gistmeter.core.views import MAX_AUDIO, Block, Opener, Row, View, plain, rounded, shown
from gistmeter.report.html import to_script
from gistmeter.report.html.overview import Subject

if TYPE_CHECKING:
    from gistmeter.core.run import Run

MOST_ROWS = 3000
ROOM = 2_200_000  # bytes of items in one page
SNIPPET = 160
FACETS = 40  # values of a column that items are filtered by
AUDIO = {".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "audio/ogg", ".mp3": "audio/mpeg"}
Places = npt.NDArray[np.int64]
Link = Callable[[Path], str | None]


@dataclass(frozen=True, slots=True)
class ItemData:
    """What the page's script gets, and what is said of how it was chosen."""

    data: dict[str, Any]
    note: str = ""
    size: int = 0  # bytes of the items and their views


def item_data(
    subject: Subject,
    opener: Opener,
    recordings: Recordings,
    *,
    everything: bool = False,
    room: int = ROOM,
    only: Sequence[int] | None = None,
) -> ItemData:
    """The items of a run as the page's table needs them: all there is room for, or `only` some."""
    rows, name = subject.run.rows, subject.headline
    if rows is None or not len(rows):
        return ItemData(
            {"columns": [], "systems": [], "groups": [], "items": [], "shared": {}, "parts": False,
             "facets": []}
        )  # fmt: skip
    columns = _item_columns(subject, rows)
    higher = subject.score(name).higher_is_better
    opening = subject.view.opening(opener)
    places = subject.view.listed(rows)
    among = rows if places is None else rows.take(places)
    items: list[tuple[int, dict[str, Any]]] = []
    total = 0
    text = text_column(subject)
    filters = facets(among, columns_of(subject.run.notes))
    if only is None:
        chosen = choose(among, name, higher=higher, everything=everything)
        only = list(chosen) if places is None else [places[at] for at in chosen]
    for at in only:
        item = _item(rows, at, columns, text) | _opened(at, subject.view, opener, recordings)
        if filters:
            item["c"] = [shown(rows.texts[name][at], 200) for name in filters]
        if SAMPLE in rows.texts:
            item["n"] = shown(rows.texts[SAMPLE][at], 60)
        size = len(to_script(item).encode("utf-8", "replace"))
        if total + size + opener.spent > room and not everything and items:
            break
        total += size
        items.append((at, item))
    has_worth = any("w" in item for _, item in items)
    items.sort(key=lambda pair: (-pair[1].get("w", 0.0), pair[0]))
    kept = [item for _, item in items]
    data = {
        "command": subject.run.command,
        "id": _identity(subject.run),
        "columns": [_column(subject, column) for column in columns],
        "systems": [shown(system, 200) for system in subject.run.systems],
        "colours": [subject.palette.colour(system) for system in subject.run.systems],
        "parts": subject.has_parts,
        "groups": list(dict.fromkeys(shown(group, 200) for group in rows.keys["group"])),
        "ranked": [shown(system, 200) for system in subject.ordered],
        "references": _references(subject, rows, items),
        "sort": "" if has_worth else shown(name, 60) if name in columns else "id",
        "down": not higher,
        "facets": [[shown(name, 60), values] for name, values in filters.items()],
        "snippet": shown(text, 60) or ("text" if any(item["x"] for item in kept) else ""),
        "shared": opener.shared,
        "opening": opening,
        "items": kept,
    }
    return ItemData(data, _note(len(kept), len(among), name), total + opener.spent)


def _identity(run: Run) -> str:
    """The same for every report of the same run, so that a reader's marks are found again."""
    content = repr((run.command, run.signature, sorted(run.inputs.items())))
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


def _references(
    subject: Subject, rows: Rows, items: list[tuple[int, dict[str, Any]]]
) -> dict[str, str]:
    """What should have been, by item and group, for the table with a column per system."""
    column = rows.texts.get(subject.view.reference)
    if column is None or len(subject.run.systems) < 2 or subject.has_parts:
        return {}
    return {f"{item['i']}\n{item['g']}": shown(column[at], SNIPPET) for at, item in items}


def _column(subject: Subject, name: str) -> dict[str, Any]:
    score, words = subject.score(name), subject.view.names.get(name, "")
    lower = not score.higher_is_better
    return {"name": shown(name, 60), "unit": score.unit, "words": words, "lower": lower}


def _note(kept: int, total: int, name: str) -> str:
    if kept >= total:
        return ""
    return (
        f"{kept:,} of {total:,} rows are in this page: those without a score, the worst by {name}, "
        "those on which systems differ most, and an even sample of the rest, within the size of a "
        "page that opens fast. Pictures are over all of them. "
        "`gistmeter report RUN --all` puts every row in; items.parquet has them as well."
    )


def _item_columns(subject: Subject, rows: Rows) -> list[str]:
    """The scores that items have a value of, the headline first."""
    return [
        name
        for name in subject.shown_scores
        if name in rows and np.isfinite(rows.values(name)).any()
    ][:10]


def choose(
    rows: Rows, name: str, *, higher: bool, everything: bool, most: int = MOST_ROWS
) -> Iterator[int]:
    """Row numbers in the order of their worth, each once."""
    yield from _by_turns(_orders(rows, name, higher), len(rows) if everything else most)


def _orders(rows: Rows, name: str, higher: bool) -> list[Places]:
    """Reasons to be seen, each as row numbers with the most urgent first."""
    everyone = np.arange(len(rows), dtype=np.int64)
    even = everyone[:: max(1, len(rows) // 1000)]
    even = np.concatenate([even, everyone])
    if name not in rows:
        return [even]
    values = rows.values(name)
    unscored = np.flatnonzero(np.isnan(values))
    worst = np.argsort(values if higher else -values, kind="stable")
    worst = worst[np.isfinite(values[worst])]
    return [unscored, worst, _by_difference(rows, values), even]


def _by_difference(rows: Rows, values: npt.NDArray[np.float64]) -> Places:
    """Rows of the items on which systems differ most, an item's rows together."""
    places: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(rows.keys["id"], rows.keys["group"], strict=True)):
        places.setdefault(key, []).append(at)
    gaps = []
    for members in places.values():
        known = [value for value in values[members].tolist() if math.isfinite(value)]
        if len(known) > 1:
            gaps.append((max(known) - min(known), members))
    gaps.sort(key=lambda pair: -pair[0])
    return np.asarray([at for _, members in gaps for at in members], dtype=np.int64)


def _by_turns(orders: list[Places], most: int) -> Iterator[int]:
    """One from each order in turn, without repetition."""
    queues = [iter(order.tolist()) for order in orders]
    seen: set[int] = set()
    while queues and len(seen) < most:
        for queue in list(queues):
            unseen = next((at for at in queue if at not in seen), None)
            if unseen is None:
                queues.remove(queue)
            elif len(seen) < most:
                seen.add(unseen)
                yield unseen


def text_column(subject: Subject) -> str:
    """The text that stands in the table: the one its family names, else the first of the run."""
    texts = subject.run.rows.texts if subject.run.rows is not None else {}
    return next((name for name in (*subject.view.texts, *texts) if name in texts), "")


def _item(rows: Rows, at: int, columns: list[str], text: str) -> dict[str, Any]:
    words = (rows.texts[text][at] or "") if text else ""
    reasons = dict.fromkeys(shown(cells[at], 300) for cells in rows.reasons.values() if at in cells)
    return {
        "i": shown(rows.keys["id"][at], 300),
        "s": shown(rows.keys["system"][at], 200),
        "g": shown(rows.keys["group"][at], 200),
        "v": [rounded(float(rows.values(column)[at])) for column in columns],
        "x": shown(words, SNIPPET),
        "r": list(reasons),
    }


@dataclass(slots=True)
class Recordings:
    """The recordings that a run's column `audio` names, embedded or linked by relative path.

    Each is there once, however many systems heard it. A file is embedded only where it is still
    the one that the run found to be sound: `digests` are what the run notes of its recordings.
    """

    page: Path | None = None  # where the report will stand
    digests: Mapping[str, str] = field(default_factory=dict)  # empty: all are linked
    link: Link | None = None  # the address of a recording, where the page is served

    def attach(self, row: Row, opener: Opener) -> None:
        """Let the row point to its recording."""
        name = row.text("audio")
        path = Path(name) if name else None
        if name is None or path is None or path.suffix.lower() not in AUDIO:
            return
        if name not in opener.shared:
            embedded = None if self.link else self._embedded(name, path)
            source = embedded or self._link(path)
            if source is None:
                return
            opener.share(name, [{"k": "audio", "n": "Audio", "u": source}], limited=False)
        row.extra["a"] = name

    def _embedded(self, name: str, path: Path) -> str | None:
        try:
            content = read_plain(path, MAX_AUDIO) if name in self.digests else b""
        except InputError:
            return None
        if hashlib.sha256(content).hexdigest() != self.digests.get(name):
            return None
        data = base64.b64encode(content).decode("ascii")
        return f"data:{AUDIO[path.suffix.lower()]};base64,{data}"

    def _link(self, path: Path) -> str | None:
        if self.link is not None:
            return self.link(path)
        if self.page is None or path.is_symlink() or not path.is_file():
            return None
        link = os.path.relpath(path.resolve(), self.page.resolve().parent)
        return quote(Path(link).as_posix())


def digests_of(run: Run) -> dict[str, str]:
    """Recording -> digest, as a run notes them."""
    noted = run.notes.get("recordings")
    return {str(name): str(digest) for name, digest in (noted or {}).items()}


def size_of_recordings(run: Run) -> int:
    """Bytes of the recordings that a run knows to be sound, and that are at hand."""
    files = [Path(name) for name in digests_of(run)]
    return sum(file.stat().st_size for file in files if file.is_file())


def _opened(at: int, view: View, opener: Opener, recordings: Recordings) -> dict[str, Any]:
    """All blocks of a row, its language for fonts, and what its family puts beside them."""
    assert opener.run.rows is not None
    row = Row(opener.run.rows, at, opener.language)
    recordings.attach(row, opener)
    kept = columns_of(opener.run.notes)
    blocks = [*_asked(row, view, kept), *view.blocks(row, opener), *_kept(row, kept)]
    blocks += _unused_columns(row)
    lang = next((block["l"] for block in blocks if "l" in block and block["k"] == "text"), "")
    return {"b": blocks, **row.extra, **({"l": lang} if lang else {})}


def _asked(row: Row, view: View, kept: Sequence[str]) -> list[Block]:
    """What a system was asked, before its answer."""
    by_fold = {name.removesuffix(" (input)").casefold(): name for name in kept}
    names = [by_fold[name] for name in view.asked if name in by_fold]
    return [
        plain(name, text, row.lang(text[:400])) | {"asked": True}
        for name in names
        if (text := row.text(name))
    ]


def _kept(row: Row, kept: Sequence[str]) -> list[Block]:
    """The input's further columns, one line each."""
    names = [*(name for name in (LANGUAGE, SAMPLE) if name in row.rows.texts), *kept]
    lines = [
        [name, shown(text, 300)]
        for name in names
        if name not in row.used and (text := row.text(name))
    ]
    return [{"k": "table", "n": "Columns", "c": ["column", "value"], "r": lines}] if lines else []


def facets(rows: Rows, kept: Sequence[str]) -> dict[str, list[str]]:
    """The columns that items can be filtered by, with their values."""
    found = {}
    for name in (LANGUAGE, SAMPLE, *kept):
        values = {shown(cell, 200) for cell in rows.texts.get(name, ()) if cell}
        if 1 < len(values) <= min(FACETS, len(set(rows.keys["id"])) / 2):
            found[name] = sorted(values)
    return found


def _unused_columns(row: Row) -> list[Block]:
    """The columns that are still unused, so that nothing a metric wrote stays hidden."""
    blocks = [
        plain(name, text, row.lang(text[:400]))
        for name in row.rows.texts
        if name not in row.used and (text := row.text(name))
    ]
    numbers = [
        [name, value]
        for name in row.rows.numbers
        if name not in row.used and (value := rounded(row.number(name))) is not None
    ]
    if numbers:
        blocks.append({"k": "table", "f": "All numbers", "c": ["name", "value"], "r": numbers})
    return blocks
