"""The cache's folder: what nobody needs goes, what is in use stays."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gistmeter.cli import app
from gistmeter.core.files import unwritable
from gistmeter.models.e5 import graph
from gistmeter.models.e5.graph import graph_path
from gistmeter.models.inventory import graphs


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "answers.sqlite").write_bytes(b"")
    return tmp_path / "models"


def test_clearing_removes_old_conversions_and_forgotten_drafts(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [graph_path(models, 12), graph_path(models, 9), *graphs(models)]
    kept += [models / "mine.onnx", models / ".gistmeter-young.draft"]
    gone = [models / "e5-small-1571fc98-v0-layer12.onnx", models / "e5-small-00000000-v1.sha256"]
    gone += [graph_path(models, 12).with_suffix(".sha256"), models / "judge-small-00000000-v1.onnx"]
    gone += [models / ".gistmeter-old.draft"]
    for file in (*kept, *gone):
        file.write_bytes(b"x" * 1000)
    os.utime(gone[-1], (time.time() - 86_400,) * 2)
    assert app.main(["cache", "clear"], standalone_mode=False) == 0
    assert sorted(models.iterdir()) == sorted({*kept})
    assert not (models.parent / "answers.sqlite").exists()
    assert "Cleared 0.0 MB" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["cache", "clear"], ["runs"], ["trust"]])
def test_every_command_removes_what_a_killed_one_left(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("GISTMETER_STATE_DIR", str(tmp_path / "state"))
    left = tmp_path / ".gistmeter-abcdefgh.folder"
    left.mkdir()
    (left / ".lock").touch()
    (left / "stdin.txt").write_text("a secret")
    app.main(command, standalone_mode=False)
    assert not left.exists()


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


SIZES = (4096, 16 << 10, 64 << 10, 1 << 20, 8 << 20, 100 << 20, 200 << 20)  # bytes of a disk


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rows of a run whose cache has all the room it wants."""
    return score_with_cache(tmp_path_factory.mktemp("roomy"), Path("cache"))[0]


def score_with_cache(folder: Path, cache: Path, **process: Any) -> tuple[bytes, str]:
    """The rows of a run in a process of its own, and what it said."""
    (folder / "x.csv").write_text(
        "id,prediction,reference\n1,it rains,it is raining\n2,the cat sat,a cat slept\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", "text", "x.csv", "--language", "en", "-o", "run",
         "--overwrite"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "GISTMETER_CACHE_DIR": str(cache)},
        **process,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return (folder / "run" / "items.parquet").read_bytes(), done.stderr


def test_a_cache_on_a_full_disk_changes_no_score(
    tmp_path: Path, undisturbed: bytes, choose: Callable[[Sequence[int], int], list[int]]
) -> None:
    """Answers, and the converted models, which are the larger part."""
    disk = tmp_path / "disk"
    disk.mkdir()
    for size in choose(SIZES, 1):
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
        if os.name != "posix" or subprocess.run(mount, check=False, capture_output=True).returncode:
            pytest.skip("a small disk cannot be mounted here")
        try:
            rows, said = score_with_cache(tmp_path, disk)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
        assert rows == undisturbed
        assert said.count("gistmeter.core.cache: The cache") <= 1, said


@pytest.mark.skipif(os.name != "posix", reason="no limit of a file's size")
def test_files_that_cannot_grow_change_no_score(tmp_path: Path, undisturbed: bytes) -> None:
    import resource

    limit = 4 << 20
    rows, said = score_with_cache(
        tmp_path,
        tmp_path / "cache",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert rows == undisturbed
    assert "cannot be kept" in said


def test_a_model_that_finds_no_room_is_used_from_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise unwritable(tmp_path, OSError(errno.ENOSPC, "No space left on device"))

    monkeypatch.setattr(graph, "write_atomically", full)
    assert graph.keep(tmp_path / "x.onnx", b"a graph") == b"a graph"
    assert "No space left" in caplog.text
