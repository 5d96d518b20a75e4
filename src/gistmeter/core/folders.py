"""A folder of ours: its files are opened, written, listed and removed without following a link.

The folder itself may be a link, for its user named it. Nothing in it may: neither a file nor the
one level of folders that a run has. Every name is looked up relative to an open folder (`dir_fd`),
so a folder that is replaced by a link in the meantime leads nowhere. Windows has no such look-up:
there each part is looked at before it is used.

Temporary folders are for their owner alone, and go even where their process is killed: a folder is
locked while its process lives, and the next command removes one that nobody holds.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gistmeter.core import files
from gistmeter.core.errors import InputError

RELATIVE = {os.open, os.stat, os.unlink, os.mkdir, os.rmdir, os.rename} <= os.supports_dir_fd
NOFOLLOW, NONBLOCK = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)
DIRECTORY, BINARY = getattr(os, "O_DIRECTORY", 0), getattr(os, "O_BINARY", 0)
LINKS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)  # what systems say where a link is in the way
BEGIN, END, LOCK = ".gistmeter-", ".folder", ".lock"
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what systems say where a file is locked
KINDS = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder"), (stat.S_ISFIFO, "pipe"))


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a folder that is open."""

    path: Path  # for messages, and for systems without relative look-up
    name: str | Path  # what the system is given
    parent: int | None  # the open folder, where names are relative to it

    def lstat(self) -> os.stat_result | None:
        try:
            return os.stat(self.name, dir_fd=self.parent, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_file(self) -> bool:
        """Whether a regular file is there; a link or a folder is none."""
        entry = self.lstat()
        return entry is not None and stat.S_ISREG(entry.st_mode)

    def beside(self, name: str) -> Place:
        path = self.path.with_name(name)
        return Place(path, path if self.parent is None else name, self.parent)

    def refuse_others(self) -> bool:
        """Whether the file is there; what is not a regular file is an error."""
        entry = self.lstat()
        if entry is not None and not stat.S_ISREG(entry.st_mode):
            raise InputError(
                f"{self.path}: is a {kind_of(entry.st_mode)}, and no file of a run. Move it away, "
                "or choose another folder"
            )
        return entry is not None


def kind_of(mode: int) -> str:
    return next((name for is_it, name in KINDS if is_it(mode)), "device")


def open_at(place: Place, flags: int) -> int:
    """Open a name in an open folder, without following a link or waiting for a pipe's end.

    A file that has another name elsewhere (a hard link) is not written: it may be somebody's own.
    """
    handle = os.open(place.name, flags | NOFOLLOW | NONBLOCK | BINARY, 0o666, dir_fd=place.parent)
    if flags & (os.O_WRONLY | os.O_RDWR) and os.fstat(handle).st_nlink > 1:
        os.close(handle)
        raise InputError(f"{place.path}: is a hard link. Put a copy of the file there")
    return handle


def _in_the_way(path: Path, kind: str) -> InputError:
    return InputError(
        f"{path}: is a {kind}, where a run has a folder of its own. Remove it, or choose "
        "another folder"
    )


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a folder, by names such as `run.json` and `details/x.json`."""

    path: Path

    @contextlib.contextmanager
    def at(self, name: str, *, make: bool = False) -> Iterator[Place]:
        """The place of a file while its folder is open; `make` makes the folders that lack."""
        parts = name.split("/")
        odd = {"", ".", ".."} & set(parts) or {os.sep, "\0"} & set("".join(parts))
        if len(parts) > 2 or odd:
            raise InputError(f"{self.path}: '{name}' is not the name of a file in a run")
        try:
            os.fsencode(name)
        except UnicodeEncodeError as error:
            raise files.unspellable(self.path / name) from error
        with contextlib.ExitStack() as stack:
            if make:
                self.path.mkdir(parents=True, exist_ok=True)
            place = self._inside(Place(self.path, self.path, None), parts[0], stack, follow=True)
            if len(parts) == 2:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(place.name, dir_fd=place.parent)
                entry = place.lstat()
                if entry is not None and not stat.S_ISDIR(entry.st_mode):
                    raise _in_the_way(place.path, kind_of(entry.st_mode))
                place = self._inside(place, parts[1], stack)
            yield place

    def _inside(
        self, folder: Place, name: str, stack: contextlib.ExitStack, follow: bool = False
    ) -> Place:
        """The place of a name in a folder, which is open until the stack ends."""
        path = folder.path / name
        if not RELATIVE:
            if not folder.path.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder.path))
            return Place(path, path, None)
        flags = os.O_RDONLY | DIRECTORY | (0 if follow else NOFOLLOW)
        try:
            handle = os.open(folder.name, flags, dir_fd=folder.parent)
        except OSError as error:
            if error.errno in LINKS:
                raise _in_the_way(folder.path, "link or a file") from error
            raise
        stack.callback(os.close, handle)
        return Place(path, name, handle)

    def has(self, name: str) -> bool:
        """Whether a regular file of this name is there; a link or a folder is none."""
        try:
            with self.at(name) as place:
                return place.is_file()
        except (FileNotFoundError, InputError):
            return False

    def names(self, inner: str = "") -> list[str]:
        """The regular files of the folder, or of one in it, sorted; a link has none."""
        base = f"{inner}/" if inner else ""
        try:
            with self.at(f"{base}x") as place:
                here = place.path.parent if place.parent is None else place.parent
                with os.scandir(here) as entries:
                    listed = sorted(entry.name for entry in entries)
                return [name for name in listed if place.beside(name).is_file()]
        except (FileNotFoundError, NotADirectoryError, InputError):
            return []

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[io.BufferedReader]:
        """A file to read; a link, a folder or a pipe of its name is an error."""
        try:
            with self.at(name) as place:
                if not place.refuse_others():
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
                handle = open_at(place, os.O_RDONLY)
            stream = os.fdopen(handle, "rb")
        except OSError as error:
            raise files.unreadable(self.path / name, error) from error
        with stream:
            yield stream

    def read(self, name: str) -> bytes:
        """A file's content."""
        with self.open(name) as stream:
            try:
                return stream.read()
            except OSError as error:
                raise files.unreadable(self.path / name, error) from error

    def sha256(self, name: str) -> str:
        with self.open(name) as stream:
            return files.digest_of(stream)

    def write(self, name: str, content: bytes | str | Callable[[IO[bytes]], None]) -> None:
        """Put a file in its place, whole or not at all, as `files.write_atomically` does."""
        raw = content.encode("utf-8", "replace") if isinstance(content, str) else content
        try:
            with self.at(name, make=True) as place:
                place.refuse_others()
                draft = place.beside(f"{files.DRAFT}{secrets.token_hex(6)}{files.DRAFT_END}")
                handle = open_at(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                try:
                    with os.fdopen(handle, "wb") as stream:
                        if callable(raw):
                            raw(stream)
                        files._put(stream, b"" if callable(raw) else raw)
                    os.replace(draft.name, place.name,
                               src_dir_fd=place.parent, dst_dir_fd=place.parent)  # fmt: skip
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(draft.name, dir_fd=draft.parent)
                    raise
                if place.parent is not None:
                    with contextlib.suppress(OSError):
                        os.fsync(place.parent)
        except OSError as error:
            raise files.unwritable(self.path / name, error) from error

    def append(self, name: str, line: bytes) -> None:
        """Add a line to a file, on the disk when this returns."""
        try:
            with self.at(name) as place:
                place.refuse_others()
                handle = open_at(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(handle, "ab") as stream:
                files._put(stream, line)
        except OSError as error:
            raise files.unwritable(self.path / name, error) from error

    def remove(self, name: str) -> None:
        """Remove a regular file; whatever else has its name stays."""
        with contextlib.suppress(FileNotFoundError, InputError), self.at(name) as place:
            if place.is_file():
                os.unlink(place.name, dir_fd=place.parent)

    def remove_folder(self, inner: str) -> None:
        """Remove a folder in it that is empty; any other stays."""
        with contextlib.suppress(OSError), self.at(inner) as place:
            os.rmdir(place.name, dir_fd=place.parent)

    def sweep(self, inner: str = "") -> None:
        """Remove the drafts that killed processes left."""
        base = f"{inner}/" if inner else ""
        with contextlib.suppress(OSError):
            for name in self.names(inner):
                if files.is_draft(Path(name)):
                    self.remove(base + name)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder that is removed in the end."""
    folder, handle = _make()
    try:
        yield folder
    finally:
        os.close(handle)
        shutil.rmtree(folder, ignore_errors=True)


def _make() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=BEGIN, suffix=END))
        with contextlib.suppress(FileNotFoundError):  # another process took it for one left behind
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                lock(handle)
                taken = not (folder / LOCK).exists()
            except OSError as error:  # a file system without locks: there, none is removed
                taken = error.errno in TAKEN
            if not taken:
                return folder, handle
            os.close(handle)


def sweep_temporary() -> None:
    """Remove the folders that killed processes of this user left."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(BEGIN) and entry.name.endswith(END) and _is_ours(entry):
                _remove(Path(entry.path))


def _is_ours(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir(follow_symlinks=False):
        return False
    return os.name != "posix" or entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _remove(folder: Path) -> None:
    """Remove a folder unless a process holds it, or is about to."""
    with contextlib.suppress(OSError):
        handle = os.open(folder / LOCK, os.O_RDWR)
        try:
            lock(handle)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def lock(handle: int) -> None:
    """Lock an open file until its process ends; an `OSError` where another one has it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 1 << 40, os.SEEK_SET)  # beyond the text, which others must read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
