"""Files written whole or not at all, and read with errors that say what to do."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import io
import json
import os
import re
import stat
import tempfile
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.inputs import note

CONTROL = re.compile(  # characters that a terminal obeys, and those that turn text round
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
HALVES = re.compile("[\ud800-\udfff]")  # of a character: UTF-8 has no place for them
MAX_BYTES = 4 * 1024**3  # larger than any table or book that fits in memory
DEEPEST = 100  # lists and objects of JSON within each other: whoever walks it may call itself
MAX_PIPED = 1024**3  # of what does not tell its size
DRAFT, DRAFT_END = ".gistmeter-", ".draft"  # how the name of a draft begins and ends
PACKED = b"\x1f\x8b"  # how a gzip file begins
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
EXHAUSTED = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def read_bytes(path: Path, *, may_be_empty: bool = False) -> bytes:
    """A file's content; a missing, unreadable or empty file is an error."""
    try:
        with open_input(path) as stream:
            if os.fstat(stream.fileno()).st_size > MAX_BYTES:
                raise InputError(f"{path}: is larger than {MAX_BYTES:,} bytes")
            content = stream.read()
    except OSError as error:
        raise unreadable(path, error) from error
    note(path, content)
    if content.startswith(PACKED):
        content = unpack(content, path)
    if not content.strip() and not may_be_empty:
        raise InputError(f"{path}: is empty")
    return content


def open_input(path: Path) -> io.BufferedReader:
    """A file to read. Anything else than a regular file is refused, and not waited for."""
    refuse_device(path)
    try:
        handle = os.open(path, READING)
    except OSError as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # it was replaced since it was looked at
        os.close(handle)
        raise InputError(f"{path}: is not a regular file")
    return os.fdopen(handle, "rb")


def read_plain(path: Path, most: int) -> bytes:
    """The bytes of a regular file that is no link, at most so many; anything else is an error."""
    try:
        handle = os.open(path, READING | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode) or path.is_symlink():
                raise InputError(f"{path}: is not a regular file")
            content = stream.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        raise InputError(f"{path}: cannot be read ({error})") from error
    if len(content) > most:
        raise InputError(f"{path}: is larger than {most:,} bytes")
    return content


def refuse_strays(folder: Path, files: Iterable[Path]) -> None:
    """A link out of a folder may lead to anything of yours, which a report would then show."""
    top = folder.resolve()
    for file in files:
        if not file.resolve().is_relative_to(top):
            raise InputError(
                f"{file}: is a link that leads out of {folder}. Put a copy of the file there"
            )


def unpack(content: bytes, path: Path) -> bytes:
    """What a gzip file holds; one that never ends is an error."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            unpacked = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: is not a whole gzip file ({error})") from error
    if len(unpacked) > MAX_BYTES:
        raise InputError(f"{path}: unpacks to more than {MAX_BYTES:,} bytes")
    return unpacked


def refuse_device(path: Path) -> None:
    """A file must be there, and must end: folders, pipes and devices such as /dev/zero do not."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check the path and the working folder") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        raise InputError(f"{path}: cannot be read ({error})") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a folder, a file was expected")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise InputError(f"{path}: is a device, a file was expected")
    if not stat.S_ISREG(mode):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket"
        raise InputError(
            f"{path}: is a {kind}, a file was expected. Save it as a file first, or pipe it in as -"
        )


def parse_json(text: str | bytes, **options: Any) -> Any:
    """What JSON says. Whatever is not JSON, or nested beyond reason, is a `ValueError`."""
    try:
        document = json.loads(text, **options)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    marks: Any = "[{" if isinstance(text, str) else b"[{"
    level, depth = [document] if sum(map(text.count, marks)) > DEEPEST else [], 0
    while level := [part for part in level if isinstance(part, dict | list)]:
        level = [
            part
            for parent in level
            for part in (parent.values() if isinstance(parent, dict) else parent)
        ]
        depth += 1
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
    return document


