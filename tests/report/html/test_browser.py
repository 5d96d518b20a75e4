"""The report in a real browser: no errors, no requests, and everything works."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gistmeter.core.comparison import findings_of
from gistmeter.core.rows import Rows
from gistmeter.report.html.page import write_report
from report import browser
from report.browser import Tab
from report.sample_runs import (
    Means,
    book_run,
    finish,
    parse_run,
    recording_run,
    speech_run,
    text_run,
    views,
)

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>window.hurt=1</script>",
    "</script><img src=x onerror='window.hurt=1'>",
    "<img src=x onerror=window.hurt=1>",
    "\u202egnp.exe evil \u2066 hidden",
    "\x1b[31mred\x1b[0m \x00 nul",
    "half \ud800 character",
    "{{ 7*7 }} {% raw %} ${window.hurt=1}",
    "long" * 250_000,
    "javascript:window.hurt=1",
    "&lt;b&gt; &amp;amp; <!-- comment --> ]]>",
)
NAME = "document.querySelector('.drill-head').textContent"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser.start() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All four families in one page."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    loaded = [text_run(), book_run(), parse_run(), speech_run()]
    runs = [run for run, _ in loaded]
    write_report(runs, path, views=views(runs), comparisons=[findings_of(run) for run in runs])
    return path


@pytest.fixture
def shown(tab: Tab, page: Path) -> Tab:
    tab.resize(1280, 900)
    tab.prefer("light")
    tab.open(page)
    return tab


def wait(tab: Tab, script: str) -> Any:
    end = time.monotonic() + browser.WAIT
    while not (value := tab.run(script)):
        assert time.monotonic() < end, script
        time.sleep(0.02)
    return value


def test_it_opens_without_errors_and_without_any_request(shown: Tab, page: Path) -> None:
    assert shown.run("document.querySelectorAll('.items tbody tr').length") > 40
    assert shown.messages == []
    assert shown.requests == [page.resolve().as_uri()]


def test_no_two_elements_share_a_name(shown: Tab) -> None:
    names = shown.run("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(names) == len(set(names))


def test_every_family_is_named_with_its_answer(shown: Tab) -> None:
    answers = shown.run("[...document.querySelectorAll('.answer')].map(p => p.textContent)")
    assert "is ahead on semantic accuracy (s_acc)" in answers[0]
    assert "coverage" in answers[1]
    assert "total" in answers[2]
    assert "moonshine is ahead on word errors (wer)" in answers[3]


def to(tab: Tab, address: str) -> None:
    """Follow an address within the page."""
    tab.run(f"location.hash = {address!r}")
    wait(tab, f"decodeURIComponent(location.hash).startsWith({address!r})")
    tab.rest(100)


def visible(tab: Tab) -> list[str]:
    found: list[str] = tab.run(
        "[...document.querySelectorAll('.tab')].filter(tab => tab.offsetParent).map(tab => tab.id)"
    )
    return found


def test_runs_are_tabs_with_a_summary_in_front(shown: Tab) -> None:
    assert visible(shown) == ["summary"]
    assert shown.run("document.querySelectorAll('.overview li').length") == 4
    shown.run("document.querySelectorAll('.tabs a')[3].click()")
    wait(shown, "location.hash === '#run-3'")
    shown.rest(100)
    assert visible(shown) == ["run-3"]
    assert shown.run("document.querySelector('.tabs [aria-current]').textContent") == "Parse"


def test_an_item_has_an_address_that_can_be_sent(shown: Tab, page: Path) -> None:
    opened(shown, 3)
    name, address = shown.run(NAME), shown.run("location.href")
    assert "#run-4/" in address
    shown.run("document.getElementById('drill').close()")
    wait(shown, "location.hash === '#run-4'")
    shown.ask("Page.navigate", url="about:blank")
    shown.ask("Page.navigate", url=address)
    wait(shown, "document.readyState === 'complete' && document.getElementById('drill')?.open")
    assert shown.run(NAME) == name
    assert visible(shown) == ["run-4"]
    shown.open(page)
    to(shown, "#run-1/no such/item/here")
    assert not shown.run("document.getElementById('drill').open")


def test_an_item_opens_at_its_top(shown: Tab) -> None:
    opened(shown, 1)
    shown.run("document.getElementById('drill').scrollTop = 400")
    shown.run("document.getElementById('drill-next').click()")
    assert shown.run("document.getElementById('drill').scrollTop") == 0
    shown.run("document.getElementById('drill').scrollTop = 400")
    shown.run("document.getElementById('drill').close()")
    opened(shown, 1)
    shown.rest(200)
    assert shown.run("document.getElementById('drill').scrollTop") == 0


def test_charts_fill_any_width_with_letters_of_one_size(shown: Tab) -> None:
    sizes = """[...new Set([...document.querySelectorAll('.chart text, .chart .label, .legend li')]
      .filter(e => e.getClientRects().length).map(e => getComputedStyle(e).fontSize))]"""
    tall = "document.querySelector('#run-4 .row text').getBoundingClientRect().height"
    heights = set()
    for width in (1400, 390):
        shown.resize(width, 900)
        to(shown, "#run-4")
        assert shown.run(sizes) == ["12px"]
        heights.add(round(shown.run(tall)))
        assert shown.run("document.documentElement.scrollWidth") <= width
        broken = """[...document.querySelectorAll('#run-4 .label')]
          .filter(e => e.scrollWidth > e.clientWidth).length"""
        assert shown.run(broken) == 0
    assert len(heights) == 1


def test_names_of_systems_are_unbroken_on_a_wide_screen(tab: Tab, tmp_path: Path) -> None:
    run, _ = text_run(items=8)
    names = {"细心的模型": "careful-model-2.5", "model_b": "qwen2.5-7b-instruct"}
    keys = {**run.rows.keys, "system": [names.get(n, n) for n in run.rows.keys["system"]]}
    again, _ = finish("text", replace(run.rows, keys=keys), run.metrics)
    path = tmp_path / "names.html"
    write_report([again], path, views=views([again]), comparisons=[findings_of(again)])
    tab.resize(1400, 900)
    tab.open(path)
    lines = """[...document.querySelectorAll('.board th[scope=row], .items td.key-cell .clip')]
      .filter(e => e.textContent.includes('-'))
      .map(e => { const range = document.createRange(); range.selectNode(e.lastChild);
        return range.getClientRects().length; })"""
    assert set(tab.run(lines)) == {1}
    cut = """[...document.querySelectorAll('.matrix')].filter(e =>
      e.parentElement.scrollWidth > e.parentElement.clientWidth + 1).length"""
    assert tab.run(cut) == 0


def test_cards_are_as_high_as_what_they_hold(shown: Tab) -> None:
    shown.resize(1400, 900)
    to(shown, "#run-1")
    slack = """Math.max(...[...document.querySelectorAll('#run-1 figure')].map(f =>
      f.getBoundingClientRect().bottom - f.lastElementChild.getBoundingClientRect().bottom))"""
    assert shown.run(slack) < 24


def column(tab: Tab, section: int, name: str) -> list[str]:
    script = f"""(() => {{
      const table = document.querySelectorAll('.items')[{section}].querySelector('table');
      const heads = [...table.querySelectorAll('th')].map(h => h.textContent.replace(/ [↑↓]$/, ''));
      const at = heads.indexOf('{name}');
      return [...table.querySelectorAll('tbody tr')].map(r => r.children[at].textContent);
    }})()"""
    found: list[str] = tab.run(script)
    return found


def sort_by(tab: Tab, section: int, name: str) -> str:
    script = f"""(() => {{
      const heads = [...document.querySelectorAll('.items')[{section}].querySelectorAll('th')];
      const head = heads.find(h => h.textContent.replace(/ [↑↓]$/, '') === '{name}');
      head.querySelector('button').click();
      const again = [...document.querySelectorAll('.items')[{section}].querySelectorAll('th')];
      return again.find(h => h.textContent.startsWith('{name}')).getAttribute('aria-sort');
    }})()"""
    direction: str = tab.run(script)
    return direction


def test_the_table_sorts_both_ways(shown: Tab) -> None:
    assert sort_by(shown, 0, "sts") == "ascending"
    values = [float(cell) for cell in column(shown, 0, "sts") if cell != "–"]
    assert values == sorted(values)
    assert sort_by(shown, 0, "sts") == "descending"
    values = [float(cell) for cell in column(shown, 0, "sts") if cell != "–"]
    assert values == sorted(values, reverse=True)
    assert sort_by(shown, 0, "id") == "ascending"
    ids = column(shown, 0, "id")
    assert ids == sorted(ids, key=lambda one: [int(part) if part.isdigit() else part
                                               for part in re.split(r"(\d+)", one)])  # fmt: skip


def choose(tab: Tab, section: int, label: str, value: str) -> None:
    tab.run(
        f"""(() => {{
      const place = document.querySelectorAll('.items')[{section}];
      const box = place.querySelector('select[aria-label="{label}"]');
      box.value = {value!r}; box.dispatchEvent(new Event('change'));
    }})()"""
    )


def search(tab: Tab, section: int, words: str) -> str:
    tab.run(
        f"""(() => {{
      const place = document.querySelectorAll('.items')[{section}];
      const box = place.querySelector('input[type=search]');
      box.value = {words!r}; box.dispatchEvent(new Event('input'));
    }})()"""
    )
    tab.rest(300)
    count: str = tab.run(
        f"document.querySelectorAll('.items')[{section}].querySelector('.count').textContent"
    )
    return count


def test_the_table_filters_by_system_group_and_score(shown: Tab) -> None:
    choose(shown, 0, "System", "model_b")
    choose(shown, 0, "Group", "original")
    assert set(column(shown, 0, "system")) == {"model_b"}
    assert set(column(shown, 0, "group")) == {"original"}
    assert search(shown, 0, "s_acc<0.7").endswith("of 360")
    assert all(float(cell) <= 0.7 for cell in column(shown, 0, "s_acc"))


def test_the_table_searches_ids_and_texts(shown: Tab) -> None:
    assert search(shown, 0, "守株待兔5") == "9 of 360"  # 守株待兔5 in 3 arrangements and systems
    assert search(shown, 0, "没有见识").endswith("of 360")
    assert search(shown, 0, "nothing like this") == "0 of 360"


def test_unscored_items_can_be_seen_alone(shown: Tab) -> None:
    choose(shown, 0, "Scored or not", "no")
    assert set(column(shown, 0, "s_acc")) == {"–"}
    shown.run("document.querySelector('.items tbody tr').click()")
    assert "no prediction" in wait(shown, "document.getElementById('drill-body').textContent")


def opened(tab: Tab, section: int) -> str:
    tab.run(f"document.querySelectorAll('.items')[{section}].querySelector('tbody tr').click()")
    wait(tab, "document.getElementById('drill').open")
    text: str = tab.run("document.getElementById('drill-body').textContent")
    return text


def has(tab: Tab, selector: str) -> int:
    count: int = tab.run(f"document.querySelectorAll('#drill-body {selector}').length")
    return count


def test_a_text_opens_with_marks_and_bars(shown: Tab) -> None:
    text = opened(shown, 0)
    assert "Prediction" in text
    assert "Reference 2" in text
    assert has(shown, ".m-shared") > 0
    assert has(shown, ".m-negation") > 0
    assert has(shown, ".bars .track") >= 6
    assert has(shown, "[lang=zh]") >= 2


def test_a_book_opens_with_heat_map_and_two_texts_that_point_to_each_other(shown: Tab) -> None:
    opened(shown, 1)
    assert has(shown, ".heat rect") > 8
    assert has(shown, ".heat .way") == 4
    assert shown.run("document.querySelector('#drill-body .heat').clientWidth") > 300
    assert has(shown, ".parallel ol") == 2
    shown.run(
        "document.querySelectorAll('#drill-body .parallel ol')[1].children[1].firstChild.click()"
    )
    lit = shown.run("[...document.querySelectorAll('#drill-body .on')].map(e => e.textContent)")
    assert len(lit) == 2
    assert any("storm" in text for text in lit)
    assert has(shown, ".weak") == 1


def test_a_flag_of_a_book_opens_with_its_reason_and_keeps_its_own_note(
    tab: Tab, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    source = ["Emma rode out.", "Emma met Jane at nine.", "Jane smiled."] * 20
    sentences = [
        {"index": at, "sentence": words.replace("nine", "ten"), "place": at, "home": at,
         "covered": True, "aligned_similarity": 0.9,
         **({"changed": ["number: nine → ten"],
             "marks": {"source": [[17, 21]], "sentence": [[17, 20]]}} if at in (1, 58) else {})}
        for at, words in enumerate(source)
    ]  # fmt: skip
    chapters = [
        {"title": f"Chapter {number + 1}", "first": 30 * number, "last": 30 * number + 29,
         "words": 90, "kept_words": 90.0, "cut": 0.0, "sentences": 30, "unsupported": 0.0,
         "moved": 0, "changed": 1}
        for number in range(2)
    ]  # fmt: skip
    run, _ = book_run()
    assert run.rows is not None
    document = {
        "kind": "book", "title": "Emma", "source": {"sentences": source},
        "sentences": sentences, "chapters": chapters,
        "people": [{"names": ["Emma Woodhouse", "Emma"], "mentions": 9}],
    }  # fmt: skip
    run = replace(run, rows=run.rows.with_details({"Emma.json": document}), path=None)
    write_report([run], path, views=views([run]), comparisons=[findings_of(run)])
    tab.open(path)
    people = "document.querySelector('textarea.people')"
    assert tab.run(f"{people}.value") == "Emma Woodhouse = Emma"
    tab.run("window.saved = null; URL.createObjectURL = (made) => { saved = made; return '#'; }")
    tab.run(f"{people}.value += ' = Miss Woodhouse'")
    tab.run(f"{people}.closest('details').querySelector('button').click()")
    tab.run("saved.text().then((words) => { window.words = words; })")
    wait(tab, "window.words === 'Emma Woodhouse = Emma = Miss Woodhouse\\n'")
    folds = "document.querySelectorAll('.b-findings details')"
    assert tab.run(f"[...{folds}].map(one => one.textContent)") == [
        "Chapter 1  kept 100%; 1 changed", "Chapter 2  kept 100%; 1 changed",
    ]  # fmt: skip
    tab.run(f"{folds}[1].open = true")
    wait(tab, f"!!{folds}[1].querySelector('.found button')")
    tab.run(f"{folds}[1].querySelector('.found button').click()")
    wait(tab, "document.getElementById('drill').open")
    assert "number: nine → ten" in tab.run("document.querySelector('.flag-reason').textContent")
    marked = "[...document.querySelectorAll('.flag-texts .m-alarm')].map(one => one.textContent)"
    assert tab.run(marked) == ["ten", "nine"]
    shown_lines = "[...document.querySelectorAll('.flag-texts p .no')].map(one => one.textContent)"
    assert tab.run(shown_lines) == ["58", "59", "60", "58", "59", "60"]
    write = (
        "const note = document.querySelector('#drill-marks input'); note.value = 'ask the author';"
    )
    tab.run(f"(() => {{ {write} note.dispatchEvent(new Event('input')); }})()")
    tab.run("document.getElementById('drill').close()")
    tab.run(f"{folds}[0].open = true")
    wait(tab, f"!!{folds}[0].querySelector('.found button')")
    tab.run(f"{folds}[0].querySelector('.found button').click()")
    assert tab.run("document.querySelector('#drill-marks input').value") == ""
    assert not tab.messages


def test_the_map_of_a_long_book_can_be_read_on_a_phone(tab: Tab, tmp_path: Path) -> None:
    path, size, count = tmp_path / "report.html", 444, 37
    source = [f"Sentence {at} stands here." for at in range(size)]
    sentences = [
        {"index": at, "sentence": words, "place": at, "home": at, "covered": at % 3 > 0,
         "aligned_similarity": 0.9, "moved": at == 7}
        for at, words in enumerate(source)
    ]  # fmt: skip
    chapters = [
        {"title": f"Chapter {at + 1}", "first": 12 * at, "last": 12 * at + 11, "words": 90,
         "kept_words": 60.0, "cut": 0.0, "sentences": 12, "unsupported": 4.0, "moved": 0,
         "changed": 0}
        for at in range(count)
    ]  # fmt: skip
    moves = [{"first": 7, "last": 7, "start": 200, "end": 200, "before": True, "other": 9,
              "text": "Part of Chapter 17 stands before Chapter 2"}]  # fmt: skip
    run, _ = book_run()
    assert run.rows is not None
    document = {"kind": "book", "title": "Emma", "source": {"sentences": source},
                "sentences": sentences, "chapters": chapters, "moves": moves}  # fmt: skip
    run = replace(run, rows=run.rows.with_details({"Emma.json": document}), path=None)
    write_report([run], path, views=views([run]), comparisons=[findings_of(run)])
    tab.resize(390, 844)
    tab.open(path)
    wait(tab, "!!document.querySelector('.book-map text').textContent")
    spans = tab.run(
        "[...document.querySelectorAll('.book-map text')].filter(one => one.textContent)"
        ".map(one => [one.textContent, one.getBoundingClientRect().left,"
        " one.getBoundingClientRect().right])"
    )
    assert 6 <= len(spans) < count
    assert all(before[2] < after[1] for before, after in pairwise(spans))
    assert {float(one) for one in tab.run(
        "[...document.querySelectorAll('.book-map circle.f-i')].map(one => one.getAttribute('r'))"
    )} == {1.5}  # fmt: skip
    assert tab.run("document.querySelectorAll('.book-map circle.frame').length") == 1
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")
    assert not tab.messages
    tab.resize(1280, 900)


def test_a_parse_opens_with_both_trees_and_the_taxonomy(shown: Tab) -> None:
    text = opened(shown, 2)
    assert has(shown, ".tree-scroll svg") == 1
    assert has(shown, ".arc-gold") >= 2
    assert has(shown, ".arc-wrong") >= 2
    assert has(shown, ".tree-scroll .whose") == 3  # the gold and both systems
    assert "DOG → CANINAE → ANIMAL" in text
    assert "≠ NOUN" in text


def test_a_click_on_a_confusion_lists_its_sentences(shown: Tab) -> None:
    shown.run("document.querySelector('.finder[data-query=\"upos:VERB>NOUN\"]').click()")
    place = "document.querySelector('.items[data-section=run-3]')"
    assert shown.run(f"{place}.querySelectorAll('tbody tr').length") == 1
    assert "The dog saw her duck" in shown.run(f"{place}.querySelector('tbody').textContent")


def test_a_clip_opens_with_its_diff_and_three_groups_of_facts(shown: Tab) -> None:
    text = opened(shown, 3)
    assert has(shown, "del") >= 2
    assert has(shown, "ins") >= 2
    for title in ("In both (1)", "Missing from the transcript (1)", "Only in the transcript (1)"):
        assert title in text


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a recording of 3,000 words."""
    path = tmp_path_factory.mktemp("recording") / "report.html"
    run, _ = recording_run()
    write_report([run], path, views=views([run]), comparisons=[findings_of(run)])
    return path


