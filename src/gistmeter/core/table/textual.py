"""A table: columns of text, with the line that each row came from; read from CSV, lines or JSON."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import parse_json, printable
from gistmeter.languages.normal_forms import normal_form

MAX_CELL = 10_000_000  # characters; csv's own limit of 131,072 is below an honest chapter
LOOKED_AT = 20  # rows, for the header
MAX_CELLS = 20_000_000  # a sheet as long as a spreadsheet allows, with 19 columns
MAX_COLUMNS = 4096


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of text. A cell is None where the file has none."""

    name: str  # the file's stem, or the sheet's name
    columns: list[str]
    rows: list[list[str | None]]
    lines: list[int]  # where each row begins, counted from 1 as an editor does
    path: Path
    guessed: str = ""  # the encoding, where it was a guess
    headed: bool = True  # whether the file named its columns
    above: tuple[str, ...] = ()  # titles above the header, which are not read
    lined: bool = False  # plain lines: one column, no header, one row per line

    def column(self, name: str) -> list[str | None]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def find(
        self, name: str, synonyms: Iterable[str] = (), chosen: Mapping[str, str] | None = None
    ) -> str | None:
        """The column meant by a name: the user's choice, the name, a synonym; else None.

        `chosen` is what `--column name=Header` gave; a header that is not there is an error.
        """
        wanted = {key.casefold(): value for key, value in (chosen or {}).items()}
        by_fold = {column.strip().casefold(): column for column in reversed(self.columns)}
        if name.casefold() in wanted:
            header = wanted[name.casefold()]
            if "\n" in header:
                several = ", ".join(header.split("\n"))
                raise InputError(
                    f"--column {name} is given several times ({several}); one is meant"
                )
            if header.strip().casefold() not in by_fold:
                raise FormatError(
                    f"has no column '{header}', which --column {name}={header} asks for. "
                    f"Columns found: {self._listed()}",
                    path=self.path,
                )
            return by_fold[header.strip().casefold()]
        for candidate in (name, *synonyms):
            if candidate.casefold() in by_fold:
                return by_fold[candidate.casefold()]
        return None

    def need(
        self, name: str, synonyms: Iterable[str] = (), chosen: Mapping[str, str] | None = None
    ) -> str:
        """`find`, but a missing column is an error that lists those found."""
        column = self.find(name, synonyms, chosen)
        if column is None:
            raise FormatError(
                f"has no column '{name}'. Columns found: {self._listed()}. Name the right one "
                f"with --column {name}=HEADER",
                path=self.path,
            )
        return column

    def _listed(self) -> str:
        return ", ".join(f"'{column}'" for column in self.columns) or "none"


def name_in(cell: str | None) -> str:
    """What names a row: trimmed and composed, for some systems write é as two characters."""
    return normal_form("NFC", cell or "").strip()


def limit_table(path: Path, columns: int, rows: int = 1) -> None:
    """A table must have a size that can be held and looked through."""
    if columns > MAX_COLUMNS:
        raise FormatError(
            f"has {columns:,} columns; at most {MAX_COLUMNS:,} are read. Remove those that are not "
            "needed",
            path=path,
        )
    if rows * columns > MAX_CELLS:
        raise FormatError(
            f"spans {rows:,} rows and {columns:,} columns, more than {MAX_CELLS:,} cells. "
            "Remove what is not needed, or give it in parts",
            path=path,
        )


def headers(cells: Sequence[str], path: Path, line: int) -> list[str]:
    names = [printable(cell.strip().lstrip("\ufeff")) for cell in cells]
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if name and name.casefold() in seen:
            raise FormatError(
                f"names the column '{name}' twice", path=path, row=line, column=number
            )
        seen.add(name.casefold())
    return [name or f"column {number}" for number, name in enumerate(names, 1)]


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table's columns, and where they stand among its rows."""

    cells: list[str]
    first: int = 0  # its row; titles stand above it
    rows: int = 1  # two where names stand below a cell that spans several columns


def find_header(rows: Sequence[Sequence[str]]) -> Header:
    """The header among a table's first rows, which are filled somewhere.

    A title fills half of the columns at most. A cell over several columns has empty ones to its
    right, and names below all of them; the other columns have none there, or none above.
    """
    filled = [[bool(cell.strip()) for cell in row] for row in rows]
    width = max(map(sum, filled), default=0)
    for at, row in enumerate(rows):
        if at + 1 < len(rows) and _spans(filled[at], filled[at + 1]):
            return Header(_joined(row, rows[at + 1]), at, 2)
        if sum(filled[at]) * 2 > width or not filled[at][0]:
            return Header(list(row), at)
    return Header(list(rows[0])) if rows else Header([])


