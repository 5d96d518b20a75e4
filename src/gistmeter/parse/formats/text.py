"""A file line by line, for the tools that look at every line: slower than columns, and simpler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.parse.formats.blocks import read_blocks
from gistmeter.parse.formats.layout import CONLLU, SEMARKUP, Layout, by_width, declare, is_semarkup

GLOBAL = "global.columns"


@dataclass(frozen=True, slots=True)
class Line:
    """A line and its number, counted from 1; `decoded` is False where bytes had to be replaced."""

    number: int
    text: str
    decoded: bool = True

    @property
    def is_comment(self) -> bool:
        return self.text.startswith("#")

    @property
    def is_token(self) -> bool:
        return bool(self.text) and not self.is_comment

    @property
    def cells(self) -> list[str]:
        return self.text.split("\t")

    @property
    def comment(self) -> tuple[str, str]:
        """A comment's key and value; the value is empty where there is none."""
        key, _, value = self.text[1:].partition("=")
        return key.strip(), value.strip()


def read_lines(path: Path) -> Iterator[Line]:
    """All lines, without blanks at their ends."""
    for block in read_blocks(path):
        pieces = block.content.split(b"\n")
        for at, piece in enumerate(pieces[:-1] if pieces[-1] == b"" else pieces):
            bare = piece.rstrip(b" ") if piece.strip(b" \t") else b""
            try:
                yield Line(block.line + at, bare.decode("utf-8"))
            except UnicodeDecodeError:
                yield Line(block.line + at, bare.decode("utf-8", "replace"), decoded=False)


def find_layout(path: Path, lines: list[Line]) -> Layout:
    """The layout that the lines declare, or that most of them have."""
    for line in lines:
        if line.is_comment and line.comment[0] == GLOBAL:
            try:
                return declare(line.comment[1], name=f"# {GLOBAL}")
            except InputError as error:
                raise FormatError(str(error), path=path, row=line.number) from None
    widths = Counter(len(line.cells) for line in lines if line.is_token)
    if not widths:
        raise FormatError("has no sentence", path=path)
    width = widths.most_common(1)[0][0]
    try:
        layout = by_width(width)
    except InputError as error:
        raise FormatError(str(error), path=path) from None
    if layout is CONLLU:
        ninth = [line.cells[8] for line in lines if line.is_token and len(line.cells) == width]
        return SEMARKUP if is_semarkup(ninth) else CONLLU
    return layout
