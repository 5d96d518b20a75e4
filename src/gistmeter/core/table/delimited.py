"""CSV, TSV and plain lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from gistmeter.core.errors import FormatError
from gistmeter.core.files import printable
from gistmeter.core.table.cells import MAX_CELL, Table, checked, headers, numbered


def read_delimited(path: Path, text: str, guessed: str, suffix: str, header: bool) -> Table:
    delimiter = "\t" if suffix == ".tsv" else _delimiter(text)
    if suffix == ".txt" and _is_lines(text, delimiter):
        return _read_lines(path, text, guessed)
    try:
        return _read_csv(path, text, guessed, delimiter, header)
    except FormatError:
        if delimiter != "\t":
            raise
        try:
            # Many who write tabs between cells quote none, and a quote is a character.
            return _read_csv(path, text, guessed, delimiter, header, quoting=csv.QUOTE_NONE)
        except FormatError:
            pass
        raise


def _is_lines(text: str, delimiter: str) -> bool:
    """Whether a file is plain lines: no delimiter cuts all of them into as many cells."""
    lines = [line for line in text.split("\n") if line.strip()]
    counts = {line.count(delimiter) for line in lines}
    return delimiter not in lines[0] or (delimiter != "\t" and len(counts) > 1 and '"' not in text)


def _read_lines(path: Path, text: str, guessed: str) -> Table:
    """One row per line, empty lines included; the end of the file is none."""
    lines = text.rstrip().replace("\r\n", "\n").split("\n")
    rows: list[list[str | None]] = [[printable(line.strip())] for line in lines]
    numbers = list(range(1, len(rows) + 1))
    return Table(path.stem, ["line"], rows, numbers, path, guessed, headed=False, lined=True)


def _read_csv(
    path: Path,
    text: str,
    guessed: str,
    delimiter: str,
    header: bool,
    *,
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL,
) -> Table:
    # Line ends stay, as they may stand inside quoted cells; strict makes a broken quote an error.
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True, quoting=quoting)
    rows: list[list[str | None]] = []
    lines: list[int] = []
    columns: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            start, line = line, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns = headers(cells, path, start) if header else numbered(len(cells))
                if header:
                    continue
            if len(cells) != len(columns):
                raise FormatError(
                    f"has {len(cells)} cells, the {'header' if header else 'first row'} has "
                    f"{len(columns)}. Quote cells that contain the delimiter {delimiter!r}",
                    path=path,
                    row=start,
                )
            rows.append([printable(cell) for cell in cells])
            lines.append(start)
    except csv.Error as error:
        raise FormatError(f"is not a well-formed table ({error})", path=path, row=line) from error
    return checked(Table(path.stem, columns or [], rows, lines, path, guessed, header))


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
    """The delimiter that the first line has most of; a comma where it has none."""
    first = next(_lines(text.lstrip()), "")
    return max((",", "\t", ";"), key=lambda mark: (first.count(mark), mark == ","))
