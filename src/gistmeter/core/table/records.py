"""JSON and JSON Lines: one object per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gistmeter.core.errors import FormatError
from gistmeter.core.files import parse_json
from gistmeter.core.table.cells import Table, cell_text, checked
from gistmeter.core.table.chat import with_answer


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
