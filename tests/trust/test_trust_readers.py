"""Every reader has limits, and says what is wrong with whatever it is given."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

from conftest import ROOT
from gistmeter.core.errors import InputError
from gistmeter.core.table import MAX_CELL, binary, read_sheets, read_table, textual

MEMORY = 3 * 1024**3  # bytes that a reader may take of address space
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/'
    '2006/relationships/{kind}" Target="{target}"/></Relationships>'
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
BOOK = (
    f'<?xml version="1.0"?><workbook xmlns="{MAIN}" xmlns:r="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets>'
    "</workbook>"
)


def workbook(cells: str, main: str = BOOK, **more: bytes) -> bytes:
    stream = io.BytesIO()
    data = f"<sheetData>{cells}</sheetData>"
    sheet = f'<?xml version="1.0"?><worksheet xmlns="{MAIN}">{data}</worksheet>'
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", TYPES)
        book.writestr("_rels/.rels", RELS.format(kind="officeDocument", target="xl/workbook.xml"))
        book.writestr("xl/workbook.xml", main)
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            RELS.format(kind="worksheet", target="worksheets/sheet1.xml"),
        )
        book.writestr("xl/worksheets/sheet1.xml", sheet)
        for name, content in more.items():
            book.writestr(name.replace("__", "/") + ".xml", content)
    return stream.getvalue()


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEAD = f'<row r="1">{cell("A1", "id")}{cell("B1", "prediction")}</row>'
BODY = f'<row r="2">{cell("A2", "x")}{cell("B2", "it rains")}</row>'


def test_an_honest_workbook_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    bottom = '<row r="1048576"><c r="A1048576" s="1"/><c r="XFD1048576" s="1"/></row>'
    path.write_bytes(workbook(HEAD + BODY + bottom))
    assert read_table(path).rows == [["x", "it rains"]]


HOSTILE: dict[str, Callable[[], bytes]] = {
    "far": lambda: workbook(HEAD + BODY + f'<row r="1048576">{cell("XFD1048576", "far")}</row>'),
    "farther": lambda: workbook(
        HEAD + f'<row r="4294967295">{cell("ZZZZZZ4294967295", "far")}</row>'
    ),
    "quotes": lambda: workbook(
        HEAD + "<row r='9'><c\n r = 'XFD1048576' t='inlineStr'><is><t>x</t></is></c></row>"
    ),
    "hidden behind a bracket": lambda: workbook(
        HEAD + '<row r="9"><c x=">" r="XFD1048576" t="str"><v>x</v></c></row>'
    ),
    "far by its row": lambda: workbook(
        HEAD + '<row r="9999999"><c t="str"><v>x</v></c><c t="str"><v>x</v></c>'
        '<c t="str"><v>x</v></c></row>'
    ),
    "one text in every cell": lambda: workbook(
        HEAD
        + "".join(
            f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(2, 5000)
        ),
        xl__sharedStrings=b"<sst><si><t>" + b"x" * 1_000_000 + b"</t></si></sst>",
    ),
    "deep": lambda: workbook(HEAD + "<x>" * 100_000 + "</x>" * 100_000),
    "bomb": lambda: workbook(HEAD + BODY, xl__sharedStrings=b" " * (1100 * 1024**2)),
    "no workbook": lambda: b"PK\x03\x04 nonsense",
    "text": lambda: b"id,prediction\n1,2\n",
    "not of ours": lambda: _zip({"content.xml": b"<x/>", "mimetype": b"x"}),
}


def _zip(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_workbook_is_refused(kind: str, tmp_path: Path) -> None:
    """In a process of its own: what fails here aborts, or takes all memory."""
    path = tmp_path / "x.xlsx"
    path.write_bytes(HOSTILE[kind]())
    done = run("text", str(path))
    assert done.returncode == 2, (done.returncode, done.stderr[-500:])
    assert "Traceback" not in done.stderr
    assert str(path) in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "xlsx", "parquet", "txt", "wav"])
def test_an_endless_file_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.symlink_to("/dev/zero")
    if suffix in {"txt", "wav"}:
        command = ("speech", "--expected", str(path), "--got", str(path))
        done = run(*command)
    else:
        done = run("text", str(path))
    assert done.returncode == 2, done.stderr
    assert "is a device" in done.stderr


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", *arguments, "--language", "en", "-q"],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )  # fmt: skip


def test_an_endless_treebank_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", "parse", str(path), str(path)],
        capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "is a device" in done.stderr


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"is a pipe, a file was expected.*pipe it in as -"):
        read_table(path)


LONG = "x" * (MAX_CELL + 1)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "xlsx", "parquet"])
def test_a_cell_that_is_no_text_is_refused_everywhere(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    records = [{"id": "1", "prediction": LONG}]
    if suffix in {"csv", "tsv"}:
        mark = "," if suffix == "csv" else "\t"
        path.write_text(f"id{mark}prediction\n1{mark}{LONG}\n")
    elif suffix == "xlsx":
        path.write_bytes(workbook(HEAD + f'<row r="2">{cell("A2", "x")}{cell("B2", LONG)}</row>'))
    elif suffix == "parquet":
        polars.DataFrame(records).write_parquet(path)
    else:
        path.write_text(json.dumps(records if suffix == "json" else records[0]))
    with pytest.raises(InputError, match=r"10,000,000|field limit") as refused:
        read_table(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_deep_nesting_is_an_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_table(path)
    path.write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_table(path)


def test_what_looks_like_cells_is_read_once(tmp_path: Path) -> None:
    """11.7 KB that took a day: each place was followed to the end of the sheet."""
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook(HEAD + BODY + "<!-- " + 'r="A1" ' * 1_000_000 + "-->"))
    assert path.stat().st_size < 20_000
    assert read_table(path).rows == [["x", "it rains"]]


def test_a_sheet_that_many_names_stand_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    rows = "".join(f'<row r="{row}">{cell(f"A{row}", "x" * 1000)}</row>' for row in range(1, 3000))
    names = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r1"/>' for n in range(1, 3000))
    book = BOOK.replace('<sheet name="s" sheetId="1" r:id="r1"/>', names)
    path.write_bytes(workbook(rows, book))
    with pytest.raises(InputError, match="2,999 sheets"):
        read_table(path)


def wide(suffix: str, count: int) -> bytes:
    names = [f"c{number}" for number in range(count)]
    if suffix == "csv":
        return (",".join(names) + "\n" + ",".join(names) + "\n").encode()
    if suffix == "jsonl":
        return "".join(json.dumps({name: 1}) + "\n" for name in names).encode()
    if suffix == "json":
        return json.dumps([{name: 1} for name in names]).encode()
    stream = io.BytesIO()
    polars.DataFrame({name: ["x"] for name in names}).write_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_columns_have_a_limit(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(wide(suffix, 4097))
    with pytest.raises(InputError, match="has 4,097 columns; at most 4,096 are read"):
        read_table(path)


LONG_TEXT = "x" * 10_000
PACKED: dict[str, polars.Series] = {
    "categories": polars.Series([LONG_TEXT] * 2000).cast(polars.Categorical),
    "bytes": polars.Series([LONG_TEXT.encode()] * 2000),
    "lists": polars.Series([[LONG_TEXT] * 100] * 20),
    "numbers in a list": polars.Series([[7] * 210_000]),
    "text": polars.Series([LONG_TEXT] * 2000),
}


@pytest.mark.parametrize("kind", PACKED)
def test_parquet_that_unfolds_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits of a hundredth, so that the test itself does not take gigabytes."""
    monkeypatch.setattr(binary, "TEXT", 10_000_000)
    monkeypatch.setattr(textual, "MAX_CELLS", 200_000)
    path = tmp_path / "x.parquet"
    polars.DataFrame({"prediction": PACKED[kind]}).write_parquet(path)
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=r"bytes of text|more than 200,000 cells") as refused:
        read_table(path)
    assert str(path) in str(refused.value)


