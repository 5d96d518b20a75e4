"""Files written whole or not at all, and read with errors that say what to do."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from gistmeter.errors import InputError

HALVES = re.compile("[\ud800-\udfff]")
MAX_BYTES = 4 * 1024**3  # larger than any table or book that fits in memory


def read_bytes(path: Path, *, limit: int = MAX_BYTES) -> bytes:
    """A file's content; a missing, unreadable or empty one is the user's to mend."""
    if not path.exists():
        raise InputError(f"{path}: no such file. Check the path and the working folder")
    if path.is_dir():
        raise InputError(f"{path}: is a folder, a file was expected")
    try:
        if path.stat().st_size > limit:
            raise InputError(f"{path}: is larger than {limit:,} bytes")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    if not content.strip():
        raise InputError(f"{path}: is empty")
    return content


def write_atomically(path: Path, content: bytes | str | Callable[[Path], None]) -> None:
    """Put content at a path so that a reader sees the old file or the new one, never a part.

    `content` may be a function that writes to a path it is given. Text is written as UTF-8.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    os.close(handle)
    draft = Path(name)
    try:
        if callable(content):
            content(draft)
        else:
            draft.write_bytes(
                content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            )
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sha256(path: Path) -> str:
    """The digest of a file, or of all files below a folder in the order of their names."""
    hashed = hashlib.sha256()
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if path.is_dir():
            hashed.update(str(file.relative_to(path)).encode("utf-8", "replace") + b"\0")
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                hashed.update(block)
    return hashed.hexdigest()


def printable(text: str) -> str:
    """Text that every encoder takes: half characters (lone surrogates) become U+FFFD."""
    return HALVES.sub("\N{REPLACEMENT CHARACTER}", text)


def system_names(paths: Sequence[Path]) -> list[str]:
    """Systems by the stems of their files; files of the same stem are told apart by their folders.

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
