"""What was read: the digest of an input is that of the very bytes that became items.

Readers note what they read while a run gathers its items, in the same pass. A file that is read
again and is another one by then is an error. What is read later or elsewhere (sounds, the tables of
a cluster's workers) is known by its stamp: size, time of change and place on the disk must be the
same before and after.
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gistmeter.core.errors import InputError

Stamp = tuple[int, int, int]  # size, time of change in nanoseconds, inode


@dataclass(slots=True)
class Noted:
    """The digests of the files that were read so far."""

    digests: dict[Path, str] = field(default_factory=dict)  # by resolved path

    def add(self, path: Path, digest: str) -> None:
        if self.digests.setdefault(path.resolve(), digest) != digest:
            raise changed(path)

    def get(self, path: Path) -> str | None:
        return self.digests.get(path.resolve())


NOTED: contextvars.ContextVar[Noted | None] = contextvars.ContextVar("noted", default=None)


@contextlib.contextmanager
def noting() -> Iterator[Noted]:
    """Have all readers note what they read."""
    noted = Noted()
    token = NOTED.set(noted)
    try:
        yield noted
    finally:
        NOTED.reset(token)


def note(path: Path, content: bytes) -> None:
    """Say that a file was read and held this."""
    noted = NOTED.get()
    if noted is not None:
        noted.add(path, hashlib.sha256(content).hexdigest())


@dataclass(slots=True)
class Reader:
    """A stream that is hashed while it is read, from its beginning to its end."""

    stream: IO[bytes]
    hashed: hashlib._Hash = field(default_factory=hashlib.sha256)

    def read(self, size: int = -1) -> bytes:
        piece = self.stream.read(size)
        if NOTED.get() is not None:
            self.hashed.update(piece)
        return piece

    def finish(self, path: Path) -> None:
        """Note the file, once what a reader left unread is counted too."""
        noted = NOTED.get()
        if noted is not None:
            while self.read(1 << 20):
                pass
            noted.add(path, self.hashed.hexdigest())


def stamp_of(path: Path) -> Stamp:
    """By what a file is known to be the same, without being read."""
    try:
        found = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return found.st_size, found.st_mtime_ns, found.st_ino


def refuse_change(path: Path, stamp: Stamp) -> None:
    """A file must be the one that it was."""
    if stamp_of(path) != stamp:
        raise changed(path)


def changed(path: Path) -> InputError:
    return InputError(
        f"{path}: was changed or replaced while it was read, so the scores would be of two "
        "different files. Let it rest, and start again with --overwrite"
    )
