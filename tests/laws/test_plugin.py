"""A metric written outside the package, installed as a plug-in, goes through the whole house."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest

from gistmeter.core.cache import Cache

ITEMS = 9000
METRIC = '''
"""How near the candidate's vector is to the mean of the references' vectors."""
import os
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gistmeter.models.protocols import Embedder
from gistmeter.rows import Rows
from gistmeter.types import ScoreInfo


@dataclass(frozen=True)
class Nearness:
    embedder: Embedder
    power: float = 2.0
    scores: ClassVar = (ScoreInfo("nearness"),)

    def measure(self, items):
        time.sleep(float(os.environ.get("PAUSE", "0")))
        texts = [item.candidate or "" for item in items] + [item.references[0] for item in items]
        vectors = self.embedder.embed(texts).vectors.astype(np.float64)
        half = len(items)
        cosine = (vectors[:half] * vectors[half:]).sum(axis=1)
        return Rows.of(items).with_numbers({"nearness": cosine**self.power})

    def pool(self, rows):
        return {"nearness": rows.mean("nearness")}
'''


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The plug-in as an installed distribution in a folder on the path."""
    folder = tmp_path / "site"
    about = folder / "nearness-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "nearness_metric.py").write_text(METRIC)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: nearness\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[gistmeter.metrics]\nnearness = nearness_metric:Nearness\n"
    )
    return folder


@pytest.fixture
def table(in_folder: Path) -> list[str]:
    """Enough items for several chunks."""
    said = [f"he kept {at % 50} of the promises,he kept {at % 50} promises" for at in range(ITEMS)]
    rows = [f"item {at},{texts}" for at, texts in enumerate(said)]
    Path("model_a.csv").write_text("idiom,Prediction,Reference\n" + "\n".join(rows))
    return ["text", "--predictions", "model_a.csv", "--metrics", "nearness", "--language", "en"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gistmeter", *arguments]


def environment(installed: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(installed), **more}


def cached() -> int:
    return Cache(Path(os.environ["GISTMETER_CACHE_DIR"]) / "answers.sqlite").info().entries


def test_cache_resume_intervals_and_json(installed: Path, table: list[str]) -> None:
    whole = subprocess.run(
        command(*table, "-o", "whole", "--format", "json"),
        capture_output=True, text=True, env=environment(installed), check=False,
    )  # fmt: skip
    assert whole.returncode == 0, whole.stderr
    score = json.loads(whole.stdout)["systems"]["model_a"]["scores"]["nearness"]
    assert score["low"] < score["value"] < score["high"]
    assert score["n"] == ITEMS
    assert "power:2.0" in json.loads(whole.stdout)["signature"]

    entries = cached()
    assert entries > 0
    process = subprocess.Popen(
        command(*table, "-o", "cut"), env=environment(installed, PAUSE="2"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    journal = Path("cut/journal.jsonl")
    for _ in range(1200):
        if journal.exists() and len(journal.read_text().splitlines()) > 2:  # the plan, the claims
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    assert cached() == entries
    resumed = subprocess.run(
        command(*table, "-o", "cut", "--resume"),
        capture_output=True, text=True, env=environment(installed), check=False,
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    said = re.search(r"Resuming cut: (\d+) of 9000 items", resumed.stderr)
    assert said
    assert 0 < int(said[1]) < ITEMS
    assert Path("cut/items.parquet").read_bytes() == Path("whole/items.parquet").read_bytes()
    assert polars.read_parquet("cut/items.parquet")["nearness"].null_count() == 0


def test_an_unknown_metric_names_the_plug_in(installed: Path, table: list[str]) -> None:
    wrong = [part.replace("nearness", "nearnes") for part in table]
    done = subprocess.run(
        command(*wrong), capture_output=True, text=True, env=environment(installed), check=False
    )
    assert done.returncode == 2
    assert "Did you mean 'nearness'" in done.stderr
