"""References: what an item should have said, in one or more ways.

A table of items and their explanations, with or without a header line. A cell may hold several
references, separated by `||`; a third column and every further column named like an explanation
add more; an item that occurs twice has the references of both. Square brackets are removed from a
text, their content stays, and white space is collapsed: models see that text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable
from gistmeter.core.table import Table, name_in, read_sheets, read_table
from gistmeter.core.table.wide import are_labels
from gistmeter.languages.codes import headers
from gistmeter.text import BETWEEN

# custom_id before id: a file of an OpenAI batch has both, and the first is the user's.
IDIOM = ("idiom", "custom_id", "id", "item", "key", "term", "word", "phrase", "name",
         *headers("id"), "question")  # fmt: skip
EXPLANATION = ("explanation", "reference", "references", "definition", "meaning", "gloss", "answer",
               "expected", "target", *headers("explanation"))  # fmt: skip
REFERENCE = (
    "references", "gold", "ground_truth", "ground truth", "target", "expected",
    *headers("reference"),
)  # fmt: skip
EXPECTED = (*EXPLANATION, *REFERENCE)
STRUCTURE = ("structure", "structure_class", "structure class", "structural_class",
             *headers("structure"))  # fmt: skip
POLARITY = ("polarity", "sign", "sentiment")
SIGNS: Mapping[str, int] = {"positive": 1, "neutral": 0, "negative": -1}
METADATA = frozenset(
    ("structure", "structure_class", "pinyin", "reading", "pronunciation", "source", "category",
     "type", "class", "language", "lang", "frequency", "note", "notes", "comment", "example",
     "examples", "origin", "polarity", "index", "number", "url", "link", "level", "difficulty",
     "domain", "topic", "subject", "split", "tag", "tags", "genre", "group", "author", "date",
     "question", "prompt", "context")
)  # fmt: skip
PLACEHOLDER = re.compile(
    r"(?:zdic|暂无|暫無|无|無)?(?:解释|解釋|释义|釋義)|暂无|暫無|n/?a|nan|none|null|todo|tbd|[-–—?？.…]+",
    re.IGNORECASE,
)
DEFAULT_SEPARATORS = "||"
WIDE = "wide"
_WIDE_PATTERN = re.compile(r"\|\||[;；/、]")
_BRACKETS = str.maketrans("", "", "[]")


def clean(text: str) -> str:
    """Text without square brackets (their content stays), half characters and double spaces.

    >>> clean(" [ 指考试 ]  落榜 ")
    '指考试 落榜'
    """
    return " ".join(printable(text).translate(_BRACKETS).split())


NOTHING = re.compile(r"n/?a|nan|none|null", re.IGNORECASE)


def answer_in(cell: str | None) -> str | None:
    """What a system answered; None where it answered nothing: no letter and no digit (。。。, an
    emoji), or what programs write for nothing (nan, N/A).

    >>> answer_in(" 努力 "), answer_in("。。。"), answer_in("NaN")
    ('努力', None, None)
    """
    text = clean(cell or "")
    said = any(character.isalnum() for character in text)
    return text if said and not NOTHING.fullmatch(text.strip("<>()# ")) else None


@dataclass(frozen=True, slots=True)
class Splitting:
    """How a cell becomes references.

    `separators` is "||", other marks separated by spaces ("|| ;"), or "wide", which splits at
    || ; ； / 、 and, as the reference code does, keeps duplicates and placeholders.
    """

    separators: str = DEFAULT_SEPARATORS

    def split(self, cells: Iterable[str | None]) -> tuple[str, ...]:
        """The references of an item's cells, cleaned; none twice."""
        pattern = self._pattern()
        parts = [clean(part) for cell in cells if cell for part in pattern.split(cell)]
        known = [part for part in parts if part]
        if self.separators == WIDE:
            return tuple(known)
        return tuple(dict.fromkeys(part for part in known if not PLACEHOLDER.fullmatch(part)))

    def _pattern(self) -> re.Pattern[str]:
        if self.separators == WIDE:
            return _WIDE_PATTERN
        marks = self.separators.split() or [DEFAULT_SEPARATORS]
        return re.compile("|".join(re.escape(mark) for mark in marks))


