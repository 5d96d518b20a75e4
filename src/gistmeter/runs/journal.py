"""The journal of a run: its plan, then a line a chunk of rows, each whole or not counted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.errors import ResumeError
from gistmeter.rows import Rows
from gistmeter.runs.layout import plain
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


def _encode(rows: Rows) -> dict[str, Any]:
    return {
        "keys": {key: list(column) for key, column in rows.keys.items()},
        "item": rows.item.tolist(),
        "numbers": {name: plain(column) for name, column in rows.numbers.items()},
        "texts": {name: list(column) for name, column in rows.texts.items()},
        "reasons": [
            [name, at, why] for name, cells in rows.reasons.items() for at, why in cells.items()
        ],
    }


def _decode(line: Mapping[str, Any]) -> Rows:
    reasons: dict[str, dict[int, str]] = {}
    for name, at, why in line["reasons"]:
        reasons.setdefault(name, {})[at] = why
    return Rows(
        line["keys"],
        np.asarray(line["item"], dtype=np.int64),
        {name: np.asarray(column, dtype=np.float64) for name, column in line["numbers"].items()},
        line["texts"],
        reasons,
    )
