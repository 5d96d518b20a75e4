"""Every metric has a page, and its ranges and directions are those of the program."""

from __future__ import annotations

import re

import pytest

from conftest import ROOT
from gistmeter.core import registry

FOLDER = ROOT / "docs" / "metrics"
SECTIONS = ["Idea", "Formula", "By hand", "Limits", "Reference"]
PAGES = {
    page.stem: page.read_text(encoding="utf-8")
    for page in FOLDER.glob("*.md")
    if page.stem != "index"
}
METRICS = registry.names("gistmeter.metrics")


@pytest.mark.parametrize("name", METRICS)
def test_range_and_direction_are_those_of_the_metric(name: str) -> None:
    """Read back from the page, and compared with what the metric declares."""
    held = [text for text in PAGES.values() if f"<!-- facts: {name} -->" in text]
    assert held, f"no page in docs/metrics has the facts of {name}: run python docs/generate.py"
    table = held[0].split(f"<!-- facts: {name} -->")[1].split("<!-- end of facts -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) to (.+?) \| (\w+) \|$", table, re.MULTILINE)
    assert [
        (score, number(low), number(high), better == "higher") for score, low, high, better in rows
    ] == [
        (info.name, info.lowest, info.highest, info.higher_is_better)
        for info in registry.find("gistmeter.metrics", name).scores
    ]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").rstrip("%s"))


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_has_all_sections_and_a_checked_example(name: str) -> None:
    text = PAGES[name]
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    by_hand = text.split("## By hand")[1].split("## Limits")[0]
    assert ">>> " in by_hand


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_page_is_in_the_index_and_in_the_navigation(name: str) -> None:
    assert f"({name}.md)" in (FOLDER / "index.md").read_text(encoding="utf-8")
    assert f"metrics/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
