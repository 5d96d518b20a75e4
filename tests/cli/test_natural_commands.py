"""What people type first: it works, or the error's advice does, followed to the letter."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from click.testing import CliRunner

from gistmeter.cli import app

SAID = {"c1": "turn on the light", "c2": "call my mother"}
HEARD = {"c1": "turn on a light", "c2": "call my brother"}
RATE = pytest.approx(100 * 2 / 7)  # two words of seven
QUICK = {
    "speech": ["--metrics", "wer", "--language", "en"],
    "text": ["--metrics", "s_info"],
    "book": [],
    "parse": [],
}


def typed(line: str, *further: str, given: str | None = None) -> Any:
    """A command as it is typed, with what makes it quick and readable for a test."""
    command, *arguments = shlex.split(line.removeprefix("gistmeter "))
    quick = [*QUICK[command], "--no-report", "--format", "json"]
    return CliRunner().invoke(app, [command, *arguments, *further, *quick], input=given)


def scores(line: str, *further: str, given: str | None = None) -> dict[str, Any]:
    result = typed(line, *further, given=given)
    assert result.exit_code == 0, result.stderr
    systems: dict[str, Any] = json.loads(result.stdout)["systems"]
    return systems


def refused(line: str, *further: str) -> str:
    result = typed(line, *further)
    assert result.exit_code == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    error: str = result.stderr[result.stderr.index("Error: ") :]
    return error


def rate(systems: dict[str, Any], system: str = "hyp") -> float:
    value: float = systems[system]["scores"]["wer"]["value"]
    return value


def lines(path: str, form: str, texts: dict[str, str]) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("".join(form.format(*pair) + "\n" for pair in texts.items()), "utf-8")


# The seven of a speech team.


@pytest.mark.parametrize("form", ["{0} {1}", "{1} ({0})", "{1}", "{0}\t{1}"],
                         ids=["kaldi", "trn", "lines", "tab"])  # fmt: skip
def test_two_files_of_utterances(in_folder: Path, form: str) -> None:
    lines("ref.txt", form, SAID)
    lines("hyp.txt", form, HEARD)
    assert rate(scores("gistmeter speech --expected ref.txt --got hyp.txt")) == RATE


def test_two_folders(in_folder: Path) -> None:
    for folder, texts in (("ref", SAID), ("hyp", HEARD)):
        for key, text in texts.items():
            lines(f"{folder}/{key}.txt", "{1}", {key: text})
    assert rate(scores("gistmeter speech --expected ref --got hyp")) == RATE


def test_a_wide_table_of_systems(in_folder: Path) -> None:
    Path("all.csv").write_text(
        "file,reference,hyp,other,duration\n"
        "c1,turn on the light,turn on a light,turn on the light,1.5\n"
        "c2,call my mother,call my brother,call mother,2.5\n"
    )
    systems = scores("gistmeter speech all.csv")
    assert list(systems) == ["hyp", "other"]
    assert rate(systems) == RATE


def test_subtitles(in_folder: Path) -> None:
    for name, texts in (("ref", SAID), ("hyp", HEARD)):
        cues = [f"{at}\n00:00:0{at},000 --> 00:00:0{at},900\n{text}\n"
                for at, text in enumerate(texts.values(), 1)]  # fmt: skip
        Path(f"{name}.srt").write_text("\n".join(cues))
        vtt = "WEBVTT\n\n" + "\n".join(cue.replace(",", ".") for cue in cues)
        Path(f"{name}.vtt").write_text(vtt)
    assert rate(scores("gistmeter speech --expected ref.srt --got hyp.srt")) == RATE
    assert rate(scores("gistmeter speech --expected ref.vtt --got hyp.srt")) == RATE


def test_segments_and_words_with_times(in_folder: Path) -> None:
    said = [f"talk 1 ann {at}.0 {at}.9 {text}" for at, text in enumerate(SAID.values())]
    Path("ref.stm").write_text("\n".join(said))
    heard = [f"talk 1 {at}.{number} 0.1 {word}" for at, text in enumerate(HEARD.values())
             for number, word in enumerate(text.split())]  # fmt: skip
    Path("hyp.ctm").write_text("\n".join(heard))
    assert rate(scores("gistmeter speech --expected ref.stm --got hyp.ctm")) == RATE


# What goes wrong, and the way out that the error names.


def advised(error: str, option: str) -> str:
    """An option that the error names."""
    assert option in error, error
    return option


def test_unequal_lines_say_both_numbers_and_whole_compares_them(in_folder: Path) -> None:
    Path("ref.txt").write_text("turn on the light\ncall my mother\nplease\n")
    Path("hyp.txt").write_text("turn on the light\ncall my mother please\n")
    line = "gistmeter speech --expected ref.txt --got hyp.txt"
    error = refused(line)
    assert "ref.txt has 3 lines and hyp.txt has 2" in error
    assert rate(scores(line, advised(error, "--whole"))) == 0


def test_ids_in_one_file_only_and_lines_counts_them(in_folder: Path) -> None:
    lines("ref.txt", "{0} {1}", SAID)
    lines("hyp.txt", "{1}", HEARD)
    line = "gistmeter speech --expected ref.txt --got hyp.txt"
    error = refused(line)
    assert rate(scores(line, advised(error, "--lines"))) > 40  # the ids count as words, as told
    lines("hyp.txt", "{0} {1}", HEARD)  # "Give ids in both"
    assert rate(scores(line)) == RATE


def test_texts_with_tabs_beside_plain_ones(in_folder: Path) -> None:
    lines("ref.txt", "{0}\t{1}", SAID)
    lines("hyp.txt", "{1}", HEARD)
    line = "gistmeter speech --expected ref.txt --got hyp.txt"
    error = refused(line)
    assert rate(scores(line, advised(error, "--whole"))) > 0
    assert "id<TAB>text" in error
    lines("hyp.txt", "{0}\t{1}", HEARD)
    assert rate(scores(line)) == RATE


def test_two_files_without_their_options(in_folder: Path) -> None:
    lines("ref.txt", "{1}", SAID)
    lines("hyp.txt", "{1}", HEARD)
    error = refused("gistmeter speech ref.txt hyp.txt")
    example = error.partition("As in: ")[2].replace(" --got other.txt", "").strip()
    filled = example.replace("said.txt", "ref.txt").replace("heard.txt", "hyp.txt")
    assert rate(scores(filled)) == RATE
    error = refused("gistmeter speech hyp.txt")
    advice = error[error.index("gistmeter speech") :].strip().replace("SAID", "ref.txt")
    assert rate(scores(advice)) == RATE


def test_columns_that_cannot_be_told(in_folder: Path) -> None:
    Path("all.csv").write_text("file,expected,a,b\nc1,turn on the light,uh,oh no\n")
    error = refused("gistmeter speech all.csv")
    option = advised(error, "--systems HEADER,HEADER").replace("HEADER,HEADER", "a,b")
    assert list(scores("gistmeter speech all.csv", *option.split())) == ["a", "b"]


# Texts.


def workbook(path: str, sheets: dict[str, list[list[Any]]]) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)


CHINESE = [
    ["成语", "参考答案", "通义", "gpt4", "得分"],
    ["画蛇添足", "做多余的事反而坏事", "做多余的事情", "多此一举反而坏事", 3],
    ["守株待兔", "不努力而希望得到意外收获", "希望不努力得到收获", "不努力等待意外收获", 4],
]


def test_a_wide_chinese_workbook(in_folder: Path) -> None:
    workbook("结果.xlsx", {"Sheet1": CHINESE})
    assert list(scores("gistmeter text 结果.xlsx")) == ["通义", "gpt4"]


def test_a_wide_chinese_workbook_beside_its_references(in_folder: Path) -> None:
    workbook("结果.xlsx", {"Sheet1": [[row[0], *row[2:]] for row in CHINESE]})
    workbook("参考.xlsx", {"Sheet1": [row[:2] for row in CHINESE]})
    alone = refused("gistmeter text 结果.xlsx", "--language", "zh")
    assert "--systems" in alone or "--references" in alone
    found = scores("gistmeter text 结果.xlsx --references 参考.xlsx")
    assert list(found) == ["通义", "gpt4"]


def test_a_workbook_with_one_sheet_per_model(in_folder: Path) -> None:
    rows = [["idiom", "reference", "prediction"], ["a", "the big dog", "a big dog"]]
    workbook("all.xlsx", {"qwen2": rows, "gpt-4o": rows})
    assert list(scores("gistmeter text all.xlsx --language en")) == ["qwen2", "gpt-4o"]
    workbook("named.xlsx", {"Anna": rows, "Bert": rows})
    result = typed("gistmeter text named.xlsx --language en")
    assert "its sheets are read as systems" in result.stderr
    assert list(scores("gistmeter text named.xlsx --language en")) == ["Anna", "Bert"]


def test_two_files_of_lines(in_folder: Path) -> None:
    Path("ref.txt").write_text("the big dog\na small cat\n")
    Path("hyp.txt").write_text("a big dog\nthe small cat\n")
    line = "gistmeter text hyp.txt --references ref.txt --language en"
    assert scores(line)["hyp"]["scores"]["s_info"]["n"] == 2
    error = refused("gistmeter text hyp.txt --language en")
    option = advised(error, "--references FILE").replace("FILE", "ref.txt")
    assert list(scores("gistmeter text hyp.txt --language en", *option.split())) == ["hyp"]
    Path("hyp.txt").write_text("a big dog\n")
    assert "hyp.txt has 1 line and ref.txt has 2" in refused(line)


def test_from_a_pipe_and_packed(in_folder: Path) -> None:
    table = "id,reference,prediction\na,the big dog,a big dog\n"
    assert scores("gistmeter text - --language en", given=table)
    Path("t.csv.gz").write_bytes(gzip.compress(table.encode()))
    assert list(scores("gistmeter text t.csv.gz --language en")) == ["t"]


# Books.

STORY = (
    "Once there lived an old man by the sea. Every morning he mended his nets.",
    "One day a great storm came and the waves broke his boat. Together they built a new one.",
)


def epub(path: str, chapters: tuple[str, ...]) -> None:
    names = [f"c{at}.xhtml" for at in range(len(chapters))]
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf"/></rootfiles></container>'
    )
    kind = "application/xhtml+xml"
    manifest = "".join(f'<item id="{n}" href="{n}" media-type="{kind}"/>' for n in names)
    spine = "".join(f'<itemref idref="{n}"/>' for n in names)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/epub+zip")
        packed.writestr("META-INF/container.xml", container)
        packed.writestr(
            "book.opf",
            f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest>'
            f"<spine>{spine}</spine></package>",
        )
        for at, (name, text) in enumerate(zip(names, chapters, strict=True), 1):
            page = f"<html><body><h1>Chapter {at}</h1><p>{text}</p></body></html>"
            packed.writestr(name, page)


def test_an_epub_and_its_edition(in_folder: Path) -> None:
    epub("book.epub", STORY)
    epub("short.epub", STORY[:1])
    assert scores("gistmeter book book.epub short.epub")
    error = refused("gistmeter text short.epub --references book.epub")
    advice = error[error.index("gistmeter book") :].strip()
    filled = advice.replace("ORIGINAL", "book.epub").replace("EDITION", "short.epub")
    assert scores(filled)


def test_an_epub_alone_says_what_is_missing(in_folder: Path) -> None:
    epub("book.epub", STORY)
    error = refused("gistmeter book book.epub")
    advice = re.search(r"gistmeter book ORIGINAL EDITION", error)
    assert advice, error
    epub("short.epub", STORY[:1])
    line = advice[0].replace("ORIGINAL", "book.epub").replace("EDITION", "short.epub")
    assert scores(line)


@pytest.mark.parametrize(
    ("name", "command"),
    [("a.conllu", "gistmeter parse"), ("a.srt", "gistmeter speech"), ("a.wav", "--recognizers")],
)
def test_files_of_another_command_name_it(in_folder: Path, name: str, command: str) -> None:
    Path(name).write_bytes(b"x")
    assert command in refused(f"gistmeter text {name}")
