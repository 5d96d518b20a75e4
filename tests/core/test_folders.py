"""Temporary folders: for their owner alone, and gone, however their process ended."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gistmeter.core import folders
from gistmeter.core.folders import sweep_temporary, temporary_folder

HOLD = (
    "import sys; from gistmeter.core.folders import temporary_folder\n"
    "with temporary_folder() as folder:\n"
    "    (folder / 'stdin.txt').write_text('a secret')\n"
    "    print(folder, flush=True); sys.stdin.read()\n"
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def hold(place: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD], env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_is_for_its_owner_and_goes(place: Path) -> None:
    with temporary_folder() as folder:
        (folder / "text").write_text("a secret")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        sweep_temporary()
        assert (folder / "text").exists()
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_goes_and_what_one_holds_stays(place: Path) -> None:
    killed, left = hold(place)
    holding, held = hold(place)
    killed.kill()
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL and (left / "stdin.txt").exists()
    sweep_temporary()
    assert not left.exists() and (held / "stdin.txt").read_text() == "a secret"
    holding.communicate("")
    assert list(place.iterdir()) == []


def test_what_others_made_stays(place: Path) -> None:
    """Folders of a like name, a link, a file: no process of ours locked them."""
    victim = place / "victim"
    victim.mkdir()
    (victim / folders.LOCK).touch()
    for name in ("gistmeter-results", ".gistmeter-1.folder"):
        (place / name).mkdir()
        (place / name / "mine.txt").touch()
    (place / ".gistmeter-2.folder").symlink_to(victim)
    (place / ".gistmeter-3.folder").touch()
    before = sorted(place.rglob("*"))
    sweep_temporary()
    assert sorted(place.rglob("*")) == before


def test_a_folder_that_is_taken_for_one_left_behind_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another process sweeps between the making of the folder and its lock."""
    lock, swept = folders.lock, []

    def late(handle: int) -> None:
        if not swept:
            swept.append(handle)
            monkeypatch.setattr(folders, "lock", lock)
            sweep_temporary()
        lock(handle)

    monkeypatch.setattr(folders, "lock", late)
    with temporary_folder() as folder:
        assert folder.is_dir() and swept