def pieces(tab: Tab) -> list[str]:
    """What a reader sees of the recording: the lines in view, which are written as they come."""
    wait(tab, "document.querySelector('.along li').getClientRects().length")
    tab.rest(300)
    wait(tab, "[...document.querySelectorAll('.along li')].some(line => line.firstChild)")
    found: list[str] = tab.run(
        """(() => { const box = document.querySelector('.along').getBoundingClientRect();
        return [...document.querySelectorAll('.along li')].filter(line => {
          const own = line.getBoundingClientRect();
          return own.bottom > box.top + 5 && own.top < box.bottom - 5; })
          .map(line => line.textContent); })()"""
    )
    return found


def sees(tab: Tab, text: str, lines: int | None = None) -> bool:
    """Whether a text comes into view, among the first lines; a busy machine scrolls late."""
    end = time.monotonic() + browser.WAIT / 2
    while not any(text in line for line in pieces(tab)[:lines]):
        if time.monotonic() > end:
            return False
    return True


def test_a_whole_recording_can_be_read_along(tab: Tab, recording: Path) -> None:
    tab.resize(1400, 900)
    tab.prefer("light")
    tab.open(recording)
    assert tab.run("document.querySelectorAll('.recording .error-map').length") == 2
    tab.run("document.querySelector('.recording button').click()")
    assert wait(tab, "document.getElementById('drill').open")
    assert sees(tab, "w0 w1 w2", 1)
    assert tab.run("document.querySelectorAll('.along li').length") == 100
    assert tab.run("document.querySelector('#drill .b-along .count').textContent") == (
        "8 errors in 100 pieces"
    )
    tab.run("document.querySelector('.next-error').click()")
    assert sees(tab, "oops")
    assert tab.run("document.querySelector('.along .now').textContent") == "w50 oops"
    tab.run("document.querySelector('.next-error').click()")
    assert tab.run("document.querySelector('.along .now').textContent") == "w550 oops"
    assert sees(tab, "w550")
    assert tab.messages == []
    assert tab.requests == [recording.resolve().as_uri()]


