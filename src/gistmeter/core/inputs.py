"""Inputs: fetched where they are elsewhere, decoded, and known by their content.

The digest of an input is that of the very bytes that became items: readers note what they read
while a run gathers its items, and a file that has changed when it is read again is an error. What
is read later or elsewhere (sounds, the tables of a cluster's workers) is known by its stamp: size,
time of change and place on the disk must be the same before and after.

Text is decoded by its byte-order mark, as UTF-8, or else in an encoding that is guessed among those
of our users. What an option names by an address (`s3://`, `https://` and others that fsspec knows)
is fetched once, into a folder that goes when the run ends. Addresses inside files are not followed.
"""

from __future__ import annotations

import codecs
import contextlib
import contextvars
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from gistmeter.core.errors import FormatError, InputError, MissingDependency
from gistmeter.core.settings import Settings, options_of

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
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return state.st_size, state.st_mtime_ns, state.st_ino


def refuse_change(path: Path, stamp: Stamp) -> None:
    """A file must be the one that it was."""
    if stamp_of(path) != stamp:
        raise changed(path)


def changed(path: Path) -> InputError:
    return InputError(
        f"{path}: was changed or replaced while it was read, so the scores would be of two "
        "different files. Let it rest, and start again with --overwrite"
    )


LEGACY = ("gb18030", "cp932", "cp949", "big5", "cp1251", "cp1250")
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_ENCODING: ContextVar[str] = ContextVar("encoding", default="")


@contextlib.contextmanager
def reading_as(encoding: str) -> Iterator[None]:
    """Read files in an encoding that the user names; an unknown one is an error at once."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise InputError(f"encoding is '{encoding}'; expected a name such as gb18030") from None
    token = _ENCODING.set(encoding)
    try:
        yield
    finally:
        _ENCODING.reset(token)


def decode(content: bytes, path: Path) -> tuple[str, str]:
    """Text and, where the encoding was guessed, its name."""
    if named := _ENCODING.get():
        try:
            return content.decode(named).removeprefix("\ufeff"), ""
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise FormatError(f"is not {named}: {error.reason}", path=path, row=line) from error
    if b"\0" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = _utf16_without_mark(content)
        if encoding is None:
            raise FormatError("is not text (it has NUL bytes)", path=path)
        return content.decode(encoding, "strict"), encoding
    for mark, encoding in MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), ""
            except UnicodeDecodeError as error:
                raise FormatError(f"begins as {encoding} but is not: {error}", path=path) from error
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return _guess(content, path, error)


def _utf16_without_mark(content: bytes) -> str | None:
    """UTF-16 of mostly Latin text has every other byte 0."""
    even, odd = content[0:4096:2], content[1:4096:2]
    for encoding, zeros in (("utf-16-le", odd), ("utf-16-be", even)):
        if zeros.count(0) * 2 > len(zeros):
            with contextlib.suppress(UnicodeDecodeError):
                content.decode(encoding)
                return encoding
    return None


def _guess(content: bytes, path: Path, error: UnicodeDecodeError) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:1_000_000], cp_isolation=list(LEGACY)).best()
    if best is not None:
        with contextlib.suppress(UnicodeDecodeError):
            return content.decode(best.encoding), best.encoding
    line = content[: error.start].count(b"\n") + 1
    raise FormatError(
        f"is in no encoding that could be recognised (byte {content[error.start]:#04x} is not "
        "UTF-8). Save it as UTF-8",
        path=path,
        row=line,
    )


# A path keeps one slash of the two; drive letters are no schemes.
ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>[^/].*)", re.IGNORECASE | re.DOTALL)
EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
TAME = re.compile(r"[^\w.=@ -]+")


def address_of(given: str | Path) -> str:
    """The address that a path spells; "" for one of this machine.

    >>> address_of(Path("s3://bucket/answers.csv"))
    's3://bucket/answers.csv'
    """
    match = ADDRESS.fullmatch(str(given))
    if match is None or Path(given).exists():
        return ""
    slashes = ":///" if match["scheme"].lower() in ("file", "local") else "://"
    return f"{match['scheme']}{slashes}{match['rest']}"


def fetch_inputs(
    settings: Settings, stack: contextlib.ExitStack, say: Callable[[str], None]
) -> Settings:
    """Settings whose inputs are all here."""
    changed: dict[str, Any] = {}
    for name, declared in options_of(type(settings)).items():
        value = getattr(settings, name)
        if not value or declared.panel != "input" or declared.kind not in ("path", "paths"):
            continue
        given: Sequence[Path] = value if declared.kind == "paths" else (value,)
        if not any(map(address_of, given)):
            continue
        from gistmeter.core.folders import temporary_folder  # which needs `files`, and that us

        folder = stack.enter_context(temporary_folder())
        here = [file for path in given for file in fetched(path, folder, say)]
        if declared.kind == "path" and len(here) > 1:
            raise InputError(f"{name} names {len(here)} files ({address_of(value)}); one is meant")
        changed[name] = tuple(here) if declared.kind == "paths" else here[0]
    return replace(settings, **changed) if changed else settings


def fetched(path: Path, folder: Path, say: Callable[[str], None] = lambda _: None) -> list[Path]:
    """The files that a path names, copied into the folder where they are elsewhere."""
    address = address_of(path)
    if not address:
        return [path]
    with _reaching(address):
        system, place = open_system(address)
        here = [_fetch(system, name, folder) for name in _matching(system, place, address)]
    size = sum(file.stat().st_size for file in here)
    say(f"Fetched {address}: {len(here)} file{'s' * (len(here) != 1)}, {size:,} bytes")
    return here


def listed(path: Path) -> list[str]:
    """The single files that a path or a pattern of addresses names."""
    address = address_of(path)
    if not address:
        return [str(path)]
    with _reaching(address):
        system, place = open_system(address)
        return [system.unstrip_protocol(name) for name in _matching(system, place, address)]


def version_of(place: str) -> str:
    """What stands for a file's content where it is not here: its size, time or tag, hashed."""
    with _reaching(place):
        system, name = open_system(address_of(place))
        return hashlib.sha256(str(system.ukey(name)).encode()).hexdigest()


