"""The whole way of an editor and of a rater on a phone; pages that fit, and that axe accepts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from report import browser
from report.browser import Tab
from workbench.journey import Journey, wide_workbook
from workbench.served import started, visitor

pytestmark = pytest.mark.browser
AXE = Path(os.environ.get("AXE", ROOT / "build/axe/node_modules/axe-core/axe.min.js"))
SERIOUS = """axe.run({resultTypes: ['violations']}).then((found) => found.violations
  .filter((one) => ['serious', 'critical'].includes(one.impact))
  .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"""


def check_page(tab: Tab, pictures: Path, name: str, *, phone: bool = False) -> list[str]:
    """What is wrong: it does not fit its width, reports an error, or axe calls it serious."""
    wrong = [f"{name}: {message}" for message in tab.messages]
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        tab.picture(pictures / f"{name}-{'390' if phone else '1400'}-{scheme}.png", whole=True)
        if AXE.exists():
            tab.ask("Page.setBypassCSP", enabled=True)
            tab.run(AXE.read_text("utf-8") + ";0")
            wrong += [f"{name}, {scheme}: {found}" for found in tab.run(SERIOUS)]
    tab.prefer("light")
    if (width := tab.run("document.documentElement.scrollWidth")) > (390 if phone else 1400):
        wrong.append(f"{name}: {width} pixels wide")
    return wrong


@pytest.fixture(scope="module")
def opened_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("opened")
    with started(folder) as (_, address), browser.start() as tab:
        visitor(address).close()
        tab.open(address)
        yield tab, address.split("/?", maxsplit=1)[0], folder


def test_an_editor_from_a_dropped_workbook_to_a_signature(opened_folder: Any) -> None:
    tab, base, folder = opened_folder
    pictures = folder.parent / "pictures"
    pictures.mkdir()
    phone, wrong = False, []
    walk = Journey(
        tab, base, lambda name: wrong.extend(check_page(tab, pictures, name, phone=phone))
    )
    tab.resize(1400, 900)
    name = walk.all(wide_workbook(folder.parent / "study.xlsx"), "Zoë 王")
    tab.open(f"{base}/labels/{name}")
    assert tab.run("document.querySelectorAll('line.people').length") == 2
    link = tab.run("document.querySelector('.address').value")
    assert walk.get(f"/signed/docx/{name}")[0] == 200
    assert walk.get(f"/download/xlsx/{name}")[1] > 5000
    phone = True
    tab.resize(390, 844, phone=True)
    for page in ("", f"result/{name}", f"items/{name}", f"review/{name}", f"labels/{name}",
                 f"sign-off/{name}"):  # fmt: skip
        tab.open(f"{base}/{page}")
        walk.look(page.partition("/")[0] or "begin")
    tab.ask("Network.clearBrowserCookies")
    tab.open(link)
    assert not tab.run("document.body.innerText").count("model-")
    walk.say_name("Bo")
    walk.look("rate")
    walk.rate(20)
    assert "20" in tab.run("document.querySelector('[role=status]').innerText")
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    assert [one["rater"] for one in labels] == ["Zoë 王"] * 20 + ["Bo"] * 20
    assert tab.run("fetch('/labels/" + name + "').then((answer) => answer.status)") == 403
    assert not wrong, "\n".join(wrong)
