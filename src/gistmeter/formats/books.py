"""Books and their summaries: JSON objects title → text, folders of text files, or two text files.

A folder's books are its .txt and .md files, titled by their names; two single files are one book,
titled by the source's name. Titles are matched as they are, but for Unicode's composed and
decomposed letters, which file systems mix. A text with control characters is no text: it was read
in the wrong encoding, or damaged, and scoring it would mislead.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gistmeter.errors import FormatError, InputError
from gistmeter.files import printable, read_bytes, system_names
from gistmeter.formats.table import decode
from gistmeter.types import Book

TEXT_SUFFIXES = (".txt", ".md")
CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
NAMED = 5  # titles that an error lists


@dataclass(frozen=True, slots=True)
class Texts:
    """One side: texts by title."""

    path: Path
    texts: Mapping[str, str]
    files: tuple[Path, ...]  # what was read
    single: bool = False  # one text file, whose title is only its name
    guessed: Mapping[str, str] = field(default_factory=dict)  # file -> encoding, where guessed


@dataclass(frozen=True, slots=True)
class Shelf:
    """Books to score, with what the reader should be told about them."""

    books: tuple[Book, ...]
    files: tuple[Path, ...]
    remarks: tuple[str, ...] = ()


def read_texts(path: Path) -> Texts:
    """The texts of one side; anything that is not as described is an error."""
    if path.is_dir():
        return _read_folder(path)
    if path.suffix.lower() == ".json":
        text, guessed = decode(read_bytes(path), path)
        held = {str(path): guessed} if guessed else {}
        return Texts(path, _parse(text, path), (path,), guessed=held)
    if path.suffix.lower() in TEXT_SUFFIXES:
        text, guessed = _read_text(path)
        held = {str(path): guessed} if guessed else {}
        return Texts(path, {_title(path.stem): text}, (path,), single=True, guessed=held)
    if not path.exists():
        raise InputError(f"{path}: no such file. Check the path and the working folder")
    raise FormatError(
        "is neither a .json file (title → text), nor a .txt or .md file, nor a folder of them",
        path=path,
    )


def read_shelf(
    source_path: Path,
    summary_paths: Sequence[Path],
    *,
    skip_missing: bool = False,
    language: str = "",
) -> Shelf:
    """Sources with one or more sets of summaries, each a system named by its file."""
    source = read_texts(source_path)
    books: list[Book] = []
    files, remarks = list(source.files), []
    systems = system_names(summary_paths)
    sides = [source]
    for path, system in zip(summary_paths, systems, strict=True):
        summary = read_texts(path)
        sides.append(summary)
        matched, missing = match_titles(source, summary, skip_missing=skip_missing)
        remarks += missing
        files += [file for file in summary.files if file not in files]
        books += [
            Book(title, text, summarised, system, language) for title, text, summarised in matched
        ]
    remarks += [
        f"{file}: read as {encoding}, which is a guess"
        for side in sides
        for file, encoding in side.guessed.items()
    ]
    return Shelf(tuple(books), tuple(files), tuple(remarks))


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


def _read_folder(path: Path) -> Texts:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in TEXT_SUFFIXES)
    if not files:
        raise FormatError("is a folder without .txt or .md files", path=path)
    texts: dict[str, str] = {}
    guessed: dict[str, str] = {}
    for file in files:
        title = _title(file.stem)
        if title in texts:
            raise FormatError(f"has several files titled '{printable(title)}'", path=path)
        texts[title], encoding = _read_text(file)
        if encoding:
            guessed[str(file)] = encoding
    return Texts(path, texts, tuple(files), guessed=guessed)


def _read_text(path: Path) -> tuple[str, str]:
    text, guessed = decode(read_bytes(path), path)
    found = CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise FormatError(_control(found[0]), path=path, row=line)
    return text, guessed


def _parse(text: str, path: Path) -> dict[str, str]:
    try:
        document = json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, path))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"is not JSON ({error.msg})", path=path, row=error.lineno, column=error.colno
        ) from error
    except RecursionError as error:
        raise FormatError("is not an object of title → text (it is nested)", path=path) from error
    if not isinstance(document, dict) or not document:
        raise FormatError("is not an object of title → text with at least one title", path=path)
    texts: dict[str, str] = {}
    for key, value in document.items():
        if not isinstance(value, str):
            kind = type(value).__name__
            raise FormatError(f"'{printable(key)}' is not a text but {kind}", path=path)
        for part in (key, value):
            if found := CONTROL.search(part):
                raise FormatError(f"'{printable(key)}' {_control(found[0])}", path=path)
        texts[_title(key)] = value
    return texts


def _unique(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FormatError(f"has the title '{printable(key)}' twice", path=path)
        found[key] = value
    return found


def _control(character: str) -> str:
    return (
        f"has the control character U+{ord(character):04X}, which no text has. Check the file's "
        "encoding, or remove it"
    )


def _title(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _listed(titles: Sequence[str]) -> str:
    named = ", ".join(f"'{printable(title)}'" for title in titles[:NAMED])
    return named + (f" and {len(titles) - NAMED} more" if len(titles) > NAMED else "")
