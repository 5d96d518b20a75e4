"""Shards: the rows of a chunk that a worker writes itself, named by a line of the journal.

Where the work runs in other processes, rows need not come back to the one that keeps the journal:
the worker that measured a chunk writes it into the run's folder, whole or not at all, and sends its
name and digest. A worker that does not share the folder's disk sends the rows instead.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.family import DETAILS
from gistmeter.core.files import parse_json
from gistmeter.core.folders import Folder
from gistmeter.core.rows import KEYS, Rows
from gistmeter.core.runs.layout import ITEMS, JOURNAL, SHARDS, read_items, to_json
from gistmeter.core.runs.manifest import CLAIMS, differing, owned, refuse_foreign
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
        name, whole = f"{SHARDS}/{self.name}", Folder(folder)
        return whole.has(name) and whole.sha256(name) == self.sha

    def read(self, folder: Path) -> Rows:
        return read_items(folder, f"{SHARDS}/{self.name}")

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
    own: frozenset[str] = frozenset()  # files in the folder that the run may replace

    def put(self, rows: Rows) -> Shard | Rows:
        """The shard of a chunk; the rows themselves where this process does not see the folder."""
        if not self._is_here():
            return rows
        first, last = int(rows.item.min()), int(rows.item.max())
        folder, name = Folder(self.folder), f"{SHARDS}/{first:012d}-{last:012d}"
        documents = spelled(rows.details)
        if documents:
            claims = {*owned(self.folder), *self.own}
            refuse_foreign(folder, differing(folder, documents), claims)
            folder.write(f"{name}.claims.json", to_json({CLAIMS: list(documents)}))
        details = write_details(folder, documents)
        content = to_parquet(rows)
        folder.write(f"{name}.parquet", content)
        sha = hashlib.sha256(content).hexdigest()
        return Shard(f"{name}.parquet".removeprefix(f"{SHARDS}/"), sha, first, last, details)

    def _is_here(self) -> bool:
        """Whether the folder is the run's: another machine may have one of the same name."""
        try:
            with Folder(self.folder).open(JOURNAL) as stream:
                head = parse_json(stream.readline())
            return digest(head["plan"]) == self.plan
        except (InputError, OSError, ValueError, KeyError, TypeError):
            return False


def to_parquet(rows: Rows) -> bytes:
    """A chunk's table, as `items.parquet` will have it."""
    stream = io.BytesIO()
    rows.to_polars().write_parquet(stream)
    return stream.getvalue()


def join_shards(path: Path, shards: Sequence[Shard]) -> None:
    """One file of the rows of all, one after another, without ever holding all of them.

    It has the columns of all, as `Rows.merge` puts them; a row that lacks one has it undefined.
    """
    import polars

    files = [path / SHARDS / shard.name for shard in shards]
    whole = polars.concat([polars.scan_parquet(file) for file in files], how="diagonal")
    kinds: dict[str, dict[str, Any]] = {"String": {}, "Float64": {}, "List": {}, "Int64": {}}
    for name, kind in sorted(whole.collect_schema().items()):
        kinds[str(kind.base_type())][name] = None
    ordered = dict.fromkeys([*KEYS, *kinds["String"], *kinds["Float64"], *kinds["List"]])
    columns = [name for name in ordered if name != "reasons"]
    try:
        Folder(path).write(ITEMS, whole.select(*columns, "reasons", "item").sink_parquet)
    except polars.exceptions.PolarsError as error:
        raise GistmeterError(f"{path / ITEMS}: cannot be written ({error})") from error


def spelled(documents: Mapping[str, Any]) -> dict[str, bytes]:
    """Documents of a run, JSON or text as it is, by the names that their files have."""
    found = {}
    for name, document in documents.items():
        tame = re.sub(r"[^\w.-]+", "_", name, flags=re.UNICODE).lstrip(".") or "detail"
        text = document if isinstance(document, str) else to_json(document)
        found[f"{DETAILS}/{tame}"] = text.encode("utf-8", "replace")
    return found


def write_details(folder: Folder, documents: Mapping[str, bytes]) -> dict[str, str]:
    """Write spelled documents; their file names and digests."""
    for name, content in documents.items():
        folder.write(name, content)
    return {
        name.removeprefix(f"{DETAILS}/"): hashlib.sha256(content).hexdigest()
        for name, content in documents.items()
    }
