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
from gistmeter.core.files import parse_json, read_bytes, sha256
from gistmeter.core.rows import Rows
from gistmeter.core.signature import SEAL, is_whole

JOURNAL, RUN, ITEMS, REPORT = "journal.jsonl", "run.json", "items.parquet", "report.html"
LOCK = ".lock"
SHARDS = "shards"  # rows that workers wrote, until the run is finished
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
    found = [file.parent for file in folder.rglob(RUN) if not (file.parent / JOURNAL).exists()]
    return sorted(found, key=lambda path: ((path / RUN).stat().st_mtime, path))


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
        document = parse_json(read_bytes(path))
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, dict):
        raise FormatError("is not a JSON object", path=path)
    return document


def read_document(path: Path) -> dict[str, Any]:
    """The `run.json` of a folder, once it and the files that it names are found undamaged."""
    document = read_json(path / RUN)
    digests = document.get("files")
    if SEAL not in document or not isinstance(digests, dict):
        return document  # made before runs were sealed
    if not is_whole(document):
        raise FormatError(f"is not as it was written. {REMEDY}", path=path / RUN)
    for name, digest in digests.items():
        if (path / name).is_file() and sha256(path / name) != digest:
            raise FormatError(f"is not as it was written. {REMEDY}", path=path / name)
    return document


def read_items(path: Path) -> Rows:
    import polars

    try:
        return Rows.from_polars(polars.read_parquet(path))
    except (OSError, ValueError, TypeError, polars.exceptions.PolarsError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from error
