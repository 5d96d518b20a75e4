"""Tables as people have them: CSV, TSV, JSONL, JSON, XLSX, Parquet, in the encodings they have.

A table is columns of text, with the line each row came from so that errors can point at it. The
encoding is found (byte-order mark, UTF-8, else guessed among those of our users) and a guess is
said in `Table.guessed`. Columns are found by name, ignoring case, through the names and synonyms a
family gives, and any can be renamed by the user.
"""

from __future__ import annotations

from pathlib import Path

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import read_bytes, stem_of, suffix_of
from gistmeter.core.inputs import decode
from gistmeter.core.table.binary import read_frame, read_parquet, read_workbook
from gistmeter.core.table.textual import (
    MAX_CELL,
    Table,
    name_in,
    read_delimited,
    read_json,
    read_jsonl,
)

__all__ = ["MAX_CELL", "SUFFIXES", "Table", "name_in", "read_frame", "read_sheets", "read_table"]
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")

# What is not a table, and the command that reads it.
ELSEWHERE = {
    (".epub", ".docx", ".fb2", ".md", ".html", ".htm"): "Books are compared by: gistmeter book "
    "ORIGINAL EDITION",
    (".conllu", ".conll"): "Parses are compared by: gistmeter parse GOLD SYSTEM",
    (".srt", ".vtt", ".stm", ".ctm", ".trn"): "Transcripts are compared by: gistmeter speech "
    "--expected SAID --got HEARD",
    (
        ".wav",
        ".flac",
        ".ogg",
        ".mp3",
    ): "Recordings are transcribed by: gistmeter speech --assets FOLDER --recognizers NAME",
}


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
        other = next((f". {hint}" for known, hint in ELSEWHERE.items() if suffix in known), "")
        raise InputError(
            f"{path}: has the suffix '{suffix}', which is not a table. Known: {', '.join(SUFFIXES)}"
            f"{other}"
        )
    content = read_bytes(path)
    if suffix == ".xlsx":
        return read_workbook(path, content, header is not False)
    if suffix == ".parquet":
        return {stem_of(path): read_parquet(path, content)}
    text, guessed = decode(content, path)
    del content  # a large file is not held twice
    if suffix in {".jsonl", ".ndjson"}:
        table = read_jsonl(path, text, guessed)
    elif suffix == ".json":
        table = read_json(path, text, guessed)
    else:
        table = read_delimited(path, text, guessed, suffix, header is not False)
    return {table.name: table}
