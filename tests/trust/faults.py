"""A disk that fails on purpose: the process is killed, or the disk is full, at the nth operation.

Operations are what Python does to files below a folder: make, open for writing, write, rename,
remove. A write that is hit leaves half of its bytes. After a kill nothing reaches the disk any
more, clean-up included, as if the process were gone; a full disk refuses to make and to write
until the test ends, while removing still works.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

from gistmeter.core import files, folders
from gistmeter.core.runs import manifest

GROWING = ("open", "os.mkdir", "os.rename", "write")
WATCHED = (*GROWING, "os.remove", "os.rmdir", "os.chmod")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


PARENT = {"os.rename": 2, "os.remove": 1, "os.mkdir": 2, "os.rmdir": 1}  # where the folder's is
OPEN_AT = folders.open_at


def absolute(path: Any, parent: int) -> str:
    """A path, relative to an open folder where there is one."""
    folder = Path(f"/proc/self/fd/{parent}").readlink() if parent >= 0 else Path.cwd()
    return str(folder / os.fsdecode(path))


class Killed(BaseException):
    """The process is no more."""


class Disk:
    """Counts the operations below a folder, and fails from one of them on."""

    def __init__(self) -> None:
        self.folder, self.at, self.kind, self.count, self.on = "", 0, "", 0, False

    def happens(self, name: str, path: str) -> bool:
        """Count an operation; whether it is the first that must fail. Later ones fail here."""
        if not path.startswith(self.folder):
            return False
        if self.kind == "full" and name not in GROWING:
            return False
        self.count += 1
        if self.at and self.count > self.at:
            raise self.failure()
        return self.count == self.at

    def failure(self) -> BaseException:
        if self.kind == "kill":
            return Killed()
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on or event not in WATCHED:
            return
        path = arguments[0]
        if event == "open" and not arguments[2] & WRITING:
            return
        if isinstance(path, int):
            return
        parent = arguments[PARENT[event]] if event in PARENT else -1
        if self.happens(event, absolute(path, parent)):
            raise self.failure()

    def open_at(self, place: folders.Place, flags: int) -> int:
        """In the place of `folders.open_at`: its folder is not among what an audit hook is told."""
        counts = self.on and flags & WRITING and place.parent is not None
        if counts and self.happens("open", absolute(place.name, place.parent or -1)):
            raise self.failure()
        return OPEN_AT(place, flags)

    def put(self, stream: IO[bytes], content: bytes) -> None:
        """In the place of `files._put`."""
        name = (
            stream.name
            if isinstance(stream.name, str)
            else str(Path(f"/proc/self/fd/{stream.name}").readlink())
        )
        if self.on and self.happens("write", str(Path(name).absolute())):
            os.write(stream.fileno(), content[: len(content) // 2])
            raise self.failure()
        stream.write(content)
        stream.flush()


DISK = Disk()
sys.addaudithook(DISK.audit)


@contextlib.contextmanager
def failing(folder: Path, at: int = 0, kind: Literal["kill", "full"] = "kill") -> Iterator[Disk]:
    """Let the nth operation below a folder fail; 0 only counts them."""
    DISK.folder, DISK.at, DISK.kind, DISK.count, DISK.on = str(folder), at, kind, 0, True
    kept, files._put = files._put, DISK.put
    folders.open_at = manifest.open_at = DISK.open_at
    try:
        yield DISK
    finally:
        DISK.on, files._put = False, kept
        folders.open_at = manifest.open_at = OPEN_AT
