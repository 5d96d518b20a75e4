"""Tables as people have them: CSV, TSV, JSONL, JSON, XLSX, Parquet, in the encodings they have.

A table is columns of text, with the line each row came from so that errors can point at it. The
encoding is found (byte-order mark, UTF-8, else guessed among those of our users) and a guess is
said in `Table.guessed`. Columns are found by name, ignoring case, through the names and synonyms a
family gives, and any can be renamed by the user.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gistmeter.errors import FormatError, InputError
from gistmeter.files import MAX_BYTES, parse_json, printable, read_bytes, stem_of, suffix_of
from gistmeter.formats.chat import with_answer
from gistmeter.formats.workbook import MAX_CELLS, unpack_workbook

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")
LEGACY = ("gb18030", "cp932", "cp949", "big5", "cp1251", "cp1250")
MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
MAX_CELL = 10_000_000  # characters; csv's own limit of 131,072 is below an honest chapter

# What is no table, and the command that reads it.
ELSEWHERE = {
    (".epub", ".docx", ".fb2", ".md", ".html", ".htm"): "Books are compared by: gistmeter book "
    "ORIGINAL EDITION",
    (".conllu", ".conll"): "Parses are compared by: gistmeter parse GOLD SYSTEM",
    (".srt", ".vtt", ".stm", ".ctm", ".trn"): "Transcripts are compared by: gistmeter speech "
    "--expected SAID --got HEARD",
    (".wav", ".flac", ".ogg", ".mp3"): "Sound is heard by: gistmeter speech --assets FOLDER "
    "--recognizers NAME",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of text. A cell is None where the file has none."""

    name: str  # the file's stem, or the sheet's name
    columns: list[str]
    rows: list[list[str | None]]
    lines: list[int]  # where each row begins, counted from 1 as an editor does
    path: Path
    guessed: str = ""  # the encoding, where it was a guess
    headed: bool = True  # whether the file named its columns
    skipped: list[str] = field(default_factory=list)
    lined: bool = False  # plain lines: one column, no header, every line a row

    def column(self, name: str) -> list[str | None]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def find(
        self, name: str, synonyms: Iterable[str] = (), chosen: Mapping[str, str] | None = None
    ) -> str | None:
        """The column meant by a name: the user's choice, the name, a synonym; else None.

        `chosen` is what `--column name=Header` gave; a header that is not there is an error.
        """
        wanted = {key.casefold(): value for key, value in (chosen or {}).items()}
        by_fold = {column.strip().casefold(): column for column in reversed(self.columns)}
        if name.casefold() in wanted:
            header = wanted[name.casefold()]
            if "\n" in header:
                several = ", ".join(header.split("\n"))
                raise InputError(
                    f"--column {name} is given several times ({several}); one is meant"
                )
            if header.strip().casefold() not in by_fold:
                raise FormatError(
                    f"has no column '{header}', which --column {name}={header} asks for. "
                    f"Columns found: {self._listed()}",
                    path=self.path,
                )
            return by_fold[header.strip().casefold()]
        for candidate in (name, *synonyms):
            if candidate.casefold() in by_fold:
                return by_fold[candidate.casefold()]
        return None

    def need(
        self, name: str, synonyms: Iterable[str] = (), chosen: Mapping[str, str] | None = None
    ) -> str:
        """`find`, but a missing column is an error that lists those found."""
        found = self.find(name, synonyms, chosen)
        if found is None:
            raise FormatError(
                f"has no column '{name}'. Columns found: {self._listed()}. Name the right one "
                f"with --column {name}=HEADER",
                path=self.path,
            )
        return found

    def _listed(self) -> str:
        return ", ".join(f"'{column}'" for column in self.columns) or "none"


def name_in(cell: str | None) -> str:
    """What names a row: trimmed and composed, for some systems write é as two characters."""
    return unicodedata.normalize("NFC", cell or "").strip()


def read_table(path: Path, *, header: bool | None = None) -> Table:
    """The only table of a file. `header=False` reads a CSV without a header line.

    `header=None` takes the first line as the header; a family that knows its column names can
    look at `columns` and ask again with False.
    """
    sheets = read_sheets(path, header=header)
    if len(sheets) > 1:
        raise FormatError(
            f"has {len(sheets)} sheets ({', '.join(sheets)}), one was expected", path=path
        )
    return next(iter(sheets.values()))


def read_sheets(path: Path, *, header: bool | None = None) -> dict[str, Table]:
    """All tables of a file: the sheets of an XLSX, else the one that it is."""
    suffix = suffix_of(path)
    if suffix not in SUFFIXES:
        other = next((f". {told}" for known, told in ELSEWHERE.items() if suffix in known), "")
        raise InputError(
            f"{path}: has the suffix '{suffix}', which is no table. Known: {', '.join(SUFFIXES)}"
            f"{other}"
        )
    content = read_bytes(path)
    if suffix == ".xlsx":
        return _read_xlsx(path, content, header is not False)
    if suffix == ".parquet":
        return {stem_of(path): _read_parquet(path)}
    text, guessed = decode(content, path)
    if suffix in {".jsonl", ".ndjson"}:
        table = _read_jsonl(path, text, guessed)
    elif suffix == ".json":
        table = _read_json(path, text, guessed)
    else:
        table = _read_delimited(path, text, guessed, suffix, header is not False)
    return {table.name: table}


