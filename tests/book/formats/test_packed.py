# ruff: noqa: E501 (files of other formats stand here as they are)
"""Books in the files that people have: what is read, what is set aside, what is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from gistmeter.book.formats import packed
from gistmeter.book.formats.book_text import read_html, set_aside
from gistmeter.book.formats.packed import parse_xml, read_epub
from gistmeter.book.read import read_shelf, read_texts
from gistmeter.core.errors import FormatError, InputError

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="two" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
</manifest><spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/></spine></package>"""
NCX = """<ncx><navMap><navPoint><navLabel><text>Chapter II</text></navLabel>
<content src="two.xhtml#start"/></navPoint></navMap></ncx>"""
ONE = """<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>skip</title><style>p {}</style></head>
<body><h2>Chapter I</h2><p>The <i>fox</i> slept&nbsp;late.<sup>1</sup></p>
<aside epub:type="footnote">1 A note.</aside><p>It was 10<sup>th</sup> May.</body></html>"""
TWO = "<html><body><p>The owl watched the whole night.</p><img src='a.png'/></body></html>"
DOCUMENT = """<w:document xmlns:w="w"><w:body>
<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Chapter I</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">The fox </w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r>
</w:del><w:r><w:t>slept late.</w:t><w:footnoteReference w:id="1"/></w:r></w:p></w:body></w:document>"""
STYLES = """<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/>
</w:style></w:styles>"""
FB2 = """<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title>x</title>
</description><body><section><title><p>Глава 1</p></title><p>Лиса <emphasis>спала</emphasis> долго.
<a type="note">[1]</a></p></section></body><body name="notes"><section><p>Сноска.</p></section></body>
</FictionBook>"""