def test_the_map_of_errors_leads_to_the_worst_place(tab: Tab, recording: Path) -> None:
    tab.resize(1400, 900)
    tab.open(recording)
    tab.run(
        """(() => { const map = document.querySelectorAll('.recording .error-map')[1];
        const box = map.getBoundingClientRect();
        map.dispatchEvent(new MouseEvent('click',
          { clientX: box.left + 0.405 * box.width, clientY: box.top + 5 })); })()"""
    )
    assert wait(tab, "document.getElementById('drill').open")
    assert sees(tab, "w1215")
    assert tab.run("document.getElementById('drill-sub').textContent").startswith("hasty")
    tab.run(
        """(() => { const box = document.querySelector('select[aria-label="Order of the pieces"]');
        box.value = 'worst'; box.dispatchEvent(new Event('change'));
        document.querySelector('.along').scrollTop = 0; })()"""
    )
    assert sees(tab, "w1200", 1)
    tab.run("document.querySelectorAll('#drill .b-along .chips button')[1].click()")
    assert sees(tab, "oops", 1)
    assert "w1200" not in pieces(tab)[0]
    assert tab.run("document.querySelectorAll('.along li')[0].children.length") == 3


def test_a_recording_fits_a_phone(tab: Tab, recording: Path) -> None:
    tab.resize(390, 800, phone=True)
    tab.open(recording)
    assert tab.run("document.documentElement.scrollWidth") <= 390
    tab.run("document.querySelector('.recording button').click()")
    assert wait(tab, "document.getElementById('drill').open")
    assert tab.run("document.getElementById('drill').scrollWidth <= 390")
    assert sees(tab, "careful", 1)


