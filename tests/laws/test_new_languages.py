"""A language that another distribution brings works in every family, no line of ours changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from made_languages import install

SPACED = "mi moku e kili. Ona li pona tawa mi."
UNSPACED = "ᚠᚢᚦᚨᚱᚲ。ᚷᚹᚺᚾᛁᛃ。"


@pytest.fixture
def environment(tmp_path: Path, in_folder: Path) -> dict[str, str]:
    folder = install(tmp_path / "site")
    Path("said.csv").write_text(
        "id,Prediction,Reference,language\n1,mi moku e telo,mi moku e kili,tok\n2,ᚠᚢᚦᚨ,ᚠᚢᚦᚲ,qru\n",
        encoding="utf-8",
    )
    Path("clips.csv").write_text(
        "file,expected,got,system,language\n1,mi moku e kili,mi moku e telo,a,tok\n"
        "2,ᚠᚢᚦᚲ,ᚠᚢᚦᚨ,a,qru\n",
        encoding="utf-8",
    )
    Path("originals.json").write_text(json.dumps({"spaced": SPACED, "runes": UNSPACED}))
    Path("summaries.json").write_text(
        json.dumps({"spaced": "mi moku e kili.", "runes": "ᚠᚢᚦᚨᚱᚲ。"})
    )
    line = "1\tmi\tmi\tPRON\t_\t_\t0\troot\t_\t_\n\n"
    Path("gold.conllu").write_text(f"# text = mi\n{line}")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def scores(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", *arguments, "--format", "json", "-o", "run"],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (system,) = json.loads(done.stdout)["systems"].values()
    held: dict[str, Any] = system["scores"]
    return held


def languages() -> list[str]:
    found: list[str] = json.loads(Path("run/run.json").read_text())["settings"]["language"]
    return found


def test_texts(environment: dict[str, str]) -> None:
    found = scores(environment, "text", "said.csv", "--metrics", "lexical_cosine")
    # content words: moku kili / moku telo; ᚢᚦᚲ / ᚢᚦᚨ
    assert found["lexical_cosine"]["value"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert languages() == ["qru", "tok"]


def test_columns_that_the_language_names(environment: dict[str, str]) -> None:
    Path("toki.csv").write_text("nimi,pali,toki lon\n1,mi moku e telo,mi moku e kili\n")
    found = scores(environment, "text", "toki.csv", "--language", "tok", "--metrics", "s_info")
    assert found["s_info"]["n"] == 1


def test_speech(environment: dict[str, str]) -> None:
    found = scores(environment, "speech", "clips.csv", "--metrics", "wer")
    assert found["wer"]["value"] == pytest.approx(100 * 2 / 8)  # a word and a rune
    assert languages() == ["qru", "tok"]


def test_books(environment: dict[str, str]) -> None:
    files = ["--source-path", "originals.json", "--summary-path", "summaries.json"]
    found = scores(environment, "book", *files, "--coverage-threshold", "0.9")
    assert found["alignment_confidence"]["value"] == pytest.approx(1)
    assert languages() == ["qru", "tok"]


def test_parses(environment: dict[str, str]) -> None:
    found = scores(environment, "parse", "gold.conllu", "gold.conllu")
    assert found["las"]["value"] == 1
