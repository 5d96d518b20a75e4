"""Files beside the data are never taken for installed modules or packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

TABLE = "file,expected,good\na,light on,light on\nb,light off,light of\n"
METRIC = """
from dataclasses import dataclass

import beside


@dataclass
class Result:
    score: float
    detail: str


def score(expected, got):
    import later

    return Result(beside.HALF * later.TWICE, "")
"""
RECOGNIZER = "import beside\n\n\ndef hear(path):\n    return 'light on'\n"
SHADOWS = ("json", "jinja2", "numpy", "polars", "click", "wave", "csv", "torch", "pandas", "httpx")
OPTIONS = ("--metrics", "wer", "--language", "en", "-o", "runs/x", "--format", "json", "-q")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data, a metric, and files that say when they are imported."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    Path("mine.py").write_text(METRIC)
    Path("beside.py").write_text("HALF = 0.5\n")
    Path("later.py").write_text("TWICE = 2\n")
    package = Path("packed")
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("from packed import deeper\n\nscore = deeper.score\n")
    (package / "deeper.py").write_text(METRIC)
    for name in SHADOWS:
        Path(f"{name}.py").write_text(f"open({name + '.imported'!r}, 'w').close()\n")
    added = Path("added-1.0.dist-info")
    added.mkdir()
    (added / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (added / "entry_points.txt").write_text(
        "[gistmeter.families]\nadded = wave:Family\n[gistmeter.metrics]\nadded = csv:Metric\n"
    )
    return tmp_path


def call(*words: str, code: int = 0, how: tuple[str, ...] = ("-m", "gistmeter")) -> str:
    done = subprocess.run(
        [sys.executable, *how, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert not list(Path().glob("*.imported")), sorted(Path().glob("*.imported"))
    return done.stdout + done.stderr


SCRIPT = ("-c", "import sys; del sys.path[0]; from gistmeter.cli import main; main()")


@pytest.mark.parametrize("target", ["mine:score", "packed.inner:score"])
@pytest.mark.parametrize("how", [("-m", "gistmeter"), SCRIPT], ids=["module", "script"])
def test_a_metric_of_the_working_folder(how: tuple[str, ...], target: str, folder: Path) -> None:
    """With what it imports, at once and later, and nothing else of the folder."""
    said = call("speech", "table.csv", "--custom-metric", target, *OPTIONS, how=how)
    assert '"custom_metric"' in said and "failed" not in said
    assert '"value": 1.0' in said
    assert folder.exists()


@pytest.mark.parametrize("words", [("--help",), ("doctor", "--quick"), ("trust",)])
def test_commands_import_nothing_of_the_working_folder(
    words: tuple[str, ...], folder: Path
) -> None:
    assert "added" not in call(*words)


@pytest.mark.parametrize("name", ["json", "jinja2"])
def test_a_metric_named_like_an_installed_module(name: str, folder: Path) -> None:
    said = call("speech", "table.csv", "--custom-metric", f"{name}:score", *OPTIONS, code=2)
    assert f"{folder / name}.py" in said and "Rename the file" in said


def test_modules_of_the_folder_are_for_one_another_alone(folder: Path) -> None:
    """Neither later imports nor packages' entry points see the folder."""
    call(
        how=(
            "-c",
            "import sys; del sys.path[0]\n"
            "from gistmeter.core import registry\n"
            "path = list(sys.path)\n"
            "registry.load_own('mine:score')('a', 'b')\n"
            "assert sys.path == path and {'mine', 'beside', 'later'} <= set(sys.modules)\n"
            "assert 'added' not in registry.names('gistmeter.metrics')\n"
            "try:\n"
            "    import packed\n"
            "except ModuleNotFoundError:\n"
            "    sys.exit(0)\n"
            "sys.exit('packed was imported')\n",
        )
    )


def test_a_recogniser_of_the_working_folder(folder: Path) -> None:
    Path("ears.py").write_text(RECOGNIZER)
    call(
        how=(
            "-c",
            "import sys; del sys.path[0]\n"
            "from gistmeter.speech.recognizers.resolution import resolve\n"
            "assert list(resolve(['ears:hear']).recognizers) == ['ears:hear']\n",
        )
    )