def test_it_can_be_used_with_the_keyboard_alone(shown: Tab) -> None:
    to(shown, "#run-1")
    shown.run("document.querySelector('.items tbody tr').focus()")
    shown.press("ArrowDown")
    assert shown.run("document.activeElement === document.querySelectorAll('.items tbody tr')[1]")
    shown.press("Enter")
    assert wait(shown, "document.getElementById('drill').open")
    first = shown.run(NAME)
    shown.press("ArrowRight")
    assert shown.run(NAME) != first
    shown.press("Escape")
    assert not shown.run("document.getElementById('drill').open")
    assert shown.run("document.activeElement.tagName") == "TR"


def test_systems_change_places_within_an_item(shown: Tab) -> None:
    opened(shown, 0)
    names = shown.run(
        "[...document.querySelectorAll('#drill-systems button')].map(b => b.textContent)"
    )
    assert len(names) == 3
    shown.run("document.querySelectorAll('#drill-systems button')[0].click()")
    assert shown.run("document.getElementById('drill-sub').textContent").startswith("细心的模型")


def beside(tab: Tab, section: int = 0) -> list[list[str]]:
    """The cells of the table with a column for each system."""
    found: list[list[str]] = tab.run(
        f"[...document.querySelectorAll('.beside')[{section}].querySelectorAll('tbody tr')]"
        ".map(row => [...row.children].map(cell => cell.textContent))"
    )
    return found


