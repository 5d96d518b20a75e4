"""One row of a run as its drill-down sees it, and the order in which families are asked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.report.html.embedding import to_script
from gistmeter.report.html.wording import LONGEST, script_language, shown
from gistmeter.rows import Rows

if TYPE_CHECKING:
    from gistmeter.run import Run

Block = dict[str, Any]


@dataclass(slots=True)
class Item:
    """A row: its texts and numbers, and which of its columns have been shown already."""

    rows: Rows
    at: int
    language: str = ""
    used: set[str] = field(default_factory=set)
    extra: dict[str, Any] = field(default_factory=dict)  # further fields of the page's item

    def key(self, name: str) -> str:
        return self.rows.keys[name][self.at]

    def text(self, name: str) -> str | None:
        """A text column's cell; asking for it claims it."""
        self.used.add(name)
        column = self.rows.texts.get(name)
        return column[self.at] if column is not None else None

    def document(self, name: str) -> Any:
        """A text column that holds JSON; None where it is absent or broken."""
        cell = self.text(name)
        if not cell:
            return None
        try:
            return json.loads(cell)
        except ValueError:
            return None

    def number(self, name: str) -> float:
        self.used.add(name)
        column = self.rows.numbers.get(name)
        return float(column[self.at]) if column is not None else math.nan

    def lang(self, text: str) -> str:
        return script_language(text, self.language)


Family = Callable[[Item, "Opener"], list[Block]]


@dataclass(slots=True)
class Opener:
    """Makes the blocks of a run's items."""

    run: Run
    page: Path | None = None  # where the report will stand, for links to audio
    details: Mapping[str, Any] = field(init=False)
    views: int = 900_000  # bytes of views that items share: books and sounds
    sounds: int = 1_000_000  # bytes of all recordings together up to which they are embedded
    pictures: int = 24  # pictures of single items that may still be drawn
    kept: dict[str, Any] = field(default_factory=dict)  # what families remember between items

    def __post_init__(self) -> None:
        self.details = Details(self.run)

    @property
    def shared(self) -> dict[str, list[Block]]:
        """Views that several items point to, by name."""
        found: dict[str, list[Block]] = self.kept.setdefault("shared", {})
        return found

    @property
    def spent(self) -> int:
        """Bytes of the shared views so far."""
        return int(self.kept.get("spent", 0))

    def share(self, name: str, view: list[Block], *, limited: bool = True) -> bool:
        """Keep a view for items to point to; False where it does not fit."""
        size = len(to_script(view).encode("utf-8", "replace"))
        if limited and self.spent + size > self.views:
            return False
        self.shared[name] = view
        self.kept["spent"] = self.spent + (size if limited else 0)
        return True

    @property
    def language(self) -> str:
        given = self.run.settings.get("language") or self.run.notes.get("language") or ""
        return given if isinstance(given, str) else ""

    def open(self, at: int) -> tuple[list[Block], dict[str, Any]]:
        """All blocks of a row, the family's own first and the rest of its columns last.

        Beside them, what a family adds to the page's item: `e` and `h`, the shared view it points
        to and the place in it; `a`, one that stands before the item's own blocks; `x`, its text in
        the table; `w`, its worth: the highest come first.
        """
        from gistmeter.report.html.drilldown import book, generic, parse, speech, text

        assert self.run.rows is not None
        item = Item(self.run.rows, at, self.language)
        families: Sequence[Family] = (
            text.blocks, speech.blocks, book.blocks, parse.blocks, generic.blocks,
        )  # fmt: skip
        return [block for family in families for block in family(item, self)], item.extra


class Details(Mapping[str, Any]):
    """The run's documents by file name, read when asked for; a broken one is as good as none."""

    def __init__(self, run: Run) -> None:
        held = run.rows.details if run.rows is not None else {}
        self._known: dict[str, Any] = dict(held)
        folder = run.path / "details" if run.path else None
        self._files = (
            {file.name: file for file in sorted(folder.iterdir()) if file.is_file()}
            if folder and folder.is_dir()
            else {}
        )

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            file = self._files[name]
            try:
                self._known[name] = json.loads(file.read_bytes())
            except (OSError, ValueError):
                self._known[name] = None
        return self._known[name]

    def __iter__(self) -> Any:
        return iter(dict.fromkeys([*self._known, *self._files]))

    def __len__(self) -> int:
        return len({*self._known, *self._files})


def marked(label: str, runs: Sequence[tuple[str, str]], lang: str = "") -> Block:
    """A text block: runs of words with what is to be said of them."""
    block: Block = {"k": "text", "n": label, "s": [[words, kind] for words, kind in runs]}
    return {**block, "l": lang} if lang else block


def plain(label: str, text: str, lang: str = "", *, longest: int = LONGEST) -> Block:
    return marked(label, [(shown(text, longest), "")], lang)


def rounded(value: float, digits: int = 4) -> float | None:
    """A number for the page: short, and null where undefined."""
    return round(float(value), digits) if math.isfinite(value) else None
