"""The interface in three languages: every text, with its values, in pages of that language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter.workbench.interface import LANGUAGES, choose_language, texts
from workbench.served import opened

OTHERS = [name for name in LANGUAGES if name != "en"]
VALUE = re.compile(r"\{\w+\}")
SAME = {"recipe.python"}  # what may be spelled as in English


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated_with_its_values(language: str) -> None:
    place = ROOT / "src/gistmeter/workbench/interface"
    own, english = texts(language), texts("en")
    keys = re.findall(r'^ *"([^"]+)":', (place / f"{language}.json").read_text("utf-8"), re.M)
    assert len(keys) == len(set(keys)) == len(english)
    for key, text in english.items():
        assert own[key] != text or key in SAME, key
        assert sorted(VALUE.findall(own[key])) == sorted(VALUE.findall(text)), key


@pytest.mark.parametrize(
    ("language", "words"), [("zh", "意思保留了多少"), ("ja", "意味はどれだけ")]
)
def test_pages_come_in_the_readers_language(tmp_path: Path, language: str, words: str) -> None:
    with opened(tmp_path / "folder") as (_, client):
        wanted = {"accept-language": f"{language}-XX,en;q=0.5"}
        page = client.get("/", headers=wanted).text
        assert f'<html lang="{language}">' in page and words in page
        assert "How much" in client.get("/").text
        client.post("/language", data={"language": language, "next": "/"})
        assert words in client.get("/").text  # kept, whatever the browser asks for
        assert words in client.get("/", headers={"accept-language": "en"}).text


def test_a_language_is_chosen_by_weight_and_never_fails() -> None:
    assert choose_language("", "fr;q=1, ja;q=0.8, zh;q=0.9") == "zh"
    assert choose_language("ja", "zh") == "ja"
    for odd in ("", "xx", "zh;q=x", ",;,", "zh" * 5000, "\u0000"):
        assert choose_language("", odd) in LANGUAGES
