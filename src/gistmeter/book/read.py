"""Originals and editions side by side: JSON objects title → text, folders of books, or books.

A folder's books are its files, titled by their names; against a single book a folder is one book
too, its files the chapters in the order of their numbers. Single files are one book, titled by the
source's name; "-" is the standard input. Titles are matched as they are, but for Unicode's composed
and decomposed letters, which file systems mix. A text with control characters is no text: it was
read in the wrong encoding, or damaged, and scoring it would mislead.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter.book.formats.book_text import (
    CONTROL,
    BookText,
    control,
    read_html,
    read_plain,
    refuse_control,
    set_aside,
)
from gistmeter.book.formats.packed import read_docx, read_epub, read_fb2
from gistmeter.book.formats.pdf import read_pdf
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import MAX_PIPED, printable, read_bytes, refuse_strays, system_names
from gistmeter.core.inputs import decode
from gistmeter.core.types import Book
from gistmeter.languages.normal_forms import normal_form

FileReader = Callable[[bytes, Path], BookText]
READERS: Mapping[str, FileReader] = {
    ".txt": read_plain, ".md": read_plain, ".markdown": read_plain,
    ".html": read_html, ".htm": read_html, ".xhtml": read_html,
    ".epub": read_epub, ".docx": read_docx, ".fb2": read_fb2, ".fbz": read_fb2, ".pdf": read_pdf,
}  # fmt: skip
FORMATS = ".txt, .md, .html, .epub, .docx, .fb2, .pdf"
OTHERS = (".mobi", ".azw", ".azw3", ".doc", ".rtf", ".odt", ".djvu", ".lit")
STANDARD_INPUT = "-"
HEADING, ENDS = 60, (".", "!", "?", ",", ";", "。", "！", "？", "，")  # of a first line
NAMED = 5  # titles that an error lists


@dataclass(frozen=True, slots=True)
class Texts:
    """One side: texts by title."""

    path: Path
    texts: Mapping[str, str]
    files: tuple[Path, ...]  # what was read
    single: bool = False  # one text file, whose title is only its name
    remarks: tuple[str, ...] = ()  # on guesses, and on what was set aside


@dataclass(frozen=True, slots=True)
class Bookshelf:
    """Books to score, with what the reader should be told about them."""

    books: tuple[Book, ...]
    files: tuple[Path, ...]
    remarks: tuple[str, ...] = ()


def read_texts(path: Path, *, keep_matter: bool = False, one_book: bool = False) -> Texts:
    """The texts of one side; anything that is not as described is an error.

    A folder is a book for each of its files or, as `one_book`, the chapters of one.
    """
    if str(path) == STANDARD_INPUT:
        return _single(path, "stdin", _read_input(), (), keep_matter)
    if path.is_dir():
        return _read_folder(path, keep_matter=keep_matter, one_book=one_book)
    if path.suffix.lower() == ".json":
        text, encoding = decode(read_bytes(path), path)
        return Texts(path, _parse(text, path), (path,), remarks=_guess(path, encoding))
    if not path.exists():
        raise InputError(f"{path}: no such file. Check the path and the working folder")
    return _single(path, _title(path.stem), read_file(path), (path,), keep_matter)


def read_file(path: Path) -> BookText:
    """One file by its reader."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    kind = ".fbz" if suffixes == [".fb2", ".zip"] else path.suffix.lower()
    if kind not in READERS:
        hint = " Convert it to .epub or .txt first" if kind in OTHERS else ""
        raise FormatError(
            f"cannot be read as a book: known are {FORMATS}, folders of them, and .json (title →"
            f" text).{hint}",
            path=path,
        )
    text = READERS[kind](read_bytes(path), path)
    refuse_control(text.text, path)
    return text


def _read_input() -> BookText:
    content = sys.stdin.buffer.read(MAX_PIPED + 1)
    if len(content) > MAX_PIPED:
        raise InputError(f"The standard input gives more than {MAX_PIPED:,} bytes")
    if not content.strip():
        raise InputError("The standard input is empty")
    text, guessed = decode(content, Path(STANDARD_INPUT))
    refuse_control(text, Path(STANDARD_INPUT))
    return BookText(text, guessed)


def _single(
    path: Path, title: str, written: BookText, files: tuple[Path, ...], keep_matter: bool
) -> Texts:
    text, aside = (written.text, Counter[str]()) if keep_matter else set_aside(written.text)
    aside.update(written.aside)
    remarks = _guess(path, written.encoding)
    if aside:
        counted = ", ".join(f"{count:,} {thing}" for thing, count in aside.items())
        remarks += (f"{path}: set aside {counted}. Keep them with --keep-matter",)
    return Texts(path, {title: text}, files, single=True, remarks=remarks)


def _guess(path: Path, encoding: str) -> tuple[str, ...]:
    return (f"{path}: read as {encoding}, which is a guess",) if encoding else ()


