"""Shards: the rows of a chunk that a worker writes itself, named by a line of the journal.

Where the work runs in other processes, rows need not come back to the one that keeps the journal:
whoever measured a chunk writes it into the run's folder, whole or not at all, and sends its name
and digest. A worker that does not share the folder's disk sends the rows instead.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from gistmeter.core.errors import GistmeterError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import parse_json, sha256, write_atomically
from gistmeter.core.rows import KEYS, Rows
from gistmeter.core.runs.layout import JOURNAL, SHARDS, read_items, to_json
from gistmeter.core.signature import digest


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of rows, and the neighbouring items that they stand for."""

    name: str
    sha: str
    first: int
    last: int
    details: Mapping[str, str] = field(default_factory=dict)  # file name -> SHA-256

    @property
    def items(self) -> range:
        return range(self.first, self.last + 1)

    def is_whole(self, folder: Path) -> bool:
        """Whether the file in a run's folder is the one that was written."""
        file = folder / SHARDS / self.name
        return file.is_file() and sha256(file) == self.sha

    def read(self, folder: Path) -> Rows:
        return read_items(folder / SHARDS / self.name)

    def to_dict(self) -> dict[str, Any]:
        return {"shard": self.name, "sha": self.sha, "items": [self.first, self.last]}

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """From a line of the journal."""
        first, last = line["items"]
        name = Path(line["shard"]).name  # no line leads out of the folder
        return cls(name, line["sha"], int(first), int(last), line["details"])


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the workers of a run put their shards: its folder, and the plan that it must have."""

    folder: Path  # absolute
    plan: str  # its digest

    def put(self, rows: Rows) -> Shard | Rows:
        """The shard of a chunk; the rows themselves where this process does not see the folder."""
        if not self._is_here():
            return rows
        first, last = int(rows.item.min()), int(rows.item.max())
        details = write_details(self.folder, rows.details)
        content = to_parquet(rows)
        name = f"{first:012d}-{last:012d}.parquet"
        write_atomically(self.folder / SHARDS / name, content)
        return Shard(name, hashlib.sha256(content).hexdigest(), first, last, details)

    def _is_here(self) -> bool:
        """Whether the folder is the run's: another machine may have one of the same name."""
        try:
            with (self.folder / JOURNAL).open("rb") as stream:
                head = parse_json(stream.readline())
            return digest(head["plan"]) == self.plan
        except (OSError, ValueError, KeyError, TypeError):
            return False


def to_parquet(rows: Rows) -> bytes:
    """A chunk's table, as `items.parquet` will have it."""
    stream = io.BytesIO()
    rows.to_polars().write_parquet(stream)
    return stream.getvalue()


def join_shards(files: Sequence[Path], target: Path) -> None:
    """One file of the rows of all, one after another, without ever holding all of them.

    It has the columns of all, as `Rows.merge` puts them; a row that lacks one has it undefined.
    """
    import polars

    whole = polars.concat([polars.scan_parquet(file) for file in files], how="diagonal")
    kinds: dict[str, dict[str, Any]] = {"String": {}, "Float64": {}, "List": {}, "Int64": {}}
    for name, kind in sorted(whole.collect_schema().items()):
        kinds[str(kind.base_type())][name] = None
    ordered = dict.fromkeys([*KEYS, *kinds["String"], *kinds["Float64"], *kinds["List"]])
    columns = [name for name in ordered if name != "reasons"]
    try:
        write_atomically(target, whole.select(*columns, "reasons", "item").sink_parquet)
    except polars.exceptions.PolarsError as error:
        raise GistmeterError(f"{target}: cannot be written ({error})") from error


def write_details(folder: Path, documents: Mapping[str, Any]) -> dict[str, str]:
    """Documents beside the run, JSON or text as it is: their file names and digests."""
    digests = {}
    for name, document in documents.items():
        tame = re.sub(r"[^\w.-]+", "_", name, flags=re.UNICODE).lstrip(".") or "detail"
        text = document if isinstance(document, str) else to_json(document)
        write_atomically(folder / DETAILS / tame, text)
        digests[tame] = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return digests
