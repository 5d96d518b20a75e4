"""What a model said once it need not say again.

An answer is kept under the SHA-256 of the canonical JSON of (model id, settings, input), in one
SQLite file in WAL mode, so that several processes may read and write at once. Numbers are stored
as their raw little-endian bytes, answers as UTF-8; nothing is ever unpickled. Without a file the
cache lives in memory, for the length of a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.errors import GistmeterError
from gistmeter.signature import canonical

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BATCH = 4096  # look-ups in one statement; SQLite allows 32,766 parameters
Key = bytes


def keys(model: str, inputs: Iterable[Any], settings: Mapping[str, Any] | None = None) -> list[Key]:
    """The cache keys of a model's inputs, each anything that JSON can hold."""
    head = canonical([model, dict(settings or {})]).encode("utf-8", "surrogatepass") + b"\0"
    base = hashlib.sha256(head)
    found = []
    for entry in inputs:
        hashed = base.copy()
        hashed.update(canonical(entry).encode("utf-8", "surrogatepass"))
        found.append(hashed.digest())
    return found


def pack(array: npt.NDArray[np.floating[Any]]) -> bytes:
    """Numbers as raw little-endian bytes; their type and shape are the reader's to know."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


@dataclass(frozen=True, slots=True)
class CacheInfo:
    path: str
    entries: int
    size: int  # bytes on disk


class Cache:
    """A table from keys to bytes; `Cache(None)` keeps it in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._connection is None or self._owner != os.getpid():
                # A connection must not cross a fork: a child opens its own.
                self._connection, self._owner = self._connect(), os.getpid()
            try:
                yield self._connection
            except sqlite3.DatabaseError as error:
                raise GistmeterError(
                    f"The cache {self.path} cannot be used ({error}). "
                    "Clear it with: gistmeter cache clear, or do without: --no-cache"
                ) from error

    def _connect(self) -> sqlite3.Connection:
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise GistmeterError(
                    f"Cannot make the cache folder ({error}). Do without: --no-cache"
                ) from error
        target = str(self.path) if self.path is not None else ":memory:"
        try:
            connection = sqlite3.connect(target, timeout=60, check_same_thread=False)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
                " WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            raise GistmeterError(
                f"The cache {target} cannot be opened ({error}). "
                "Clear it with: gistmeter cache clear, or do without: --no-cache"
            ) from error
        return connection

    def get_many(self, wanted: Sequence[Key]) -> dict[Key, bytes]:
        """The answers that are there."""
        found: dict[Key, bytes] = {}
        unique = list(dict.fromkeys(wanted))
        with self._open() as connection:
            for start in range(0, len(unique), BATCH):
                part = unique[start : start + BATCH]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM answers WHERE key IN ({marks})"  # noqa: S608
                found.update(connection.execute(query, part))
        return found

    def put_many(self, answers: Mapping[Key, bytes]) -> None:
        """Keep answers, all or none of them."""
        if not answers:
            return
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", answers.items())

    def info(self) -> CacheInfo:
        if self.path is not None and not self.path.exists():
            return CacheInfo(str(self.path), 0, 0)
        with self._open() as connection:
            (entries,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        size = sum(file.stat().st_size for file in self.files())
        return CacheInfo(str(self.path or "memory"), entries, size)

    def clear(self) -> None:
        """Forget everything, a damaged file included."""
        self.close()
        for file in self.files():
            file.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def files(self) -> list[Path]:
        if self.path is None:
            return []
        names = (self.path.name + end for end in ("", "-wal", "-shm"))
        return [file for name in names if (file := self.path.with_name(name)).exists()]
