"""The READMEs: their examples are real, and all languages have the same commands and figures."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT


def _sessions() -> Any:
    if "docs_sessions" not in sys.modules:
        place = ROOT / "docs" / "sessions.py"
        spec = importlib.util.spec_from_file_location("docs_sessions", place)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules["docs_sessions"] = module
        spec.loader.exec_module(module)
    return sys.modules["docs_sessions"]


README = "README.md"
OTHERS = ("README.zh-CN.md", "README.ja.md")
BLOCK = re.compile(r"(?:<!-- (.*?) -->\n)?```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, ...]]:
    return BLOCK.findall(text_of(name))


def test_there_is_an_example_for_each_shape() -> None:
    shown = [body.split()[2] for _, kind, body in blocks(README) if kind == "console"]
    assert shown == ["text", "book", "parse", "speech"]


def test_every_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    page = ROOT / README
    text = page.read_text(encoding="utf-8")
    assert _sessions().refreshed(page, text) == text, "run: python docs/generate.py README.md"


@pytest.mark.parametrize("other", OTHERS)
def test_a_translation_has_the_same_commands_examples_and_figures(other: str) -> None:
    assert blocks(other) == blocks(README)


@pytest.mark.parametrize("other", OTHERS)
def test_a_translation_has_the_same_sections_links_code_and_numbers(other: str) -> None:
    ours, theirs = (_outline(BLOCK.sub("", text_of(name))) for name in (README, other))
    assert theirs == ours


def _outline(text: str) -> dict[str, object]:
    """What a translation must keep: the shape of the page, its links, its code and its numbers."""
    links = {link for link in re.findall(r"\]\(([^)]+)\)", text) if "README" not in link}
    prose = re.sub(r"\]\([^)]*\)", "]", text)
    table = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)],
        "points": len(re.findall(r"^- ", text, re.MULTILINE)),
        "links": links,
        "code": sorted(re.findall(r"`[^`\n]+`", text)),
        "numbers": sorted(re.findall(r"\d+(?:\.\d+)*", prose)),
        "table": table,
    }


def test_the_picture_is_there_and_small() -> None:
    found = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text_of(README))
    assert found
    for name in found:
        assert 10_000 < (ROOT / name).stat().st_size <= 200_000


def test_the_citation_names_the_version_and_the_papers() -> None:
    from gistmeter import __version__

    text = text_of("CITATION.cff")
    assert f"\nversion: {__version__}\n" in text
    for paper in ("OrderProbe", "BooookScore", "SEMarkup-2023"):
        assert paper in text
    for name in re.findall(r"\((\w+) et al\. \d+\)", text_of(README)):
        assert f"family-names: {name}}}" in text
