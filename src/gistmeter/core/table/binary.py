"""XLSX workbooks: an archive may unfold without bound, a sheet may claim any number of cells.

A workbook of 1.5 KB can claim 17 thousand million cells, or unfold to gigabytes; what reads it
would take all memory. So it is unfolded first, up to a limit, and the cells' places are looked at.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import MAX_BYTES
from gistmeter.core.table.textual import (
    MAX_CELLS,
    Table,
    bounded,
    cell_text,
    checked,
    headers,
    numbered,
)

UNFOLDED = 1024**3  # bytes of all parts together
PARTS = (".xml", ".rels")
# The place of a cell that is not empty: <c r="B12" …> … </c>
PLACE = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{1,8})([0-9]{1,12})\s*["'][^<>]*(?<!/)>""")


def read_workbook(path: Path, content: bytes, header: bool) -> dict[str, Table]:
    from python_calamine import CalamineWorkbook

    plain = unpack_workbook(path, content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(plain))
        grids = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except Exception as error:  # calamine raises several kinds, some of them private
        raise FormatError(f"is not a readable XLSX workbook ({error})", path=path) from error
    tables: dict[str, Table] = {}
    for name, grid in grids.items():
        lines = [at for at, row in enumerate(grid, 1) if any(c not in ("", None) for c in row)]
        if not lines:
            continue
        first = grid[lines[0] - 1]
        columns = numbered(len(first))
        if header:
            columns = headers([str(cell) for cell in first], path, lines.pop(0))
        cells = [[None if c == "" else cell_text(c) for c in grid[at - 1]] for at in lines]
        tables[name] = bounded(Table(name, columns, cells, lines, path, headed=header))
    if not tables:
        raise InputError(f"{path}: is empty (no sheet has a filled cell)")
    filled_tables = {name: table for name, table in tables.items() if table.rows}
    return filled_tables or {name: checked(table) for name, table in tables.items()}


def unpack_workbook(path: Path, content: bytes) -> bytes:
    """The same workbook unfolded, once it is sure that it can be held in memory."""
    plain = io.BytesIO()
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(plain, "w") as target:
            names = [info for info in packed.infolist() if info.filename.lower().endswith(PARTS)]
            if "[Content_Types].xml" not in packed.namelist():
                raise FormatError("is not an XLSX workbook. Save it as .xlsx or .csv", path=path)
            for info in {info.filename: info for info in names}.values():
                with packed.open(info) as stream:
                    part = stream.read(UNFOLDED - total + 1)
                total += len(part)
                if total > UNFOLDED:
                    raise FormatError(f"unfolds to more than {UNFOLDED:,} bytes", path=path)
                if "sheet" in info.filename.lower():
                    _refuse_wide(path, part)
                target.writestr(zipfile.ZipInfo(info.filename), part)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError,
            OSError, ValueError) as error:  # fmt: skip
        raise FormatError(f"is not a readable XLSX workbook ({error})", path=path) from error
    return plain.getvalue()


def _refuse_wide(path: Path, sheet: bytes) -> None:
    """What reads a sheet makes room for all cells from the first to the last."""
    rows = columns = 0
    for place in PLACE.finditer(sheet):
        rows, columns = max(rows, int(place[2])), max(columns, _number(place[1]))
    if rows * columns > MAX_CELLS:
        raise FormatError(
            f"has a sheet that spans {rows:,} rows and {columns:,} columns. Remove the cells far "
            "from its table, or save it as CSV",
            path=path,
        )


def _number(letters: bytes) -> int:
    """A column's number: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def read_parquet(path: Path, content: bytes) -> Table:
    import polars

    try:
        scan = polars.scan_parquet(io.BytesIO(content))
        rows, columns = scan.select(polars.len()).collect().item(), len(scan.collect_schema())
        if rows * columns > MAX_CELLS:
            raise FormatError(
                f"spans {rows:,} rows and {columns:,} columns, more than {MAX_CELLS:,} cells. "
                "Remove what is not needed, or save it as CSV",
                path=path,
            )
        frame = scan.collect()
        # A text that is repeated a million times takes no room in Parquet, but much in memory.
        size = frame.select(polars.col(polars.String).str.len_bytes().sum()).sum_horizontal()
        if len(size) and int(size.item() or 0) > MAX_BYTES:
            raise FormatError(f"has more than {MAX_BYTES:,} bytes of text", path=path)
    except (OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", path=path) from error
    return read_frame(path, frame)


def read_frame(path: Path, frame: Any, before: int = 0) -> Table:
    """Rows of a Parquet file, after so many others."""
    cells = [[cell_text(value) for value in frame[name].to_list()] for name in frame.columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    lines = list(range(before + 1, before + len(rows) + 1))
    return checked(Table(path.stem, frame.columns, rows, lines, path))
