"""The files of a run: their names, where they go, and how they are read."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.errors import FormatError
from gistmeter.families.family import TRANSCRIPTS
from gistmeter.files import read_bytes
from gistmeter.rows import Rows

JOURNAL, RUN, ITEMS, REPORT = "journal.jsonl", "run.json", "items.parquet", "report.html"


def default_folder(command: str, root: Path, now: datetime.datetime | None = None) -> Path:
    """`runs/<command>-<timestamp>`, with a number behind it where that exists."""
    stamp = (now or datetime.datetime.now()).strftime("%Y%m%d-%H%M%S")
    path, number = root / f"{command}-{stamp}", 1
    while path.exists():
        number += 1
        path = root / f"{command}-{stamp}-{number}"
    return path


def newest_unfinished(command: str, root: Path) -> Path | None:
    """The last run of a command that was not finished, if any."""
    journals = [*root.glob(f"{command}-*/{JOURNAL}"), *root.glob(f"{command}-*{TRANSCRIPTS}")]
    if not journals:
        return None
    newest = max(journals, key=lambda path: path.stat().st_mtime)
    if newest.name == JOURNAL:
        return newest.parent
    return newest.with_name(newest.name.removesuffix(TRANSCRIPTS))


def to_json(document: Any) -> str:
    """JSON in which nothing is NaN: undefined numbers are null."""
    return json.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False)


def plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Path):
        return str(value)
    return value


def read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_bytes(path))
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, dict):
        raise FormatError("is not a JSON object", path=path)
    return document


def read_items(path: Path) -> Rows:
    import polars

    try:
        return Rows.from_polars(polars.read_parquet(path))
    except (OSError, polars.exceptions.PolarsError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from error
