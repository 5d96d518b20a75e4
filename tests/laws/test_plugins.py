"""What other packages add works everywhere: CONTRIBUTING's own examples, installed and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import gistmeter
from conftest import ROOT
from gistmeter.models.protocols import Embeddings, Judgements, PairScores

SAMPLES = ROOT / "src" / "gistmeter" / "samples"
COUNT = '''
"""A count of items, for families whose items need no text of their own."""
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from gistmeter.rows import Rows
from gistmeter.types import ScoreInfo


def metric(family_name, weigh):
    @dataclass(frozen=True)
    class Count:
        step: float = 1.0
        scores: ClassVar = (ScoreInfo(family_name + "_count", highest=1e9),)
        family: ClassVar = family_name

        def measure(self, items):
            column = np.array([self.step * weigh(item) for item in items], float)
            return Rows.of(items).with_numbers({family_name + "_count": column})

        def pool(self, rows):
            return {family_name + "_count": rows.mean(family_name + "_count")}

    return Count


BookCount = metric("book", lambda item: len(item.summary))
ParseCount = metric("parse", lambda item: len(item.parsed.tokens))
SpeechCount = metric("speech", lambda item: len(item.got or ""))
'''
POINTS = """[gistmeter.metrics]
kept_length = kept_length:KeptLength
book_count = counting:BookCount
parse_count = counting:ParseCount
speech_count = counting:SpeechCount

[gistmeter.models]
letters = letters:load
"""
TABLE = "file,expected,careful\na,turn on the light,turn on a light\nb,stop,stop\n"
CASES = {
    "kept_length": ["text", "said.csv", "--language", "en"],
    "book_count": ["book", "--source-path", SAMPLES / "book/originals.json", "--summary-path",
                   SAMPLES / "book/faithful.json"],
    "parse_count": ["parse", SAMPLES / "parse/cs-gold.conllu", SAMPLES / "parse/cs-hasty.conllu"],
    "speech_count": ["speech", "clips.csv", "--language", "en"],
}  # fmt: skip


def example(start: str) -> str:
    """The block of code in CONTRIBUTING that begins with a docstring."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    return next(block for block in blocks if block.startswith(f'"""{start}'))


@pytest.fixture
def installed(tmp_path: Path, in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A distribution with entry points in a folder on the path."""
    folder = tmp_path / "site"
    about = folder / "examples-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "kept_length.py").write_text(example("How much of the reference"))
    (folder / "letters.py").write_text(example("Vectors of letters"))
    (folder / "counting.py").write_text(COUNT)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: examples\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    Path("said.csv").write_text("id,Prediction,Reference\n1,a cat,the cat\n2,dogs,dogs\n3,x,\n")
    Path("clips.csv").write_text(TABLE)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def command(environment: dict[str, str], *arguments: object) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", *map(str, arguments)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("metric", CASES)
def test_a_metric_of_ones_own_in_every_family(installed: dict[str, str], metric: str) -> None:
    outputs = [part for name in ("x.csv", "x.xlsx", "x.html", "run") for part in ("-o", name)]
    done = command(installed, *CASES[metric], "--metrics", metric, *outputs, "--format", "json")
    assert done.returncode == 0, done.stderr
    (system,) = json.loads(done.stdout)["systems"].values()
    score = system["scores"][metric]
    assert score["value"] > 0
    table = polars.read_csv("x.csv", infer_schema_length=0)
    assert metric in table.columns
    assert metric in Path("x.html").read_text(encoding="utf-8")
    again = command(installed, *CASES[metric], "--metrics", metric, "-o", "run", "--resume")
    assert again.returncode == 0 and "are done" in again.stderr, again.stderr
    shown = command(installed, "report", "run", "-o", "again.html")
    assert shown.returncode == 0, shown.stderr


def test_the_texts_stand_beside_the_score(installed: dict[str, str]) -> None:
    done = command(installed, *CASES["kept_length"], "--metrics", "kept_length", "-o", "x.csv")
    assert done.returncode == 0, done.stderr
    table = polars.read_csv("x.csv")
    assert table["Prediction"].to_list() == ["a cat", "dogs", "x"]
    assert table["Reference"].to_list() == ["the cat", "dogs", None]
    assert table["kept_length"].to_list() == [pytest.approx(5 / 7), 1.0, None]
    assert table["Unscored"].to_list() == [None, None, "no reference"]


def test_a_metric_for_another_family_is_not_offered(installed: dict[str, str]) -> None:
    done = command(installed, *CASES["speech_count"], "--metrics", "kept_length")
    assert done.returncode == 2
    assert "Can't find score 'kept_length'" in done.stderr


def test_an_embedder_by_entry_point(installed: dict[str, str]) -> None:
    done = command(
        installed, *CASES["kept_length"], "--metrics", "sts", "--embedder", "letters:any",
        "--no-use-bertscore", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "letters-1" in found["signature"]
    assert found["systems"]["said"]["scores"]["sts"]["n"] == 2
    done = command(
        installed, *CASES["book_count"], "--embedder", "letters:any", "--coverage-threshold", "0.9",
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


class Vectors:
    """Sentence vectors and nothing else, as an HTTP service would give them."""

    id = "vectors-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Embeddings:
        self.asked += texts
        vectors = np.array([[len(text), text.count("e") + 1.0] for text in texts], np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return Embeddings(vectors, np.zeros(len(texts)))


class Equal:
    """A cross-encoder and a model of inference in one: equal texts agree."""

    id = "equal-1"

    def score(self, pairs: Sequence[tuple[str, str]]) -> PairScores:
        values = np.array([float(a == b) for a, b in pairs])
        return PairScores(values, np.zeros(len(pairs)))

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Judgements:
        agree = self.score(pairs).values
        return Judgements(agree, np.zeros(len(pairs)), 1 - agree, np.zeros(len(pairs)))


def test_models_as_plain_objects(in_folder: Path) -> None:
    vectors = Vectors()
    run = gistmeter.score_text(
        ["the cat", "a dog", "the cat"], ["the cat", "the dog", "the cat"], language="en",
        embedder=vectors, cross_encoder=Equal(), nli=Equal(), output=["run", "x.csv"],
        cache="answers.sqlite", use_bertscore=False,
    )  # fmt: skip
    assert not run["s_acc"].partial
    assert run["cross_encoder"].value == pytest.approx(2 / 3)
    assert run["s_logic"].value == pytest.approx(2 / 3)
    assert len(vectors.asked) == len(set(vectors.asked)) == 3
    again = gistmeter.score_text(
        ["the cat"], ["the dog"], language="en", metrics=["sts"], embedder=vectors,
        cache="answers.sqlite", use_bertscore=False,
    )  # fmt: skip
    assert again["sts"].n == 1 and len(vectors.asked) == 3  # from the cache
    assert "vectors-1" in run.signature and Path("run/report.html").exists()


def test_a_sentence_embedder_for_books(in_folder: Path) -> None:
    run = gistmeter.score_book(
        {"Fable": "A fox saw grapes. They hung high. It left."},
        {"one": {"Fable": "A fox saw grapes."}, "two": {"Fable": "It left. They hung high."}},
        language="en", model_name=Vectors(), coverage_threshold=0.9,
    )  # fmt: skip
    assert set(run.systems) == {"one", "two"}
    assert run.systems["one"]["coverage_at"].value == 1


def test_a_model_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(gistmeter.InputError, match="no method 'embed'"):
        gistmeter.score_text(["a"], ["b"], language="en", embedder=object(), metrics=["sts"])