def pick(tab: Tab, label: str, value: str) -> None:
    tab.run(
        f"""(() => {{
      const box = document.querySelector('.beside select[aria-label="{label}"]');
      box.value = {value!r}; box.dispatchEvent(new Event('change'));
    }})()"""
    )


def test_systems_stand_side_by_side_one_row_per_item(shown: Tab) -> None:
    rows = beside(shown)
    gaps = [float(row[0].split("difference ")[1]) for row in rows]
    assert gaps == sorted(gaps, reverse=True)
    assert len(gaps) == 8
    assert all(len(row) == 5 for row in rows)  # name, reference, three systems
    assert all("比喻" in row[1] for row in rows)
    assert all(cell.endswith("= 细心的模型") for row in rows for cell in row[3:] if "–" not in cell)
    pick(shown, "Which items", "none")
    assert all(any(cell.startswith("–") for cell in row[2:]) for row in beside(shown))
    assert len(beside(shown)) == 3
    pick(shown, "Which items", "")
    pick(shown, "Order", "worst")
    worst = [min(float(cell[:5]) for cell in row[2:] if cell[0] != "–") for row in beside(shown)]
    assert worst == sorted(worst)
    marked = "document.querySelectorAll('.beside')[2].querySelectorAll('del').length"
    assert shown.run("document.querySelectorAll('.beside .m-shared').length") > 0
    assert shown.run(marked) > 0


