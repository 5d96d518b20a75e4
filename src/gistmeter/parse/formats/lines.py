"""The lines of a block told apart: tokens with their cells, comments, and where sentences end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.parse.formats.blocks import Block, without_trailing_blanks
from gistmeter.parse.formats.interning import CellReader
from gistmeter.parse.formats.layout import Layout
from gistmeter.parse.formats.treebank import Ints

NEWLINE, HASH, TAB, BLANK = 10, 35, 9, 32
SENT_ID = tuple(np.frombuffer(start, "<u8")[0] for start in (b"# sent_i", b"#sent_id", b"#  sent_"))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Stretches of bytes, each on a line of the block."""

    line: Ints
    starts: Ints
    ends: Ints


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


def split_lines(path: Path, block: Block, layout: Layout) -> TokenLines:
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
    found = np.flatnonzero(first == HASH)
    comments = Cells(found, starts[found], ends[found])
    return TokenLines(
        reader,
        starts[tokens],
        ends[tokens],
        tabs.reshape(len(tokens), len(layout) - 1),
        tokens + block.line,
        sentence,
        _names(reader, comments, tokens[begins], tails),
    )


def _wrong_width(path: Path, block: Block, layout: Layout, at: int, width: int) -> FormatError:
    line = block.content.split(b"\n")[at].decode("utf-8", "replace")
    hint = " Are its cells separated by blanks instead of tabs?" if width == 1 else ""
    return FormatError(
        f"{width} columns where {layout} is expected: '{line[:60]}'.{hint}",
        path=path,
        row=block.line + at,
    )


def _names(reader: CellReader, comments: Cells, heads: Ints, tails: Ints) -> list[str | None]:
    """The `sent_id` of each sentence, from the comments before its first token.

    `heads` and `tails` are the lines of the sentences' first and last tokens.
    """
    names: list[str | None] = [None] * len(heads)
    starting = reader.words(comments.starts, np.full(len(comments.line), 8))
    chosen = np.isin(starting, SENT_ID)
    comments = Cells(comments.line[chosen], comments.starts[chosen], comments.ends[chosen])
    owners = np.searchsorted(heads, comments.line).tolist()
    cells = b"\n".join(reader.slices(comments.starts, comments.ends - comments.starts))
    inside = comments.line < np.append(-1, tails)[owners]
    for owner, skip, text in zip(
        owners, inside.tolist(), cells.decode("utf-8", "replace").split("\n"), strict=False
    ):
        key, found, value = text[1:].partition("=")
        if found and key.strip() == "sent_id" and owner < len(names) and not skip:
            names[owner] = value.strip() or None
    return names
