"""CSV, TSV and plain lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from gistmeter.core.errors import FormatError
from gistmeter.core.files import parse_json, printable
from gistmeter.core.table.cells import MAX_CELL, Table, cell_text, checked, headers, numbered


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
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise FormatError("is not a JSON list of objects, one per row", path=path)
    return _from_records(path, document, list(range(1, len(document) + 1)), guessed)


def _from_records(
    path: Path, records: Sequence[Mapping[str, Any]], lines: list[int], guessed: str
) -> Table:
    records = [with_answer(record) for record in records]
    columns = list(dict.fromkeys(key for record in records for key in record))
    rows = [[cell_text(record.get(column)) for column in columns] for record in records]
    return checked(Table(path.stem, columns, rows, lines, path, guessed))


PREDICTION = "prediction"


def with_answer(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record with its answer as `prediction`, where it is a chat and has none yet."""
    if PREDICTION in {key.casefold() for key in record}:
        return record
    for key in ("messages", "choices", "content", "response", "resps", "completion", "output"):
        value = record.get(key)
        if isinstance(value, Mapping | list):
            answer = _answer(value)
            if answer is not None:
                kept = {name: held for name, held in record.items() if name != key}
                return {**kept, PREDICTION: answer}
    return record


def _answer(value: Any) -> str | None:
    """The text of an answer, however deep it lies."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("choices", "message", "content", "text", "body", "output"):
            if key in value and (found := _answer(value[key])) is not None:
                return found
        return None
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(part, Mapping) and "role" in part for part in value):
        answers = [part for part in value if part["role"] in ("assistant", "model", "ai")]
        return _answer(answers[-1].get("content")) if answers else None
    if all(isinstance(part, Mapping) and part.get("type") == "text" for part in value):
        return "".join(str(part.get("text", "")) for part in value)
    return _answer(value[0]) if isinstance(value[0], Mapping | list) else _only(value)


def _only(value: list[Any]) -> str | None:
    return value[0] if len(value) == 1 and isinstance(value[0], str) else None
