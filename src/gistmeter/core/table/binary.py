"""Workbooks (XLSX) and Parquet: what they unfold to is counted before any of it is built.

A workbook of 1.5 KB can claim 17 thousand million cells, or unfold to gigabytes; what reads it
would take all memory. So it is unfolded first, up to a limit, and the cells' places are looked at.

A kilobyte of Parquet can stand for thousands of millions of values: a run of equal ones takes a few
bytes, and so does a long text that is repeated. The counts are those of the pages, not of the
file's own summary alone, which may say anything. Both are written in Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import MAX_BYTES
from gistmeter.core.table.textual import (
    LOOKED_AT,
    MAX_CELLS,
    Table,
    bounded,
    cell_text,
    checked,
    find_header,
    headers,
    limit_table,
    numbered,
    titles,
)

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

UNFOLDED = 1024**3  # bytes of all parts together
MOST_READ = 8 * UNFOLDED  # bytes, where each sheet is as large as the workbook
PARTS = (".xml", ".rels")
PLACE = re.compile("([A-Za-z]{1,8})([0-9]{1,12})")  # of a cell: B12
DEEPEST = 500
MAGIC = b"PAR1"
PAGE = 512 * 1024**2  # bytes that one page may unfold to
TEXT, UNFOLDING = 1024**3, 20  # bytes of text: so many, or so many times the file's size
DEEPEST_VALUE = 40
# Kinds of values in the compact protocol.
TRUE, FALSE, BYTE, WHOLE, DOUBLE, BYTES, SEQUENCES, STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12
Fields = dict[int, Any]


def read_workbook(path: Path, content: bytes, header: bool) -> dict[str, Table]:
    from python_calamine import CalamineWorkbook

    plain = unpack_workbook(path, content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(plain))
        grids = _grids(path, book, len(plain))
    except FormatError:
        raise
    except Exception as error:  # calamine raises several kinds, some of them private
        raise FormatError(f"is not a readable XLSX workbook ({error})", path=path) from error
    tables: dict[str, Table] = {}
    for name, grid in grids.items():
        lines = [at for at, row in enumerate(grid, 1) if any(c not in ("", None) for c in row)]
        if not lines:
            continue
        limit_table(path, len(grid[lines[0] - 1]))
        columns, above = numbered(len(grid[lines[0] - 1])), list[str]()
        if header:
            first = [[str(cell) for cell in grid[at - 1]] for at in lines[:LOOKED_AT]]
            found = find_header(first)
            columns = headers(found.cells, path, lines[found.first])
            above = titles(first[: found.first])
            lines = lines[found.first + found.rows :]
        cells = [[None if c == "" else cell_text(c) for c in grid[at - 1]] for at in lines]
        table = Table(name, columns, cells, lines, path, headed=header, above=tuple(above))
        tables[name] = bounded(table)
    if not tables:
        raise InputError(f"{path}: is empty (no sheet has a filled cell)")
    filled_tables = {name: table for name, table in tables.items() if table.rows}
    return filled_tables or {name: checked(table) for name, table in tables.items()}


def _grids(path: Path, book: CalamineWorkbook, size: int) -> dict[str, list[list[Any]]]:
    """The cells of all sheets. Several names may stand for one part, which is then read again."""
    grids: dict[str, list[list[Any]]] = {}
    cells = characters = 0
    if len(book.sheet_names) * size > MOST_READ:
        raise FormatError(f"has {len(book.sheet_names):,} sheets: too many to read", path=path)
    for name in book.sheet_names:
        grids[name] = grid = book.get_sheet_by_name(name).to_python()
        cells += sum(map(len, grid))
        characters += sum(len(cell) for row in grid for cell in row if isinstance(cell, str))
        if cells > MAX_CELLS or characters > UNFOLDED:
            raise FormatError(
                f"has more than {MAX_CELLS:,} cells or {UNFOLDED:,} characters", path=path
            )
    return grids


def unpack_workbook(path: Path, content: bytes) -> bytes:
    """The same workbook unfolded, once it is sure that it can be held in memory."""
    plain = io.BytesIO()
    total = 0
    extent = Extent(path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(plain, "w") as target:
            parts = {info.filename: info for info in packed.infolist()}
            if "[Content_Types].xml" not in parts:
                raise FormatError("is not an XLSX workbook. Save it as .xlsx or .csv", path=path)
            names = [name for name in parts if name.lower().endswith(PARTS)]
            # The texts that cells share come first: a cell is as large as the text it points to.
            for name in sorted(names, key=lambda name: "sharedstrings" not in name.lower()):
                with packed.open(parts[name]) as stream:
                    part = stream.read(UNFOLDED - total + 1)
                total += len(part)
                if total > UNFOLDED:
                    raise FormatError(f"unfolds to more than {UNFOLDED:,} bytes", path=path)
                if name.lower().endswith(".xml"):
                    extent.read(part)
                target.writestr(zipfile.ZipInfo(name), part)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError,
            OSError, ValueError, expat.ExpatError) as error:  # fmt: skip
        raise FormatError(f"is not a readable XLSX workbook ({error})", path=path) from error
    return plain.getvalue()


class Extent:
    """What each sheet of a workbook would take in memory.

    What reads a sheet makes room for all cells from the first to the last, and copies a shared
    text into every cell that points to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shared: list[int] = []  # characters of each text that cells may point to

    def read(self, part: bytes) -> None:
        """Count one part of the workbook."""
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        row = column = rows = columns = depth = characters = 0
        pointing = False  # whether the cell points to a shared text
        words: list[str] = []

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal row, column, rows, columns, depth, pointing
            depth += 1
            if depth > DEEPEST:
                raise FormatError(f"is nested more than {DEEPEST} deep", path=self.path)
            local = name.rpartition("}")[2]
            if local == "c":
                place = PLACE.fullmatch(attributes.get("r", ""))
                row = int(place[2]) if place else row
                column = _number(place[1]) if place else column + 1
                pointing = attributes.get("t") == "s"
            elif local == "row":
                number = attributes.get("r", "")
                row, column = int(number) if number.isdecimal() else row + 1, 0
            elif local in ("v", "is", "f"):  # a cell without any of them is only a style
                rows, columns = max(rows, row), max(columns, column)
                words.clear()
            elif local == "si":
                words.clear()

        def end(name: str) -> None:
            nonlocal depth, characters
            depth -= 1
            local = name.rpartition("}")[2]
            if local == "si":
                self.shared.append(sum(map(len, words)))
            elif local == "v" and pointing:
                number = "".join(words)
                if number.isdecimal() and int(number) < len(self.shared):
                    characters += self.shared[int(number)]

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = words.append
        parser.Parse(part, True)
        if rows * columns > MAX_CELLS:
            raise FormatError(
                f"has a sheet that spans {rows:,} rows and {columns:,} columns. Remove the cells "
                "far from its table, or save it as CSV",
                path=self.path,
            )
        if characters > UNFOLDED:
            raise FormatError(f"has more than {UNFOLDED:,} characters of text", path=self.path)


