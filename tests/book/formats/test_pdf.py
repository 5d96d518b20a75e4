"""PDF as input: text where there is one, scans and damage refused."""

from __future__ import annotations

import time
import zlib
from pathlib import Path

import pytest

from gistmeter.book.formats import pdf
from gistmeter.book.formats.pdf import read_pdf
from gistmeter.book.read import read_file
from gistmeter.core.errors import FormatError, MissingDependency

LINES = (
    "The carpenter Elias lived by the river with his daugh-", "ter Mira, and he built a boat.",
    "Nobody had built one in that valley for a hundred years,",
    "and the neighbours shook their heads.",
)  # fmt: skip


def make_pdf(pages: list[tuple[str, ...]]) -> bytes:
    """A PDF by hand: a page for each tuple of lines."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
        stream = f"BT /F1 12 Tf 50 700 Td {shown} ET" if lines else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return whole([body.encode() for body in objects])


def whole(objects: list[bytes]) -> bytes:
    """A PDF of these objects, the first of which is its root."""
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    return content + f"xref\n0 {size}\n0000000000 65535 f \n{table}{tail}".encode()


def test_the_text_of_a_pdf_is_read_with_divided_words_put_together(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    path = tmp_path / "book.pdf"
    path.write_bytes(make_pdf([LINES, LINES]))
    text = read_file(path).text
    assert "his daughter Mira" in text
    assert text.count("hundred years") == 2 and "\f" in text


def test_a_scan_is_refused() -> None:
    pytest.importorskip("pypdf")
    with pytest.raises(FormatError, match=r"it is a scan\. Recognise its text"):
        read_pdf(make_pdf([(), (), ()]), Path("scan.pdf"))


@pytest.mark.parametrize(
    "content", [b"nothing of the kind", b"%PDF-1.4\n", b"%PDF-1.7\n" + bytes(500)]
)
def test_damage_is_an_error_that_names_the_file(content: bytes) -> None:
    pytest.importorskip("pypdf")
    with pytest.raises(FormatError, match=r"book\.pdf"):
        read_pdf(content, Path("book.pdf"))


def test_every_cut_of_a_file_is_text_or_an_error() -> None:
    pytest.importorskip("pypdf")
    whole = make_pdf([LINES])
    for size in range(0, len(whole), 37):
        try:
            read_pdf(whole[:size], Path("book.pdf"))
        except FormatError:
            continue


def test_without_the_package_the_line_to_install_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    with pytest.raises(MissingDependency, match=r"pip install 'gistmeter\[pdf\]'"):
        read_pdf(make_pdf([LINES]), Path("book.pdf"))


def test_pages_that_unfold_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """107 KB that took a minute: what draws a page may be packed."""
    pytest.importorskip("pypdf")
    content = make_pdf([LINES] * 9)
    monkeypatch.setattr(pdf, "MOST_DRAWN", 9 * 400)
    assert read_pdf(content, Path("book.pdf"))
    monkeypatch.setattr(pdf, "MOST_DRAWN", 8 * 200)
    with pytest.raises(FormatError, match="unfolds to more than a book can have"):
        read_pdf(content, Path("book.pdf"))


def drawn_often(times: int, words: int = 20_000) -> bytes:
    """A PDF of 2 KB whose page draws a form of 340 KB so many times, by way of another form."""
    leaf = zlib.compress(b"BT /F1 12 Tf " + b"(abc) Tj 1 0 Td " * words + b"ET")
    fonts = b"/Font << /F1 3 0 R >>"
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
    shown = b"BT /F1 12 Tf (The boat went down the river and came home) Tj ET /X Do"
    streams = [
        (b"", shown),
        (form + b"/Resources << /XObject << /X 7 0 R >> >>", b"/X Do " * times),
        (form + b"/Filter /FlateDecode /Resources << " + fonts + b" >>", leaf),
    ]
    return whole([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << "
        + fonts + b" /XObject << /X 6 0 R >> >> >>",
        *(b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(body), body)
          for head, body in streams),
    ])  # fmt: skip


def test_a_form_counts_as_often_as_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pypdf")
    monkeypatch.setattr(pdf, "ALWAYS", 1_000_000)
    monkeypatch.setattr(pdf, "UNFOLDING", 1)
    few = drawn_often(2)
    assert len(few) < 3_000 and read_pdf(few, Path("x.pdf")).text.count("abc") == 40_000
    began = time.process_time()
    with pytest.raises(FormatError, match="unfolds to more than a book"):
        read_pdf(drawn_often(4_000), Path("x.pdf"))
    assert time.process_time() - began < 30  # all of it takes half an hour