@contextlib.contextmanager
def _reaching(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{address}: cannot be read ({error})") from error
    except ImportError as error:
        extra = EXTRAS.get(address.partition("://")[0].lower(), "remote")
        package = {"s3": "s3fs", "gcs": "gcsfs"}.get(extra, "fsspec")
        raise MissingDependency(package, extra, f"Reading {address}") from error


def open_system(address: str) -> tuple[Any, str]:
    """The file system behind an address, and the place in it."""
    with _reaching(address):
        from fsspec.core import url_to_fs

        system, place = url_to_fs(address)
    return system, str(place)


def _matching(system: Any, place: str, address: str) -> list[str]:
    """The files of a pattern or a folder, by name; of a folder those directly in it."""
    if any(mark in place for mark in "*?[") and "?" not in PurePosixPath(place).suffix:
        names = sorted(name for name in system.glob(place) if not system.isdir(name))
    elif system.isdir(place):
        names = sorted(system.find(place, maxdepth=1))
    else:
        names = [place] if system.exists(place) else []
    if not names:
        raise InputError(f"{address}: no such file. Check the address")
    return names


def _fetch(system: Any, name: str, folder: Path) -> Path:
    """A copy under the folder, by the last part of its name and a folder of its own if need be."""
    bare = TAME.sub("_", PurePosixPath(name.partition("?")[0]).name).lstrip(".") or "file"
    target, number = folder / bare, 1
    while target.exists():
        number += 1
        target = folder / str(number) / bare
    target.parent.mkdir(exist_ok=True)
    system.get_file(name, str(target))
    return target
