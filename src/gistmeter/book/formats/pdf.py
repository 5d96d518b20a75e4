"""The text of a PDF, where it has one; a scan, which is pictures, is refused.

A PDF knows places on pages, not paragraphs: lines are joined, words that a line's end divided are
put together, and a short last line ends a paragraph. Pages are parted by form feeds, by which
running heads and page numbers are found and set aside.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gistmeter.book.formats.book_text import FEWEST, BookText
from gistmeter.core.errors import FormatError, MissingDependency

MOST_PAGES = 20_000
MOST_DRAWN = 100_000_000  # bytes of what pages are drawn by
ALWAYS, UNFOLDING = 4_000_000, 50  # so many of them a small file may have, or times its size
SHORT = 0.75  # of the usual length of a line: a shorter one that ends a sentence ends a paragraph
DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_A-Z])")
UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
ENDS = re.compile(r"[.!?:。！？…”\"’」』)\]]$")


def read_pdf(content: bytes, path: Path) -> BookText:
    """The text of all pages."""
    try:
        import pypdf
    except ModuleNotFoundError as error:
        raise MissingDependency("pypdf", "pdf", f"Reading {path.name}") from error
    if b"%PDF-" not in content[:1024]:
        raise FormatError("is not a PDF: it does not begin like one", path=path)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FormatError("is locked by a password. Save it again without one", path=path)
        count = len(reader.pages)
        if count > MOST_PAGES:
            raise FormatError(f"has {count:,} pages; no book has more than 20,000", path=path)
        left = min(MOST_DRAWN, max(ALWAYS, UNFOLDING * len(content)))
        pages = list(_texts(reader.pages, path, left))
    except FormatError:
        raise
    except Exception as error:  # a damaged file breaks its reader anywhere
        named = type(error).__name__
        raise FormatError(f"is damaged, or no PDF that can be read ({named})", path=path) from error
    letters = sum(character.isalpha() for page in pages for character in page)
    if letters < FEWEST * max(1, min(count, 5)):
        raise FormatError(
            f"has {count:,} pages and no text: it is a scan. Recognise its text (OCR) first",
            path=path,
        )
    text = "\n\f\n".join(_paragraphs(UNREADABLE.sub("", page)) for page in pages)
    return BookText(text)


def _texts(pages: Iterable[Any], path: Path, left: int) -> Iterator[str]:
    """What each page says; what draws them all, `left` bytes at most, is counted before it is read.

    A page may draw a form as often as it likes, which may draw others: each time counts.
    """

    def fits(drawn: Any) -> bool:
        nonlocal left
        left -= len(drawn.get_data()) if drawn is not None and left >= 0 else 0
        return left >= 0

    for page in pages:
        read = page.extract_xform_text
        page.extract_xform_text = lambda form, *given, read=read, **named: (
            read(form, *given, **named) if fits(form) else ""
        )
        text = page.extract_text() if fits(page.get_contents()) else ""
        if left < 0:  # raised here, for pypdf passes over the errors of a form
            raise FormatError("unfolds to more than a book can have", path=path)
        yield text or ""


def _paragraphs(page: str) -> str:
    """The lines of a page, with a blank one where a paragraph ends."""
    lines = [line.strip() for line in DIVIDED.sub("", page).split("\n")]
    lengths = sorted(len(line) for line in lines if line)
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    told = []
    for line in lines:
        told.append(line)
        if line and len(line) < SHORT * usual and ENDS.search(line):
            told.append("")
    return "\n".join(told)
