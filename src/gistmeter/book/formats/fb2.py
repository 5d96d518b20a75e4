"""FB2: the bodies of a FictionBook, notes left out; zipped or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from gistmeter.book.formats.packed import Archive, parse_xml
from gistmeter.book.formats.written import Written, compose
from gistmeter.core.errors import FormatError

LINES = frozenset(("p", "v", "subtitle", "text-author"))
ZIP = b"PK\x03\x04"


def read_fb2(content: bytes, path: Path) -> Written:
    if content.startswith(ZIP):
        archive = Archive(content, path)
        names = [name for name in archive.parts if name.lower().endswith(".fb2")]
        if len(names) != 1:
            raise FormatError(f"holds {len(names)} .fb2 files, one was expected", path=path)
        content = archive.read(names[0])
    root = parse_xml(content, path)
    if root.tag != "FictionBook":
        raise FormatError(f"is not a FictionBook but <{root.tag}>", path=path)
    aside: Counter[str] = Counter()
    paragraphs: list[tuple[str, bool]] = []
    for body in root.iter("body"):
        if body.get("name") in ("notes", "comments"):
            aside["notes"] += sum(1 for _ in body.iter("section"))
        else:
            paragraphs += _lines(body, aside)
    pictures = sum(1 for _ in root.iter("image"))
    return compose(paragraphs, path, pictures=pictures, aside=aside)


def _lines(element: Element, aside: Counter[str]) -> Iterator[tuple[str, bool]]:
    for child in element:
        if child.tag == "title":
            yield " ".join("".join(_words(line, aside)) for line in child), True
        elif child.tag in LINES:
            yield "".join(_words(child, aside)), False
        else:
            yield from _lines(child, aside)


def _words(element: Element, aside: Counter[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == "a" and child.get("type") == "note":
            aside["marks of footnotes"] += 1
        else:
            yield from _words(child, aside)
        yield child.tail or ""