def _spans(upper: Sequence[bool], lower: Sequence[bool]) -> bool:
    """Whether the lower row has names exactly below cells that span several columns, or below all
    and the first columns, too, which none spans."""
    if len(upper) != len(lower) or all(upper) or sum(upper) < 1 + upper[0]:
        return False
    wide = [there and not upper[at] for at, there in enumerate(upper[:-1], 1)] + [False]
    if not upper[0]:
        return any(wide) and all(lower) and 2 * sum(upper) <= len(upper)
    return list(lower) == [not there or spans for there, spans in zip(upper, wide, strict=True)]


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """The names of both rows; one that stands below two cells is named with the one above it."""
    above: list[str] = []
    for cell in upper:
        above.append(cell if cell.strip() or not above else above[-1])
    twice = {name for name, often in Counter(lower).items() if often > 1}
    return [
        f"{over} {name}" if name in twice and name.strip() else name if name.strip() else over
        for over, name in zip(above, lower, strict=True)
    ]


def numbered(count: int) -> list[str]:
    return [f"column {number}" for number in range(1, count + 1)]


def cell_text(value: Any) -> str | None:
    """A JSON or spreadsheet value as text; several references in a list are joined by `||`."""
    if value is None:
        return None
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return printable(" || ".join(value))
    if isinstance(value, float) and math.isnan(value):
        return None  # how data frames write an empty cell
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def checked(table: Table) -> Table:
    """The table, where it has rows and its cells can be read."""
    if not table.rows:
        fault = "has a header but no rows" if table.columns else "is empty"
        raise InputError(f"{table.path}: {fault}")
    return bounded(table)


def bounded(table: Table) -> Table:
    """No cell is longer than any text: what reads it would not come to an end."""
    for line, row in zip(table.lines, table.rows, strict=True):
        for column, cell in zip(table.columns, row, strict=False):
            if cell is not None and len(cell) > MAX_CELL:
                raise FormatError(
                    f"has {len(cell):,} characters; at most {MAX_CELL:,} are read",
                    path=table.path, row=line, column=column,
                )  # fmt: skip
    return table


def read_delimited(path: Path, text: str, guessed: str, suffix: str, header: bool) -> Table:
    delimiter = "\t" if suffix == ".tsv" else _delimiter(text)
    if suffix == ".txt" and _is_lines(text, delimiter):
        return _read_lines(path, text, guessed)
    try:
        return _read_csv(path, text, guessed, delimiter, header)
    except FormatError:
        # Many who write tabs between cells quote none, and a quote is a character.
        if delimiter == "\t":
            with contextlib.suppress(FormatError):
                return _read_csv(path, text, guessed, delimiter, header, quoting=csv.QUOTE_NONE)
        raise


def _is_lines(text: str, delimiter: str) -> bool:
    """Whether a file is plain lines: no delimiter cuts all of them into as many cells."""
    lines = [line for line in text.split("\n") if line.strip()]
    counts = {line.count(delimiter) for line in lines}
    return not any(delimiter in line for line in lines[:1]) or (
        delimiter != "\t" and len(counts) > 1 and '"' not in text
    )


def _read_lines(path: Path, text: str, guessed: str) -> Table:
    """One row per line, empty lines included; the end of the file is none."""
    lines = text.rstrip().replace("\r\n", "\n").split("\n")
    rows: list[list[str | None]] = [[printable(line.strip())] for line in lines]
    numbers = list(range(1, len(rows) + 1))
    return Table(path.stem, ["line"], rows, numbers, path, guessed, headed=False, lined=True)


