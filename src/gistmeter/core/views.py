"""What a family shows of its runs, as data that the report draws.

A family's `View` says how its runs are headed, what a row is called, and which *blocks* open with
an item. A block is a small JSON object with a kind `k`: `text` (marked runs of words), `bars`,
`facts`, `table`, `tree`, `parallel`, `along`, `heat`, `note`. A family that says nothing gets all
its columns shown as they are.

Text from outside is shown as it is: control characters become visible signs, direction
overrides and half characters a replacement mark, and what is too long to read is cut with its
length said.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import InputError
from gistmeter.core.files import parse_json, printable
from gistmeter.core.folders import Folder

if TYPE_CHECKING:
    from gistmeter.core.rows import Rows
    from gistmeter.core.run import Run
    from gistmeter.core.types import Sheet

Block = dict[str, Any]
MAX_AUDIO = 1_000_000  # bytes of recordings in one page
LONGEST = 4000  # characters of a text that a reader can be expected to look at
DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
HIGH_CONTROL = re.compile("[\x80-\x9f]")
KANA, HANGUL, HAN = (
    re.compile("[\u3040-\u30ff\uff66-\uff9f]"),
    re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    re.compile("[\u3400-\u9fff\uf900-\ufaff]"),
)


def visible(text: str) -> str:
    """The same characters, none of which can move, hide or break what stands around them."""
    text = CONTROL.sub(lambda found: chr(0x2400 + min(ord(found[0]), 0x21)), text)
    text = HIGH_CONTROL.sub(
        "\N{REPLACEMENT CHARACTER}", DIRECTION.sub("\N{REPLACEMENT CHARACTER}", text)
    )
    return printable(text)


def shown(text: str | None, longest: int = LONGEST) -> str:
    """A text made visible, and cut where it is too long to read."""
    if not text:
        return ""
    if len(text) <= longest:
        return visible(text)
    return f"{visible(text[:longest])} … (+{len(text) - longest:,} characters)"


def script_language(text: str, default: str = "") -> str:
    """A `lang` for fonts: by the script, with the run's language deciding between the Chinese."""
    if KANA.search(text):
        return "ja"
    if HANGUL.search(text):
        return "ko"
    if HAN.search(text):
        return default if default.startswith(("zh", "ja", "ko")) else "zh"
    return default if default not in ("", "auto", "generic") else ""


@dataclass(slots=True)
class Row:
    """A row of a run: its texts and numbers, and which of its columns have been shown already.

    `extra` holds further fields of the page's item: `e` and `h`, the shared view it points to and
    the place in it; `a`, one that stands before the item's own blocks; `x`, its text in the
    table; `q`, words that it is found by; `w`, its worth: the highest come first.
    """

    rows: Rows
    at: int
    language: str = ""
    used: set[str] = field(default_factory=set)
    extra: dict[str, Any] = field(default_factory=dict)

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
            return parse_json(cell)
        except ValueError:
            return None

    def number(self, name: str) -> float:
        self.used.add(name)
        column = self.rows.numbers.get(name)
        return float(column[self.at]) if column is not None else math.nan

    def lang(self, text: str) -> str:
        return script_language(text, self.language)


@dataclass(frozen=True, slots=True)
class Finder:
    """A cell of a table that finds items: what it shows, what it searches for, in which system."""

    shown: object
    query: str
    system: str = ""


class Details(Mapping[str, Any]):
    """The run's documents by file name, read when asked for; a broken one is as good as none."""

    def __init__(self, run: Run) -> None:
        documents = run.rows.details if run.rows is not None else {}
        self._known: dict[str, Any] = dict(documents)
        self._folder = Folder(run.path) if run.path else None
        self._files = set(self._folder.names("details") if self._folder else ())

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            if self._folder is None or name not in self._files:
                raise KeyError(name)
            try:
                self._known[name] = parse_json(self._folder.read(f"details/{name}"))
            except (InputError, ValueError):
                self._known[name] = None
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._known, *sorted(self._files)]))

    def __len__(self) -> int:
        return len({*self._known, *self._files})


@dataclass(slots=True)
class Opener:
    """A run whose items are being opened: its documents, and views that several items share."""

    run: Run
    views: int = 900_000  # bytes of views that items share
    kept: dict[str, Any] = field(default_factory=dict)  # what a family remembers between items
    shared: dict[str, list[Block]] = field(default_factory=dict)  # by name
    spent: int = 0  # bytes of the shared views so far
    details: Details = field(init=False)

    def __post_init__(self) -> None:
        self.details = Details(self.run)

    def share(self, name: str, view: list[Block], *, limited: bool = True) -> bool:
        """Keep a view for items to point to; False where it does not fit."""
        size = len(json.dumps(view, ensure_ascii=False).encode("utf-8", "replace"))
        if limited and self.spent + size > self.views:
            return False
        self.shared[name] = view
        self.spent += size if limited else 0
        return True

    def documents(self, ending: str) -> dict[str, Any]:
        """Documents of one name, by system."""
        documents: dict[str, Any] = {}
        for name in self.details:
            if name.endswith(ending) and isinstance(self.details[name], Mapping):
                documents |= self.details[name]
        return documents

    def is_lower_better(self, name: str) -> bool:
        systems = self.run.systems.values()
        return any(
            not system.scores[name].higher_is_better for system in systems if name in system.scores
        )

    @property
    def language(self) -> str:
        given = self.run.settings.get("language") or self.run.notes.get("language") or ""
        return given if isinstance(given, str) else ""


