"""The journal of a run: its plan, then one line per chunk of rows, each whole or not counted.

A line holds its chunk's table, or names the shard that a worker wrote of it (see `shards`).

Every line carries a digest; that of a chunk covers the plan too, so that no line of another run
counts. A line that does not fit (cut off by a kill, damaged on the disk, there twice) is left out,
and its items are measured again.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import ResumeError
from gistmeter.core.files import append, parse_json, sha256, write_atomically
from gistmeter.core.rows import Rows
from gistmeter.core.runs.shards import Shard, to_parquet
from gistmeter.core.signature import SEAL, canonical, digest, is_whole, seal


@dataclass(slots=True)
class Journal:
    """The plan and the chunks so far, in memory and on disk."""

    path: Path
    plan: Mapping[str, Any]
    chunks: list[Rows | Shard] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)  # file name -> SHA-256
    rejected: int = 0  # whole lines that did not fit

    def start(self) -> None:
        write_atomically(self.path, self._line({"plan": dict(self.plan)}))

    def add(self, chunk: Rows | Shard, details: Mapping[str, str]) -> None:
        """Add a chunk, on disk when this returns."""
        append(self.path, self._line(self._chunk(chunk, details)).encode())
        self.chunks.append(chunk)
        self.details.update(details)

    def missing(self) -> list[range]:
        """The stretches of items that no row stands for yet, in input order."""
        left = np.ones(int(self.plan["items"]), np.bool_)
        for chunk in self.chunks:
            left[_items(chunk)] = False
        edges = np.flatnonzero(np.diff(left, prepend=False, append=False)).tolist()
        return [range(first, stop) for first, stop in zip(edges[::2], edges[1::2], strict=True)]

    def rows(self) -> Iterator[Rows]:
        """The rows of every chunk, shards read when their turn comes."""
        for chunk in self.chunks:
            yield chunk.read(self.path.parent) if isinstance(chunk, Shard) else chunk

    def _chunk(self, chunk: Rows | Shard, details: Mapping[str, str]) -> dict[str, Any]:
        held = chunk.to_dict() if isinstance(chunk, Shard) else {"rows": _encode(chunk)}
        return {"of": digest(self.plan), **held, "details": dict(details)}

    def _line(self, document: Mapping[str, Any]) -> str:
        return canonical(seal(document)) + "\n"

    @classmethod
    def read(cls, path: Path, folder: Path) -> Journal:
        """What fits of a journal; the file is left with that alone. Details are in the folder."""
        lines = path.read_bytes().split(b"\n")
        cut_off = lines.pop()
        head = _document(lines[0]) if lines else {}
        if not isinstance(head.get("plan"), dict):
            raise ResumeError(f"{path}: is damaged: it has no plan. Start again with --overwrite")
        found, kept = cls(path, head["plan"]), [lines[0]]
        documents = [_document(line) for line in lines[1:]]
        newest = {name: sha for one in documents for name, sha in one.get("details", {}).items()}
        spoilt = {name for name, sha in newest.items() if not _is(folder / name, sha)}
        left = np.ones(int(found.plan["items"]), np.bool_)
        for line, document in zip(lines[1:], documents, strict=True):
            if found._take(document, left, spoilt):
                kept.append(line)
        found.rejected = len(lines) - len(kept)
        if cut_off or found.rejected:
            write_atomically(path, b"\n".join([*kept, b""]))
        return found

    def _take(self, line: Mapping[str, Any], left: npt.NDArray[np.bool_], spoilt: set[str]) -> bool:
        """Count a chunk of this plan whose items are wanted and whose details are whole."""
        import polars

        if line.get("of") != digest(self.plan) or not spoilt.isdisjoint(line["details"]):
            return False
        try:
            chunk = Shard.of(line) if "shard" in line else _decode(line["rows"])
        except (ValueError, polars.exceptions.PolarsError):
            return False
        if isinstance(chunk, Shard) and not chunk.is_whole(self.path.parent):
            return False
        items = _items(chunk)
        if not _fits(items, len(left)) or not left[items].all():
            return False
        left[items] = False
        self.chunks.append(chunk)
        self.details.update(line["details"])
        return True


def _is(file: Path, sha: str) -> bool:
    return file.is_file() and sha256(file) == sha


def _document(line: bytes) -> dict[str, Any]:
    """A line's document; nothing where it is not what was written."""
    try:
        document = parse_json(line)
        whole = isinstance(document, dict) and SEAL in document and is_whole(document)
    except ValueError:
        return {}
    return document if whole else {}


def _items(chunk: Rows | Shard) -> slice | npt.NDArray[np.int64]:
    return slice(chunk.first, chunk.last + 1) if isinstance(chunk, Shard) else chunk.item


def _fits(items: slice | npt.NDArray[np.int64], size: int) -> bool:
    if isinstance(items, slice):
        return bool(0 <= items.start < items.stop <= size)
    return bool(((items >= 0) & (items < size)).all())


def _encode(rows: Rows) -> str:
    return base64.b64encode(to_parquet(rows)).decode("ascii")


def _decode(line: str) -> Rows:
    import polars

    return Rows.from_polars(polars.read_parquet(base64.b64decode(line, validate=True)))
