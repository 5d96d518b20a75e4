"""Make docs/images/workbench-*.png: a study and a book on the page, as Chromium shows them.

python docs/workbench_pictures.py     in an environment that has the tests' packages
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from report import browser  # noqa: E402
from workbench.journey import Journey, wide_workbook  # noqa: E402
from workbench.served import started, visitor  # noqa: E402

IMAGES = ROOT / "docs" / "images"
OF_STUDY = ("begin", "ask", "rate", "labels")
OF_BOOK = ("understood", "result", "review", "sign-off")
LARGEST = 200_000  # bytes


def review_book(walk: Journey) -> None:
    """From the sample of books to the document."""
    walk.tab.open(f"{walk.base}/")
    walk.click("li.q-book form button", "document.querySelector('.actions')")
    walk.look("understood")
    name = walk.score()
    for page in ("review", "sign-off"):
        walk.tab.open(f"{walk.base}/{page}/{name}")
        walk.look(page)


def main() -> None:
    """Walk through the pages and take a picture of the first screen of each."""
    with tempfile.TemporaryDirectory() as place, started(Path(place) / "study") as (_, address):
        visitor(address).close()
        with browser.start() as tab:

            def look(name: str) -> None:
                if name in shown:
                    file = IMAGES / f"workbench-{name}.png"
                    tab.picture(file)
                    if file.stat().st_size > LARGEST:
                        sys.exit(f"{file} has more than {LARGEST:,} bytes")

            shown: tuple[str, ...] = OF_STUDY
            tab.prefer("light")
            tab.resize(1180, 860)
            tab.open(address)
            walk = Journey(tab, address.split("/?", maxsplit=1)[0], look)
            walk.all(wide_workbook(Path(place) / "study.xlsx"), "Zoë")
            shown = OF_BOOK
            review_book(walk)


if __name__ == "__main__":
    main()
