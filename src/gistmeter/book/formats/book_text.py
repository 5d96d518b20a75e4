"""The text of a plain or HTML file, checked, and without what is not the book.

HTML has its paragraphs by block elements, its headings by h1 to h6; scripts, notes and the like are
left out.

`set_aside` leaves out and counts what is not the book, by rules that its sentences do not meet:

- the licence of Project Gutenberg: all outside its *** START and *** END lines;
- front and back matter: sections at the beginning and the end whose heading says so (contents,
  copyright, index, about the author …), and lists of chapters;
- pages: lines such as "[Pg 12]", "- 12 -" or "Page 12"; bare numbers on lines of their own where
  most of them stand in the middle of a sentence;
- running heads: a short line that recurs beside those;
- marks of footnotes: [12], ¹², or an asterisk after a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from gistmeter.core.errors import FormatError
from gistmeter.core.inputs import decode

CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
SPACE = re.compile(r"[ \t\r\n\u00a0]+")
FEWEST = 20  # letters: a file with pictures and fewer has no text
START = re.compile(r"^.*\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.I | re.M)
END = re.compile(
    r"^.*(?:\*\*\* ?END OF (?:THE|THIS)|End of (?:the )?Project) (?:PROJECT )?GUTENBERG.*$",
    re.I | re.M,
)
PAGE = re.compile(
    r"[\[({]?\s*(?:pg\.?|page|p\.|с\.|стр\.|s\.)\s*\d{1,4}\s*[\])}]?|[-–—]\s*\d{1,4}\s*[-–—]|第?\s*\d{1,4}\s*页",
    re.I,
)
INLINE_PAGE = re.compile(r"[\[{](?:pg|page)\.?\s*\d{1,4}[\]}]", re.I)
NUMBER = re.compile(r"\d{1,4}")
MARK = re.compile(r"(?<=[\w.,;:!?\"'”’」』。，！？])(?:\[(?:\d{1,3}|[*†‡])\]|[¹²³⁴-⁹⁰]{1,3})")
ENDS = re.compile(r"[.!?:;。！？…”\"'’」』)\]]$")
HEADING = re.compile(r"#{1,6}\s+")
OUTSIDE = re.compile(
    r"(?:table of )?contents|copyright|colophon|imprint|dedication|acknowledge?ments?|index"
    r"|glossary|bibliography|about the (?:author|publisher)|also by .*|advertisements?"
    r"|list of illustrations|illustrations|transcriber'?s notes?|footnotes|endnotes|notes"
    r"|目录|目錄|版权(?:页|信息)?|版權頁?|出版说明|作者简介|作者簡介|索引|注释|註釋"
    r"|содержание|оглавление|примечания|об авторе|目次|奥付|索引|차례|목차|obsah|tiráž",
    re.I,
)
SHORT, OFTEN, FEW_NUMBERS = 60, 4, 5
FRONT, BACK = 8, 8  # sections from either end that may be matter
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
NOTE_MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§]{1,3}|[a-z])\s*[\])]?")
UNCLOSED = re.compile("<(?=[^<>]*(?:<|$))")
ODD_CODECS = (b"idna", b"punycode", b"undefined")  # of Python: slow, and of no document
ENCODING = re.compile(rb"(?i)(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)")


@dataclass(frozen=True, slots=True)
class BookText:
    """A text as a file has it."""

    text: str
    encoding: str = ""  # where it was guessed
    aside: Mapping[str, int] = field(default_factory=dict)  # what was left out, and how often


def compose(
    paragraphs: Iterable[tuple[str, bool]], path: Path, *, pictures: int, aside: Counter[str]
) -> BookText:
    """A text of paragraphs and headings; a file of pictures without words is refused."""
    lines = ((SPACE.sub(" ", words).strip(), is_heading) for words, is_heading in paragraphs)
    text = "\n\n".join(f"# {line}" if is_heading else line for line, is_heading in lines if line)
    letters = sum(character.isalpha() for character in text[:10_000])
    if letters < FEWEST and pictures:
        raise FormatError(
            f"has {pictures} pictures and no text: it is a scan. Recognise its text (OCR) first",
            path=path,
        )
    if not letters:
        raise FormatError("has no text", path=path)
    return BookText(text, aside=aside)


def refuse_control(text: str, path: Path) -> None:
    """Control characters mean a wrong encoding or damage."""
    if bad := CONTROL.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise FormatError(control(bad[0]), path=path, row=line)


def control(character: str) -> str:
    return (
        f"has the control character U+{ord(character):04X}, which no text has. Check the file's "
        "encoding, or remove it"
    )


def read_plain(content: bytes, path: Path) -> BookText:
    """Plain text and Markdown: the text as it is."""
    text, guessed = decode(content, path)
    return BookText(text, guessed)


class HtmlReader(HTMLParser):
    """The paragraphs of a document; elements that stay open are closed by those around them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[tuple[str, bool]] = []
        self.open: list[str] = []
        self.counts: Counter[str] = Counter()  # of those that are open
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
        self.counts[tag] += 1
        kinds = f"{given.get('epub:type', '')} {given.get('role', '')} {given.get('class', '')}"
        if tag in SILENT or NOTE.search(kinds):
            if not self.hushed and tag not in SILENT:
                self.aside["notes and marks of pages"] += 1
            self.hushed.append(len(self.open))
        elif tag == "sup":
            self.raised = []

    def handle_endtag(self, tag: str) -> None:
        if not self.counts[tag]:
            return
        if tag == "sup" and self.raised is not None:
            raised = "".join(self.raised)
            if NOTE_MARK.fullmatch(raised.strip()):
                self.aside["marks of footnotes"] += 1
            else:
                self.words.append(raised)
            self.raised = None
        closed = ""
        while self.open and closed != tag:
            closed = self.open.pop()
            self.counts[closed] -= 1
        while self.hushed and len(self.open) < self.hushed[-1]:
            self.hushed.pop()
        if tag in BLOCKS or tag in HEADINGS:
            self.flush()
            self.is_heading = False

    def handle_data(self, data: str) -> None:
        if not self.hushed:
            (self.words if self.raised is None else self.raised).append(data)

    def flush(self) -> None:
        if self.words:
            self.paragraphs.append(("".join(self.words), self.is_heading))
        self.words = []


