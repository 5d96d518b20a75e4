"""Archives and XML from strangers: with limits, and with no entity ever expanded.

EPUB, DOCX and zipped FB2 are ZIP archives of XML. The standard library reads both; what it leaves
to its caller is done here: an archive may not unfold to more than a book can have, an encrypted
part is refused, and a document that declares an entity is not read.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from gistmeter.core.errors import FormatError

UNFOLDED = 512 * 1024**2  # bytes of all that is read of an archive
UNFOLDING = 200  # times its size that a part may unfold to, beyond the first megabytes
ALWAYS = 16 * 1024**2
MOST_PARTS = 20_000
DEEPEST = 500
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files of old Office programs begin


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
            raise FormatError(f"is damaged: it is no archive ({error})", path=path) from error
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
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
            raise FormatError(f"is damaged: '{name}' ({error})", path=self.path) from error
        except Exception as error:  # zlib and lzma have errors of their own
            raise FormatError(f"is damaged: '{name}' ({error})", path=self.path) from error
        if len(content) > limit:
            raise FormatError(f"'{name}' unfolds to more than a book can have", path=self.path)
        self.left -= len(content)
        return content


def parse_xml(content: bytes, path: Path, part: str = "") -> Element:
    """A document as a tree, names without their namespaces; entities are refused."""
    where = f"'{part}' " if part else ""
    builder, depth = TreeBuilder(), 0
    parser = expat.ParserCreate(namespace_separator="}")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FormatError(f"{where}is nested more than {DEEPEST} deep", path=path)
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
    found: Element = builder.close()
    return found
