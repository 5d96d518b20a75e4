"""Files out: nothing in them runs, nothing is rounded, nothing is lost."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.evaluation import evaluate
from gistmeter.core.table import read_sheets
from gistmeter.core.types import Pair, Score, Sheet
from gistmeter.core.views import View
from gistmeter.report.export import (
    defused,
    delimited,
    markdown,
    markdown_text,
    spell_score,
    write_table,
)
from toys import Length, pairs

HOSTILE = [
    '=HYPERLINK("http://example.org","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "<script>alert(1)</script>",
    "a|b\nc",
    "x\ud800y",
    "\u202egnp.exe",
]


@given(st.text())
def test_no_text_begins_as_a_formula(text: str) -> None:
    written = defused(text)
    assert written.endswith(text)
    if written[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        float(written)


def test_hostile_cells_in_csv_and_xlsx(tmp_path: Path) -> None:
    items = [Pair(text, text, ("reference",), "sys", text) for text in HOSTILE]
    run = evaluate(items, [Length()], resamples=10)
    for suffix in (".csv", ".tsv"):
        run.write(tmp_path / f"x{suffix}")
        text = (tmp_path / f"x{suffix}").read_bytes().decode("utf-8-sig")
        for row in csv.reader(io.StringIO(text), delimiter="," if suffix == ".csv" else "\t"):
            assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row)
    run.write(tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as archive:
        pages = [archive.read(name) for name in archive.namelist() if "worksheets" in name]
    assert pages
    assert not any(b"<f>" in page or b"hyperlink" in page.lower() for page in pages)
    ids = [row[0] for row in read_sheets(tmp_path / "x.xlsx")["items"].rows]
    assert ids[0] == HOSTILE[0]


def test_sheets_may_have_any_name(tmp_path: Path) -> None:
    names = ["a/b", "a:b", "x" * 40, "x" * 41, "History", ""]
    run = evaluate(pairs(2), [Length()], resamples=0)
    sheets = [Sheet(name, ["c"], [[1.5]]) for name in names]
    write_table(run, tmp_path / "x.xlsx", lambda _: sheets)
    assert len(read_sheets(tmp_path / "x.xlsx")) == len(names)


def test_numbers_are_written_in_full_and_undefined_is_empty() -> None:
    value = 0.1234567890123456789
    text = delimited(Sheet("s", ["a", "b", "c"], [[value, float("nan"), None]]), ",").decode()
    assert text.splitlines()[1] == f"{value!r},,"


def test_markdown_can_be_pasted() -> None:
    run = evaluate([*pairs(20, "a|b"), *pairs(20, "c")], [Length()], resamples=50)
    lines = markdown(run, View()).splitlines()
    at = lines.index("| system | kept | loss_rate |")
    assert lines[at + 2].startswith("| a\\|b | 0.")
    assert lines[0] == markdown_text(run.answer().splitlines()[0])
    assert any(line.startswith("Methods: We scored 2 systems on 20 items") for line in lines)
    assert "would not show" not in lines[0]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score("x", 0.71234, 0.69, 0.731), "0.712 [0.690, 0.731]"),
        (Score("x", 12.345, unit="%"), "12.3%"),
        (Score("x", float("nan")), "–"),
        (Score("x", 0.5, partial=("ce",)), "0.500*"),
    ],
)
def test_scores_are_rounded_for_people(score: Score, text: str) -> None:
    assert spell_score(score) == text


def test_a_text_that_no_cell_holds_ends_with_an_ellipsis(tmp_path: Path) -> None:
    sheet = Sheet("s", ["a"], [["x" * 40_000], ["y" * 32_767]])
    run = evaluate(pairs(2), [Length()], resamples=0)
    write_table(run, tmp_path / "t.xlsx", lambda _: [sheet])
    ((cut,), (whole,)) = read_sheets(tmp_path / "t.xlsx")["s"].rows
    assert cut is not None and (len(cut), cut[-1]) == (32_767, "…")
    assert whole == "y" * 32_767
