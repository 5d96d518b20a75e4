"""A run as files that other programs read: JSON, CSV, TSV, XLSX, Parquet, Markdown.

A family says how its items look as a list of sheets, the items first and the summary last. CSV has
a byte-order mark, so that spreadsheets show CJK, unless it is not wanted; TSV, which programs read,
has none. Further sheets become files beside it (`x.<sheet>.csv`). No cell is one that a spreadsheet
would run as a formula. Numbers keep their full precision.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.comparison.answer import Standing
from gistmeter.core.errors import InputError
from gistmeter.core.files import printable, write_atomically
from gistmeter.core.table import read_table
from gistmeter.core.types import Score, Sheet
from gistmeter.core.views import View
from gistmeter.report import SUFFIXES
from gistmeter.report.commented import SUFFIX, commented_document, only_sheet
from gistmeter.report.decisive import contradiction, deciding
from gistmeter.report.latex import latex
from gistmeter.report.methods import methods
from gistmeter.report.study_sheets import repeats_sheet, slices_sheet
from gistmeter.report.terminal import safe, score_names

if TYPE_CHECKING:
    from gistmeter.core.run import Run

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
MAX_SHEET_NAME, MAX_CELL = 31, 32_767  # what XLSX allows
# What Markdown would read as its own.
MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: "\\" + mark for mark in "\\`*[]|~$"}}
)
Layout = Callable[[Any], list[Sheet]]
Companions = Callable[[Any], Mapping[str, Sheet]]


def write_table(
    run: Run,
    path: Path,
    layout: Layout,
    companions: Companions = lambda _: {},
    *,
    view: View | None = None,
    mark: bool = True,
) -> list[Path]:
    """Write a run to a file whose suffix decides the format; returns all files written."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        text = json.dumps(run.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        write_atomically(path, text + "\n")
        return [path]
    if suffix == ".md":
        write_atomically(path, markdown(run, view or View()))
        return [path]
    if suffix == ".tex":
        write_atomically(path, latex(run, view or View()))
        return [path]
    if suffix == ".parquet":
        stream = io.BytesIO()
        run.to_polars().write_parquet(stream)
        write_atomically(path, stream.getvalue())
        return [path]
    if suffix == SUFFIX:
        write_atomically(path, commented_document(only_sheet(layout(run), run.command)))
        return [path]
    sheets = [
        _linked(sheet, run.path, path)
        for sheet in layout(run)
        if not sheet.suffixes or suffix in sheet.suffixes
    ]
    if suffix == ".xlsx":
        write_atomically(path, workbook(sheets))
        return [path, *_beside(path, companions(run), mark)]
    if suffix not in {".csv", ".tsv"}:
        raise InputError(f"{path}: cannot write '{suffix}'. Known: {', '.join(SUFFIXES)}")
    names = unique_names([file_name(sheet.name) for sheet in sheets[1:]])
    targets = [path, *(path.with_suffix(f".{name}{path.suffix}") for name in names)]
    for sheet, target in zip(sheets, targets, strict=True):
        write_atomically(target, delimited(sheet, "," if suffix == ".csv" else "\t", mark))
    return [*targets, *(_beside(path, companions(run), mark) if suffix == ".csv" else ())]


def _linked(sheet: Sheet, folder: Path | None, path: Path) -> Sheet:
    """A sheet whose links to the run's files are relative to the table that has them."""
    places = [at for at, column in enumerate(sheet.columns) if column in sheet.links]
    if folder is None or not places:
        return sheet
    start = path.resolve().parent
    rows = [list(row) for row in sheet.rows]
    for row in rows:
        for at in places:
            if row[at] is not None:
                target = folder.resolve() / str(row[at])
                row[at] = Path(os.path.relpath(target, start)).as_posix()
    return replace(sheet, rows=rows)


