"""Text in the encodings people have: by its byte-order mark, UTF-8, else guessed among theirs."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError

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
            try:
                content.decode(encoding)
            except UnicodeDecodeError:
                continue
            return encoding
    return None


def _guess(content: bytes, path: Path, error: UnicodeDecodeError) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:1_000_000], cp_isolation=list(LEGACY)).best()
    if best is not None:
        try:
            return content.decode(best.encoding), best.encoding
        except UnicodeDecodeError:
            pass
    line = content[: error.start].count(b"\n") + 1
    raise FormatError(
        f"is in no encoding that could be recognised (byte {content[error.start]:#04x} is not "
        "UTF-8). Save it as UTF-8",
        path=path,
        row=line,
    )
