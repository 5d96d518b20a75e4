"""Names and texts that try to be more: every payload, into every format that we write."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gistmeter import Run, load_run, score_speech, score_text
from gistmeter.core.files import CONTROL
from gistmeter.core.run import write_report
from gistmeter.core.table import read_table
from gistmeter.core.views import View
from gistmeter.report import comparison_text
from gistmeter.report.diff import render_pair
from gistmeter.report.export import FORMULA_STARTS, markdown
from gistmeter.report.latex import latex
from gistmeter.report.terminal import Screen, print_run
from trust.payloads import ALL


def run_of(payloads: tuple[str, ...], **options: object) -> Run:
    """A run in which payloads are systems, ids, groups, what was said and what was heard."""
    count = len(payloads)
    return score_speech(
        [f"one two {text}" for text in payloads],
        {f"{text}{at}": [f"one {text}"] * count for at, text in enumerate(payloads)},
        ids=[f"{text}{at}" for at, text in enumerate(payloads)],
        groups=[f"{text}" for text in payloads],
        language="en", metrics=["wer"], resamples=0, **options,
    )  # fmt: skip


def plain_names(count: int) -> tuple[str, ...]:
    return tuple(f"name {at} of a system" for at in range(count))


PARTS = tuple(ALL[at : at + 6] for at in range(0, len(ALL), 6))


@pytest.fixture(params=PARTS, ids=lambda part: ascii(part[0]))
def part(request: pytest.FixtureRequest, record_property: object) -> tuple[str, ...]:
    record_property("tries", len(request.param))  # type: ignore[operator]
    return tuple(request.param)


class Structure(HTMLParser):
    """The elements of a page with the names of their attributes, and what they point to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[tuple[str, ...]] = Counter()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag, *sorted(name for name, _ in attrs)] += 1
        self.targets |= {
            value or ""
            for name, value in attrs
            if name in {"href", "src", "action", "srcdoc", "xlink:href", "data"}
        }


def structure(text: str) -> Structure:
    found = Structure()
    found.feed(text)
    return found


def test_a_page_has_no_element_of_theirs(part: tuple[str, ...], tmp_path: Path) -> None:
    """No other elements and attributes than a page of harmless names, and no more of those that
    could do something."""
    pages = []
    for names in (part, plain_names(len(part))):
        run = run_of(names)
        write_report([run], tmp_path / "report.html")
        pages.append(structure((tmp_path / "report.html").read_text("utf-8")))
    hostile, harmless = pages[0].found, pages[1].found
    assert set(hostile) <= set(harmless)
    for kind in {*hostile, *harmless}:
        if kind[0] in ACTIVE:
            assert hostile[kind] == harmless[kind], kind
    assert not any("evil" in target or "owned" in target for target in pages[0].targets)


def test_pages_of_single_items_have_no_element_of_theirs(part: tuple[str, ...]) -> None:
    from gistmeter.core.family import family_of

    family = family_of("speech")
    for names in (part, plain_names(len(part))):
        for _, view in family.pages(run_of(names)):
            found = structure(render_pair(view))
            assert not any("evil" in target or "owned" in target for target in found.targets)
            assert {tag for tag, *_ in found.found} <= ELEMENTS, found.found
            assert not any(name.startswith("on") for _, *names in found.found for name in names)


ACTIVE = {
    "script", "style", "iframe", "base", "link", "meta", "form", "input", "img", "object", "embed",
    "a", "b",
}  # fmt: skip
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "h1",
    "h2", "h3", "p", "div", "span", "table", "thead", "tbody", "tr", "th", "td", "ins", "del",
    "mark", "footer", "ul", "ol", "li", "dl", "dt", "dd", "strong", "em", "b", "i", "small", "code",
    "pre", "br", "caption", "details", "summary",
}  # fmt: skip


def test_a_spreadsheet_runs_nothing(part: tuple[str, ...], tmp_path: Path) -> None:
    run_of(part).write(tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        for name in book.namelist():
            text = book.read(name).decode("utf-8")
            assert "externalLink" not in name and "macro" not in name.lower()
            if "worksheets/" in name:
                assert "<f>" not in text and "<f " not in text
                assert "hyperlink" not in text


def test_no_cell_of_csv_is_a_formula(part: tuple[str, ...], tmp_path: Path) -> None:
    run = run_of(part)
    for suffix, mark in ((".csv", ","), (".tsv", "\t")):
        for path in run.write(tmp_path / f"x{suffix}"):
            text = path.read_bytes().decode("utf-8-sig")
            delimiter = "," if path.suffix == ".csv" else mark
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
                for cell in row:
                    assert not cell.startswith(FORMULA_STARTS) or _number(cell), ascii(cell)


def _number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9.]+(e[-+]?\d+)?", cell) is not None


def check_markdown(text: str) -> None:
    assert not CONTROL.search(text), ascii(text)
    assert not re.search(r"<(?!\s)", text), text  # no HTML
    assert not re.search(r"(?<!\\)\]\(", text), text  # no link, no picture
    bare = re.sub(r"\\.", "", re.sub(r"`[^`]*`", "", text))
    assert "`" not in bare and "*" not in bare.replace("*|", "").replace("* ", ""), bare
    cells = {
        line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("|")
    }
    assert len(cells) <= 3