def _beside(path: Path, further: Mapping[str, Sheet], mark: bool) -> list[Path]:
    """Further tables of a family, each in a CSV file beside the one asked for."""
    targets = {path.with_name(name): sheet for name, sheet in further.items()}
    for target, sheet in targets.items():
        lines = replace(sheet, rows=_grown(sheet, target)) if sheet.grows else sheet
        write_atomically(target, delimited(lines, ",", mark))
    return list(targets)


def _grown(sheet: Sheet, target: Path) -> list[Sequence[object]]:
    """The lines of others that a file has already, and then those of a sheet."""
    if not target.is_file():
        return list(sheet.rows)
    table = read_table(target)
    own = {_text(row[0]) for row in sheet.rows}  # as they stand in the file
    if sheet.columns[0] not in table.columns:
        raise InputError(
            f"{target}: has no column '{sheet.columns[0]}', so it is not a table of ours to add to."
            " Move it elsewhere"
        )
    places = [table.columns.index(name) if name in table.columns else -1 for name in sheet.columns]
    others = [[row[at] if at >= 0 else None for at in places] for row in table.rows]
    return [*(row for row in others if row[0] not in own), *sheet.rows]


def unique_names(names: Sequence[str]) -> list[str]:
    """Names of files that differ also where case does not count; the last of a kind keeps its own.

    >>> unique_names(["1_2", "1_2", "summary", "Summary"])
    ['1_2 (2)', '1_2', 'summary (2)', 'Summary']
    """
    taken: set[str] = set()
    unique = []
    for name in reversed(names):
        candidate, number = name, 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{name} ({number})"
        taken.add(candidate.casefold())
        unique.append(candidate)
    return unique[::-1]


def delimited(sheet: Sheet, delimiter: str, mark: bool = True) -> bytes:
    """A sheet as CSV or TSV in UTF-8; CSV with a byte-order mark, where it is wanted."""
    rows = ([_text(cell) for cell in row] for row in (sheet.columns, *sheet.rows))
    head = b"\xef\xbb\xbf" if mark and delimiter == "," else b""
    return head + delimited_text(rows, delimiter).encode("utf-8", "replace")


def delimited_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Rows as lines. A carriage return is quoted too: bare, it would begin a row, and a formula."""
    lines = []
    for row in rows:
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter, lineterminator="\r\n").writerow(row)
        lines.append(stream.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def _text(cell: object) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, str):
        return defused(cell)
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def defused(text: str) -> str:
    """Text that a spreadsheet shows and does not run: a formula gets an apostrophe before it."""
    return "'" + text if text.startswith(FORMULA_STARTS) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Sheets as XLSX."""
    import xlsxwriter

    stream = io.BytesIO()
    # Text stays text: no cell becomes a formula, a link or a number by its looks.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(stream, {**options, "in_memory": True}) as book:
        bold = book.add_format({"bold": True, "bottom": 1})
        number = book.add_format({"num_format": "0.0000"})
        taken: set[str] = set()
        for sheet in sheets:
            page = book.add_worksheet(_sheet_name(sheet.name, taken))
            page.freeze_panes(1, 0)
            for at, column in enumerate(sheet.columns):
                page.write_string(0, at, str(column)[:MAX_CELL], bold)
                page.set_column(at, at, _width(sheet, at))
            for line, row in enumerate(sheet.rows, 1):
                for at, cell in enumerate(row):
                    _write_cell(page, line, at, cell, number)
            if sheet.rows:
                page.autofilter(0, 0, len(sheet.rows), max(len(sheet.columns) - 1, 0))
    return stream.getvalue()