@dataclass(frozen=True, slots=True)
class References:
    """The references of every item, and its structure class where the table has one."""

    by_idiom: Mapping[str, tuple[str, ...]]
    structures: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()  # those that the references were taken from
    guesses: Mapping[Path, str] = field(default_factory=dict)  # encodings that were guessed
    files: tuple[Path, ...] = ()
    lines: int = 0  # of a file of plain lines, where that is what was read
    cells: Mapping[str, str] = field(default_factory=dict)  # each item's, before it was split
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # further columns, by item


def read_references(
    path: Path, *, splitting: Splitting | None = None, columns: Mapping[str, str] | None = None
) -> References:
    """Read a table of references; `columns` is what the user chose by --column."""
    table = _headed_or_not(path, columns or {})
    if table.lined:
        return _by_line(table, splitting or Splitting())
    idiom, explanations = _columns(table, usable(table, columns or {}))
    structure = table.find("structure", STRUCTURE)
    chosen = [table.columns.index(name) for name in explanations]
    place = table.columns.index(idiom)
    further = [
        (name, at)
        for at, name in enumerate(table.columns)
        if table.headed and name not in (idiom, structure, *explanations)
    ]
    cells: dict[str, list[str | None]] = {}
    structures: dict[str, str] = {}
    kept: dict[str, dict[str, str]] = {}
    for row in table.rows:
        name = name_in(row[place])
        if not name:
            continue
        cells.setdefault(name, []).extend(row[at] for at in chosen)
        if structure and (label := (row[table.columns.index(structure)] or "").strip()):
            structures[name] = label
        columns_of = {header: cell for header, at in further if (cell := (row[at] or "").strip())}
        kept[name] = {**columns_of, **kept.get(name, {})}
    split = (splitting or Splitting()).split
    by_idiom = {name: split(own) for name, own in cells.items()}
    guesses = {path: table.guessed} if table.guessed else {}
    return References(
        by_idiom, structures, tuple(explanations), guesses, (path,),
        cells={name: whole(own) for name, own in cells.items()}, kept=kept,
    )  # fmt: skip


def whole(cells: Iterable[str | None]) -> str:
    """The cells of an item as one text, not split."""
    return BETWEEN.join(filter(None, (clean(cell or "") for cell in cells)))


def _by_line(table: Table, splitting: Splitting) -> References:
    """One item per line, known by its number."""
    texts = {str(number): splitting.split(row) for number, row in enumerate(table.rows, 1)}
    guesses = {table.path: table.guessed} if table.guessed else {}
    cells = {str(number): whole(row) for number, row in enumerate(table.rows, 1)}
    return References(texts, guesses=guesses, files=(table.path,), lines=len(texts), cells=cells)


def merged(parts: Sequence[References]) -> References:
    """The references of several files: an item that occurs in two has those of both."""
    if len(parts) == 1:
        return parts[0]
    by_idiom: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for idiom, texts in part.by_idiom.items():
            by_idiom[idiom] = tuple(dict.fromkeys((*by_idiom.get(idiom, ()), *texts)))
    return References(
        by_idiom,
        {idiom: label for part in parts for idiom, label in part.structures.items()},
        tuple(dict.fromkeys(name for part in parts for name in part.columns)),
        {path: name for part in parts for path, name in part.guesses.items()},
        tuple(path for part in parts for path in part.files),
        cells={name: whole(part.cells.get(name) for part in parts) for name in by_idiom},
        kept={
            name: {key: text for part in parts for key, text in part.kept.get(name, {}).items()}
            for name in by_idiom
        },
    )


def usable(table: Table, columns: Mapping[str, str]) -> dict[str, str]:
    """The user's choices whose header this table has: one --column serves several files."""
    headers = {name.strip().casefold() for name in table.columns}
    return {
        name.casefold(): header
        for name, header in columns.items()
        if header.strip().casefold() in headers
    }