def test_markdown_stays_text(part: tuple[str, ...]) -> None:
    run = run_of(part)
    text = markdown(run, View())
    check_markdown(text)
    assert sum(line.startswith("|") for line in text.splitlines()) == 2 + len(part)


def test_comparisons_stay_text_in_markdown_latex_and_csv(part: tuple[str, ...]) -> None:
    found = [run_of(part).compare(resamples=100).to_dict()]
    check_markdown(comparison_text.to_markdown(found))
    latex = comparison_text.to_latex(found)
    commands = set(re.findall(r"\\([A-Za-z]+)", latex))
    assert commands <= {
        "usepackage", "begin", "end", "centering", "caption", "texttt", "toprule", "midrule",
        "bottomrule", "textasciitilde", "textasciicircum", "textbackslash", "textless",
        "textgreater",
    }, commands  # fmt: skip
    bare = re.sub(r"\\[{}]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert not CONTROL.search(latex)
    assert re.search(r"(?<!\\)%", latex[1:]) is None
    for row in csv.reader(io.StringIO(comparison_text.to_csv(found), newline="")):
        assert not any(cell.startswith(FORMULA_STARTS) and not _number(cell) for cell in row)


def test_a_terminal_shows_text(part: tuple[str, ...]) -> None:
    screen = Screen()
    stream = io.StringIO()
    screen.file = stream
    run = run_of(part)
    print_run(run, screen)
    comparison_text.print_comparison(run.compare(resamples=100).to_dict(), screen)
    assert not CONTROL.search(stream.getvalue()), ascii(stream.getvalue())


def test_names_are_kept_as_they_are(part: tuple[str, ...], tmp_path: Path) -> None:
    """Harmless where they are shown, unharmed where they are kept."""
    run = run_of(part, output=[tmp_path / "run"])
    kept = load_run(tmp_path / "run")
    assert list(kept.systems) == list(run.systems)
    assert set(kept.to_polars()["id"].to_list()) == set(run.to_polars()["id"].to_list())
    inside = [path.resolve() for path in (tmp_path / "run").rglob("*")]
    assert all(path.is_relative_to(tmp_path.resolve()) for path in inside)


def sliced_run(payloads: tuple[str, ...], folder: Path) -> Run:
    """A run that is reported by a column whose header and values are payloads."""
    path, header = folder / "answers.csv", payloads[0].strip("\r\n\t\x00 ").replace(",", ";")
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "system", "reference", "prediction", f"x{header}"])
        for at in range(24):
            kind = payloads[at % len(payloads)].replace("\x00", "0") or "none"
            for system in ("[1cm]a", "*b"):
                table.writerow([at, system, "it rains today", "it rained" * (at % 3), kind])
    column = read_table(path).columns[-1]
    return score_text(
        path, language="en", metrics=["s_info"], resamples=20, by=[column], output=[folder / "run"]
    )


def test_columns_stay_text_in_every_format(part: tuple[str, ...], tmp_path: Path) -> None:
    """Headers and values of the input's further columns, by which scores are shown."""
    pages = []
    for number, names in enumerate((part, plain_names(len(part)))):
        folder = tmp_path / str(number)
        folder.mkdir()
        run = sliced_run(names, folder)
        assert run.slices
        write_report([run], folder / "report.html")
        pages.append(structure((folder / "report.html").read_text("utf-8")))
        check_latex(latex(run, View()))
        check_markdown(markdown(run, View()))
        screen, stream = Screen(), io.StringIO()
        screen.file = stream
        print_run(run, screen)
        assert not CONTROL.search(stream.getvalue()), ascii(stream.getvalue())
        for path in run.write(folder / "x.csv"):
            text = path.read_bytes().decode("utf-8-sig")
            for row in csv.reader(io.StringIO(text, newline="")):
                assert not any(c.startswith(FORMULA_STARTS) and not _number(c) for c in row), row
    assert set(pages[0].found) <= set(pages[1].found)
    assert not any("evil" in target or "owned" in target for target in pages[0].targets)


def check_latex(text: str) -> None:
    """No command, group or option of theirs; a line that begins with [ is an option of the last."""
    commands = set(re.findall(r"\\([A-Za-z]+)", re.sub(r"(?m)^%.*$", "", text)))
    assert commands <= {
        "begin", "end", "centering", "caption", "texttt", "toprule", "midrule", "bottomrule",
        "textasciitilde", "textasciicircum", "textbackslash", "textless", "textgreater", "textbf",
        "scriptsize", "uparrow", "downarrow",
    }, commands  # fmt: skip
    assert not re.search(r"(?m)^\s*[\[*]", text), text
    bare = re.sub(r"\\[{}]", "", re.sub(r"(?m)^%.*$", "", text))
    assert bare.count("{") == bare.count("}")
    assert not CONTROL.search(text)
    assert re.search(r"(?<!\\)%", bare) is None
