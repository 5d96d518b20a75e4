"""Parquet files and data frames."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError
from gistmeter.core.files import MAX_BYTES
from gistmeter.core.table.cells import MAX_CELLS, Table, cell_text, checked


def read_parquet(path: Path, content: bytes) -> Table:
    import polars

    try:
        scan = polars.scan_parquet(io.BytesIO(content))
        count, width = scan.select(polars.len()).collect().item(), len(scan.collect_schema())
        _refuse_large(path, count, width)
        frame = scan.collect()
        _refuse_long(path, frame)
    except (OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", path=path) from error
    return read_frame(path, frame)


def read_frame(path: Path, frame: Any, before: int = 0) -> Table:
    """Rows of a Parquet file, after so many others."""
    cells = [[cell_text(value) for value in frame[name].to_list()] for name in frame.columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    lines = list(range(before + 1, before + len(rows) + 1))
    return checked(Table(path.stem, frame.columns, rows, lines, path))


def _refuse_large(path: Path, rows: int, columns: int) -> None:
    if rows * columns > MAX_CELLS:
        raise FormatError(
            f"spans {rows:,} rows and {columns:,} columns, more than {MAX_CELLS:,} cells. Remove "
            "what is not needed, or save it as CSV",
            path=path,
        )


def _refuse_long(path: Path, frame: Any) -> None:
    """A text that is repeated a million times takes no room in Parquet, but much in memory."""
    import polars

    size = frame.select(polars.col(polars.String).str.len_bytes().sum()).sum_horizontal()
    if len(size) and int(size.item() or 0) > MAX_BYTES:
        raise FormatError(f"has more than {MAX_BYTES:,} bytes of text", path=path)
