"""The site builds without a warning, holds all pages, and fetches nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

pytestmark = pytest.mark.docs
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site: notebooks are executed, and a broken link or cell is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|iframe)[^>]*src="(?:https?:)?//', text), page
        links = re.findall(r"<link[^>]*>", text)
        assert not [link for link in links if 'href="http' in link or 'href="//' in link], page
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8"))


def test_search_works_from_disk(site: Path) -> None:
    assert (site / "search" / "search_index.js").is_file()
    assert (site / "assets" / "iframe-worker.js").is_file()
    for page in (site / "index.html", site / "metrics" / "gist.html"):
        shim = re.search(r'src="([^"]*iframe-worker.js)"', page.read_text(encoding="utf-8"))
        assert shim and (page.parent / shim[1]).is_file()


def test_every_page_is_there(site: Path) -> None:
    pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]
    for page in [*pages, Path("zh.md"), Path("ja.md"), Path("contributing.md"), Path("index.md")]:
        assert (site / page.with_suffix(".html")).is_file(), page
    for one in (ROOT / "docs" / "schema").iterdir():
        assert json.loads((site / "schema" / one.name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_their_pictures(site: Path, path: Path) -> None:
    page = (site / "notebooks" / f"{path.stem}.html").read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    asked = [source for source in sources if re.fullmatch(r'run\.plot\("\w+"\)', source)]
    assert asked
    assert page.count('<div class="gistmeter-plot">') == page.count("<figure>") == len(asked)
    assert '<svg class="row"' in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
