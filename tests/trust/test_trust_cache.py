"""The cache's folder: what nobody needs goes, what is in use stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gistmeter.cli import app
from gistmeter.models.e5.graph import graph_path


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "answers.sqlite").write_bytes(b"")
    return tmp_path / "models"


def test_clearing_removes_old_conversions_and_forgotten_drafts(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [graph_path(models, 12), graph_path(models, 9).with_suffix(".sha256")]
    kept += [models / "mine.onnx", models / ".gistmeter-young.draft"]
    gone = [models / "e5-small-1571fc98-v0-layer12.onnx", models / "e5-small-00000000-v1.sha256"]
    gone += [models / ".gistmeter-old.draft"]
    for file in (*kept, *gone):
        file.write_bytes(b"x" * 1000)
    os.utime(gone[-1], (time.time() - 86_400,) * 2)
    assert app.main(["cache", "clear"], standalone_mode=False) == 0
    assert sorted(models.iterdir()) == sorted(kept)
    assert not (models.parent / "answers.sqlite").exists()
    assert "Cleared 0.0 MB" in capsys.readouterr().out


@pytest.mark.parametrize("damage", ["folder", "file", "damaged"])
def test_a_cache_that_cannot_be_used_ends_no_run(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "cache"
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(place))
    if damage == "file":
        place.write_text("no folder")
    else:
        place.mkdir()
        (place / "answers.sqlite").mkdir() if damage == "folder" else (
            place / "answers.sqlite"
        ).write_bytes(b"no database" * 1000)
    Path("x.csv").write_text("id,prediction,reference\n1,it rains,it rains\n")
    arguments = ["text", "x.csv", "--language", "en", "--metrics", "s_acc", "-o", "run", "-q"]
    assert app.main([*arguments, "--resamples", "0"], standalone_mode=False) == 0
    assert Path("run/run.json").exists()
