"""Plain text and Markdown: the text as it is."""

from __future__ import annotations

from pathlib import Path

from gistmeter.book.formats.written import Written
from gistmeter.core.inputs import decode


def read_plain(content: bytes, path: Path) -> Written:
    text, guessed = decode(content, path)
    return Written(text, guessed)