def _write_cell(page: Any, line: int, at: int, cell: object, number: Any) -> None:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return
    if isinstance(cell, bool):
        page.write_boolean(line, at, cell)
    elif isinstance(cell, float):
        page.write_number(line, at, cell, number)
    elif isinstance(cell, int):
        page.write_number(line, at, cell)
    else:
        text = printable(str(cell))
        # What a cell cannot hold is cut where a reader sees it; the run's own files have it all.
        page.write_string(line, at, text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…")


def _width(sheet: Sheet, at: int) -> float:
    longest = max((len(str(row[at])) for row in sheet.rows[:200]), default=0)
    numeric = any(isinstance(row[at], float) for row in sheet.rows[:20])
    cells = min(longest, 12 if numeric else 60)
    return float(min(max(len(str(sheet.columns[at])), cells) + 2, 60))


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that XLSX takes: no []:*?/\\, at most 31 characters, unique ignoring case."""
    base = re.sub(r"[\[\]:*?/\\\x00-\x1f]", "_", name).strip("'")[:MAX_SHEET_NAME] or "sheet"
    unique, number = base, 1
    while unique.casefold() in taken:
        number += 1
        unique = f"{base[: MAX_SHEET_NAME - len(str(number)) - 1]}~{number}"
    taken.add(unique.casefold())
    return unique


def file_name(name: str) -> str:
    """A label as part of a file's name."""
    return re.sub(r"[^\w-]+", "_", name).strip("_") or "sheet"


def markdown(run: Run, view: View) -> str:
    """The answer, the scores that decide, slices, methods; to paste into a paper or an issue."""
    said = [*run.answer().splitlines(), contradiction(run, view)]
    lines = [markdown_text(line) for line in said if line]
    names, every = deciding(run, view), score_names(run)
    lines += ["", *_markdown_scores(run, names)]
    if len(names) < len(every):
        folded = ["<details><summary>All scores</summary>", "", *_markdown_scores(run, every)]
        lines += ["", *folded, "", "</details>"]
    sheets = [*((slices_sheet(part), part.sentences()) for part in run.slices)]
    if repeats := run.repeats:
        sheets.append((repeats_sheet(repeats), [entry.sentence() for entry in repeats]))
    for sheet, sentences in sheets:
        lines += markdown_slices(sheet, sentences)
    paragraph = methods(run, view)
    lines += ["", f"Methods: {markdown_text(paragraph)}"] if paragraph else []
    lines += ["", f"Signature: `{safe(run.signature).plain.replace('`', ' ')}`"]
    lines += [f"Unscored: {markdown_text(why)} ({count})" for why, count in run.unscored.items()]
    return "\n".join(lines) + "\n"


def markdown_slices(sheet: Sheet, sentences: Sequence[str]) -> list[str]:
    """A table of systems by slices, and what it says."""
    rows = [[_rounded(cell) for cell in row] for row in sheet.rows]
    table = ["", f"### {markdown_text(sheet.name)}", "", *_markdown_table(sheet.columns, rows), ""]
    return [*table, *(f"- {markdown_text(line)}" for line in sentences)]


def _markdown_scores(run: Run, names: Sequence[str]) -> list[str]:
    rows = [
        [
            markdown_text(system),
            *(spell_score(run.systems[system].scores.get(name)) for name in names),
        ]
        for system in Standing(run, findings=run.findings).ordered
    ]
    return _markdown_table(["system", *names], rows)


def _rounded(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.3f}" if math.isfinite(cell) else "–"
    return markdown_text(str(cell))


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose first column is a name and whose others are numbers."""
    lines = [[markdown_text(name) for name in head], *rows]
    marked = ["| " + " | ".join(line) + " |" for line in lines]
    return [marked[0], "|---|" + "---:|" * (len(head) - 1), *marked[1:]]


def markdown_text(text: str) -> str:
    """Text that can neither leave its cell nor become markup or HTML."""
    # An underscore within a word, as scores have it, marks nothing.
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", safe(text).plain.translate(MARKS))


def spell_score(score: Score | None) -> str:
    """A score with its interval, rounded for people: 0.712 [0.690, 0.731]; partial ones marked."""
    if score is None or not math.isfinite(score.value):
        return "–"
    digits = 1 if score.unit == "%" else 3
    text = f"{score.value:.{digits}f}{score.unit}"
    if math.isfinite(score.low) and math.isfinite(score.high):
        text += f" [{score.low:.{digits}f}, {score.high:.{digits}f}]"
    return text + ("*" if score.partial else "")