def _headed_or_not(path: Path, columns: Mapping[str, str]) -> Table:
    """The table with its header if it has one: a first line of known names is one."""
    table = next(iter(read_sheets(path).values()))
    if table.lined:
        return table
    asked = {"idiom", "explanation", "reference"} & set(usable(table, columns))
    if asked or table.find("idiom", IDIOM) or table.find("explanation", EXPECTED):
        return table
    if len(table.columns) < 2:
        raise FormatError(
            f"has one column ('{table.columns[0]}'); an item and its explanation were expected",
            path=path,
        )
    return read_table(path, header=False) if table.headed else table


def _columns(table: Table, columns: Mapping[str, str]) -> tuple[str, list[str]]:
    """The column of items, and those of their explanations."""
    if not table.headed:
        return table.columns[0], table.columns[1:]
    idiom = table.find("idiom", IDIOM, columns) or table.columns[0]
    wanted = columns.get("explanation") or columns.get("reference")
    chosen = {"explanation": wanted} if wanted else {}
    first = table.find("explanation", EXPECTED, chosen)
    if first is None or first == idiom:
        others = [name for name in table.columns if name != idiom]
        first = next((name for name in others if _is_explanation(name)), None)
    if first is None:
        first = table.need("explanation", EXPECTED, chosen)
    if chosen:
        return idiom, [first]
    more = [
        name
        for at, name in enumerate(table.columns)
        if name not in (idiom, first)
        and (
            _is_explanation(name)
            or (at == 2 and name.casefold() not in METADATA and not are_labels(table.column(name)))
        )
    ]
    return idiom, [first, *more]


def _is_explanation(name: str) -> bool:
    """Whether a column is named like an explanation: explanation2, Second reference."""
    folded = name.casefold()
    return any(stem in folded for stem in ("explanation", "reference", "definition", "meaning"))


def read_signs(path: Path, key: str) -> dict[str, int]:
    """A table of items or words and their polarity: 1 for praise, -1 for blame, 0 for neither."""
    signs: dict[str, int] = {}
    for name, label, line in _two_columns(path, key, "polarity", POLARITY):
        try:
            sign = parse_sign(label)
        except InputError as error:
            raise FormatError(str(error), path=path, row=line) from error
        if signs.setdefault(name, sign) != sign:
            raise FormatError(f"gives '{name}' two values of polarity", path=path, row=line)
    return signs


def parse_sign(text: str) -> int:
    """The sign that an override names: positive, negative, neutral, or +, -, 0."""
    spelled = {"+": "positive", "-": "negative", "0": "neutral"}
    name = text.strip().lower()
    name = spelled.get(name, name)
    if name not in SIGNS:
        raise InputError(f"'{text}' is not a polarity: expected one of {', '.join(SIGNS)}")
    return SIGNS[name]


def read_classes(path: Path) -> tuple[dict[str, str], list[str]]:
    """Structure classes by item, and the items that have several, which count in each."""
    classes: dict[str, dict[str, None]] = {}
    for name, label, _ in _two_columns(path, "id", "structure", STRUCTURE):
        classes.setdefault(name, {})[label] = None
    several = [name for name, labels in classes.items() if len(labels) > 1]
    return {name: BETWEEN.join(labels) for name, labels in classes.items()}, several


def _two_columns(
    path: Path, key: str, name: str, known: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Key, value and line of a table of two columns, with or without a header line."""
    table = next(iter(read_sheets(path).values()))
    if not table.find(key, IDIOM) and not table.find(name, known):
        table = read_table(path, header=False)
    if len(table.columns) < 2:
        raise FormatError(f"has one column; {key} and {name} were expected", path=path)
    named = table.find(key, IDIOM) or table.columns[0]
    value = table.find(name, known)
    value = value or next(column for column in table.columns if column != named)
    for cell, label, line in zip(
        table.column(named), table.column(value), table.lines, strict=True
    ):
        if (cell or "").strip() and (label or "").strip():
            yield name_in(cell), (label or "").strip(), line