def read_shelf(
    source_path: Path,
    summary_paths: Sequence[Path],
    *,
    skip_missing: bool = False,
    keep_matter: bool = False,
    chapters: bool = False,
) -> Bookshelf:
    """Sources with one or more sets of summaries, each a system named by its file."""
    paths = [source_path, *summary_paths]
    if sum(str(path) == STANDARD_INPUT for path in paths) > 1:
        raise InputError("Only one of the texts can come from the standard input")
    # Against a single book a folder is a book, too: its files are chapters.
    one_book = chapters or any(not path.is_dir() and path.suffix != ".json" for path in paths)
    sides = [read_texts(path, keep_matter=keep_matter, one_book=one_book) for path in paths]
    source, books = sides[0], list[Book]()
    files, remarks = list(source.files), []
    systems = ["stdin" if name == STANDARD_INPUT else name for name in system_names(summary_paths)]
    for summary, system in zip(sides[1:], systems, strict=True):
        matched, missing = match_titles(source, summary, skip_missing=skip_missing)
        remarks += missing
        files += [file for file in summary.files if file not in files]
        books += [Book(title, text, summarised, system) for title, text, summarised in matched]
    remarks += [remark for side in sides for remark in side.remarks]
    return Bookshelf(tuple(books), tuple(files), tuple(remarks))


def match_titles(
    source: Texts, summary: Texts, *, skip_missing: bool
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """(title, source, summary) in the source's order, and remarks on what was left out."""
    if source.single and summary.single:
        (title, text), (summarised,) = next(iter(source.texts.items())), summary.texts.values()
        return [(title, text, summarised)], []
    remarks: list[str] = []
    for here, there in ((source, summary), (summary, source)):
        missing = [title for title in here.texts if title not in there.texts]
        if missing and not skip_missing:
            raise InputError(
                f"{there.path}: has no {_listed(missing)}, which {here.path} has. Use "
                "--skip-missing to go on without"
            )
        remarks += [f"Skipped {_listed(missing)}: not in {there.path}"] if missing else []
    matched = [
        (title, text, summary.texts[title])
        for title, text in source.texts.items()
        if title in summary.texts
    ]
    if not matched:
        raise InputError(f"{source.path} and {summary.path} have no title in common")
    return matched, remarks


def _read_folder(path: Path, *, keep_matter: bool, one_book: bool) -> Texts:
    visible = (file for file in path.iterdir() if not file.name.startswith("."))
    files = sorted((file for file in visible if file.suffix.lower() in READERS), key=_natural)
    refuse_strays(path, files)
    if not files:
        raise FormatError(f"is a folder without books ({FORMATS})", path=path)
    parts = [
        _single(file, _title(file.stem), read_file(file), (file,), keep_matter) for file in files
    ]
    remarks = tuple(remark for part in parts for remark in part.remarks)
    named = [(title, text) for part in parts for title, text in part.texts.items()]
    if one_book:
        whole = "\n\n".join(_as_chapter(title, text) for title, text in named)
        return Texts(path, {_title(path.name): whole}, tuple(files), single=True, remarks=remarks)
    for title, often in Counter(title for title, _ in named).items():
        if often > 1:
            raise FormatError(f"has several files titled '{printable(title)}'", path=path)
    return Texts(path, dict(named), tuple(files), remarks=remarks)


def _natural(file: Path) -> list[tuple[int, int | str]]:
    """Numbers in names sort as numbers: chapter 2 before chapter 10."""
    parts = re.split(r"(\d+)", file.stem)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]


def _as_chapter(title: str, text: str) -> str:
    """A chapter under its file's name, unless it begins with a heading of its own."""
    first = text.lstrip().split("\n", 1)[0].strip()
    named = first.startswith("#") or (0 < len(first) <= HEADING and not first.endswith(ENDS))
    return text if named else f"# {title}\n\n{text}"


def _parse(text: str, path: Path) -> dict[str, str]:
    try:
        document = json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, path))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"is not JSON ({error.msg})", path=path, row=error.lineno, column=error.colno
        ) from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, too
        raise FormatError("is not an object of title → text", path=path) from error
    if not isinstance(document, dict) or not document:
        raise FormatError("is not an object of title → text with at least one title", path=path)
    texts: dict[str, str] = {}
    for key, value in document.items():
        if not isinstance(value, str):
            kind = type(value).__name__
            raise FormatError(f"'{printable(key)}' is not a text but {kind}", path=path)
        for part in (key, value):
            if bad := CONTROL.search(part):
                raise FormatError(f"'{printable(key)}' {control(bad[0])}", path=path)
        texts[_title(key)] = value
    return texts


def _unique(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    for key, often in Counter(key for key, _ in pairs).items():
        if often > 1:
            raise FormatError(f"has the title '{printable(key)}' twice", path=path)
    return dict(pairs)


def _title(name: str) -> str:
    return normal_form("NFC", name)


def _listed(titles: Sequence[str]) -> str:
    named = ", ".join(f"'{printable(title)}'" for title in titles[:NAMED])
    return named + (f" and {len(titles) - NAMED} more" if len(titles) > NAMED else "")
