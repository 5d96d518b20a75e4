"""EPUB, DOCX and FB2: archives and XML from strangers, with limits and no entity ever expanded.

EPUB, DOCX and zipped FB2 are ZIP archives of XML. The standard library reads both; what it leaves
to its caller is done here: an archive may not unfold to more than a book can have, an encrypted
part is refused, and a document that declares an entity is not read.

- EPUB: the documents of the spine in order; one without a heading takes the contents' title.
- DOCX: the paragraphs of the main document, headings by their styles.
- FB2: the bodies of a FictionBook, notes left out; zipped or not.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from gistmeter.book.formats.book_text import BookText, compose, read_paragraphs
from gistmeter.core.errors import FormatError

UNFOLDED = 512 * 1024**2  # bytes of all that is read of an archive
UNFOLDING = 200  # times its size that a part may unfold to, beyond the first megabytes
ALWAYS = 16 * 1024**2
MOST_PARTS = 20_000
DEEPEST = 500
MOST_ELEMENTS = 3_000_000  # of one document: some 500 MB
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files of old Office programs begin
ZIP = b"PK\x03\x04"
CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
DOCX_DOCUMENT, DOCX_STYLES = "word/document.xml", "word/styles.xml"
DOCX_LEFT_OUT = frozenset(("Fallback", "del", "moveFrom", "txbxContent"))  # said twice, or deleted
FB2_LINES = frozenset(("p", "v", "subtitle", "text-author"))


class Archive:
    """A ZIP archive whose parts are read within limits."""

    def __init__(self, content: bytes, path: Path) -> None:
        self.path, self.left = path, UNFOLDED
        if content.startswith(LOCKED):
            raise FormatError(
                "is locked by a password, or from an old Office program. Save it again without a"
                " password, in the new format",
                path=path,
            )
        try:
            self.zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise FormatError(f"is damaged: it is not an archive ({error})", path=path) from error
        self.parts = {part.filename: part for part in self.zip.infolist()[:MOST_PARTS]}

    def read(self, name: str) -> bytes:
        """A part; one that is missing, locked or too large is an error."""
        part = self.parts.get(name)
        if part is None:
            raise FormatError(f"is damaged: it has no part '{name}'", path=self.path)
        if part.flag_bits & 1:
            raise FormatError("is encrypted. Save it again without a password", path=self.path)
        limit = min(self.left, max(ALWAYS, UNFOLDING * max(part.compress_size, 1)))
        try:
            with self.zip.open(part) as stream:
                content = stream.read(limit + 1)
        except Exception as error:  # zlib and lzma have errors of their own
            raise FormatError(f"is damaged: '{name}' ({error})", path=self.path) from error
        if len(content) > limit:
            raise FormatError(f"'{name}' unfolds to more than a book can have", path=self.path)
        self.left -= len(content)
        return content

    def read_xml(self, name: str) -> Element:
        return parse_xml(self.read(name), self.path, name)


def parse_xml(content: bytes, path: Path, part: str = "") -> Element:
    """A document as a tree, names without their namespaces; entities are refused."""
    where = f"'{part}' " if part else ""
    builder, depth, count = TreeBuilder(), 0, 0
    parser = expat.ParserCreate(namespace_separator="}")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > DEEPEST:
            raise FormatError(f"{where}is nested more than {DEEPEST} deep", path=path)
        if count > MOST_ELEMENTS:
            raise FormatError(f"{where}has more than {MOST_ELEMENTS:,} elements", path=path)
        local = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        builder.start(name.rpartition("}")[2], local)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name.rpartition("}")[2])

    def refuse(*_: object) -> Any:
        raise FormatError(f"{where}declares entities, which no book needs", path=path)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise FormatError(f"{where}is not XML ({error})", path=path) from error
    root: Element = builder.close()
    return root


def read_epub(content: bytes, path: Path) -> BookText:
    archive = Archive(content, path)
    locked, titles = _locked(archive), _titles(archive)
    paragraphs: list[tuple[str, bool]] = []
    pictures, aside = 0, Counter[str]()
    for name in _spine(archive, _package(archive)):
        if name in locked:
            raise FormatError(
                "is encrypted (DRM): its text cannot be read. Use an edition without", path=path
            )
        page = read_paragraphs(archive.read(name), path)
        written = [(words, heading) for words, heading in page.paragraphs if words.strip()]
        if written and name in titles and not any(heading for _, heading in written):
            written.insert(0, (titles[name], True))
        paragraphs += written
        pictures += page.pictures
        aside += page.aside
    return compose(paragraphs, path, pictures=pictures, aside=aside)


def _package(archive: Archive) -> str:
    root = archive.read_xml(CONTAINER)
    for file in root.iter("rootfile"):
        if name := file.get("full-path"):
            return name
    raise FormatError(f"is damaged: '{CONTAINER}' names no book", path=archive.path)


def _locked(archive: Archive) -> set[str]:
    """The parts that are encrypted; fonts may be, which does not matter here."""
    if ENCRYPTION not in archive.parts:
        return set()
    root = archive.read_xml(ENCRYPTION)
    return {unquote(part.get("URI") or "") for part in root.iter("CipherReference")}


def _spine(archive: Archive, package: str) -> Iterator[str]:
    root = archive.read_xml(package)
    items = {item.get("id"): item for item in root.iter("item")}
    for place in root.iter("itemref"):
        item = items.get(place.get("idref"))
        if item is None or place.get("linear") == "no":
            continue
        kind = item.get("media-type") or ""
        if "html" in kind and "nav" not in (item.get("properties") or "").split():
            yield _beside(package, item.get("href") or "")


def _titles(archive: Archive) -> dict[str, str]:
    """What the table of contents calls each document, from its NCX."""
    titles: dict[str, str] = {}
    for name in archive.parts:
        if not name.lower().endswith(".ncx"):
            continue
        for point in archive.read_xml(name).iter("navPoint"):
            place, words = point.find("content"), point.find("navLabel/text")
            if place is not None and words is not None and words.text:
                titles.setdefault(_beside(name, place.get("src") or ""), words.text)
    return titles


def _beside(part: str, link: str) -> str:
    target = unquote(link.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), target))


def read_docx(content: bytes, path: Path) -> BookText:
    archive = Archive(content, path)
    styles = _heading_styles(archive)
    root = archive.read_xml(DOCX_DOCUMENT)
    # A paragraph with a level in the outline is a heading, whatever its style.
    paragraphs = [
        (
            "".join(_docx_words(part)),
            _property(part, "pStyle") in styles or "" < _property(part, "outlineLvl") < "9",
        )
        for part in _paragraphs(root)
    ]
    notes = _count(root, "footnoteReference", "endnoteReference")
    aside = Counter({"marks of footnotes": notes} if notes else {})
    pictures = _count(root, "blip", "imagedata")
    return compose(paragraphs, path, pictures=pictures, aside=aside)


def _count(root: Element, *names: str) -> int:
    return sum(1 for name in names for _ in root.iter(name))


def _heading_styles(archive: Archive) -> set[str]:
    """The styles of titles and headings, whose names are English in every language."""
    if DOCX_STYLES not in archive.parts:
        return {"Title", *(f"Heading{level}" for level in range(1, 7))}
    headings = set()
    for style in archive.read_xml(DOCX_STYLES).iter("style"):
        name = style.find("name")
        title = (name.get("val") or "").lower() if name is not None else ""
        if title.startswith("heading ") or title == "title":
            headings.add(style.get("styleId") or "")
    return headings


def _paragraphs(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag in DOCX_LEFT_OUT:
            continue
        if child.tag == "p":
            yield child
        else:
            yield from _paragraphs(child)


def _docx_words(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == "t":
            yield child.text or ""
        elif child.tag in ("tab", "br", "cr"):
            yield " "
        elif child.tag not in DOCX_LEFT_OUT:
            yield from _docx_words(child)


def _property(paragraph: Element, name: str) -> str:
    element = paragraph.find(f"pPr/{name}")
    return (element.get("val") or "") if element is not None else ""


def read_fb2(content: bytes, path: Path) -> BookText:
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
            aside["notes"] += _count(body, "section")
        else:
            paragraphs += _fb2_lines(body, aside)
    return compose(paragraphs, path, pictures=_count(root, "image"), aside=aside)


def _fb2_lines(element: Element, aside: Counter[str]) -> Iterator[tuple[str, bool]]:
    for child in element:
        if child.tag == "title":
            yield " ".join("".join(_fb2_words(line, aside)) for line in child), True
        elif child.tag in FB2_LINES:
            yield "".join(_fb2_words(child, aside)), False
        else:
            yield from _fb2_lines(child, aside)


def _fb2_words(element: Element, aside: Counter[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == "a" and child.get("type") == "note":
            aside["marks of footnotes"] += 1
        else:
            yield from _fb2_words(child, aside)
        yield child.tail or ""
