"""What was understood of files before anything is scored: read by the family, shown as it is.

The messages are those of the command. What was guessed (the role of a column, the encoding, the
header's row) says so, and can be changed on the page.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gistmeter.core.api import settle
from gistmeter.core.cache import Cache
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.family import Context, Items, family_of
from gistmeter.core.files import read_bytes, write_atomically
from gistmeter.core.inputs import decode
from gistmeter.core.item_columns import columns_of
from gistmeter.core.score import look_at
from gistmeter.core.settings import Settings
from gistmeter.core.table import Table, read_sheets
from gistmeter.core.table.binary import read_workbook
from gistmeter.core.table.wide import is_text
from gistmeter.core.types import Book, Clip, Pair, Parse
from gistmeter.core.views import shown
from gistmeter.core.wiring import WIRE, metrics_of, title_of
from gistmeter.models.inventory import list_models
from gistmeter.speech import read as spoken
from gistmeter.text.formats.answer_columns import (
    ARRANGEMENT,
    LANGUAGE,
    QUESTION,
    SYSTEM,
    ColumnChoices,
    find_answers,
)
from gistmeter.text.formats.references import EXPLANATION, IDIOM, REFERENCE
from gistmeter.workbench.drops import SOUND, TABLES

ROWS = 5  # of a table, and items, that are shown
CELL = 160  # characters of a cell
COLUMNS = 60
SHEETS = 30
NAMES = 40
PLAIN = ("", "auto", "generic")
# Seconds an item, or 1,000 characters of a book, take on two cores: for a folder without runs.
SECONDS = {"text": 0.04, "book": 0.06, "parse": 0.0005, "speech": 0.06}
NAMED = (
    ("id", "idiom", IDIOM), ("system name", "system", SYSTEM), ("language", "language", LANGUAGE),
    ("arrangement", "arrangement", ARRANGEMENT), ("question", QUESTION[0], QUESTION),
)  # fmt: skip
START = 4.0  # seconds until the models are there
# What needs a service, a function or a clock: nothing that the page can give.
LEFT_OUT = {"facts", "custom_metric", "latency", "reading", "meetings"}


def understand(shape: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a run with these options would score: files, items, scores; an `error` where none."""
    heard: list[str] = []
    context = Context(Cache(None), hear=lambda remark, _: heard.append(remark))
    files = [_file(shape, path, options) for path in _paths(options)]
    answer: dict[str, Any] = {"files": files, "error": "", "scores": _scores(shape)}
    try:
        if not files:
            raise InputError("There are no files to score: say what part each of them plays")
        settings, _ = settle(shape, None, options)
        answer |= _items(shape, settings, context)
        _mark_systems(files, {name for name, _ in answer["systems"]})
    except GistmeterError as error:
        answer["error"] = str(error)
    finally:
        context.cache.close()
    return {**answer, "remarks": heard}


def _mark_systems(files: list[dict[str, Any]], systems: set[str]) -> None:
    """Columns that became systems by their content."""
    for column in (one for file in files for sheet in file["sheets"] for one in sheet["columns"]):
        if column["name"] in systems and not column["role"]:
            column["role"] = "system"


def _paths(options: Mapping[str, Any]) -> Iterator[Path]:
    names = ("predictions", "references", "source_path", "summary_path", "books", "gold", "systems",
             "taxonomy", "table", "expected", "got")  # fmt: skip
    for name in names:
        given = options.get(name) or []
        if name == "systems" and "gold" not in options:
            continue  # the columns of a table
        yield from map(Path, [given] if isinstance(given, str) else given)
    if options.get("assets"):
        folder = Path(options["assets"])
        yield from sorted(file for file in folder.iterdir() if file.suffix.lower() in SOUND)


def _items(shape: str, settings: Settings, context: Context) -> dict[str, Any]:
    read: Items[Any] = look_at(family_of(shape), settings, context)
    items = read.items
    systems = Counter(_system(item) for item in items)
    found = Counter(_language(item) for item in items)
    characters = (
        sum(len(item.source) + len(item.summary) for item in items) if shape == "book" else 0
    )
    pieces = characters / 1000 if shape == "book" else len(items)
    return {
        "items": len(items),
        "noun": family_of(shape).view().noun,
        "systems": [[shown(name, 120), number] for name, number in systems.most_common(NAMES)],
        "languages": [[name, number] for name, number in found.most_common(8) if name not in PLAIN],
        "first": [_first(item) for item in items[:ROWS]],
        "seconds": START + pieces * SECONDS[shape],
        "slices": list(columns_of(read.notes))[:NAMES],
    }


def _system(item: Any) -> str:
    return str(item.recognizer if isinstance(item, Clip) else item.system)


def _language(item: Any) -> str:
    return "" if isinstance(item, Parse) else str(item.language)


def _first(item: Any) -> dict[str, str]:
    """An item as a person would check it: its name, what was expected, what there is."""
    if isinstance(item, Parse):
        expected = " ".join(token.form for token in item.gold.tokens)
        got = " ".join(token.form for token in item.parsed.tokens)
    elif isinstance(item, Book):
        expected, got = item.source, item.summary
    elif isinstance(item, Pair):
        expected, got = " || ".join(item.references), item.candidate or ""
    else:
        expected, got = item.expected, item.got or ""
    cells = {"id": item.id, "system": _system(item), "expected": expected, "got": got}
    return {name: shown(text, CELL) for name, text in cells.items()}


