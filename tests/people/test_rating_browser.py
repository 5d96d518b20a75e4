"""The rating page in a real browser: nothing from outside, by keys and by buttons, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gistmeter.people.designs import Design, draw_sample
from gistmeter.people.rating_sheet import RatingQuestion, rating_sheet, read_sheet
from gistmeter.report.rating_page import rating_page
from people.made_labels import text_run
from report import browser
from report.browser import Tab

pytestmark = pytest.mark.browser
BEGIN = (
    "document.getElementById('rater').value = 'Zoë 王';"
    "document.querySelector('#who button').click(); document.getElementById('work').hidden"
)
KEY = "document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}', bubbles: true}}))"
SAVE = """new Promise((done) => {
  URL.createObjectURL = (blob) => { blob.text().then(done); return '#'; };
  document.getElementById('save').click();
})"""


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browser.start() as opened:
        yield opened


@pytest.mark.parametrize("kind", ["scale", "which"])
def test_what_is_rated_in_the_page_is_read_back(tab: Tab, tmp_path: Path, kind: str) -> None:
    run = text_run(tmp_path, items=20)
    sample = draw_sample(run, Design("active", 16, score="f_beta"))
    made = rating_sheet(run, sample, RatingQuestion(kind, text="<b>Same?</b> </script>"))
    page = tmp_path / "rating.html"
    page.write_text(rating_page(made))
    tab.open(page)
    assert tab.run(BEGIN) is False
    count = len(made.rows)
    for at in range(count):
        tab.run(KEY.format(1 + at % 2))
    done = tab.run("document.getElementById('count').textContent")
    assert done == f"{count} of {count}, {count} rated."
    tab.run("document.getElementById('back').click()")
    tab.run("document.querySelectorAll('#answers button')[0].click()")  # changes one
    saved = tmp_path / "saved.jsonl"
    saved.write_text(tab.run(SAVE))
    found = read_sheet(run, saved)
    assert len(found.labels) == count
    assert {label.rater for label in found.labels} == {"Zoë 王"}
    assert {label.question for label in found.labels} == {"<b>Same?</b> </script>"}
    assert not tab.messages, tab.messages
    assert all(url.startswith(("file:", "data:", "about:")) for url in tab.requests), tab.requests
