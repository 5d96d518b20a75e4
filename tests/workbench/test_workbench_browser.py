"""The workbench in a real browser: a sample of every shape from the first page to the signature."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from report import browser
from report.browser import Tab
from workbench.served import started, visitor

pytestmark = pytest.mark.browser
LINKS = "[...document.querySelectorAll('main a[href], header a[href]')].map(a => a.href)"
STATES = "(document.querySelector('.facts-line') || document.body).innerText"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tab, str]]:
    folder = tmp_path_factory.mktemp("opened")
    with started(folder) as (_, address), browser.start() as tab:
        visitor(address).close()  # it answers
        tab.open(address)
        yield tab, address.split("/?", maxsplit=1)[0]


def press(tab: Tab, key: str, condition: str) -> None:
    tab.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
    tab.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
    tab.until(condition)


def check_links(tab: Tab, seen: dict[str, int]) -> None:
    """Every link of the page leads somewhere; nothing is asked of other servers."""
    for link in {one.split("#")[0] for one in tab.run(LINKS)} - set(seen):
        seen[link] = tab.run(f"fetch({json.dumps(link)}).then((answer) => answer.status)")
    assert not {link: status for link, status in seen.items() if status != 200}
    assert not tab.messages, tab.messages


def standing(tab: Tab, state: str) -> int:
    words = tab.run(STATES).split()
    return int(words[words.index(state) - 1])


@pytest.mark.parametrize("shape", ["text", "book", "parse", "speech"])
def test_a_sample_is_understood_run_reviewed_and_signed(bench: Any, shape: str) -> None:
    tab, base = bench
    seen: dict[str, int] = {}
    tab.open(f"{base}/")
    check_links(tab, seen)
    tab.run(f"document.querySelector('li.q-{shape} form button').click()")
    tab.until("location.pathname.startsWith('/drops/') && document.querySelector('.actions')")
    check_links(tab, seen)
    tab.run("document.querySelector('.actions .primary').click()")
    tab.until("location.pathname.startsWith('/result/')")
    check_links(tab, seen)
    name = tab.run("location.pathname").removeprefix("/result/")
    tab.open(f"{base}/review/{name}")
    if tab.run("!!document.querySelector('[name=who]')"):
        tab.run("document.querySelector('[name=who]').value = 'Zoë 王'")
        tab.run("document.querySelector('form[action=\"/who\"] button').click()")
        tab.until("document.getElementById('decide')")
    assert tab.run("document.querySelectorAll('.side .marked, #drawn svg text').length") > 1
    title = tab.run("document.querySelector('[name=item]').value")
    moved = f"document.querySelector('[name=item]').value !== '{title}'"
    back = f"document.querySelector('[name=item]').value === '{title}'"
    before = standing(tab, "open")
    press(tab, "a", moved)
    assert (standing(tab, "open"), standing(tab, "accepted")) == (before - 1, 1)
    press(tab, "u", back)
    assert (standing(tab, "open"), standing(tab, "accepted")) == (before, 0)
    press(tab, "d", moved)
    assert standing(tab, "dismissed") == 1
    press(tab, "k", back)
    press(tab, "c", "document.activeElement.id === 'comment'")
    check_links(tab, seen)
    tab.open(f"{base}/sign-off/{name}")
    tab.run("document.querySelector('.sign-form button').click()")
    tab.until("document.querySelector('a[href^=\"/signed/docx\"]')")
    check_links(tab, seen)


@pytest.mark.parametrize("width", [1400, 390])
def test_no_page_is_wider_than_the_window(bench: Any, width: int) -> None:
    tab, base = bench
    tab.resize(width, 900, phone=width < 700)
    tab.open(f"{base}/")
    name = tab.run("(document.querySelector('.runs a') || {}).pathname || ''")
    pages = ["/", *(name.replace("/result/", f"/{page}/", 1)
                    for page in ("result", "items", "review", "sign-off") if name)]  # fmt: skip
    for page in pages:
        tab.open(base + page)
        assert tab.run("document.documentElement.scrollWidth") <= width, page
    tab.ask("Emulation.clearDeviceMetricsOverride")


def test_a_tab_whose_session_has_ended_says_so_and_stops_asking(bench: Any) -> None:
    tab, base = bench
    tab.open(f"{base}/")
    tab.run("document.querySelector('li.q-book form button').click()")
    tab.until("location.pathname.startsWith('/drops/') && document.querySelector('.actions')")
    refuses = (
        'window.fetch = async () => new Response(\'{"error": "It has ended"}\', {status: 403})'
    )
    added = tab.ask("Page.addScriptToEvaluateOnNewDocument", source=refuses)
    tab.run("document.querySelector('.actions .primary').click()")
    tab.until("(document.querySelector('#count .reasons') || {}).innerText === 'It has ended'")
    tab.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
    tab.open(tab.run("location.href"))
    tab.until("location.pathname.startsWith('/result/')")