_ENCODING: ContextVar[str] = ContextVar("encoding", default="")


@contextlib.contextmanager
def reading_as(encoding: str) -> Iterator[None]:
    """Read files in an encoding that the user names; an unknown one is an error at once."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise InputError(f"encoding is '{encoding}'; expected a name such as gb18030") from None
    token = _ENCODING.set(encoding)
    try:
        yield
    finally:
        _ENCODING.reset(token)


def decode(content: bytes, path: Path) -> tuple[str, str]:
    """Text and, where the encoding was guessed, its name."""
    if named := _ENCODING.get():
        try:
            return content.decode(named).removeprefix("\ufeff"), ""
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise FormatError(f"is not {named}: {error.reason}", path=path, row=line) from error
    if b"\0" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = _utf16_without_mark(content)
        if encoding is None:
            raise FormatError("is not text (it has NUL bytes)", path=path)
        return content.decode(encoding, "strict"), encoding
    for mark, encoding in MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), ""
            except UnicodeDecodeError as error:
                raise FormatError(f"begins as {encoding} but is not: {error}", path=path) from error
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return _guess(content, path, error)


def _utf16_without_mark(content: bytes) -> str | None:
    """UTF-16 of mostly Latin text has every other byte 0."""
    even, odd = content[0:4096:2], content[1:4096:2]
    for encoding, zeros in (("utf-16-le", odd), ("utf-16-be", even)):
        if zeros.count(0) * 2 > len(zeros):
            try:
                content.decode(encoding)
            except UnicodeDecodeError:
                continue
            return encoding
    return None


def _guess(content: bytes, path: Path, error: UnicodeDecodeError) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:1_000_000], cp_isolation=list(LEGACY)).best()
    if best is not None:
        try:
            return content.decode(best.encoding), best.encoding
        except UnicodeDecodeError:
            pass
    line = content[: error.start].count(b"\n") + 1
    raise FormatError(
        f"is in no encoding that could be recognised (byte {content[error.start]:#04x} is not "
        "UTF-8). Save it as UTF-8",
        path=path,
        row=line,
    )


def _read_delimited(path: Path, text: str, guessed: str, suffix: str, header: bool) -> Table:
    delimiter = "\t" if suffix == ".tsv" else _delimiter(text)
    if suffix == ".txt" and _is_lines(text, delimiter):
        return _read_lines(path, text, guessed)
    try:
        return _read_csv(path, text, guessed, delimiter, header)
    except FormatError:
        if delimiter != "\t":
            raise
        try:
            # Many who write tabs between cells quote none, and a quote is a character.
            return _read_csv(path, text, guessed, delimiter, header, quoting=csv.QUOTE_NONE)
        except FormatError:
            pass
        raise


def _is_lines(text: str, delimiter: str) -> bool:
    """Whether a file is plain lines: no delimiter cuts all of them into as many cells."""
    lines = [line for line in text.splitlines() if line.strip()]
    counts = {line.count(delimiter) for line in lines}
    return delimiter not in lines[0] or (delimiter != "\t" and len(counts) > 1 and '"' not in text)


def _read_lines(path: Path, text: str, guessed: str) -> Table:
    """Every line a row, empty ones included; the file's end is none."""
    lines = text.rstrip().replace("\r\n", "\n").split("\n")
    rows: list[list[str | None]] = [[printable(line.strip())] for line in lines]
    numbers = list(range(1, len(rows) + 1))
    return Table(path.stem, ["line"], rows, numbers, path, guessed, headed=False, lined=True)


def _read_csv(
    path: Path,
    text: str,
    guessed: str,
    delimiter: str,
    header: bool,
    *,
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL,
) -> Table:
    # newline="" keeps line ends inside quoted cells; strict makes a broken quote an error.
    csv.field_size_limit(MAX_CELL)
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=delimiter, strict=True, quoting=quoting)
    rows: list[list[str | None]] = []
    lines: list[int] = []
    columns: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            start, line = line, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns = _headers(cells, path, start) if header else _numbered(len(cells))
                if header:
                    continue
            if len(cells) != len(columns):
                raise FormatError(
                    f"has {len(cells)} cells, the {'header' if header else 'first row'} has "
                    f"{len(columns)}. Quote cells that contain the delimiter {delimiter!r}",
                    path=path,
                    row=start,
                )
            rows.append([printable(cell) for cell in cells])
            lines.append(start)
    except csv.Error as error:
        raise FormatError(f"is not a well-formed table ({error})", path=path, row=line) from error
    return _checked(Table(path.stem, columns or [], rows, lines, path, guessed, header))


def _delimiter(text: str) -> str:
    """The delimiter that the first line has most of; a comma where it has none."""
    first = text.lstrip().split("\n", 1)[0]
    return max((",", "\t", ";"), key=lambda mark: (first.count(mark), mark == ","))


