"""A table: columns of text, with the line that each row came from."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import printable

MAX_CELL = 10_000_000  # characters; csv's own limit of 131,072 is below an honest chapter
MAX_CELLS = 20_000_000  # a sheet as long as a spreadsheet allows, with 19 columns


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
    skipped: list[str] = field(default_factory=list)
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
        found = self.find(name, synonyms, chosen)
        if found is None:
            raise FormatError(
                f"has no column '{name}'. Columns found: {self._listed()}. Name the right one "
                f"with --column {name}=HEADER",
                path=self.path,
            )
        return found

    def _listed(self) -> str:
        return ", ".join(f"'{column}'" for column in self.columns) or "none"


def name_in(cell: str | None) -> str:
    """What names a row: trimmed and composed, for some systems write é as two characters."""
    return unicodedata.normalize("NFC", cell or "").strip()


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
    return (
        str(value) if not isinstance(value, dict | list) else json.dumps(value, ensure_ascii=False)
    )


def checked(table: Table) -> Table:
    """The table, where it has rows and its cells can be read."""
    if not table.rows:
        raise InputError(f"{table.path}: has a header but no rows" if table.columns else
                         f"{table.path}: is empty")  # fmt: skip
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
