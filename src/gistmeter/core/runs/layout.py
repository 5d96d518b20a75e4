"""The files of a run: their names, where they go, and how they are read."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.core.family import TRANSCRIPTS
from gistmeter.core.files import parse_json
from gistmeter.core.folders import Folder
from gistmeter.core.rows import Rows
from gistmeter.core.signature import SEAL, is_whole

JOURNAL, RUN, ITEMS, REPORT = "journal.jsonl", "run.json", "items.parquet", "report.html"
LOCK = ".lock"
SHARDS = "shards"  # rows that workers wrote, until the run is finished
LARGEST = 1e100  # of statistics: sums of their squares are numbers still
# What Python raises where a document does not hold what it should
NONSENSE = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip
REMEDY = "Take it from a backup, or score again with --overwrite"


def default_folder(command: str, root: Path) -> Path:
    """`runs/<command>-<timestamp>`, with a number behind it where that exists."""
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
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


def runs_in(folder: Path) -> list[Path]:
    """The finished runs below a folder, oldest first."""
    runs = [file.parent for file in folder.rglob(RUN) if not (file.parent / JOURNAL).exists()]
    return sorted(runs, key=lambda path: ((path / RUN).stat().st_mtime, path))


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


def read_json(path: Path, name: str = RUN) -> dict[str, Any]:
    """A JSON object of a run's folder."""
    content = Folder(path).read(name)
    try:
        document = parse_json(content, parse_constant=_refuse_constant)
    except ValueError as error:
        raise FormatError(f"is not JSON ({error}). {REMEDY}", path=path / name) from error
    if not isinstance(document, dict):
        raise FormatError(f"is not a JSON object. {REMEDY}", path=path / name)
    return document


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has {name}, where undefined numbers are null")


def read_document(path: Path) -> dict[str, Any]:
    """The `run.json` of a folder, once it and the files that it names are found undamaged."""
    document = read_json(path)
    if SEAL not in document:
        raise FormatError(
            f"is not a run of gistmeter, or was changed: it has no digest ({SEAL}). {REMEDY}",
            path=path / RUN,
        )
    digests = document.get("files")
    if not is_whole(document) or not isinstance(digests, dict) or ITEMS not in digests:
        raise FormatError(f"is not as it was written. {REMEDY}", path=path / RUN)
    folder = Folder(path)
    for name, digest in digests.items():
        if (name == ITEMS or folder.has(name)) and folder.sha256(name) != digest:
            raise FormatError(f"is not as it was written. {REMEDY}", path=path / name)
    return document


def read_items(path: Path, name: str = ITEMS) -> Rows:
    """The rows of a run's folder, or of one of its shards."""
    import polars

    broken = (*NONSENSE, OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException)
    try:
        with Folder(path).open(name) as stream:
            frame = polars.read_parquet(stream)
        if frame.schema["item"] != polars.Int64:
            raise ValueError("the column 'item' has no whole numbers")
        rows = Rows.from_polars(frame)
        _refuse_nonsense(rows)
    except broken as error:
        raise FormatError(f"cannot be read ({error}). {REMEDY}", path=path / name) from error
    return rows


def _refuse_nonsense(rows: Rows) -> None:
    """A table has texts where rows have keys, and a reason is a text for a row and a score."""
    for name, keys in rows.keys.items():
        if not all(isinstance(key, str) for key in keys):
            raise ValueError(f"the column '{name}' has cells that are not text")
    for name, column in rows.numbers.items():
        if np.nanmax(np.abs(column), initial=0.0) > LARGEST:
            raise ValueError(f"the column '{name}' has numbers that no statistic has")
    for name, cells in rows.reasons.items():
        if not all(isinstance(why, str) for why in cells.values()):
            raise ValueError(f"a reason of '{name}' is not text")