def test_side_by_side_shows_what_was_asked_and_has_the_filters_of_the_input(
    tab: Tab, tmp_path: Path
) -> None:
    run, _ = text_run()
    rows = run.measured
    ids = rows.keys["id"]
    topics = ["med" if name == ids[0] else "law" for name in ids]
    asked = [f"What is {name}?" for name in ids]
    rows = rows.with_texts({**rows.texts, "question": asked, "topic": topics})
    named = replace(run, rows=rows, notes={**run.notes, "columns": ["question", "topic"]})
    path = tmp_path / "asked.html"
    write_report([named], path, views=views([named]), comparisons=[findings_of(named)])
    tab.open(path)
    assert all(row[1].startswith("What is ") for row in beside(tab))
    pick(tab, "topic, side by side", "med")
    kept = beside(tab)
    assert kept and all(row[1].startswith(f"What is {ids[0]}?") for row in kept)


def test_no_system_is_shown_with_words_that_are_not_its_own(tab: Tab, tmp_path: Path) -> None:
    text, _ = text_run()
    clips, _ = speech_run()
    texts = {name: list(column) for name, column in clips.rows.texts.items()}
    texts["got"][0] = texts["diff"][0] = texts["facts"][0] = None  # of moonshine's first clip
    silent, _ = finish("speech", replace(clips.rows, texts=texts), clips.metrics)
    path = tmp_path / "silent.html"
    write_report([text, silent], path, views=views([text, silent]))
    tab.resize(1280, 900)
    tab.open(path)
    pick(tab, "Which items", "none")
    unscored = [cell for row in beside(tab) for cell in row[2:] if cell.startswith("–")]
    assert unscored == ["–(empty)"] * 3
    tab.run("document.querySelectorAll('.beside')[1].querySelector('.more-button').click()")
    said = [row[2] for row in beside(tab, 1) if row[0].startswith("clip-00")]
    assert len(said) == 1
    assert said[0].endswith("(none)")
    assert "fox" not in said[0]


