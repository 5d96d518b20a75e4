"""DOCX: the paragraphs of the main document, headings by their styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from gistmeter.book.formats.packed import Archive, parse_xml
from gistmeter.book.formats.written import Written, compose

DOCUMENT, STYLES = "word/document.xml", "word/styles.xml"
LEFT_OUT = frozenset(("Fallback", "del", "moveFrom", "txbxContent"))  # said twice, or taken back


def read_docx(content: bytes, path: Path) -> Written:
    archive = Archive(content, path)
    styles = _heading_styles(archive, path)
    root = parse_xml(archive.read(DOCUMENT), path, DOCUMENT)
    aside = Counter[str]()
    notes = sum(1 for kind in ("footnoteReference", "endnoteReference") for _ in root.iter(kind))
    if notes:
        aside["marks of footnotes"] = notes
    paragraphs = [
        ("".join(_words(one)), _style(one) in styles or _level(one)) for one in _paragraphs(root)
    ]
    pictures = sum(1 for kind in ("blip", "imagedata") for _ in root.iter(kind))
    return compose(paragraphs, path, pictures=pictures, aside=aside)


def _heading_styles(archive: Archive, path: Path) -> set[str]:
    """The styles of titles and headings, whose names are English in every language."""
    if STYLES not in archive.parts:
        return {"Title", *(f"Heading{level}" for level in range(1, 7))}
    found = set()
    for style in parse_xml(archive.read(STYLES), path, STYLES).iter("style"):
        name = style.find("name")
        told = (name.get("val") or "").lower() if name is not None else ""
        if told.startswith("heading ") or told == "title":
            found.add(style.get("styleId") or "")
    return found


def _paragraphs(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag in LEFT_OUT:
            continue
        if child.tag == "p":
            yield child
        else:
            yield from _paragraphs(child)


def _words(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == "t":
            yield child.text or ""
        elif child.tag in ("tab", "br", "cr"):
            yield " "
        elif child.tag not in LEFT_OUT:
            yield from _words(child)


def _style(paragraph: Element) -> str:
    found = paragraph.find("pPr/pStyle")
    return (found.get("val") or "") if found is not None else ""


def _level(paragraph: Element) -> bool:
    """Whether a paragraph has a level in the outline, whatever its style."""
    found = paragraph.find("pPr/outlineLvl")
    return found is not None and (found.get("val") or "9") < "9"