def _read_csv(
    path: Path, text: str, guessed: str, delimiter: str, header: bool, *, quoting: Literal[0, 3] = 0
) -> Table:
    # Line ends stay, as they may stand inside quoted cells; strict makes a broken quote an error.
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True, quoting=quoting)
    rows: list[list[str | None]] = []
    lines: list[int] = []
    filled = _filled(reader, path)
    first = list(itertools.islice(filled, LOOKED_AT))
    found = find_header([cells for _, cells in first]) if header else Header([], rows=0)
    columns = numbered(len(first[0][1])) if first else []
    if header and first:
        columns = headers(found.cells, path, first[found.first][0])
    for start, cells in itertools.chain(first[found.first + found.rows :], filled):
        if len(cells) != len(columns):
            message = (
                f"has {len(cells)} cells, the {'header' if header else 'first row'} has "
                f"{len(columns)}. Quote cells that contain the delimiter {delimiter!r}"
            )
            raise FormatError(message, path=path, row=start)
        rows.append([printable(cell) for cell in cells])
        lines.append(start)
    above = tuple(titles(cells for _, cells in first[: found.first]))
    return checked(Table(path.stem, columns, rows, lines, path, guessed, header, above))


def _filled(reader: Any, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are filled somewhere, each with the line that it begins on."""
    start = 1
    try:
        for cells in reader:
            limit_table(path, len(cells))
            if any(cell.strip() for cell in cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"is not a well-formed table ({error})", path=path, row=start) from error


def titles(rows: Iterable[Sequence[str]]) -> list[str]:
    return [" ".join(cell.strip() for cell in row if cell.strip()) for row in rows]


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends, one at a time: a large text is not held twice."""
    if re.search(r"\r(?!\n)", text):  # old ones, which end lines too
        yield from io.StringIO(text, newline="")
        return
    start = 0
    while start < len(text):
        stop = text.find("\n", start) + 1 or len(text)
        yield text[start:stop]
        start = stop


def _delimiter(text: str) -> str:
    """The delimiter that the first line has most of, or that below a title; else a comma."""
    marks = (",", "\t", ";")
    beginning = itertools.islice(_lines(text.lstrip()), LOOKED_AT)
    first = next((line for line in beginning if any(mark in line for mark in marks)), "")
    return max(marks, key=lambda mark: (first.count(mark), mark == ","))


def read_jsonl(path: Path, text: str, guessed: str) -> Table:
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    # Not splitlines: U+2028 and the like may stand as they are inside a string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except ValueError as error:
            raise FormatError(f"is not JSON ({error})", path=path, row=number) from error
        if not isinstance(record, dict):
            raise FormatError("is not a JSON object", path=path, row=number)
        records.append(record)
        lines.append(number)
    return _from_records(path, records, lines, guessed)


def read_json(path: Path, text: str, guessed: str) -> Table:
    try:
        document = parse_json(text)
    except ValueError as error:
        if text.lstrip().startswith("{") and len(text.split("\n")) > 1:  # one object per line
            return read_jsonl(path, text, guessed)
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise FormatError("is not a JSON list of objects, one per row", path=path)
    return _from_records(path, document, list(range(1, len(document) + 1)), guessed)


def _from_records(
    path: Path, records: Sequence[Mapping[str, Any]], lines: list[int], guessed: str
) -> Table:
    records = [with_answer(record) for record in records]
    columns = list(dict.fromkeys(key for record in records for key in record))
    limit_table(path, len(columns), len(records))
    rows = [[cell_text(record.get(column)) for column in columns] for record in records]
    return checked(Table(path.stem, columns, rows, lines, path, guessed))


PREDICTION = "prediction"


def with_answer(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record with its answer as `prediction`, where it is a chat and has none yet."""
    if PREDICTION in {key.casefold() for key in record}:
        return record
    for key in ("messages", "choices", "content", "response", "result", "resps", "completion",
                "output"):  # fmt: skip
        value = record.get(key)
        if isinstance(value, Mapping | list):
            answer = _answer(value)
            if answer is not None:
                kept = {name: cell for name, cell in record.items() if name != key}
                return {**kept, PREDICTION: answer}
    return record


def _answer(value: Any) -> str | None:
    """The text of an answer, however deep it lies."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("choices", "message", "content", "text", "body", "output"):
            if key in value and (answer := _answer(value[key])) is not None:
                return answer
        return None
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(part, Mapping) and "role" in part for part in value):
        answers = [part for part in value if part["role"] in ("assistant", "model", "ai")]
        return _answer(answers[-1].get("content")) if answers else None
    if all(isinstance(part, Mapping) and part.get("type") == "text" for part in value):
        return "".join(str(part.get("text", "")) for part in value)
    return _answer(value[0]) if len(value) == 1 or isinstance(value[0], Mapping | list) else None