def test_a_cell_opens_its_systems_item(shown: Tab) -> None:
    shown.run("document.querySelectorAll('.beside tbody tr')[0].children[3].firstChild.click()")
    assert wait(shown, "document.getElementById('drill').open")
    assert shown.run("document.getElementById('drill-sub').textContent").startswith("model_b")


def test_stars_and_notes_stay_with_the_item_and_can_be_taken_along(shown: Tab, page: Path) -> None:
    opened(shown, 3)
    name = shown.run(NAME)
    shown.run("document.querySelector('.star').click()")
    shown.run(
        "(() => { const box = document.querySelector('.marks input');"
        " box.value = 'look <b>again</b>'; box.dispatchEvent(new Event('input')); })()"
    )
    shown.open(page)
    choose(shown, 3, "Scored or not", "marked")
    assert len(column(shown, 3, "id")) == 1
    assert column(shown, 3, "id")[0].startswith("★ ")
    opened(shown, 3)
    assert shown.run(NAME) == name
    assert shown.run("document.querySelector('.marks input').value") == "look <b>again</b>"
    shown.run(
        "(() => { window.taken = null; URL.createObjectURL = (blob) => {"
        " blob.text().then((text) => { window.taken = text; }); return 'data:,'; };"
        " document.querySelectorAll('.save')[3].click(); })()"
    )
    assert '"note": "look <b>again</b>"' in wait(shown, "window.taken")
    shown.run("document.querySelector('.star').click()")
    shown.run(
        "(() => { const box = document.querySelector('.marks input');"
        " box.value = ''; box.dispatchEvent(new Event('input')); })()"
    )
    assert shown.run("document.querySelectorAll('.save')[3].hidden")


