"""An item opened: its recording, what its family shows, then all that is left."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gistmeter.core.views import Block, Opener, Row, View, plain, rounded

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SOUNDS = {".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "audio/ogg", ".mp3": "audio/mpeg"}


@dataclass(slots=True)
class Sounds:
    """The recordings that a run's column `audio` names, embedded or linked by relative path.

    Each is there once, however many systems heard it.
    """

    page: Path | None = None  # where the report will stand
    embed: bool = True

    def attach(self, row: Row, opener: Opener) -> None:
        """Let the row point to its recording."""
        name = row.text("audio")
        path = Path(name) if name else None
        if name is None or path is None or path.suffix.lower() not in SOUNDS or not path.is_file():
            return
        if name not in opener.shared:
            source = _embedded(path) if self.embed else self._link(path)
            if source is None:
                return
            opener.share(name, [{"k": "audio", "n": "Audio", "u": source}], limited=False)
        row.extra["a"] = name

    def _link(self, path: Path) -> str | None:
        if self.page is None:
            return None
        link = os.path.relpath(path.resolve(), self.page.resolve().parent)
        return quote(Path(link).as_posix())


def recorded(run: Run) -> int:
    """Bytes of all recordings that a run names and that are at hand."""
    column = run.rows.texts.get("audio", ()) if run.rows is not None else ()
    files = [Path(name) for name in {name for name in column if name}]
    return sum(file.stat().st_size for file in files if file.is_file())


def _embedded(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{SOUNDS[path.suffix.lower()]};base64,{data}"


def open_row(
    at: int, view: View, opener: Opener, sounds: Sounds
) -> tuple[list[Block], dict[str, Any]]:
    """All blocks of a row, and what stands beside them in the page's item."""
    assert opener.run.rows is not None
    row = Row(opener.run.rows, at, opener.language)
    sounds.attach(row, opener)
    return [*view.blocks(row, opener), *rest(row)], row.extra


def rest(row: Row) -> list[Block]:
    """The columns that are still unused, so that nothing a metric wrote stays hidden."""
    found: list[Block] = []
    for name in row.rows.texts:
        if name not in row.used:
            text = row.text(name)
            if text:
                found.append(plain(name, text, row.lang(text[:400])))
    numbers = [
        [name, value]
        for name in row.rows.numbers
        if name not in row.used and (value := rounded(row.number(name))) is not None
    ]
    if numbers:
        found.append({"k": "table", "f": "All numbers", "c": ["name", "value"], "r": numbers})
    return found
