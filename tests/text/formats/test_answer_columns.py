"""Tables of predictions as people have them: wide, by sheet, lines, chats, packed, piped in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner

from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.table.textual import with_answer
from gistmeter.text.formats.predictions import read_predictions

FAST = ("--metrics", "s_info", "--no-report", "--format", "json")
CHINESE = [
    ["成语", "参考答案", "qwen", "gpt4", "备注", "得分"],
    ["画蛇添足", "做多余的事反而坏事", "做多余的事情", "多此一举反而坏事", "复核", 3],
    ["守株待兔", "不努力而希望得到意外收获", "希望不努力得到收获", "等待兔子", "", 4],
]


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)
    return path


def run(*arguments: str | Path, code: int = 0, given: str | None = None) -> tuple[Any, str]:
    result = CliRunner().invoke(app, ["text", *map(str, arguments), *FAST], input=given)
    assert result.exit_code == code, result.stderr
    return (json.loads(result.stdout)["systems"] if not code else None), result.stderr


def test_a_wide_chinese_workbook_needs_nothing_else(in_folder: Path) -> None:
    path = workbook(in_folder / "答案.xlsx", Sheet1=CHINESE)
    systems, told = run(path, "--language", "zh")
    assert list(systems) == ["qwen", "gpt4"]
    assert "systems qwen, gpt4, compared with '参考答案'" in told
    assert 0 < systems["qwen"]["scores"]["s_info"]["value"] < 1


def test_a_single_column_is_called_as_its_file(in_folder: Path) -> None:
    Path("mine.csv").write_text("reference,ours\nWe open at nine.,We are open from nine.\n")
    systems, told = run("mine.csv", "--language", "en")
    assert list(systems) == ["mine"]
    assert "mine.csv: column 'ours', compared with 'reference'" in told


@pytest.mark.parametrize(
    ("idiom", "reference"),
    [
        ("成語", "解釋"), ("四字熟語", "意味"), ("사자성어", "정답"), ("идиома", "значение"),
        ("rčení", "význam"), ("idiom", "explanation"), ("Item", "Gold"),
    ],
)  # fmt: skip
def test_headers_in_the_languages_of_users(tmp_path: Path, idiom: str, reference: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{idiom},{reference},one,two\na,good big dog,good dog,big dog\n", "utf-8")
    rows = read_predictions([path])
    assert [(row.system, row.idiom, row.references) for row in rows] == [
        ("one", "a", "good big dog"),
        ("two", "a", "good big dog"),
    ]


def test_systems_are_named_or_asked_for(in_folder: Path) -> None:
    Path("t.csv").write_text("reference,a,b\ngood big dog,good dog,completely else\n")
    _, told = run("t.csv", "--language", "en", code=2)
    assert "--systems HEADER,HEADER" in told
    systems, _ = run("t.csv", "--language", "en", "--systems", "a,b")
    assert list(systems) == ["a", "b"]
    systems, _ = run("t.csv", "--language", "en", "--column", "prediction=b", "--column",
                     "prediction=a")  # fmt: skip
    assert list(systems) == ["b", "a"]


def test_a_wide_table_beside_a_file_of_references(in_folder: Path) -> None:
    Path("answers.csv").write_text(
        "id,qwen,gpt4,seconds,author,remark\n1,做多余的事情,多此一举反而坏事,1.5,li,第一个\n"
        "2,希望不努力得到收获,不努力等待兔子,2.5,li,很好\n", "utf-8",
    )  # fmt: skip
    Path("refs.csv").write_text("id,reference\n2,不努力而希望得到意外收获\n1,做多余的事反而坏事\n")
    _, told = run("answers.csv", "--references", "refs.csv", "--language", "zh", code=2)
    assert "answer refs.csv: 'qwen', 'gpt4', 'remark'. Name them with --systems" in told
    assert "--systems qwen,gpt4,remark" in told
    text = Path("answers.csv").read_text("utf-8")
    for part in (",remark", ",第一个", ",很好"):
        text = text.replace(part, "")
    Path("answers.csv").write_text(text, "utf-8")
    systems, told = run("answers.csv", "--references", "refs.csv", "--language", "zh")
    assert list(systems) == ["qwen", "gpt4"]
    assert "systems qwen, gpt4, compared with refs.csv" in told
    named, _ = run("answers.csv", "--references", "refs.csv", "--language", "zh", "--systems",
                   "qwen,gpt4")  # fmt: skip
    assert named == systems


def test_a_wide_table_beside_references_in_lines_is_paired_by_row(in_folder: Path) -> None:
    Path("answers.csv").write_text("a,b\nthe big dog,a big dog\nsmall cat,a small old cat\n")
    Path("refs.txt").write_text("the big dog\na small cat\n")
    systems, told = run("answers.csv", "--references", "refs.txt", "--language", "en")
    assert "row by row with the lines of refs.txt" in told
    assert {name: held["scores"]["s_info"]["n"] for name, held in systems.items()} == {
        "a": 2, "b": 2,
    }  # fmt: skip
    Path("refs.txt").write_text("the big dog\na small cat\nan owl\n")
    _, told = run("answers.csv", "--references", "refs.txt", "--language", "en", code=2)
    assert "answers.csv: has 2 rows and no column of ids, and refs.txt has 3 lines" in told
    Path("answers.csv").write_text("id,a,b\n1,the big dog,a big dog\n2,small cat,an old cat\n")
    Path("refs.csv").write_text("id,reference\n1,the big dog\n2,a small cat\n3,an owl\n")
    systems, _ = run("answers.csv", "--references", "refs.csv", "--language", "en")  # as advised
    assert list(systems) == ["a", "b"]


def test_several_columns_called_predictions_say_how_to_compare_them(in_folder: Path) -> None:
    Path("t.csv").write_text("idiom,reference,Prediction x,Prediction y\na,big dog,dog,big\n")
    _, told = run("t.csv", "--language", "en", code=2)
    advice = told[told.index("--systems ") + len("--systems ") :].strip()
    systems, _ = run("t.csv", "--language", "en", "--systems", advice)
    assert list(systems) == ["Prediction x", "Prediction y"]


def test_one_sheet_per_model(in_folder: Path) -> None:
    rows = [["idiom", "reference", "prediction"], ["a", "big dog", "dog"]]
    path = workbook(in_folder / "all.xlsx", **{"gpt-4o": rows, "qwen2": rows})
    systems, told = run(path, "--language", "en")
    assert list(systems) == ["gpt-4o", "qwen2"]
    assert "its sheets are read as systems; --sheets arrangements says otherwise" in told
    systems, _ = run(path, "--language", "en", "--sheets", "arrangements")
    assert list(systems) == ["all"]


def test_one_sheet_per_arrangement_is_still_one_system(in_folder: Path) -> None:
    rows = [["idiom", "reference", "prediction"], ["a", "big dog", "dog"]]
    path = workbook(in_folder / "m.xlsx", original=rows, arrangement1=rows)
    systems, told = run(path, "--language", "en")
    assert list(systems) == ["m"]
    assert "read as arrangements; --sheets systems says otherwise" in told
    systems, _ = run(path, "--language", "en", "--sheets", "systems")
    assert list(systems) == ["original", "arrangement1"]


def test_two_files_of_lines(in_folder: Path) -> None:
    Path("said.txt").write_text("the big dog, of course\na small cat\n")
    Path("model.txt").write_text("a big dog\nsmall cat\n")
    systems, _ = run("model.txt", "--references", "said.txt", "--language", "en")
    assert systems["model"]["scores"]["s_info"]["n"] == 2
    Path("short.txt").write_text("a big dog\n")
    _, told = run("short.txt", "--references", "said.txt", "--language", "en", code=2)
    assert "short.txt has 1 line and said.txt has 2" in told


def test_no_idiom_is_needed_beside_a_reference(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Prediction,Reference\ngood,good dog\nbig,big dog\n")
    assert [row.idiom for row in read_predictions([path])] == ["1", "2"]


ANSWER = {"role": "assistant", "content": "a dog"}


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [{"role": "user", "content": "what?"}, ANSWER]},
        {"choices": [{"index": 0, "message": ANSWER}]},
        {"custom_id": "x", "response": {"body": {"choices": [{"message": ANSWER}]}}},
        {"custom_id": "x", "result": {"type": "succeeded", "message": {
            "content": [{"type": "text", "text": "a dog"}], "role": "assistant"}}},
        {"content": [{"type": "text", "text": "a "}, {"type": "text", "text": "dog"}]},
        {"doc_id": 1, "resps": [["a dog"]]},
    ],
    ids=["messages", "choices", "batch", "anthropic batch", "blocks", "harness"],
)  # fmt: skip
def test_the_answer_of_a_chat_is_its_prediction(record: dict[str, Any]) -> None:
    assert with_answer(record)["prediction"] == "a dog"


def test_lists_of_references_are_no_chat() -> None:
    record = {"prediction": "a", "messages": [ANSWER]}
    assert with_answer(record) is record
    plain = {"id": "x", "output": "text", "content": ["one", "two"]}
    assert with_answer(plain) is plain


def test_chats_in_lines_gzip_and_stdin_are_read(in_folder: Path) -> None:
    chats = [{"custom_id": key, "messages": [{"role": "user"}, ANSWER]} for key in ("x", "y")]
    lines = "".join(json.dumps(chat) + "\n" for chat in chats)
    Path("refs.csv").write_text("idiom,explanation\nx,big dog\ny,a cat\n")
    with gzip.open("model.jsonl.gz", "wt") as stream:
        stream.write(lines)
    systems, _ = run("model.jsonl.gz", "--references", "refs.csv", "--language", "en")
    assert systems["model"]["scores"]["s_info"]["n"] == 2
    systems, _ = run("-", "--references", "refs.csv", "--language", "en", given=lines)
    assert systems["stdin"]["scores"]["s_info"]["n"] == 2


def test_a_file_that_is_packed_badly_or_without_end_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"prediction,reference\na,b\n")[:-6])
    with pytest.raises(InputError, match="gzip"):
        read_predictions([path])
    monkeypatch.setattr("gistmeter.core.files.MAX_BYTES", 1000)
    path.write_bytes(gzip.compress(b"prediction,reference\n" + b"a,b\n" * 10_000))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_predictions([path])


def test_systems_beside_a_column_of_predictions_are_not_passed_over_in_silence(
    in_folder: Path,
) -> None:
    table = "reference,candidate,gpt4,notes\nthe big dog,the big dog,a big dog,seen\n"
    Path("wide.csv").write_text(table + "a red car,a red car,the red car,seen\n")
    systems, told = run("wide.csv", "--language", "en")
    assert list(systems) == ["wide"]
    assert "only 'candidate' is scored, and 'gpt4' look" in told
    systems, told = run("wide.csv", "--language", "en", "--systems", "candidate,gpt4")
    assert list(systems) == ["candidate", "gpt4"] and "only" not in told


PARAPHRASES = """idiom,reference,category,gpt-4o,qwen2.5,glm4
red tape,Too many official rules,work,Bureaucracy that slows everything,Endless paperwork,Forms
cold feet,Sudden loss of courage,feeling,Becoming nervous beforehand,Getting scared,Doubts
piece of cake,Something done easily,work,A simple matter,Child's play,No effort at all
"""


def test_paraphrases_under_the_names_of_models_are_systems(in_folder: Path) -> None:
    Path("t.csv").write_text(PARAPHRASES)
    systems, told = run("t.csv", "--language", "en")
    assert list(systems) == ["gpt-4o", "qwen2.5", "glm4"]
    assert "systems gpt-4o, qwen2.5, glm4, compared with 'reference'" in told


def test_a_title_and_merged_headers(in_folder: Path) -> None:
    title = ["Our study, May 2024", "", "", ""]
    rows = [["a", "big dog", "dog", "big"], ["b", "small cat", "cat", "small"]]
    plain = workbook(
        in_folder / "title.xlsx", Sheet1=[title, [], ["id", "reference", "one", "two"], *rows]
    )
    spans = workbook(
        in_folder / "spans.xlsx",
        Sheet1=[title, ["id", "reference", "Systems", ""], ["", "", "one", "two"], *rows],
    )
    above = workbook(
        in_folder / "above.xlsx",
        Sheet1=[title, ["", "", "Systems", ""], ["id", "reference", "one", "two"], *rows],
    )
    text = in_folder / "title.csv"
    lines = ["Our study", "id;reference;one;two", *(";".join(row) for row in rows)]
    text.write_text("\n".join(lines))
    for path in (plain, spans, above, text):
        systems, told = run(path, "--language", "en")
        counts = {name: held["scores"]["s_info"]["n"] for name, held in systems.items()}
        assert counts == {"one": 2, "two": 2}, path
        assert "not read above the header: Our study" in told


def test_a_batch_is_matched_by_its_custom_id(in_folder: Path) -> None:
    answer = {"body": {"choices": [{"message": {"role": "assistant", "content": "big dog"}}]}}
    lines = [{"id": f"batch_req_{at}", "custom_id": f"q{at}", "response": answer} for at in (1, 2)]
    Path("batch.jsonl").write_text("\n".join(map(json.dumps, lines)))
    Path("refs.csv").write_text("id,reference\nq1,big dog\nq2,small cat\n")
    systems, told = run("batch.jsonl", "--references", "refs.csv", "--language", "en")
    assert "2 of 2 predictions have references" in told
    assert systems["batch"]["scores"]["s_info"]["n"] == 2