def luminance(tab: Tab, element: str, name: str) -> float:
    text = tab.run(f"getComputedStyle(document.querySelector('{element}')).{name}")
    red, green, blue = (int(part) for part in text[text.index("(") + 1 : -1].split(",")[:3])
    parts = [channel / 255 for channel in (red, green, blue)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(tab: Tab, element: str) -> float:
    ink = luminance(tab, element, "color")
    paper = luminance(tab, ".section", "backgroundColor")
    return (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)


def test_light_and_dark_are_both_readable(shown: Tab) -> None:
    assert luminance(shown, "body", "backgroundColor") > 0.8
    for element in (".answer", ".small", ".board small", ".items td.snippet"):
        assert contrast(shown, element) >= 4.5, element
    shown.prefer("dark")
    assert luminance(shown, "body", "backgroundColor") < 0.05
    for element in (".answer", ".small", ".board small", ".items td.snippet"):
        assert contrast(shown, element) >= 4.5, element
    label = shown.run("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert "162" in label  # the pictures' labels follow the page


def test_the_theme_button_wins_over_the_system(shown: Tab) -> None:
    shown.run("document.getElementById('theme').click()")
    assert luminance(shown, "body", "backgroundColor") < 0.05
    shown.run("document.getElementById('theme').click()")
    assert luminance(shown, "body", "backgroundColor") > 0.8


def test_it_fits_a_phone(shown: Tab) -> None:
    shown.resize(360, 740, phone=True)
    assert shown.run("document.documentElement.scrollWidth") <= 360
    cells = "[...document.querySelectorAll('.beside td[data-system]')]"
    right = f"{cells}.map((cell) => cell.getBoundingClientRect().right)"
    assert shown.run(f"Math.max(...{right})") <= 360  # what systems said, without scrolling
    assert "细心的模型" in shown.run(f"getComputedStyle({cells}[0], '::before').content")
    for section in range(4):
        opened(shown, section)
        assert shown.run("document.getElementById('drill').scrollWidth <= 360")
        shown.run("document.getElementById('drill').close()")


def test_it_prints_without_its_controls(shown: Tab) -> None:
    shown.prefer("light", media="print")
    assert shown.run("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert len(shown.ask("Page.printToPDF")["data"]) > 10_000
    shown.prefer("light", media="screen")


@pytest.fixture
def hostile_page(tmp_path: Path) -> Callable[[str], Path]:
    def build(command: str) -> Path:
        size = len(HOSTILE)
        texts: dict[str, list[str | None]] = {
            name: list(HOSTILE)
            for name in ("prediction", "reference", "diff", "facts", "sentence", "source_sentence")
        }
        keys = {
            "id": [f"{number} {text[:5000]}" for number, text in enumerate(HOSTILE)],
            "system": [text[:3000] for text in HOSTILE],
            "group": [text[:3000] for text in HOSTILE[::-1]],
            "cluster": [str(number) for number in range(size)],
        }
        rows = Rows(keys, np.arange(size)).with_numbers({"kept": np.linspace(0, 1, size)})
        rows = rows.with_texts(texts).with_reasons("kept", dict(enumerate(HOSTILE)))
        run, _ = finish(
            command,
            rows,
            {"m": Means(("kept",))},
            notes={"lost": [{"word": text[:200]} for text in HOSTILE]},
        )
        path = tmp_path / f"{command}.html"
        write_report([run], path, views=views([run]), comparisons=[findings_of(run)])
        return path

    return build


@pytest.mark.parametrize("command", ["text", "<b>plug-in</b>"])
def test_hostile_text_is_shown_and_does_nothing(
    tab: Tab, hostile_page: Callable[[str], Path], command: str
) -> None:
    tab.resize(1280, 900)
    tab.prefer("light")
    path = hostile_page(command.strip("<>/b"))
    tab.open(path)
    rows = tab.run("document.querySelectorAll('.items tbody tr').length")
    assert rows == len(HOSTILE)
    for at in range(rows):
        tab.run(f"document.querySelectorAll('.items tbody tr')[{at}].click()")
        tab.run("document.getElementById('drill').close()")
    assert tab.run("window.hurt") is None
    assert tab.run("document.documentElement.scrollWidth") <= 1280
    assert tab.run("document.querySelectorAll('img[src=x]').length") == 0
    assert tab.run("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)") is False
    assert tab.messages == []
    assert tab.requests == [path.resolve().as_uri()]
    assert path.stat().st_size < 3_000_000


def test_a_very_large_run_opens_with_the_items_worth_seeing(tab: Tab, tmp_path: Path) -> None:
    loaded = text_run(items=1000, systems=3)
    path = tmp_path / "large.html"
    write_report([loaded[0]], path, views=views([loaded[0]]))
    assert path.stat().st_size <= 3_000_000
    tab.resize(1280, 900)
    tab.open(path)
    note = tab.run("document.querySelector('.note').textContent")
    assert "of 9,000 rows" in note
    assert "the worst by s_acc" in note
    assert tab.run("document.querySelectorAll('.items tbody tr').length") == 25