def parse_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object; empty where the text is none."""
    with contextlib.suppress(ValueError):
        if isinstance(document := parse_json(text), dict):
            return document
    return {}


def write_atomically(
    path: Path, content: bytes | str | Callable[[IO[bytes]], None], *, mode: int | None = None
) -> None:
    """Put content at a path so that a reader sees the old file or the new one, never a part.

    It is on the disk when this returns. Text is written as UTF-8; what is too large to be held is
    written by a function. A draft that a kill leaves behind is known by its name, see `sweep`.
    `mode` is who may read and write it; by default as the umask says.
    """
    raw = content.encode("utf-8", "replace") if isinstance(content, str) else content
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=DRAFT, suffix=DRAFT_END)
        draft = Path(name)
        with os.fdopen(handle, "wb") as stream:
            if callable(raw):
                raw(stream)
            _put(stream, b"" if callable(raw) else raw)
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask if mode is None else mode)
        draft.replace(path)
        settle(path.parent)
    except BaseException as error:
        if draft is not None:
            with contextlib.suppress(OSError):
                draft.unlink()
        if isinstance(error, OSError):
            raise unwritable(path, error) from error
        if isinstance(error, UnicodeEncodeError):
            raise unspellable(path) from error
        raise


def unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be read ({error.strerror or error})")


def unwritable(path: Path, error: OSError, what: str = "written") -> GistmeterError:
    """What to say where the disk refuses: a full one is no mistake of the user's."""
    kind = GistmeterError if error.errno in EXHAUSTED else InputError
    return kind(f"{path}: cannot be {what} ({error.strerror or error})")


def unspellable(path: Path) -> InputError:
    return InputError(
        f"{path}: this system's locale cannot spell the file's name. Set PYTHONUTF8=1"
    )


def sweep(folder: Path, *, age: float = 0.0) -> None:
    """Remove the drafts that killed processes left in a folder, if they are so many seconds old."""
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            if is_draft(file) and time.time() - file.stat().st_mtime >= age:
                with contextlib.suppress(OSError):
                    file.unlink()


def is_draft(path: Path) -> bool:
    return path.name.startswith(DRAFT) and path.name.endswith(DRAFT_END)


def _put(stream: IO[bytes], content: bytes) -> None:
    stream.write(content)
    stream.flush()
    os.fsync(stream.fileno())


def settle(folder: Path) -> None:
    """Let a folder's entries reach the disk, where the system can say so."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sha256(path: Path) -> str:
    """The digest of a file."""
    with open_input(path) as stream:
        return digest_of(stream)


def digest_of(stream: io.BufferedReader) -> str:
    """The SHA-256 of what is left of a stream."""
    return hashlib.file_digest(stream, "sha256").hexdigest()


def printable(text: str) -> str:
    """Text that every encoder takes: half characters (lone surrogates) become U+FFFD."""
    try:
        text.encode()  # nearly all are: a fifth of the cost of looking for halves
    except UnicodeEncodeError:
        return HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def plain(text: str) -> str:
    """Text without control characters, ANSI codes or right-to-left overrides; lines stay."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _unpacked(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def suffix_of(path: Path) -> str:
    """What a file is by its name, packed or not: .csv of table.csv.gz."""
    return _unpacked(path).suffix.lower()


def stem_of(path: Path) -> str:
    """A file's name without its suffix, packed or not."""
    return _unpacked(path).stem


def system_names(paths: Sequence[Path]) -> list[str]:
    """Systems by the stems of their files; files of the same stem by their folders too.

    >>> system_names([Path("a/x.conllu"), Path("b/x.txt"), Path("y.conllu.gz")])
    ['a/x', 'b/x', 'y']
    """
    bare = [path.with_suffix("") if path.suffix == ".gz" else path for path in paths]
    stems = [
        unicodedata.normalize("NFC", path.name if path.is_dir() else path.stem) for path in bare
    ]
    names = [
        name if stems.count(name) == 1 else f"{path.resolve().parent.name}/{name}"
        for name, path in zip(stems, paths, strict=True)
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"Several systems have the name {', '.join(twice)}: a file is given twice, or files "
            "need other names"
        )
    return names
