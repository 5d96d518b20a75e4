"""Predictions and references as people have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import shared_path
from gistmeter.core.errors import FormatError, InputError
from gistmeter.text.formats.answer_columns import ColumnChoices
from gistmeter.text.formats.predictions import (
    match,
    read_original,
    read_predictions,
    settle_repetitions,
    split_stem,
)
from gistmeter.text.formats.references import (
    References,
    Splitting,
    clean,
    read_references,
    read_signs,
)


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" [ 指考试 ]  落榜 ", "指考试 落榜"),
        ("a\t b\n", "a b"),
        ("[]", ""),
        ("［全］", "［全］"),
        ("学\ud800", "学\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_cleaning(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("separators", "cell", "expected"),
    [
        ("||", "a||b || a", ("a", "b")),
        ("||", "a;b、c/d", ("a;b、c/d",)),
        ("|| ;", "a;b||c", ("a", "b", "c")),
        ("wide", "a；b、c/d||a;a", ("a", "b", "c", "d", "a", "a")),
        ("||", "zdic解释||[a]", ("a",)),
        ("||", " || ", ()),
        ("wide", "zdic解释", ("zdic解释",)),
    ],
)
def test_splitting(separators: str, cell: str, expected: tuple[str, ...]) -> None:
    assert Splitting(separators).split([cell]) == expected


def test_references_with_a_header(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.csv",
        "Idiom,Explanation,more,structure,Second definition",
        "ab ,one||two,three,noun,four",
        "ab,two,,verb,five",
        "cd,six,,,",
    )
    found = read_references(path)
    assert found.by_idiom == {"ab": ("one", "two", "three", "four", "five"), "cd": ("six",)}
    assert found.structures == {"ab": "verb"}
    assert found.columns == ("Explanation", "more", "Second definition")


def test_a_third_column_of_metadata_is_no_reference(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "idiom,explanation,pinyin", "ab,one,aa")
    assert read_references(path).by_idiom == {"ab": ("one",)}


def test_references_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "\ufeffab,one||two", 'cd,"x, y"')
    assert read_references(path).by_idiom == {"ab": ("one", "two"), "cd": ("x, y",)}
    with pytest.raises(FormatError, match="one column"):
        read_references(write(tmp_path / "s.csv", "ab", "cd"))


def test_columns_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "Phrase here,Gist,explanation", "ab,one,two")
    chosen = {"idiom": "phrase here", "explanation": "Gist"}
    assert read_references(path, columns=chosen).by_idiom == {"ab": ("one",)}


@pytest.mark.parametrize(
    ("name", "idioms", "several"),
    [("Simplified_Chinese", 1000, 416), ("Traditional_Chinese", 1554, 621), ("Korean", 417, 35)],
)
def test_the_real_references(name: str, idioms: int, several: int) -> None:
    found = read_references(shared_path(f"data/idiom/orderprobe-{name}.csv")).by_idiom
    assert len(found) == idioms
    assert sum(len(own) > 1 for own in found.values()) == several
    assert all(idiom == idiom.strip() for idiom in found)


def test_predictions_of_one_table(tmp_path: Path) -> None:
    path = write(
        tmp_path / "model_a.csv",
        "Idiom,Model prediction,Reference,Recovered,lang",
        "ab, [x]  y ,r1||r2,ab,zh",
        "cd,,,,",
    )
    first, second = read_predictions([path])
    assert (first.idiom, first.text, first.system, first.arrangement) == (
        "ab",
        "x y",
        "model_a",
        "",
    )
    assert first.references == "r1||r2"
    assert first.fields == {"recovered": "ab", "language": "zh"}
    assert second.text is None and second.line == 3


def test_predictions_of_a_folder(tmp_path: Path) -> None:
    for name in ("model_a_arrangement1", "model_a_original", "b_arrangement_2", "plain"):
        write(tmp_path / f"{name}.csv", "idiom,Prediction", "ab,x")
    (tmp_path / "notes.md").write_text("no table")
    found = {(row.system, row.arrangement) for row in read_predictions([tmp_path])}
    assert found == {
        ("model_a", "arrangement1"), ("model_a", "original"), ("b", "arrangement_2"), ("plain", ""),
    }  # fmt: skip


def test_a_file_is_a_system_by_its_stem(tmp_path: Path) -> None:
    path = write(tmp_path / "model_a.csv", "idiom,Prediction", "ab,x")
    assert read_predictions([path])[0].system == "model_a"
    assert split_stem("x") == ("x", "")


def test_predictions_of_a_workbook(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    import xlsxwriter

    path = tmp_path / "model.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name in ("arrangement1", "original", "notes"):
            page = book.add_worksheet(name)
            page.write_row(0, 0, ["remark", "x"] if name == "notes" else ["Idiom", "Prediction"])
            page.write_row(1, 0, ["ab", f"said {name}"])
    rows = read_predictions([path])
    assert [(row.system, row.arrangement, row.text) for row in rows] == [
        ("model", "arrangement1", "said arrangement1"),
        ("model", "original", "said original"),
    ]
    assert "notes" in caplog.text


def test_columns_of_system_and_arrangement(tmp_path: Path) -> None:
    path = write(
        tmp_path / "all.tsv", "idiom\tPrediction\tmodel\tarrangement", "ab\tx\tone\tp1", "ab\ty\t\t"
    )
    rows = read_predictions([path])
    assert [(row.system, row.arrangement) for row in rows] == [("one", "p1"), ("all", "")]


def test_a_repetition_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "idiom,Prediction", "ab,x", "cd,y", "ab ,z")
    with pytest.raises(FormatError, match=r"m\.csv, line 4: repeats the item 'ab'.*line 2") as told:
        settle_repetitions(read_predictions([path]))
    assert "--repeats samples" in str(told.value) and "--repeats first" in str(told.value)
    samples = settle_repetitions(read_predictions([path]), "samples")
    assert [(row.idiom, row.sample, row.text) for row in samples] == [
        ("ab", "1", "x"), ("cd", "1", "y"), ("ab", "2", "z"),
    ]  # fmt: skip
    first = settle_repetitions(read_predictions([path]), "first")
    assert [row.text for row in first] == ["x", "y"]


@pytest.mark.parametrize("header", ["sample", "Seed", "run"])
def test_a_column_tells_several_answers_apart(tmp_path: Path, header: str) -> None:
    lines = (f"id,{header},prediction,reference", "ab,0,x,r", "ab,1,x,r")
    rows = settle_repetitions(read_predictions([write(tmp_path / "m.csv", *lines)]))
    assert [row.sample for row in rows] == ["0", "1"]
    assert [pair.sample for pair in match(rows, None).pairs] == ["0", "1"]


def test_further_columns_are_kept_from_both_files(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.csv",
        "id,question,category,prediction,notes",
        "ab,What?,law,x,",
        "cd,Who?,,y,n",
    )
    refs = write(tmp_path / "r.csv", "id,reference,level,category", "ab,one,hard,overruled")
    pairs = match(read_predictions([path]), read_references(refs)).pairs
    assert [dict(pair.columns) for pair in pairs] == [
        {"level": "hard", "category": "law", "question": "What?"},
        {"question": "Who?", "notes": "n"},
    ]


def test_the_header_below_a_title_is_no_item(tmp_path: Path) -> None:
    """Whatever columns the user names, the names of columns are not scored."""
    path = write(tmp_path / "m.csv", "a,b,c", "id,reference,prediction", "x,one,two")
    choices = ColumnChoices({"idiom": "a", "reference": "b", "prediction": "c"})
    with pytest.raises(FormatError, match=r"m\.csv, line 2: looks like the header"):
        read_predictions([path], choices=choices)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("idiom,answers", "ab,x"), "no column 'prediction'. Columns found: 'idiom', 'answers'"),
        (("Prediction,other", "x,y"), "no column 'idiom'"),
        (("idiom,prediction_a,prediction_b", "ab,x,y"), "several columns of predictions"),
        (("idiom,Prediction", ",x"), "line 2, column idiom: names no item"),
    ],
)
def test_unusable_predictions(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_predictions([write(tmp_path / "m.csv", *lines)])


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no table"):
        read_predictions([tmp_path])


def test_rows_are_matched_by_idiom_and_not_by_position(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "idiom,Prediction,Reference", "cd,x,", "ab,y,own", "ef,z,own",
                 "gh,w,")  # fmt: skip
    references = References({"ab": ("A",), "cd": ("C", "D"), "zz": ("Z",)}, {"ab": "noun"})
    matched = match(read_predictions([path]), references, language="zh")
    assert [(pair.id, pair.references) for pair in matched.pairs] == [
        ("cd", ("C", "D")), ("ab", ("A",)), ("ef", ("own",)), ("gh", ()),
    ]  # fmt: skip
    assert matched.without_reference == ["gh"] and matched.without_prediction == ["zz"]
    assert sum(bool(pair.references) for pair in matched.pairs) == 3
    assert matched.pairs[1].fields == {"structure": "noun"}
    assert matched.pairs[0].fields == {"has_original": "no"}  # said once a system
    assert {pair.language for pair in matched.pairs} == {"zh"}


def test_an_idiom_with_a_placeholder_has_no_reference(tmp_path: Path) -> None:
    rows = read_predictions([write(tmp_path / "m.csv", "idiom,Prediction", "ab,x", "cd,y")])
    references = read_references(write(tmp_path / "r.csv", "ab,zdic解释", "cd,C"))
    assert match(rows, references).without_reference == ["ab"]


def test_nothing_in_common_is_an_error(tmp_path: Path) -> None:
    rows = read_predictions([write(tmp_path / "m.csv", "idiom,Prediction", "ab,x")])
    with pytest.raises(InputError, match=r"no item in common: predictions are for 'ab'"):
        match(rows, References({"cd": ("C",)}))
    with pytest.raises(InputError, match="no references"):
        match(rows, None)


def test_pairs_without_idioms_are_numbered(tmp_path: Path) -> None:
    rows = read_predictions([write(tmp_path / "m.csv", "Prediction,Reference", "x,A", "y,B")])
    matched = match(rows, None)
    assert [(pair.id, pair.references) for pair in matched.pairs] == [("1", ("A",)), ("2", ("B",))]


def test_the_original_of_a_system(tmp_path: Path) -> None:
    path = write(tmp_path / "m_original.csv", "idiom,Prediction", "ab,x")
    rows = read_original(path, ["m", "n"])
    assert [(row.system, row.arrangement) for row in rows] == [("m", "original")]
    other = write(tmp_path / "plain.csv", "idiom,Prediction", "ab,x")
    assert read_original(other, ["m"])[0].system == "m"
    with pytest.raises(InputError, match="SYSTEM_original"):
        read_original(other, ["m", "n"])


def test_systems_with_an_original_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "idiom,Prediction,arrangement", "ab,x,original", "ab,y,p1")
    matched = match(read_predictions([path]), References({"ab": ("A",)}))
    assert [pair.fields["has_original"] for pair in matched.pairs] == ["yes", "yes"]


def test_a_table_of_polarity(tmp_path: Path) -> None:
    headed = write(tmp_path / "p.csv", "idiom,polarity", "ab,positive")
    bare = write(tmp_path / "q.csv", "ab,positive", "cd,negative")
    assert read_signs(headed, "id") == {"ab": 1}
    assert read_signs(bare, "id") == {"ab": 1, "cd": -1}
    twice = write(tmp_path / "t.csv", "idiom,polarity", "ab,positive", "ab,negative")
    with pytest.raises(FormatError, match="line 3"):
        read_signs(twice, "id")
    with pytest.raises(FormatError, match=r"line 2.*'good' is not a polarity"):
        read_signs(write(tmp_path / "w.csv", "id,polarity", "ab,good"), "id")


@pytest.mark.parametrize(
    ("sheet", "group"),
    [("answers", ""), ("Sheet1", ""), ("gpt-4o", ""), ("arrangement2", "arrangement2")],
)
def test_the_only_sheet_of_a_workbook_is_an_arrangement_only_by_its_name(
    tmp_path: Path, sheet: str, group: str
) -> None:
    """Otherwise two systems in files with sheets of other names would have no item in common."""
    import xlsxwriter

    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        page = book.add_worksheet(sheet)
        for number, row in enumerate((("id", "reference", "prediction"), ("1", "yes", "yes"))):
            page.write_row(number, 0, row)
    (read,) = read_predictions([path])
    assert (read.system, read.arrangement) == ("a", group)
