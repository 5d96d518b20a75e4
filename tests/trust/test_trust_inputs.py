"""The digest of an input is that of the bytes that were read; what is no file is refused."""

from __future__ import annotations

import gzip
import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gistmeter import load_run
from gistmeter.core import wiring
from gistmeter.core.errors import InputError
from gistmeter.core.files import read_bytes
from gistmeter.core.inputs import noting
from gistmeter.speech import recognition
from trust.scenes import SCENES, Scene, set_up

READ = {
    "text": ("predictions.csv",), "book": ("books.json", "short.json"),
    "parse": ("gold.conllu", "system.conllu"), "speech": ("clips.csv",),
}  # fmt: skip
FILED = [scene for scene in SCENES if scene.name in READ]


@pytest.fixture(autouse=True)
def inputs(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_up(monkeypatch)
    return in_folder


def while_models_load(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Let something happen after the files were read, before anything is scored."""
    build = wiring.build

    def built(*given: Any) -> Any:
        happens()
        return build(*given)

    monkeypatch.setattr("gistmeter.core.score.build", built)


def replaced(name: str) -> str:
    """What could be read in the place of a file just as well."""
    content = Path(name).read_text()
    start = "# x = 1\n" if name.endswith(".conllu") else ""
    return start + content.replace("dog sleeps", "cat sleeps").replace("ends", "stops")


@pytest.mark.parametrize("scene", FILED, ids=lambda scene: scene.name)
def test_the_digest_is_of_what_was_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    names = READ[scene.name]
    expected = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in names}

    def replace_all() -> None:
        for name in names:
            Path(name).write_text("another file")

    while_models_load(monkeypatch, replace_all)
    assert scene.run() == 0
    assert load_run("folder").inputs == expected


@pytest.mark.parametrize("scene", FILED, ids=lambda scene: scene.name)
def test_a_run_whose_input_was_replaced_is_not_mixed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Replaced while models load, killed after some chunks, resumed: refused."""
    name = READ[scene.name][-1]
    added: list[Any] = []
    with monkeypatch.context() as patch:
        from gistmeter.core.runs import RunFolder

        add = RunFolder.add

        def stop(folder: RunFolder, chunk: Any) -> None:
            add(folder, chunk)
            added.append(chunk)
            if len(added) == 2:
                raise KeyboardInterrupt

        patch.setattr(RunFolder, "add", stop)
        while_models_load(patch, lambda: Path(name).write_text(replaced(name)) and None)
        assert scene.run() == 130
    assert scene.run("--resume") == 2
    assert f"inputs.{name}" in capsys.readouterr().err


def test_packed_files_count_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(Path("gold.conllu").read_bytes())
    Path("gold.conllu.gz").write_bytes(packed)
    scene = Scene("packed", "parse", ("gold.conllu.gz", "system.conllu"))
    assert scene.run() == 0
    assert load_run("folder").inputs["gold.conllu.gz"] == hashlib.sha256(packed).hexdigest()


def test_a_file_that_is_another_one_when_it_is_read_again_is_an_error() -> None:
    with noting() as noted:
        read_bytes(Path("clips.csv"))
        read_bytes(Path("clips.csv"))
        Path("clips.csv").write_text("another file")
        with pytest.raises(InputError, match=r"clips\.csv: was changed or replaced while"):
            read_bytes(Path("clips.csv"))
    assert len(noted.digests) == 1


def test_a_sound_that_is_replaced_while_it_is_heard_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hear = recognition.transcribe_all

    def replacing(*given: Any, **more: Any) -> Any:
        sound = Path("assets/2.wav")
        sound.write_bytes(sound.read_bytes() + b"\0\0")
        return hear(*given, **more)

    monkeypatch.setattr(recognition, "transcribe_all", replacing)
    listen = next(scene for scene in SCENES if scene.name == "listen")
    assert listen.run() == 2
    assert "2.wav: was changed or replaced" in capsys.readouterr().err
    assert not Path("folder/run.json").exists()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", *arguments, "-q"],
        capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip


def make_socket(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(name)


@pytest.mark.parametrize("make", [os.mkfifo, make_socket], ids=["pipe", "socket"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("text", "odd.csv", "--language", "en"),
        ("text", "predictions.csv", "--references", "odd.csv", "--language", "en"),
        ("book", "odd.txt", "predictions.csv"),
        ("parse", "gold.conllu", "odd.conllu"),
        ("speech", "odd.csv", "--language", "en"),
        ("check", "odd.toml"),
    ],
    ids=" ".join,
)
def test_what_is_no_file_is_refused_and_not_waited_for(
    arguments: tuple[str, ...], make: Callable[[str], Any]
) -> None:
    name = next(one for one in arguments if one.startswith("odd"))
    make(name)
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert f"{name}: is a " in done.stderr and "Traceback" not in done.stderr