def marked(label: str, runs: Sequence[tuple[str, str]], lang: str = "") -> Block:
    """A text block: runs of words with what is to be said of them."""
    block: Block = {"k": "text", "n": label, "s": [[words, kind] for words, kind in runs]}
    return {**block, "l": lang} if lang else block


def plain(label: str, text: str, lang: str = "", *, longest: int = LONGEST) -> Block:
    return marked(label, [(shown(text, longest), "")], lang)


def rounded(value: float, digits: int = 4) -> float | None:
    """A number for the page: short, and null where undefined."""
    return round(float(value), digits) if math.isfinite(value) else None


def bars(
    label: str, row: Row, opener: Opener, names: Iterable[str], *, lower: Iterable[str] = ()
) -> list[Block]:
    """Values between 0 and 1 as bars; those of which less is better look like losses."""
    lines = [
        [name, rounded(row.number(name)), 0, 1, "", name in lower or opener.is_lower_better(name)]
        for name in names
        if name in row.rows.numbers
    ]
    return [{"k": "bars", "n": label, "r": lines}] if lines else []


@dataclass(frozen=True, slots=True)
class Point:
    """A value of a system: in the row of a label, or at a place `x`; with its interval, if any."""

    system: str
    value: float
    label: str = ""
    x: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True)
class Dots:
    """A chart with a row for each label, in which the systems stand beside each other."""

    title: str
    points: Sequence[Point]
    axis: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of values against `x`, a line for each system."""

    title: str
    points: Sequence[Point]
    x: str = ""
    y: str = ""
    note: str = ""
    extent: tuple[float, float] | None = None  # of y; None: of the values
    cloud: Sequence[Point] = ()  # single items behind the lines
    joined: bool = True


Chart = Dots | Lines


@dataclass(frozen=True)
class View:
    """What a family shows. As it is, a run opens with all its columns."""

    heading: str = ""  # the question that a section answers
    noun: str = "item"
    part: str = ""  # what a row is called where an item has several
    cluster: str = ""  # what several items belong to that are resampled together
    names: Mapping[str, str] = field(default_factory=dict)  # plain words for scores
    texts: Sequence[str] = ()  # columns of which the first there is stands in the table
    reference: str = ""  # the column of what should have been, the same for all systems
    against: Sequence[tuple[str, str]] = ()  # pairs of scores that are worth a picture
    decisive: Sequence[str] = ()  # the few scores that a reader sees first; none: all
    blind: Mapping[str, str] = field(default_factory=dict)  # components, and what they cannot see
    methods: Mapping[str, str] = field(default_factory=dict)  # what a score is, with a citation
    rated: Sequence[str] = ()  # columns of texts: what should have been, and what people judge
    asked: Sequence[str] = ()  # columns of the input that say what a system was asked
    legend: Sequence[tuple[str, str]] = ()  # kinds of marks in the items' texts, and their meaning

    def cautions(self, run: Run) -> list[str]:
        """What is known to mislead in the scores of a run, said where they are shown."""
        del run
        return []

    def opening(self, opener: Opener) -> list[Block]:
        """What the first screen shows beneath the answer."""
        del opener
        return []

    def listed(self, rows: Rows) -> Sequence[int] | None:
        """The rows that are items to look at; None: all."""
        del rows
        return None

    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        """What opens with an item; columns that were asked for are not shown again."""
        del row, opener
        return []

    def charts(self, opener: Opener) -> list[Chart]:
        """Pictures beyond those that every run has."""
        del opener
        return []

    def tables(self, opener: Opener) -> list[Sheet]:
        """Folded tables beneath the pictures."""
        del opener
        return []


def valid(spans: Any, length: int) -> list[tuple[int, int, str]]:
    """The spans that are what they should be, from left to right."""
    found = []
    for span in spans if isinstance(spans, list) else []:
        if isinstance(span, list) and len(span) == 3:
            start, end, kind = span
            if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= length:
                found.append((start, end, str(kind)))
    return sorted(found, key=lambda span: (span[2] == "alarm", *span))  # alarms are on top


def mark(
    text: str, words: Sequence[str], spans: Sequence[tuple[int, int, str]]
) -> list[tuple[str, str]]:
    """The text cut into runs: polar words as given, and shared words wherever they occur."""
    kinds = [""] * len(text)
    for start, end in _occurrences(text, words):
        kinds[start:end] = ["shared"] * (end - start)
    for start, end, kind in spans:
        kinds[start:end] = [kind] * (end - start)
    runs: list[tuple[str, str]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or kinds[at] != kinds[start]:
            runs.append((shown(text[start:at]), kinds[start]))
            start = at
    return runs


def _occurrences(text: str, words: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Where words stand in a text, ignoring case; whole words where words are spaced."""
    if not words:
        return []
    ordered = sorted({word for word in words if word}, key=len, reverse=True)
    spelled = [
        rf"\b{re.escape(word)}\w{{0,3}}" if word[0].isascii() else re.escape(word)
        for word in ordered
    ]
    return (match.span() for match in re.finditer("|".join(spelled), text, re.IGNORECASE))
