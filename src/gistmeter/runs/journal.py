"""The journal of a run: its plan, then a line a chunk of rows, each whole or not counted."""

from __future__ import annotations

import base64
import io
import json
import os
from pathlib import Path
from typing import Any

from gistmeter.errors import ResumeError
from gistmeter.rows import Rows
from gistmeter.signature import canonical


def append(path: Path, rows: Rows) -> None:
    """Add a chunk, on disk when this returns."""
    with path.open("a", encoding="utf-8", errors="replace") as stream:
        stream.write(canonical(_encode(rows)) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def read(path: Path) -> tuple[dict[str, Any], list[Rows], int]:
    """The plan, the chunks, and how many bytes of the file are whole lines."""
    content = path.read_bytes()
    good = content.rfind(b"\n") + 1
    lines = content[:good].splitlines()
    if not lines:
        raise ResumeError(f"{path}: the journal has no plan. Start again with --overwrite")
    try:
        plan, *chunks = (json.loads(line) for line in lines)
        return plan, [_decode(chunk) for chunk in chunks], good
    except (ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{path}: is damaged. Start again with --overwrite") from error


def _encode(rows: Rows) -> str:
    """The chunk's table, as `items.parquet` will have it."""
    stream = io.BytesIO()
    rows.to_polars().write_parquet(stream)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _decode(line: str) -> Rows:
    import polars

    try:
        return Rows.from_polars(polars.read_parquet(base64.b64decode(line, validate=True)))
    except polars.exceptions.PolarsError as error:
        raise ValueError(str(error)) from error
