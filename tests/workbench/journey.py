"""A wide workbook in a real browser: dropped, mended, scored, rated blind, signed off."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xlsxwriter

from report.browser import Tab

WHO = (
    "The ferry",
    "Our neighbour",
    "The committee",
    "A young nurse",
    "The old bridge",
    "My brother",
)
DID = (("opens at nine", "starts at nine o'clock", "closes at nine"),
       ("was never repaired", "has not been repaired at all", "was repaired last year"),
       ("lost 40 euros", "has lost forty euros", "won 400 euros"),
       ("came before the storm", "arrived before it stormed", "left after the storm"))  # fmt: skip


def wide_workbook(path: Path) -> Path:
    """Twenty-four items; the column `Reference` is a source, and `Editor` what is meant."""
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("answers")
    sheet.write_row(0, 0, ["id", "Reference", "Editor", "model-a", "model-b", "topic"])
    cells = [(who, *did) for did in DID for who in WHO]
    for at, (who, said, same, wrong) in enumerate(cells, 1):
        good, bad = (wrong, same) if at % 6 == 0 else (same, wrong if at % 2 else same)
        sheet.write_row(at, 0, [at, f"Source {at}: {wrong}", f"{who} {said}.", f"{who} {good}.",
                                f"{who} {bad}.", "town" if at % 2 else "family"])  # fmt: skip
    book.close()
    return path


@dataclass
class Journey:
    """The steps of one person; `look` is called on every page, by a name."""

    tab: Tab
    base: str
    look: Callable[[str], None]

    def click(self, selector: str, condition: str = "true") -> None:
        """Press what a selector finds, and wait for the page that follows."""
        self.tab.run(f"window.left = false; document.querySelector({json.dumps(selector)}).click()")
        self.tab.until(f"window.left === undefined && ({condition})")

    def key(self, key: str) -> None:
        """Press a key that leads to another page."""
        self.tab.run("window.left = false")
        self.tab.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.tab.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.tab.until("window.left === undefined")

    def drop(self, file: Path) -> None:
        """Drag a file onto the first page."""
        self.tab.open(f"{self.base}/")
        self.look("begin")
        self.tab.run("document.body.append(Object.assign(document.createElement('input'),"
                     " {type: 'file', id: 'carried'}))")  # fmt: skip
        root = self.tab.ask("DOM.getDocument")["root"]["nodeId"]
        carried = self.tab.ask("DOM.querySelector", nodeId=root, selector="#carried")["nodeId"]
        self.tab.ask("DOM.setFileInputFiles", nodeId=carried, files=[str(file)])
        self.tab.run(
            "(() => { const zone = document.getElementById('drop');"
            " const dataTransfer = new DataTransfer();"
            " dataTransfer.items.add(document.getElementById('carried').files[0]);"
            " for (const kind of ['dragenter', 'dragover', 'drop']) zone.dispatchEvent("
            "new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true})); })()"
        )
        self.tab.until("location.pathname.startsWith('/drops/')")
        self.look("understood")

    def mend(self) -> None:
        """The column that was taken for the reference is none; another one is."""
        role = "document.querySelector('select[aria-label$=\"{}\"]')"
        assert self.tab.run(f"{role.format('Reference')}.value") == "reference"
        self.tab.run(
            f"{role.format('Reference')}.value = '';{role.format('Editor')}.value = 'reference'"
        )
        self.click("#understood button:not(.primary)", "location.pathname.startsWith('/drops/')")
        assert self.tab.run(f"{role.format('Editor')}.value") == "reference"
        self.look("mended")

    def score(self) -> str:
        """Start the run, wait for its result; returns its name."""
        self.click(".actions .primary", "location.pathname.startsWith('/jobs/')"
                   " || location.pathname.startsWith('/result/')")  # fmt: skip
        self.tab.until("location.pathname.startsWith('/result/')")
        self.look("result")
        name: str = self.tab.run("location.pathname").removeprefix("/result/")
        return name

    def open_worst(self, name: str) -> None:
        self.tab.open(f"{self.base}/items/{name}?sort=gist")
        self.tab.until("document.querySelector('tr[data-at]')")
        self.tab.run("document.querySelector('tr[data-at]').focus()")
        self.tab.press("Enter")
        self.tab.until("document.querySelector('dialog[open] .block')")
        self.look("items")

    def say_name(self, name: str) -> None:
        self.tab.run(f"document.querySelector('[name=who]').value = {json.dumps(name)}")
        self.click("form[action='/who'] button")

    def ask_people(self, name: str) -> None:
        self.tab.open(f"{self.base}/labels/{name}")
        self.look("ask")
        self.tab.run("document.querySelector('[name=size]').value = 48")
        self.click(".ask-form .primary", "document.querySelector('.address')")
        self.look("asked")

    def rate(self, count: int) -> None:
        """Rate by key what is shown, as somebody who reads both texts."""
        for _ in range(count):
            if self.tab.run("location.pathname.startsWith('/labels/')"):
                self.click("a.primary", "document.querySelector('.scale')")
            expected, got = self.tab.run(
                "[...document.querySelectorAll('.side .marked')].map((text) => text.innerText)"
            )
            same = next(did for did in DID if did[0] in expected)
            self.key("5" if same[1] in got else "1")

    def sign(self, name: str) -> None:
        self.tab.open(f"{self.base}/sign-off/{name}")
        self.look("sign-off")
        self.click(".sign-form button", "document.querySelector('a[href^=\"/signed/docx\"]')")
        self.look("signed")

    def get(self, address: str) -> Any:
        """Fetch what a link leads to: its status and the length of what comes."""
        return self.tab.run(f"fetch({json.dumps(address)}).then(async (answer) => [answer.status,"
                            " (await answer.arrayBuffer()).byteLength])")  # fmt: skip

    def all(self, file: Path, who: str) -> str:
        """From a file to a signature; returns the run's name."""
        self.drop(file)
        self.mend()
        name = self.score()
        self.open_worst(name)
        self.tab.open(f"{self.base}/review/{name}")
        self.say_name(who)
        self.look("review")
        self.ask_people(name)
        self.tab.open(f"{self.base}/rate/{name}")
        self.look("rate")
        self.rate(20)
        self.look("labels")
        self.sign(name)
        return name