def pack(path: Path, **parts: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def epub(path: Path, **further: str) -> Path:
    parts = {
        "META-INF/container.xml": CONTAINER, "OPS/book.opf": PACKAGE, "OPS/toc.ncx": NCX,
        "OPS/text/one.xhtml": ONE, "OPS/two.xhtml": TWO, "OPS/nav.xhtml": "<p>Contents</p>",
    }  # fmt: skip
    return pack(path, **{**parts, **further})


def text_of(path: Path, **options: bool) -> str:
    (text,) = read_texts(path, **options).texts.values()
    return text


def test_an_epub_gives_its_spine_with_chapters(tmp_path):
    found = read_texts(epub(tmp_path / "book.epub"))
    assert found.texts["book"] == (
        "# Chapter I\n\nThe fox slept late.\n\nIt was 10th May.\n\n# Chapter II\n\n"
        "The owl watched the whole night."
    )
    path = tmp_path / "book.epub"
    aside = read_epub(path.read_bytes(), path).aside
    assert aside == {"marks of footnotes": 1, "notes and marks of pages": 1}
    (remark,) = found.remarks
    assert all(f"1 {thing}" in remark for thing in aside)


def test_a_docx_gives_paragraphs_and_headings_by_style(tmp_path):
    parts = {"word/document.xml": DOCUMENT, "word/styles.xml": STYLES}
    assert text_of(pack(tmp_path / "b.docx", **parts)) == "# Chapter I\n\nThe fox slept late."


def test_an_fb2_is_read_in_its_encoding_zipped_or_not(tmp_path):
    (tmp_path / "b.fb2").write_bytes(FB2.encode("cp1251"))
    assert text_of(tmp_path / "b.fb2") == "# Глава 1\n\nЛиса спала долго."
    with zipfile.ZipFile(tmp_path / "c.fb2.zip", "w") as archive:
        archive.writestr("c.fb2", FB2.encode("cp1251"))
    assert text_of(tmp_path / "c.fb2.zip") == "# Глава 1\n\nЛиса спала долго."


def test_html_is_read_as_its_meta_says(tmp_path):
    page = '<meta charset="koi8-r"><h1>Глава</h1><p>Лиса спала очень долго.<script>x()</script>'
    (tmp_path / "b.html").write_bytes(page.encode("koi8-r"))
    assert text_of(tmp_path / "b.html") == "# Глава\n\nЛиса спала очень долго."


def test_scans_and_locked_books_are_refused(tmp_path):
    pictures = "<body><img src='1.png'/><img src='2.png'/></body>"
    scan = {"OPS/text/one.xhtml": pictures, "OPS/two.xhtml": pictures, "OPS/toc.ncx": "<ncx/>"}
    with pytest.raises(FormatError, match="4 pictures and no text"):
        read_texts(epub(tmp_path / "scan.epub", **scan))
    locked = '<encryption><CipherReference URI="OPS/two.xhtml"/></encryption>'
    with pytest.raises(FormatError, match="encrypted"):
        read_texts(epub(tmp_path / "locked.epub", **{"META-INF/encryption.xml": locked}))
    (tmp_path / "old.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99))
    with pytest.raises(FormatError, match="password"):
        read_texts(tmp_path / "old.docx")
    (tmp_path / "b.epub").write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(FormatError, match="damaged"):
        read_texts(tmp_path / "b.epub")
    (tmp_path / "b.mobi").write_bytes(b"BOOKMOBI")
    with pytest.raises(FormatError, match=r"\.epub, \.docx.*Convert it"):
        read_texts(tmp_path / "b.mobi")


def test_hostile_documents_are_refused():
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    outside = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    for content in (bomb, outside):
        with pytest.raises(FormatError, match="entities"):
            parse_xml(content, Path("b.fb2"))
    with pytest.raises(FormatError, match="deep"):
        parse_xml(b"<a>" * 5000, Path("b.fb2"))


def test_an_archive_that_unfolds_beyond_reason_is_refused(tmp_path):
    great = "<body><p>" + "a" * (40 * 1024**2) + "</p></body>"
    with pytest.raises(FormatError, match="unfolds"):
        read_texts(epub(tmp_path / "b.epub", **{"OPS/two.xhtml": great}))


def test_a_folder_against_one_book_is_its_chapters(tmp_path):
    folder = tmp_path / "original"
    folder.mkdir()
    for number in (1, 2, 10):
        (folder / f"chapter {number}.txt").write_text(f"Sentence {number} stands here.")
    (tmp_path / "edition.txt").write_text("Sentence 1 stands here.")
    (book,) = read_shelf(folder, [tmp_path / "edition.txt"]).books
    assert book.source.split("\n\n")[::2] == ["# chapter 1", "# chapter 2", "# chapter 10"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "1.txt").write_text("Sentence 1 stands here.")
    (book,) = read_shelf(folder, [tmp_path / "other"], chapters=True).books
    assert (book.id, book.system) == ("original", "other")


def test_the_standard_input_is_a_book(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Ein Fuchs schläft.".encode())))
    (tmp_path / "o.txt").write_text("Ein Fuchs schläft lange.", encoding="utf-8")
    shelf = read_shelf(tmp_path / "o.txt", [Path("-")])
    assert (shelf.books[0].summary, shelf.books[0].system) == ("Ein Fuchs schläft.", "stdin")
    assert shelf.files == (tmp_path / "o.txt",)
    with pytest.raises(InputError, match="Only one"):
        read_shelf(Path("-"), [Path("-")])


GUTENBERG = """The Project Gutenberg eBook of A Fox

*** START OF THE PROJECT GUTENBERG EBOOK A FOX ***

# Contents

1. The fox

# Chapter I

The fox[1] slept {Pg 7}late.

*** END OF THE PROJECT GUTENBERG EBOOK A FOX ***

Licence."""


def test_what_is_not_the_book_is_set_aside_and_counted(tmp_path):
    text, aside = set_aside(GUTENBERG)
    assert text.split() == ["#", "Chapter", "I", "The", "fox", "slept", "late."]
    assert set(aside) == {
        "characters of the Project Gutenberg licence", "sections before and after the book",
        "marks of pages", "marks of footnotes",
    }  # fmt: skip
    path = tmp_path / "fox.txt"
    path.write_text(GUTENBERG)
    assert text_of(path, keep_matter=True) == GUTENBERG
    shelf = read_shelf(path, [path])
    assert any("set aside" in remark and "--keep-matter" in remark for remark in shelf.remarks)


def test_pages_that_interrupt_sentences_go_with_their_running_heads():
    pages = [f"the fox went on and on\n\nTHE FOX\n{number}\n\nand further." for number in range(6)]
    text, aside = set_aside("\n\n".join(pages))
    assert text.count("and on\nand further.") == 6
    assert aside == {"numbers of pages": 6, "running heads": 6}


@pytest.mark.parametrize(
    "text",
    [
        "1\n\nThe first chapter.\n\n2\n\nThe second.\n\n3\n\nA third.\n\n4\n\nA.\n\n5\n\nB.",
        "He paid 12 dollars. [He laughed.] It was 5 o'clock.",
        "# Notes\n\nAll of this book is notes. They go on for long.\n\n# I\n\nA.\n\n# II\n\nB.",
        "Chapter I\n\nThe page 12 was torn.\n\n* * *\n\nShe read on.",
    ],
)
def test_a_books_own_words_stay(text):
    assert set_aside(text) == (text, {})


def test_elements_have_a_limit(monkeypatch):
    monkeypatch.setattr(packed, "MOST_ELEMENTS", 1000)
    assert len(parse_xml(b"<a>" + b"<b/>" * 999 + b"</a>", Path("x"))) == 999
    with pytest.raises(FormatError, match="'part' has more than 1,000 elements"):
        parse_xml(b"<a>" + b"<b/>" * 1000 + b"</a>", Path("x"), "part")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>5 < 7 and 7 > 5 hold.</p>", "5 < 7 and 7 > 5 hold."),
        ("<p>The fox<!-- <p>never</p> > --> slept.</p>", "The fox slept."),
        ("<p>The fox slept. <!-- and never <p>woke</p>", "The fox slept."),
        ("<p>The fox slept <b", "The fox slept <b"),
        ('<p title="a > b">The fox slept.</p>', "The fox slept."),
        ("<p><b><i>The fox</b> slept.</i></u></p>", "The fox slept."),
    ],
)
def test_markup_that_does_not_end_is_text(markup, text):
    assert read_html(markup.encode(), Path("x.html")).text == text
