"""Tables in: formats, encodings, and errors that point at the place."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest
import xlsxwriter

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.table import read_sheets, read_table

CHINESE = (
    "idiom,Prediction\n画蛇添足,做了多余的事，反而把事情弄糟\n"
    "守株待兔,比喻不主动努力，希望得到意外的收获\n"
)
JAPANESE = "idiom,Prediction\n猫に小判,価値の分からない人に貴重なものを与えても無駄であること\n"
KOREAN = (
    "idiom,Prediction\n우물 안 개구리,넓은 세상의 형편을 알지 못하는 사람을 비유적으로 이르는 말\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_chinese_in_the_encodings_people_have(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "model_a.csv"
    path.write_bytes(CHINESE.encode(encoding))
    if encoding == "utf-16-le":
        path.write_bytes("id,text\na,an ordinary line of text\n".encode(encoding))
        assert read_table(path).rows == [["a", "an ordinary line of text"]]
        return
    table = read_table(path)
    assert table.columns == ["idiom", "Prediction"]
    assert table.column("idiom") == ["画蛇添足", "守株待兔"]
    assert table.guessed == ("gb18030" if encoding == "gb18030" else "")


@pytest.mark.parametrize(("text", "encoding"), [(JAPANESE, "cp932"), (KOREAN, "cp949")])
def test_legacy_encodings_are_guessed_and_said(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes((text * 1).encode(encoding))
    table = read_table(path)
    assert table.rows[0][1] == text.rsplit(",", maxsplit=1)[-1].strip()
    assert table.guessed


def test_every_format_gives_the_same_table(tmp_path: Path) -> None:
    rows = [["画蛇添足", "多此一举"], ["守株待兔", "不劳而获"]]
    records = [dict(zip(("idiom", "Prediction"), row, strict=True)) for row in rows]
    (tmp_path / "t.csv").write_text(CHINESE.splitlines()[0] + "\n" + "\n".join(map(",".join, rows)))
    (tmp_path / "t.tsv").write_text("idiom\tPrediction\n" + "\n".join(map("\t".join, rows)))
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    (tmp_path / "t.json").write_text(json.dumps(records))
    polars.DataFrame(records).write_parquet(tmp_path / "t.parquet")
    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        page = book.add_worksheet("t")
        for line, row in enumerate([["idiom", "Prediction"], *rows]):
            page.write_row(line, 0, row)
    for suffix in ("csv", "tsv", "jsonl", "json", "parquet", "xlsx"):
        table = read_table(tmp_path / f"t.{suffix}")
        assert (table.name, table.columns, table.rows) == ("t", ["idiom", "Prediction"], rows)


def test_each_sheet_is_a_table_and_empty_ones_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name in ("arrangement1", "arrangement2", "empty"):
            page = book.add_worksheet(name)
            if name != "empty":
                page.write_row(0, 0, ["idiom", "Prediction"])
                page.write_row(2, 0, ["a", 1.0])
    sheets = read_sheets(path)
    assert list(sheets) == ["arrangement1", "arrangement2"]
    assert sheets["arrangement1"].rows == [["a", "1"]]
    assert sheets["arrangement1"].lines == [3]
    with pytest.raises(FormatError, match="has 2 sheets"):
        read_table(path)


def test_lines_point_into_the_file_even_with_line_breaks_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\n\na,"one\ntwo"\nb,three\n')
    assert read_table(path).lines == [3, 5]
    path.write_text('id,text\na,"one\ntwo"\nb,three,four\n')
    with pytest.raises(FormatError, match=r"t.csv, line 4: has 3 cells, the header has 2"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n \n", "is empty"),
        ("t.csv", b"id,text\n", "no rows"),
        ("t.csv", b"id,ID\n1,2\n", "names the column 'ID' twice"),
        ("t.csv", b'id,text\n1,"open\n', "not a well-formed table"),
        ("t.csv", b"id\x00text\x00\x01\x02\n1,2\n", "is not text"),
        ("t.docx", b"PK", "is not a table"),
        ("t.xlsx", b"PK not really", "not a readable XLSX"),
        ("t.parquet", b"PAR1 not really", "not a readable Parquet"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2: is not JSON"),
        ("t.jsonl", b"[1]\n", "line 1: is not a JSON object"),
        ("t.json", b'{"a": 1}', "not a JSON list of objects"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_bad_files_say_what_and_where(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / name)
    assert name in str(caught.value)


def test_columns_are_found_by_name_synonym_and_choice(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("IDIOM,Model Output\na,b\n")
    table = read_table(path)
    assert table.need("idiom") == "IDIOM"
    assert table.find("prediction") is None
    assert table.find("prediction", ["model output"]) == "Model Output"
    assert table.find("prediction", chosen={"Prediction": "model output"}) == "Model Output"
    with pytest.raises(FormatError, match=r"Columns found: 'IDIOM', 'Model Output'"):
        table.need("prediction")
    with pytest.raises(FormatError, match="has no column 'Nope'"):
        table.find("prediction", chosen={"prediction": "Nope"})


def test_half_characters_in_json_do_not_travel(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "a", "text": "x\\ud800y", "refs": ["one", "two"]}\n')
    assert read_table(path).rows == [["a", "x\N{REPLACEMENT CHARACTER}y", "one || two"]]


def test_an_empty_cell_of_a_data_frame_is_none(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "x", "b": NaN}\n{"a": NaN, "b": 2.0}\n')
    assert read_table(path).rows == [["x", None], [None, "2"]]


def test_quotes_may_be_characters_between_tabs(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\n"one" two\t3\n"\t4\n')
    assert read_table(path).rows == [['"one" two', "3"], ['"', "4"]]
    path.write_text('a\tb\n"one\ttwo"\t3\n')
    assert read_table(path).rows == [["one\ttwo", "3"]]


def test_a_sheet_of_notes_is_no_table(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Notes").write(0, 0, "to do")
        book.add_worksheet("data").write_column(0, 0, ["a", "x"])
    assert list(read_sheets(path)) == ["data"]


def test_a_separator_inside_a_json_string_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"a": f"x\u2028y\u0085{at}"}, ensure_ascii=False) for at in range(2)]
    path.write_text("\r\n".join(lines), encoding="utf-8", newline="")
    table = read_table(path)
    assert table.column("a") == ["x\u2028y\u00850", "x\u2028y\u00851"]
    assert table.lines == [1, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_editors_end_them(end: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(end.join(["a,b", f'1,"x{end}y"', "2,z", ""]).encode())
    table = read_table(path)
    assert table.column("b") == [f"x{end}y", "z"]
    assert table.lines == [2, 4]


@pytest.mark.parametrize("columns", [",reference,one", ",,reference,one", "id,,one", ",one"])
def test_columns_without_a_name_are_no_cell_over_several(tmp_path: Path, columns: str) -> None:
    cells = ",".join(f"x{at}" for at, _ in enumerate(columns.split(",")))
    path = tmp_path / "t.csv"
    path.write_text(f"{columns}\n{cells}\n{cells}\n")
    assert len(read_table(path).rows) == 2
