"""-o review.docx: the edition with a comment at every flag."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from book.book_doubles import WordEmbedder
from gistmeter import score_book, score_text
from gistmeter.core.errors import InputError

SOURCE = "Chapter 1\n\n" + " ".join(
    f"Dawn{at} fox{at} met{at} owl{at} near{at} lake{at}." for at in range(20)
)
SENTENCES = [f"Dawn{at} fox{at} met{at} owl{at} near{at} lake{at}." for at in (0, 1, 8, 9)]
EDITION = "Chapter 1\n\n" + " ".join(
    [*SENTENCES, "A <b>dragon</b> & \u0007 his zeppelin burned everything quickly."]
)
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = score_book(
        {"Tale": SOURCE}, {"ours": {"Tale": EDITION.replace("\u0007", "")}}, language="en",
        model_name=WordEmbedder(), coverage_threshold=0.6, no_judge=True, resamples=0,
        kind="abridgement",
    )  # fmt: skip
    path = tmp_path_factory.mktemp("review") / "review.docx"
    assert run.write(path) == [path]
    return path


def part(path: Path, name: str) -> ElementTree.Element:
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read(name))


def test_every_sentence_is_there_and_every_flag_has_its_comment(written: Path) -> None:
    document, comments = part(written, "word/document.xml"), part(written, "word/comments.xml")
    text = "".join(document.itertext())
    for sentence in SENTENCES:
        assert sentence in text
    told = {one.get(f"{WORD}id"): "".join(one.itertext()) for one in comments}
    assert any(re.match("Invented: no passage says this", one) for one in told.values())
    cut = next(one for one in told.values() if one.startswith("Cut after this: 6 sentences"))
    assert "Original, Chapter 1, sentence 3: Dawn2" in cut
    marks = {one.get(f"{WORD}id") for one in document.iter(f"{WORD}commentReference")}
    assert marks == set(told)


def test_python_docx_reads_it(written: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document(io.BytesIO(written.read_bytes()))
    headings = [one.text.strip() for one in document.paragraphs if one.style.name == "Heading 1"]
    assert headings == ["Tale: ours", "Chapter 1"]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_it(written: Path, tmp_path: Path) -> None:
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "txt:Text", "--outdir"]
    done = subprocess.run(
        [*command, str(tmp_path), str(written)], capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0 and "rror" not in done.stderr, done.stderr
    assert SENTENCES[2] in (tmp_path / "review.txt").read_text(encoding="utf-8-sig")


def test_other_shapes_have_no_such_document(tmp_path: Path) -> None:
    run = score_text(["a cat"], ["a cat"], language="en", metrics=["s_info"])
    with pytest.raises(InputError, match="is for books"):
        run.write(tmp_path / "review.docx")
    assert not (tmp_path / "review.docx").exists()