def _number(letters: str) -> int:
    """A column's number: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


class Compact:
    """Values in Thrift's compact protocol; nonsense is a `ValueError` or an `IndexError`."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content, self.at = content, at

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            part = self.byte()
            value |= (part & 0x7F) << shift
            if part < 0x80:
                return value
        raise ValueError("a number without end")

    def signed(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.signed()
            fields[number] = self.value(head & 15, depth + 1)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST_VALUE:
            raise ValueError("nested too deeply")
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind in WHOLE:
            return self.signed()
        if kind in (DOUBLE, BYTES):
            length = 8 if kind == DOUBLE else self.varint()
            self.at += length
            return None
        if kind == STRUCT:
            return self.struct(depth)
        if kind not in SEQUENCES:
            raise ValueError(f"a value of kind {kind}")
        head = self.byte()
        count, inner = head >> 4 if head >> 4 < 15 else self.varint(), head & 15
        if count > len(self.content):
            raise ValueError("a list longer than the file")
        return [self.byte() if inner < BYTE else self.value(inner, depth + 1) for _ in range(count)]


def refuse_large(path: Path, content: bytes) -> None:
    """What a file's pages hold must fit into a table."""
    if not (content.startswith(MAGIC) and content.endswith(MAGIC)):
        raise FormatError("is not a readable Parquet file (it has no marks)", path=path)
    length = struct.unpack("<I", content[-8:-4])[0]
    try:
        summary = Compact(content, len(content) - 8 - length).struct()
        rows, columns = summary[3], 0
        values = 0
        for group in summary[4]:
            columns = max(columns, len(group[1]))
            limit_table(path, 1, group[3])
            values += sum(_values_of(path, content, column[3]) for column in group[1])
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise FormatError(f"is not a readable Parquet file ({error!r})", path=path) from error
    limit_table(path, columns, max(rows, values // max(columns, 1)))


def _values_of(path: Path, content: bytes, column: Fields) -> int:
    """The values in the pages of a column; those of lists are counted one by one."""
    at = min(column[9], column.get(11) or column[9])
    stop = at + column[7]
    values = 0
    while at < min(stop, len(content)):
        reader = Compact(content, at)
        page = reader.struct()
        if not (0 <= page[2] <= PAGE and 0 <= page[3] <= len(content)):
            raise FormatError(f"has a page that unfolds to {page[2]:,} bytes", path=path)
        head = page.get(5) or page.get(8) or page[7]  # of data, in two versions, or a dictionary
        if not 0 <= head[1] <= MAX_CELLS:
            raise FormatError(f"has a page of {head[1]:,} values", path=path)
        values += head[1]
        at = reader.at + page[3]
    return max(values, int(column[5]))


def read_parquet(path: Path, content: bytes) -> Table:
    import polars

    refuse_large(path, content)
    try:
        scan = polars.scan_parquet(io.BytesIO(content))
        schema = scan.collect_schema()
        limit_table(path, len(schema), scan.select(polars.len()).collect().item())
        frame = scan.collect()
        most = min(MAX_BYTES, max(TEXT, UNFOLDING * len(content)))
        if sum(_characters(frame[name]) for name in frame.columns) > most:
            raise FormatError(f"has more than {most:,} bytes of text", path=path)
        plain = (polars.Binary, polars.Categorical, polars.Enum)
        frame = frame.with_columns(polars.col(*plain).cast(polars.String))
        return read_frame(path, frame)
    except (OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", path=path) from error


def _characters(series: Any) -> int:
    """Bytes of the texts in a column. A text that is repeated takes no room in Parquet."""
    kind = str(series.dtype).partition("(")[0]
    if kind in ("List", "Array"):
        return _characters(series.explode())
    if kind == "Struct":
        return sum(_characters(series.struct.field(name)) for name in series.struct.fields)
    if kind in ("Categorical", "Enum"):
        return int(series.cat.len_bytes().sum())
    if kind == "Binary":
        return int(series.bin.size().sum())
    return int(series.str.len_bytes().sum()) if kind == "String" else 0


def read_frame(path: Path, frame: Any, before: int = 0) -> Table:
    """Rows of a Parquet file, after so many others."""
    cells = [[cell_text(value) for value in frame[name].to_list()] for name in frame.columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    lines = list(range(before + 1, before + len(rows) + 1))
    return checked(Table(path.stem, frame.columns, rows, lines, path))
