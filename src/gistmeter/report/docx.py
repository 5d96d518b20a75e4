"""A plain DOCX: headings, paragraphs and tables, the same bytes for the same content.

Office Open XML (ECMA-376) needs five small parts for that; no package is needed to write them.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gistmeter.core.files import printable

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MADE = (1980, 1, 1, 0, 0, 0)  # the time of all parts, so that bytes are the same
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
TYPES = (
    f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{MAIN}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{MAIN}.styles+xml"/></Types>'
)
ROOT = (
    f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)
INSIDE = (
    f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
)
BORDERS = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="A0A0A0"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)


def _style(name: str, title: str, size: int, *, bold: bool = True) -> str:
    weight = "<w:b/>" if bold else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/>'
        '<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="80"/></w:pPr>'
        f'<w:rPr>{weight}<w:sz w:val="{size}"/></w:rPr></w:style>'
    )


STYLES = (
    f'{HEAD}<w:styles xmlns:w="{WORD}"><w:docDefaults><w:rPrDefault><w:rPr>'
    '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/>'
    '</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr>'
    "</w:pPrDefault></w:docDefaults>"
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
    "</w:style>"
    + _style("Title", "Title", 40)
    + _style("Heading1", "heading 1", 28)
    + _style("Small", "Small", 18, bold=False)
    + "</w:styles>"
)


@dataclass(frozen=True, slots=True)
class DocHeading:
    text: str
    top: bool = False  # the document's title


@dataclass(frozen=True, slots=True)
class DocParagraph:
    text: str
    small: bool = False


@dataclass(frozen=True, slots=True)
class DocTable:
    """A table with a header row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


DocPart = DocHeading | DocParagraph | DocTable


def docx(parts: Iterable[DocPart]) -> bytes:
    """The parts one after another."""
    body = "".join(map(_part, parts))
    page = (
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" '
        'w:bottom="1134" w:left="1134" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr>'
    )
    document = f'{HEAD}<w:document xmlns:w="{WORD}"><w:body>{body}{page}</w:body></w:document>'
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": ROOT,
        "word/document.xml": document,
        "word/styles.xml": STYLES,
        "word/_rels/document.xml.rels": INSIDE,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, MADE), content.encode(), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _part(part: DocPart) -> str:
    if isinstance(part, DocHeading):
        return _paragraph(part.text, "Title" if part.top else "Heading1")
    if isinstance(part, DocParagraph):
        return _paragraph(part.text, "Small" if part.small else "")
    rows = [_row(part.head, head=True), *(_row(row) for row in part.rows)]
    return (
        '<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/>'
        f"<w:tblBorders>{BORDERS}</w:tblBorders></w:tblPr>{''.join(rows)}</w:tbl>{_paragraph('')}"
    )


def _row(cells: Sequence[str], *, head: bool = False) -> str:
    repeat = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if head else ""
    spelled = "".join(f"<w:tc>{_paragraph(cell, bold=head)}</w:tc>" for cell in cells)
    return f"<w:tr>{repeat}{spelled}</w:tr>"


def _paragraph(text: str, style: str = "", *, bold: bool = False) -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    weight = "<w:rPr><w:b/></w:rPr>" if bold else ""
    lines = NOT_XML.sub("\N{REPLACEMENT CHARACTER}", printable(text)).splitlines() or [""]
    runs = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in lines)
    return f"<w:p>{named}<w:r>{weight}{runs}</w:r></w:p>"
