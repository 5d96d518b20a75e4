"""The bytes of a file, in blocks of whole sentences, with what editors add taken away.

Compressed files are recognised by their first bytes and may not unfold without bound. A byte-order
mark, carriage returns and blanks at the ends of lines are dropped; line numbers stay right.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import open_input
from gistmeter.core.inputs import Reader

BLOCK = 16 * 1024**2  # bytes; large enough for NumPy, small enough for its cache and any machine
UNFOLDED = 64 * 1024**2  # a compressed file may always unfold to this,
UNFOLDING = 100  # else to so many times its own size: treebanks shrink about tenfold
LONGEST = 256 * 1024**2  # bytes of one sentence
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True)
class Block:
    """Whole sentences; every line ends in a newline."""

    content: bytes
    line: int  # of its first line, counted from 1


def read_blocks(path: Path, size: int = BLOCK) -> Iterator[Block]:
    """A file's sentences, a block at a time; an empty file is an error, as a missing one is."""
    rest, line, seen = b"", 1, False
    for piece in _pieces(path, size):
        joined = rest + piece
        cut = _last_break(joined)
        if cut:
            block = Block(without_returns(joined[:cut]), line)
            yield block
            line += block.content.count(b"\n")
            seen = True
        rest = joined[cut:]
        if len(rest) > LONGEST:
            raise FormatError(f"has a sentence of more than {LONGEST:,} bytes", path=path, row=line)
    if rest:
        yield Block(without_returns(rest + b"\n"), line)
    if not rest and not seen:
        raise InputError(f"{path}: is empty")


def _last_break(content: bytes) -> int:
    """Where the last sentence that is surely whole ends; 0 if there is none."""
    cut = content.rfind(b"\n\n") + 2
    # Looked for only where there are carriage returns: a search that fails reads everything.
    windows = content.rfind(b"\n\r\n") + 3 if b"\r" in content else 0
    return max(cut if cut > 1 else 0, windows if windows > 2 else 0)


def without_returns(content: bytes) -> bytes:
    """Lines that end in a newline alone."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def without_trailing_blanks(content: bytes, width: int) -> bytes:
    """Lines without blanks at their ends, and without empty cells beyond the last column."""
    lines = content.split(b"\n")
    for at, line in enumerate(lines):
        if line.endswith((b" ", b"\t")) and not line.startswith(b"#"):
            lines[at] = _shorten(line, width)
    return b"\n".join(lines)


def _shorten(line: bytes, width: int) -> bytes:
    bare = line.rstrip(b" \t")
    if not bare:
        return b""
    line = line.rstrip(b" ")
    extra = line.count(b"\t") - (width - 1)
    cut = len(line) - max(extra, 0)
    return line[:cut] if not line[cut:].strip(b"\t") else line


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    try:
        with open_input(path) as stream:
            start, reader = stream.peek(3)[:3], Reader(stream)
            if start[:2] == b"\x1f\x8b":
                yield from _unfold(path, reader, size)
            else:
                _refuse_other_encodings(path, start)
                if start == b"\xef\xbb\xbf":
                    reader.read(3)
                while piece := reader.read(size):
                    yield piece
            reader.finish(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _unfold(path: Path, reader: Reader, size: int) -> Iterator[bytes]:
    limit = max(UNFOLDED, UNFOLDING * path.stat().st_size)
    total = 0
    try:
        with gzip.GzipFile(fileobj=cast("IO[bytes]", reader)) as unfolded:
            while piece := unfolded.read(size):
                if not total:
                    _refuse_other_encodings(path, piece[:3])
                    piece = piece.removeprefix(b"\xef\xbb\xbf")
                total += len(piece)
                if total > limit:
                    raise InputError(
                        f"{path}: unfolds to more than {limit:,} bytes, which no treebank of its "
                        "size does. Unfold it by hand with gunzip if you trust it"
                    )
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError(f"is not a whole gzip file ({error})", path=path) from error


def _refuse_other_encodings(path: Path, start: bytes) -> None:
    encoding = BOMS.get(start[:2])
    if encoding:
        raise FormatError(
            f"is {encoding}; CoNLL-U is UTF-8. Convert it with: iconv -f {encoding} -t UTF-8",
            path=path,
        )