def test_honest_parquet_is_read(tmp_path: Path) -> None:
    """Categories, bytes that are text, and lists of references."""
    path = tmp_path / "x.parquet"
    frame = polars.DataFrame(
        {
            "id": polars.Series(["a", "b"]).cast(polars.Categorical),
            "prediction": [b"it rains", None],
            "references": [["a", "b"], []],
        }
    )
    frame.write_parquet(path)
    assert read_table(path).rows == [["a", "it rains", "a || b"], ["b", None, ""]]
    frame = polars.DataFrame({"prediction": [b"\xff\xfe"]})
    frame.write_parquet(path)
    with pytest.raises(InputError, match="is not a readable Parquet file"):
        read_table(path)


def test_heads_of_parquet_that_are_nonsense_are_refused(tmp_path: Path) -> None:
    """Every byte changed in several ways: what the heads say is read, or it is an error."""
    path = tmp_path / "x.parquet"
    stream = io.BytesIO()
    polars.DataFrame({"prediction": ["it rains"] * 50}).write_parquet(stream)
    whole = stream.getvalue()
    binary.refuse_large(path, whole)
    refused = 0
    for at in range(4, len(whole) - 4):
        for change in (0x01, 0x41, 0x80, 0xFF):
            odd = whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :]
            try:
                binary.refuse_large(path, odd)
            except InputError as error:
                assert str(path) in str(error)
                refused += 1
    assert refused > 100


def test_rows_without_end_in_parquet_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    polars.select(polars.repeat("x", 30_000_000).alias("id")).write_parquet(path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="more than 20,000,000 cells"):
        read_table(path)


def test_a_compressed_treebank_may_not_unfold_without_bound(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu.gz"
    with gzip.open(path, "wb", 9) as stream:
        for _ in range(80):
            stream.write(b"# comment\n" * 100_000 + b"\n")
    from gistmeter.parse.formats.blocks import read_blocks

    with pytest.raises(InputError, match="unfolds to more than"):
        for _ in read_blocks(path):
            pass


def test_a_folder_or_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_sheets(tmp_path / "x.csv")
    with pytest.raises(InputError, match="no such file"):
        read_sheets(tmp_path / "y.csv")
