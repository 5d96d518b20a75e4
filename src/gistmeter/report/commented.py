"""A sheet as a word processor's document with comments (DOCX).

A row is a stretch of text: its style ("heading", "paragraph", or empty for one that goes on in the
same paragraph), its words, and a comment on them, if any. The file has the parts that every word
processor asks for and no more; it is the same for the same sheet.
"""

from __future__ import annotations

import io
import re
import zipfile
from xml.sax.saxutils import escape

from gistmeter.core.errors import InputError
from gistmeter.core.types import Sheet

SUFFIX = ".docx"
AUTHOR, INITIALS = "gistmeter", "gm"
SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TYPES = (
    f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    + "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{KIND}.{kind}+xml"/>'
        for name, kind in (
            ("document", "document.main"), ("styles", "styles"), ("comments", "comments"),
        )
    )
    + "</Types>"
)  # fmt: skip
ROOT = (
    f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
    f' Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)
LINKS = (
    f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/styles" Target="styles.xml"/>'
    f'<Relationship Id="rId2" Type="{OFFICE}/comments" Target="comments.xml"/></Relationships>'
)
STYLES = (
    f'{HEAD}<w:styles {SPACE}><w:style w:type="paragraph" w:default="1" w:styleId="Normal">'
    '<w:name w:val="Normal"/><w:pPr><w:spacing w:after="160" w:line="300" w:lineRule="auto"/>'
    '</w:pPr><w:rPr><w:sz w:val="24"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
    '<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:keepNext/>'
    '<w:spacing w:before="360" w:after="160"/><w:outlineLvl w:val="0"/></w:pPr>'
    '<w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style></w:styles>'
)


def commented_document(sheet: Sheet) -> bytes:
    """The document of a sheet."""
    body: list[str] = []
    comments: list[str] = []
    for style, words, comment in sheet.rows:
        stretch = _run(f"{words} ")
        if comment:
            number = len(comments)
            mark = f'<w:r><w:commentReference w:id="{number}"/></w:r>'
            start, end = (f'<w:commentRange{edge} w:id="{number}"/>' for edge in ("Start", "End"))
            stretch = f"{start}{stretch}{end}{mark}"
            comments.append(_comment(number, str(comment)))
        if style or not body:
            kind = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' if style == "heading" else ""
            body.append(f"<w:p>{kind}")
        body[-1] += stretch
    text = "".join(f"{paragraph}</w:p>" for paragraph in body)
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": ROOT,
        "word/document.xml": f"{HEAD}<w:document {SPACE}><w:body>{text}</w:body></w:document>",
        "word/_rels/document.xml.rels": LINKS,
        "word/styles.xml": STYLES,
        "word/comments.xml": f"{HEAD}<w:comments {SPACE}>{''.join(comments)}</w:comments>",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _run(words: str) -> str:
    text = escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words))
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _comment(number: int, words: str) -> str:
    lines = "".join(f"<w:p>{_run(line)}</w:p>" for line in words.split("\n"))
    who = f'w:author="{AUTHOR}" w:initials="{INITIALS}"'
    return f'<w:comment w:id="{number}" {who}>{lines}</w:comment>'


def only_sheet(sheets: list[Sheet], command: str) -> Sheet:
    """The sheet of a run that is for this format; an error where its family has none."""
    commented = [sheet for sheet in sheets if sheet.suffixes == (SUFFIX,)]
    if not commented:
        raise InputError(
            f"'{SUFFIX}' is for books, which are written with comments; '{command}' writes"
            " .xlsx, .csv, .md and others"
        )
    return commented[0]
