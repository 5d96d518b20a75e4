"""A blind copy of a treebank: what a parser is given to fill."""

from __future__ import annotations

from pathlib import Path

from gistmeter.core.errors import FormatError
from gistmeter.parse.formats.layout import Layout
from gistmeter.parse.formats.text import find_layout, read_lines

KEPT = ("ID", "FORM")


def erase(path: Path, layout: Layout | None = None) -> str:
    """The file with `_` in every cell but ID and FORM; comments and empty lines stay."""
    lines = list(read_lines(path))
    layout = layout or find_layout(path, lines)
    found = []
    for line in lines:
        if not line.decoded:
            raise FormatError("is not UTF-8", path=path, row=line.number)
        if not line.is_token:
            found.append(line.text)
            continue
        cells = line.cells
        if len(cells) != len(layout):
            message = f"{len(cells)} columns where {layout} is expected"
            raise FormatError(message, path=path, row=line.number)
        kept = zip(layout.columns, cells, strict=True)
        found.append("\t".join(cell if name in KEPT else "_" for name, cell in kept))
    while found and not found[-1]:
        found.pop()
    return "\n".join(found) + "\n\n"
