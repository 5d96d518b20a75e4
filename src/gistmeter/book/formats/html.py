"""HTML: paragraphs by block elements, headings by h1 to h6; what is not read is left out."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from gistmeter.book.formats.written import Written, compose
from gistmeter.core.inputs import decode

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
SILENT = frozenset(("script", "style", "head", "nav", "template", "noscript", "svg", "math"))
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "dd", "div", "dl", "dt",
    "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "ol", "p", "pre",
    "section", "table", "tbody", "td", "th", "thead", "tr", "ul",
))  # fmt: skip
EMPTY = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
))  # fmt: skip
NOTE = re.compile(r"(?:footnote|endnote|rearnote|noteref|pagebreak)\b")
MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§]{1,3}|[a-z])\s*[\])]?")
ENCODING = re.compile(rb"(?i)(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)")


class Reader(HTMLParser):
    """The paragraphs of a document; elements that stay open are closed by those around them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[tuple[str, bool]] = []
        self.open: list[str] = []
        self.hushed: list[int] = []  # how many elements were open where one that is left out began
        self.words: list[str] = []
        self.raised: list[str] | None = None  # what stands in a superscript
        self.is_heading = False
        self.pictures = 0
        self.aside: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.pictures += tag in ("img", "image")
        if tag in BLOCKS or tag in HEADINGS:
            self.flush()
            self.is_heading = tag in HEADINGS
        if tag in EMPTY:
            return
        self.open.append(tag)
        kinds = f"{given.get('epub:type', '')} {given.get('role', '')} {given.get('class', '')}"
        if tag in SILENT or NOTE.search(kinds):
            if not self.hushed and tag not in SILENT:
                self.aside["notes and marks of pages"] += 1
            self.hushed.append(len(self.open))
        elif tag == "sup":
            self.raised = []

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.open:
            return
        if tag == "sup" and self.raised is not None:
            raised = "".join(self.raised)
            if MARK.fullmatch(raised.strip()):
                self.aside["marks of footnotes"] += 1
            else:
                self.words.append(raised)
            self.raised = None
        while self.open and self.open.pop() != tag:
            pass
        while self.hushed and len(self.open) < self.hushed[-1]:
            self.hushed.pop()
        if tag in BLOCKS or tag in HEADINGS:
            self.flush()
            self.is_heading = False

    def handle_data(self, data: str) -> None:
        if not self.hushed:
            (self.words if self.raised is None else self.raised).append(data)

    def flush(self) -> None:
        self.paragraphs.append(("".join(self.words), self.is_heading))
        self.words = []


def read_paragraphs(content: bytes, path: Path) -> Reader:
    """The paragraphs of a document, decoded as it says itself."""
    named = ENCODING.search(content[:2048])
    text = ""
    if named and not content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            text = content.decode(named[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            text = ""
    reader = Reader()
    reader.feed(text or decode(content, path)[0])
    reader.close()
    reader.flush()
    return reader


def read_html(content: bytes, path: Path) -> Written:
    reader = read_paragraphs(content, path)
    return compose(reader.paragraphs, path, pictures=reader.pictures, aside=reader.aside)
