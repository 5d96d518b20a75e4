"""EPUB: the documents of the spine in order; one without a heading takes the contents' title."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from gistmeter.book.formats.html import read_paragraphs
from gistmeter.book.formats.packed import Archive, parse_xml
from gistmeter.book.formats.written import Written, compose
from gistmeter.core.errors import FormatError

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"


def read_epub(content: bytes, path: Path) -> Written:
    archive = Archive(content, path)
    package = _package(archive, path)
    locked = _locked(archive, path)
    titles = _titles(archive, path)
    paragraphs: list[tuple[str, bool]] = []
    pictures, aside = 0, Counter[str]()
    for name in _spine(archive, package, path):
        if name in locked:
            raise FormatError(
                "is encrypted (DRM): its text cannot be read. Use an edition without", path=path
            )
        found = read_paragraphs(archive.read(name), path)
        own = [(words, heading) for words, heading in found.paragraphs if words.strip()]
        if own and name in titles and not any(heading for _, heading in own):
            own.insert(0, (titles[name], True))
        paragraphs += own
        pictures += found.pictures
        aside += found.aside
    return compose(paragraphs, path, pictures=pictures, aside=aside)


def _package(archive: Archive, path: Path) -> str:
    root = parse_xml(archive.read(CONTAINER), path, CONTAINER)
    for found in root.iter("rootfile"):
        if name := found.get("full-path"):
            return name
    raise FormatError(f"is damaged: '{CONTAINER}' names no book", path=path)


def _locked(archive: Archive, path: Path) -> set[str]:
    """The parts that are encrypted; fonts may be, which does not matter here."""
    if ENCRYPTION not in archive.parts:
        return set()
    root = parse_xml(archive.read(ENCRYPTION), path, ENCRYPTION)
    return {unquote(found.get("URI") or "") for found in root.iter("CipherReference")}


def _spine(archive: Archive, package: str, path: Path) -> Iterator[str]:
    root = parse_xml(archive.read(package), path, package)
    items = {item.get("id"): item for item in root.iter("item")}
    for place in root.iter("itemref"):
        item = items.get(place.get("idref"))
        if item is None or place.get("linear") == "no":
            continue
        kind = item.get("media-type") or ""
        if "html" in kind and "nav" not in (item.get("properties") or "").split():
            yield _beside(package, item.get("href") or "")


def _titles(archive: Archive, path: Path) -> dict[str, str]:
    """What the table of contents calls each document, from its NCX."""
    found: dict[str, str] = {}
    for name in archive.parts:
        if not name.lower().endswith(".ncx"):
            continue
        for point in parse_xml(archive.read(name), path, name).iter("navPoint"):
            place, words = point.find("content"), point.find("navLabel/text")
            if place is not None and words is not None and words.text:
                found.setdefault(_beside(name, place.get("src") or ""), words.text)
    return found


def _beside(part: str, link: str) -> str:
    target = unquote(link.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), target))