def _headers(cells: Sequence[str], path: Path, line: int) -> list[str]:
    names = [printable(cell.strip().lstrip("\ufeff")) for cell in cells]
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if name and name.casefold() in seen:
            raise FormatError(
                f"names the column '{name}' twice", path=path, row=line, column=number
            )
        seen.add(name.casefold())
    return [name or f"column {number}" for number, name in enumerate(names, 1)]


def _numbered(count: int) -> list[str]:
    return [f"column {number}" for number in range(1, count + 1)]


def _read_jsonl(path: Path, text: str, guessed: str) -> Table:
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except ValueError as error:
            raise FormatError(f"is not JSON ({error})", path=path, row=number) from error
        if not isinstance(record, dict):
            raise FormatError("is not a JSON object", path=path, row=number)
        records.append(record)
        lines.append(number)
    return _from_records(path, records, lines, guessed)


def _read_json(path: Path, text: str, guessed: str) -> Table:
    try:
        document = parse_json(text)
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from error
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise FormatError("is not a JSON list of objects, one a row", path=path)
    return _from_records(path, document, list(range(1, len(document) + 1)), guessed)


def _from_records(
    path: Path, records: Sequence[Mapping[str, Any]], lines: list[int], guessed: str
) -> Table:
    records = [with_answer(record) for record in records]
    columns = list(dict.fromkeys(key for record in records for key in record))
    rows = [[_cell(record.get(column)) for column in columns] for record in records]
    return _checked(Table(path.stem, columns, rows, lines, path, guessed))


def _cell(value: Any) -> str | None:
    """A JSON or spreadsheet value as text; several references in a list are joined by `||`."""
    if value is None:
        return None
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return printable(" || ".join(value))
    if isinstance(value, float) and math.isnan(value):
        return None  # how data frames write an empty cell
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return (
        str(value) if not isinstance(value, dict | list) else json.dumps(value, ensure_ascii=False)
    )


def _read_xlsx(path: Path, content: bytes, header: bool) -> dict[str, Table]:
    from python_calamine import CalamineWorkbook

    plain = unpack_workbook(path, content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(plain))
        grids = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except Exception as error:  # calamine raises several kinds, some of them private
        raise FormatError(f"is not a readable XLSX workbook ({error})", path=path) from error
    tables: dict[str, Table] = {}
    for name, grid in grids.items():
        filled = [
            (line, row) for line, row in enumerate(grid, 1) if any(c not in ("", None) for c in row)
        ]
        if not filled:
            continue
        line, first = filled[0]
        names = [str(cell) for cell in first]
        columns = _headers(names, path, line) if header else _numbered(len(first))
        body = filled[1:] if header else filled
        cells = [[None if cell == "" else _cell(cell) for cell in row] for _, row in body]
        lines = [line for line, _ in body]
        tables[name] = _bounded(Table(name, columns, cells, lines, path, headed=header))
    if not tables:
        raise InputError(f"{path}: is empty (no sheet has a filled cell)")
    filled_tables = {name: table for name, table in tables.items() if table.rows}
    return filled_tables or {name: _checked(table) for name, table in tables.items()}


def _read_parquet(path: Path) -> Table:
    import polars

    try:
        scan = polars.scan_parquet(path, glob=False)
        count, width = scan.select(polars.len()).collect().item(), len(scan.collect_schema())
        _refuse_large(path, count, width)
        frame = scan.collect()
        _refuse_long(path, frame)
    except (OSError, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", path=path) from error
    return read_frame(path, frame)


def read_frame(path: Path, frame: Any, before: int = 0) -> Table:
    """Rows of a Parquet file, after so many others."""
    cells = [[_cell(value) for value in frame[name].to_list()] for name in frame.columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    lines = list(range(before + 1, before + len(rows) + 1))
    return _checked(Table(path.stem, frame.columns, rows, lines, path))


def _refuse_large(path: Path, rows: int, columns: int) -> None:
    if rows * columns > MAX_CELLS:
        raise FormatError(
            f"spans {rows:,} rows and {columns:,} columns, more than {MAX_CELLS:,} cells. Remove "
            "what is not needed, or save it as CSV",
            path=path,
        )


def _refuse_long(path: Path, frame: Any) -> None:
    """A text that is repeated a million times takes no room in Parquet, but much in memory."""
    import polars

    size = frame.select(polars.col(polars.String).str.len_bytes().sum()).sum_horizontal()
    if len(size) and int(size.item() or 0) > MAX_BYTES:
        raise FormatError(f"has more than {MAX_BYTES:,} bytes of text", path=path)


def _checked(table: Table) -> Table:
    if not table.rows:
        raise InputError(f"{table.path}: has a header but no rows" if table.columns else
                         f"{table.path}: is empty")  # fmt: skip
    return _bounded(table)


def _bounded(table: Table) -> Table:
    """No cell is longer than any text: what reads it would not come to an end."""
    for line, row in zip(table.lines, table.rows, strict=True):
        for column, cell in zip(table.columns, row, strict=False):
            if cell is not None and len(cell) > MAX_CELL:
                raise FormatError(
                    f"has {len(cell):,} characters; at most {MAX_CELL:,} are read",
                    path=table.path, row=line, column=column,
                )  # fmt: skip
    return table