def _file(shape: str, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """A file as it was read; a table with its sheets, columns and first rows."""
    suffix = path.suffix.lower()
    about: dict[str, Any] = {
        "path": path.as_posix(), "name": path.name, "size": path.stat().st_size, "sheets": [],
        "kind": suffix.lstrip("."), "encoding": "", "guessed": False, "error": "", "lines": [],
    }  # fmt: skip
    is_table = suffix in TABLES and shape in ("text", "speech")
    try:
        if is_table or (shape == "text" and suffix == ".txt"):
            sheets = read_sheets(path)
            about["sheets"] = [
                _sheet(shape, table, options) for table in list(sheets.values())[:SHEETS]
            ]
            about |= _encoding(next(iter(sheets.values())).guessed, suffix)
        elif suffix not in (".epub", ".docx", ".fbz", ".parquet", ".xlsx", *SOUND):
            text, guessed = decode(read_bytes(path), path)
            about |= _encoding(guessed, suffix)
            lines = (line for line in text.split("\n") if line.strip())
            about["lines"] = [
                shown(line, CELL) for line, _ in zip(lines, range(ROWS), strict=False)
            ]
    except GistmeterError as error:
        about["error"] = str(error)
    return about


def _encoding(guessed: str, suffix: str) -> dict[str, Any]:
    binary = suffix in (".xlsx", ".parquet")
    return {"encoding": guessed or ("" if binary else "UTF-8"), "guessed": bool(guessed)}


def _sheet(shape: str, table: Table, options: Mapping[str, Any]) -> dict[str, Any]:
    roles, error = {}, ""
    try:
        roles = (_text_roles if shape == "text" else _speech_roles)(table, options)
    except GistmeterError as problem:
        error = str(problem)
    header = table.lines[0] - 1 if table.headed and table.lines else 0
    columns = table.columns[:COLUMNS]
    return {
        "name": table.name,
        "header": max(1, header) if table.headed else 0,
        "above": list(table.above),
        "rows": len(table.rows),
        "error": error,
        "columns": [
            {"name": name, "role": roles.get(name, ""), "text": is_text(table.column(name))}
            for name in columns
        ],
        "first": [[shown(cell, CELL) for cell in row[:COLUMNS]] for row in table.rows[:ROWS]],
    }


def _text_roles(table: Table, options: Mapping[str, Any]) -> dict[str, str]:
    """What each column is, as the command takes it."""
    columns = dict(options.get("column") or {})
    has_references = bool(options.get("references"))
    path = table.path.as_posix()
    if path in (options.get("references") or []):
        known = (("id", "idiom", IDIOM), ("reference", "explanation", EXPLANATION),
                 ("reference", "reference", REFERENCE))  # fmt: skip
        return _headers(table, columns, known)
    choices = ColumnChoices(columns, tuple(options.get("systems") or ()))
    roles = _headers(table, columns, NAMED)
    try:
        answers = find_answers(table, choices)
    except GistmeterError:
        if not has_references:
            raise
        return roles
    roles |= dict.fromkeys(answers.answers, "system")
    if answers.reference:
        roles[answers.reference] = "reference"
    return roles


def _headers(
    table: Table, columns: Mapping[str, str], known: Sequence[tuple[str, str, Sequence[str]]]
) -> dict[str, str]:
    """Roles by header: each with its name and synonyms."""
    found = {role: table.find(name, names, columns) for role, name, names in known}
    return {header: role for role, header in found.items() if header}


def _speech_roles(table: Table, options: Mapping[str, Any]) -> dict[str, str]:
    """The same of a table of transcripts; its systems are those that reading found."""
    columns = dict(options.get("column") or {})
    known = (("system name", "system", spoken.SYSTEM), ("id", "file", spoken.FILE),
             ("system", "got", spoken.GOT), ("reference", "expected", spoken.EXPECTED))  # fmt: skip
    return _headers(table, columns, known)


def _scores(shape: str) -> list[dict[str, Any]]:
    """The scores that can be asked for, with what each needs and whether it is here."""
    ready = {entry.role: entry for entry in list_models("embedded", "")}
    scores = []
    for name, load in metrics_of(shape).items():
        kind: Any = load()
        if name in LEFT_OUT or not kind.scores:
            continue
        roles = {
            part.metadata[WIRE].role: part.metadata[WIRE].required
            for part in dataclasses.fields(kind)
            if WIRE in part.metadata and part.metadata[WIRE].role
        }
        lacking = [role for role, needed in roles.items() if needed and not ready[role].ready]
        scores.append(
            {
                "name": name,
                "title": title_of(kind, name),
                "about": (kind.__doc__ or "").strip().split("\n")[0],
                "needs": sorted({ready[role].name or role for role in roles}),
                "lacking": [ready[role].where for role in lacking],
            }
        )
    return scores


def mend(path: Path, sheet: str, header: int, target: Path) -> None:
    """A copy of one sheet, or of what stands from a header's row on, as a CSV of its own."""
    if path.suffix.lower() == ".xlsx":
        sheets = read_workbook(path, read_bytes(path), False)
        if sheet and sheet not in sheets:
            raise InputError(f"{path}: has no sheet '{sheet}'. It has: {', '.join(sheets)}")
        table = sheets[sheet or next(iter(sheets))]
        rows = [row for row, line in zip(table.rows, table.lines, strict=True) if line >= header]
        if not rows:
            raise InputError(f"{path}: has no row {header}")
        width = max((at for at, cell in enumerate(rows[0], 1) if cell), default=0)
        stream = io.StringIO()
        csv.writer(stream).writerows([["" if cell is None else cell for cell in row[:width]]
                                      for row in rows])  # fmt: skip
        content = stream.getvalue()
    else:
        lines = decode(read_bytes(path), path)[0].splitlines(keepends=True)
        if header > len(lines):
            raise InputError(f"{path}: has no line {header}")
        content = "".join(lines[max(0, header - 1) :])
    with contextlib.suppress(FileNotFoundError):
        target.unlink()
    write_atomically(target, content)