def closed_markup(text: str) -> str:
    """The document without comments, and with `<` as a character where no tag ends.

    Python's parser looks to the end of the document again at each of them.
    """
    kept, start = [], 0
    while (at := text.find("<!--", start)) >= 0:
        kept.append(text[start:at])
        end = text.find("-->", at + 4)
        start = end + 3 if end >= 0 else len(text)
    return UNCLOSED.sub("&lt;", "".join(kept) + text[start:])


def read_paragraphs(content: bytes, path: Path) -> HtmlReader:
    """The paragraphs of a document, decoded as it says itself."""
    named = ENCODING.search(content[:2048])
    text = ""
    if (
        named
        and named[1].lower() not in ODD_CODECS
        and not content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    ):
        try:
            text = content.decode(named[1].decode("ascii"))
        except (LookupError, ValueError):
            text = ""
    reader = HtmlReader()
    reader.feed(closed_markup(text or decode(content, path)[0]))
    reader.close()
    reader.flush()
    return reader


def read_html(content: bytes, path: Path) -> BookText:
    reader = read_paragraphs(content, path)
    return compose(reader.paragraphs, path, pictures=reader.pictures, aside=reader.aside)


def set_aside(text: str) -> tuple[str, Counter[str]]:
    """The book alone, and how much of what was left out."""
    aside: Counter[str] = Counter()
    text = _without_licence(text, aside)
    text, count = INLINE_PAGE.subn("", text)
    aside["marks of pages"] += count
    text = _without_pages(text, aside)
    text = _without_sections(text, aside)
    text, count = MARK.subn("", text)
    aside["marks of footnotes"] += count
    return text, +aside


def _without_licence(text: str, aside: Counter[str]) -> str:
    start = START.search(text)
    end = END.search(text, start.end() if start else 0)
    if not start and not end:
        return text
    aside["characters of the Project Gutenberg licence"] += len(text)
    text = text[start.end() if start else 0 : end.start() if end else len(text)].strip("\n") + "\n"
    aside["characters of the Project Gutenberg licence"] -= len(text)
    return text


def _without_pages(text: str, aside: Counter[str]) -> str:
    lines = text.split("\n")
    pages = {at for at, line in enumerate(lines) if PAGE.fullmatch(line.strip())}
    numbers = [at for at, line in enumerate(lines) if NUMBER.fullmatch(line.strip())]
    inside = [at for at in numbers if not ENDS.search(_before(lines, at) or ".")]
    if len(numbers) >= FEW_NUMBERS and 2 * len(inside) >= len(numbers):
        pages |= set(numbers)
    heads = _running_heads(lines, pages)
    aside["numbers of pages"] += len(pages)
    aside["running heads"] += len(heads)
    gone = pages | heads
    if not gone:
        return text
    kept: list[str] = []
    after_gone = False  # whether the last line that is not blank was left out
    for at, line in enumerate(lines):
        if at in gone:
            # A sentence that the end of a page interrupts goes on after it.
            while kept and not kept[-1].strip():
                kept.pop()
            if kept and ENDS.search(kept[-1].strip()):
                kept.append("")
            after_gone = True
        elif line.strip() or not after_gone:
            kept.append(line)
            after_gone = False
    return "\n".join(kept)


def _before(lines: Sequence[str], at: int) -> str:
    return next((line.strip() for line in reversed(lines[max(0, at - 4) : at]) if line.strip()), "")


def _running_heads(lines: Sequence[str], pages: set[int]) -> set[int]:
    """Short lines beside page numbers (or page breaks) that recur."""
    beside: dict[str, set[int]] = {}
    breaks = {at for at, line in enumerate(lines) if "\f" in line}
    for at in pages | breaks:
        for near in range(max(0, at - 2), min(len(lines), at + 3)):
            words = lines[near].strip("\f \t")
            if near not in pages and 0 < len(words) <= SHORT and not ENDS.search(words):
                beside.setdefault(words, set()).add(near)
    return {at for places in beside.values() if len(places) >= OFTEN for at in places}


def _without_sections(text: str, aside: Counter[str]) -> str:
    """Sections under headings at either end that say that they are not the book."""
    parts = re.split(r"(?m)^(?=#{1,6}\s+\S)", text)
    outside = [bool(OUTSIDE.fullmatch(_title(part))) for part in parts]
    if len(parts) < 3 or not any(outside):
        return text
    gone = {at for at, out in enumerate(outside) if out and (at < FRONT or at >= len(parts) - BACK)}
    size = sum(len(parts[at]) for at in gone)
    if size > len(text) // 2:  # a collection of notes is a book too
        return text
    aside["sections before and after the book"] += len(gone)
    return "".join(part for at, part in enumerate(parts) if at not in gone)


def _title(part: str) -> str:
    first = part.split("\n", 1)[0]
    return HEADING.sub("", first).strip(" *_.:") if HEADING.match(first) else ""
