"""Reading books: the forms they come in, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gistmeter.book.read import read_shelf, read_texts
from gistmeter.core.errors import FormatError, InputError


def write(path: Path, content: str | bytes | dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content, ensure_ascii=False)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_two_json_objects_in_the_sources_order(tmp_path):
    source = write(tmp_path / "original.json", {"b": "B.", "a": "A."})
    summary = write(tmp_path / "mine.json", {"a": "a.", "b": "b."})
    shelf = read_shelf(source, [summary])
    assert [(book.id, book.source, book.summary) for book in shelf.books] == [
        ("b", "B.", "b."),
        ("a", "A.", "a."),
    ]
    assert {book.system for book in shelf.books} == {"mine"}
    assert shelf.files == (source, summary)
    assert shelf.remarks == ()


def test_folders_are_matched_by_name_composed_or_not(tmp_path):
    write(tmp_path / "source" / "Café.txt", "One.")  # é as one character
    write(tmp_path / "source" / "notes.mobi", "ignored")
    write(tmp_path / "summary" / "Café.md", "Two.")  # é as two
    shelf = read_shelf(tmp_path / "source", [tmp_path / "summary"])
    assert [(book.id, book.source, book.summary) for book in shelf.books] == [
        ("Café", "One.", "Two.")
    ]


def test_two_files_are_one_book(tmp_path):
    source = write(tmp_path / "novel.txt", "Long.")
    summary = write(tmp_path / "short.md", "Short.")
    (book,) = read_shelf(source, [summary]).books
    assert (book.id, book.system) == ("novel", "short")


def test_several_summaries_are_several_systems(tmp_path):
    source = write(tmp_path / "o.json", {"a": "A."})
    paths = [write(tmp_path / part / "s.json", {"a": part}) for part in ("x", "y")]
    shelf = read_shelf(source, paths)
    assert [book.system for book in shelf.books] == ["x/s", "y/s"]


def test_a_missing_title_is_named_or_skipped(tmp_path):
    source = write(tmp_path / "o.json", {"a": "A.", "Moby Dick": "M."})
    summary = write(tmp_path / "s.json", {"a": "a.", "Emma": "E."})
    with pytest.raises(InputError, match="Moby Dick"):
        read_shelf(source, [summary])
    shelf = read_shelf(source, [summary], skip_missing=True)
    assert [book.id for book in shelf.books] == ["a"]
    assert "Moby Dick" in shelf.remarks[0]
    assert "Emma" in shelf.remarks[1]


def test_nothing_in_common_is_an_error_even_when_skipping(tmp_path):
    source = write(tmp_path / "o.json", {"a": "A."})
    summary = write(tmp_path / "s.json", {"b": "B."})
    with pytest.raises(InputError, match="no title in common"):
        read_shelf(source, [summary], skip_missing=True)


def test_a_guessed_encoding_is_said(tmp_path):
    text = "这是一本关于清水河的书。老人每天在渡口等第一个过河的孩子。" * 5
    source = write(tmp_path / "o.txt", text.encode("gb18030"))
    shelf = read_shelf(source, [write(tmp_path / "s.txt", text)])
    assert shelf.books[0].source == text
    assert "gb18030" in shelf.remarks[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"a": "text with \\u0007 in it"}'),
        ("a.json", '{"a": "half a character \\ud800"}'),
        ("a.json", '{"a\\u0000": "text"}'),
        ("a.json", '{"a": "raw \x01 control"}'),
        ("a.json", '{"a": 1}'),
        ("a.json", '{"a": {"b": "c"}}'),
        ("a.json", '{"a": null}'),
        ("a.json", '["a"]'),
        ("a.json", "{}"),
        ("a.json", '{"a": "x", "a": "y"}'),
        ("a.json", '{"a": '),
        ("a.json", "[" * 100_000),
        ("a.txt", "bell \x07"),
        ("a.txt", "escape \x1b[31m"),
        ("a.txt", "delete \x7f"),
        ("a.txt", b"nul \x00 byte"),
        ("a.txt", ""),
        ("a.csv", "a,b"),
        ("a", "text"),
    ],
)
def test_anything_else_is_refused_with_the_files_name(tmp_path, name, content):
    path = write(tmp_path / name, content)
    with pytest.raises(InputError, match="a"):
        read_texts(path)


def test_the_error_says_where(tmp_path):
    path = write(tmp_path / "a.txt", "one\ntwo\nthree \x08\n")
    with pytest.raises(FormatError, match=r"a\.txt, line 3: has the control character U\+0008"):
        read_texts(path)


@pytest.mark.parametrize("name", ["gone.json", "gone.txt", "gone"])
def test_a_missing_file(tmp_path, name):
    with pytest.raises(InputError, match="no such file"):
        read_texts(tmp_path / name)


def test_an_empty_folder_and_repeated_titles(tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(FormatError, match="without"):
        read_texts(tmp_path / "none")
    write(tmp_path / "two" / "a.txt", "A.")
    write(tmp_path / "two" / "a.md", "A.")
    with pytest.raises(FormatError, match="several files"):
        read_texts(tmp_path / "two")


def test_line_breaks_tabs_and_page_breaks_are_text(tmp_path):
    path = write(tmp_path / "a.txt", "one\r\n\ttwo\n\fthree\u3000\u200d")
    assert read_texts(path).texts["a"].startswith("one")
