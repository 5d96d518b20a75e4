"""The bytes of a file, in blocks of whole sentences, with what editors add taken away; the lines of
a block split: tokens with their cells, comments, and where sentences end.

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

import numpy as np

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import open_input
from gistmeter.core.inputs import Reader
from gistmeter.parse.formats.interning import CellReader
from gistmeter.parse.formats.treebank import Ints, Layout

BLOCK = 16 * 1024**2  # bytes; large enough for NumPy, small enough for its cache and any machine
UNFOLDED = 64 * 1024**2  # a compressed file may always unfold to this,
UNFOLDING = 100  # else to so many times its own size: treebanks shrink about tenfold
LONGEST = 256 * 1024**2  # bytes of one sentence
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
NEWLINE, HASH, TAB, BLANK = 10, 35, 9, 32
SENT_ID = tuple(np.frombuffer(start, "<u8")[0] for start in (b"# sent_i", b"#sent_id", b"#  sent_"))


@dataclass(frozen=True, slots=True)
class SentenceBlock:
    """Whole sentences; every line ends in a newline."""

    content: bytes
    line: int  # of its first line, counted from 1


def read_blocks(path: Path, size: int = BLOCK) -> Iterator[SentenceBlock]:
    """A file's sentences, a block at a time; an empty file is an error, as a missing one is."""
    rest, line, seen = b"", 1, False
    for piece in _pieces(path, size):
        joined = rest + piece
        cut = _last_break(joined)
        if cut:
            block = SentenceBlock(without_returns(joined[:cut]), line)
            yield block
            line += block.content.count(b"\n")
            seen = True
        rest = joined[cut:]
        if len(rest) > LONGEST:
            raise FormatError(f"has a sentence of more than {LONGEST:,} bytes", path=path, row=line)
    if rest:
        yield SentenceBlock(without_returns(rest + b"\n"), line)
    if not rest and not seen:
        raise InputError(f"{path}: is empty")


def _last_break(content: bytes) -> int:
    """Where the last sentence that is surely whole ends; 0 if there is none."""
    cut = content.rfind(b"\n\n")
    # Looked for only where there are carriage returns: a search that fails reads everything.
    windows = content.rfind(b"\n\r\n") if b"\r" in content else -1
    return max(cut + 2 if cut >= 0 else 0, windows + 3 if windows >= 0 else 0)


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


@dataclass(frozen=True, slots=True, eq=False)
class TokenLines:
    """Where the token lines of a block are, and where their cells."""

    reader: CellReader
    starts: Ints  # of token lines
    ends: Ints
    tabs: Ints  # (lines, columns - 1)
    number: Ints  # of each token line in the file
    sentence: Ints  # of each token line within the block, counted from 0
    names: list[str | None]  # of the block's sentences

    def cell(self, place: int) -> tuple[Ints, Ints]:
        first = self.starts if place == 0 else self.tabs[:, place - 1] + 1
        last = self.ends if place == self.tabs.shape[1] else self.tabs[:, place]
        return first, last


def split_lines(path: Path, block: SentenceBlock, layout: Layout) -> TokenLines:
    reader = CellReader(block.content)
    ends = np.flatnonzero(reader.bytes == NEWLINE)
    if np.isin(reader.bytes[ends - 1], (BLANK, TAB)).any():
        reader = CellReader(without_trailing_blanks(block.content, len(layout)))
        ends = np.flatnonzero(reader.bytes == NEWLINE)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    first = reader.bytes[starts]
    is_token = (first != NEWLINE) & (first != HASH)
    tabs = np.flatnonzero(reader.bytes == TAB)
    counts = np.diff(np.searchsorted(tabs, np.append(starts, len(reader.bytes))))
    wrong = np.flatnonzero(is_token & (counts != len(layout) - 1))
    if len(wrong):
        raise _wrong_width(path, block, layout, int(wrong[0]), int(counts[wrong[0]]) + 1)
    if counts[~is_token].any():
        tabs = tabs[np.repeat(is_token, counts)]
    tokens = np.flatnonzero(is_token)
    groups = np.cumsum(first == NEWLINE)[tokens]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    sentence = np.cumsum(np.diff(groups, prepend=groups[:1]) != 0)
    tails = np.append(tokens[begins[1:] - 1], tokens[-1:])
    comments = np.flatnonzero(first == HASH)
    comments = comments[np.isin(reader.words(starts[comments], np.full(len(comments), 8)), SENT_ID)]
    texts = reader.slices(starts[comments], (ends - starts)[comments])
    return TokenLines(
        reader,
        starts[tokens],
        ends[tokens],
        tabs.reshape(len(tokens), len(layout) - 1),
        tokens + block.line,
        sentence,
        _names(comments, texts, tokens[begins], tails),
    )


def _wrong_width(
    path: Path, block: SentenceBlock, layout: Layout, at: int, width: int
) -> FormatError:
    line = block.content.split(b"\n")[at].decode("utf-8", "replace")
    hint = " Are its cells separated by blanks instead of tabs?" if width == 1 else ""
    return FormatError(
        f"{width} columns where {layout} is expected: '{line[:60]}'.{hint}",
        path=path,
        row=block.line + at,
    )


def _names(comments: Ints, texts: list[bytes], heads: Ints, tails: Ints) -> list[str | None]:
    """The `sent_id` of each sentence, from the comments before its first token.

    `comments` are lines with their `texts`, `heads` and `tails` the lines of the sentences' first
    and last tokens.
    """
    names: list[str | None] = [None] * len(heads)
    owners = np.searchsorted(heads, comments).tolist()
    inside = (comments < np.append(-1, tails)[owners]).tolist()
    for owner, skip, text in zip(owners, inside, texts, strict=True):
        key, equals, value = text[1:].decode("utf-8", "replace").partition("=")
        if equals and key.strip() == "sent_id" and owner < len(names) and not skip:
            names[owner] = value.strip() or None
    return names
