"""Notebooks as pages: executed in a fresh kernel, with what they print and draw."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parent
PATIENCE = 600  # seconds for a cell


def notebooks() -> list[Path]:
    return sorted((DOCS / "notebooks").glob("*.ipynb"))


def execute(path: Path) -> Any:
    """The notebook with its outputs, run in a folder with the documentation's data.

    An error in a cell is an error here.
    """
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    os.environ.setdefault("PYTHONPATH", str(DOCS.parent / "src"))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "data"
        shutil.copytree(DOCS / "data", place)
        where = {"metadata": {"path": place}}
        NotebookClient(
            book,
            timeout=PATIENCE,
            startup_timeout=PATIENCE,
            kernel_name="python3",
            resources=where,
        ).execute()
    return book


def to_markdown(book: Any) -> str:
    """A page: text as it is, code fenced, below it what it showed."""
    parts = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```py\n{cell.source}\n```")
            parts += [_shown(output) for output in cell.outputs]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shown(output: Any) -> str:
    """Pictures and tables as HTML, all else as text; warnings of libraries are left out."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```" if output.name == "stdout" else ""
    data = output.get("data", {})
    if "text/html" in data:
        return f"<div>{_one_block(data['text/html'])}</div>"
    return f"```text\n{data['text/plain']}\n```" if "text/plain" in data else ""


def _one_block(html: str) -> str:
    """HTML without the blank lines that would end it in Markdown."""
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())
