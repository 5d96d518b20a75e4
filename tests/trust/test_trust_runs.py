"""A run's folder: never bricked, never wrong in silence, never written by two at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gistmeter import load_run, score_text
from gistmeter.core import files
from gistmeter.core.errors import GistmeterError, InputError
from trust.scenes import SCENES, Scene, set_up

SPEECH = next(scene for scene in SCENES if scene.name == "speech")
PARSE = next(scene for scene in SCENES if scene.name == "parse")
LISTEN = next(scene for scene in SCENES if scene.name == "listen")


@pytest.fixture(autouse=True)
def inputs(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_up(monkeypatch)
    return in_folder


def stopped(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that ended when all its chunks were journalled; the journal's place."""
    with monkeypatch.context() as patch:
        patch.setattr("gistmeter.core.runs.RunFolder.finish", _interrupt)
        assert scene.run("--overwrite") == 130
    return Path("folder/journal.jsonl")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


# A folder is never bricked.


@pytest.mark.parametrize("stray", [".abc.parquet", ".gistmeter-x1.draft", "notes.txt", ".DS_Store"])
@pytest.mark.parametrize("how", ["--resume", "--overwrite"])
def test_a_stray_file_stops_nobody(stray: str, how: str) -> None:
    assert SPEECH.run() == 0
    Path("folder", stray).write_text("mine")
    assert SPEECH.run(how) == 0
    assert SPEECH.run(how) == 0
    assert Path("folder", stray).exists() == (not stray.endswith(".draft"))


def test_a_folder_of_drafts_and_a_dead_lock_is_empty() -> None:
    Path("folder").mkdir()
    Path("folder/.gistmeter-x1.draft").write_text("half")
    Path("folder/.lock").write_text("process 1 on nowhere")
    assert SPEECH.run() == 0
    assert not list(Path("folder").glob(".*"))


def test_a_folder_of_something_else_is_left_alone() -> None:
    Path("folder").mkdir()
    Path("folder/thesis.txt").write_text("years of work")
    for how in ((), ("--overwrite",), ("--resume",)):
        assert SPEECH.run(*how) == 2
    assert [file.name for file in Path("folder").iterdir()] == ["thesis.txt"]


def test_what_cannot_be_read_leaves_no_folder() -> None:
    Path("clips.csv").write_text("nonsense")
    assert SPEECH.run() == 2
    assert not Path("folder").exists()


def test_a_folder_may_be_scored_though_another_run_lies_beside_its_drafts() -> None:
    """What is written elsewhere stays too: only a day-old draft is swept there."""
    young, old = Path("young"), Path("old")
    for place, age in ((young, 0), (old, 2 * 86_400)):
        place.mkdir()
        draft = place / ".gistmeter-abc.draft"
        draft.write_text("x")
        os.utime(draft, (time.time() - age,) * 2)
        files.sweep(place, age=86_400)
    assert list(young.iterdir())
    assert not list(old.iterdir())


# Damage is measured again or refused.


def flips(content: bytes, count: int) -> list[tuple[int, int]]:
    """Places and bits, spread over a file."""
    step = max(1, len(content) // count)
    return [(at, (at * 7) % 8) for at in range(0, len(content), step)]


def flipped(content: bytes, at: int, bit: int) -> bytes:
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]


def scores(document: Any) -> Any:
    return document.to_dict()["systems"]


@pytest.mark.parametrize("scene", [SPEECH, PARSE], ids=lambda scene: scene.name)
def test_a_bit_flipped_in_a_journal_changes_no_score(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, choose: Any
) -> None:
    assert scene.run() == 0
    expected = Path("folder/items.parquet").read_bytes()
    journal = stopped(scene, monkeypatch)
    whole = journal.read_bytes()
    for at, bit in choose(flips(whole, 100), 8):
        journal.write_bytes(flipped(whole, at, bit))
        code = scene.run("--resume")
        if code == 2:  # the plan's own line
            assert at <= whole.index(b"\n")
        else:
            assert code == 0
            assert Path("folder/items.parquet").read_bytes() == expected


def test_a_doubled_chunk_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SPEECH.run() == 0
    expected = Path("folder/items.parquet").read_bytes()
    journal = stopped(SPEECH, monkeypatch)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines, lines[1], lines[2]]))
    assert SPEECH.run("--resume") == 0
    assert Path("folder/items.parquet").read_bytes() == expected
    assert load_run("folder")["wer"].n == 5


def test_a_chunk_of_another_run_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(SPEECH, monkeypatch)
    foreign = Path("folder/journal.jsonl").read_bytes().splitlines(keepends=True)
    Path("clips.csv").write_text(Path("clips.csv").read_text().replace("dog", "cat"))
    assert SPEECH.run("--overwrite") == 0
    expected = Path("folder/items.parquet").read_bytes()
    journal = stopped(SPEECH, monkeypatch)
    own = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([own[0], *foreign[1:]]))
    assert SPEECH.run("--resume") == 0
    assert Path("folder/items.parquet").read_bytes() == expected


@pytest.mark.parametrize("name", ["items.parquet", "run.json"])
def test_a_bit_flipped_in_a_finished_run_is_refused_or_harmless(name: str, choose: Any) -> None:
    assert SPEECH.run() == 0
    expected = scores(load_run("folder"))
    file = Path("folder", name)
    whole = file.read_bytes()
    refused = 0
    for at, bit in choose(flips(whole, 150), 60):
        file.write_bytes(flipped(whole, at, bit))
        try:
            assert scores(load_run("folder")) == expected
        except InputError:
            refused += 1
    assert refused or name != "items.parquet"


def test_damaged_items_say_which_file_and_what_to_do() -> None:
    assert SPEECH.run() == 0
    file = Path("folder/items.parquet")
    file.write_bytes(flipped(file.read_bytes(), 500, 3))
    with pytest.raises(InputError, match=r"items\.parquet: is not as it was written.*--overwrite"):
        load_run("folder")
    assert SPEECH.run("--resume") == 2
    assert SPEECH.run("--overwrite") == 0


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("systems", "x", "scores", "wer", "value"), "abc"),
        (("systems", "x", "scores", "wer", "n"), "many"),
        (("systems", "x", "scores"), [1]),
        (("systems",), 3),
        (("seed",), "x"),
        (("metrics",), [1]),
        (("signatures",), None),
        (("settings",), None),
    ],
)
def test_nonsense_in_a_run_is_an_error(path: tuple[str, ...], value: Any) -> None:
    assert SPEECH.run() == 0
    document = json.loads(Path("folder/run.json").read_text())
    del document["sha256"]
    held = document
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    Path("folder/run.json").write_text(json.dumps(document))
    try:
        load_run("folder")
    except GistmeterError as error:
        assert "run.json" in str(error)


def test_a_run_nested_too_deeply_is_an_error() -> None:
    assert SPEECH.run() == 0
    Path("folder/run.json").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        load_run("folder")


def test_a_flipped_bit_in_a_transcript_is_no_other_score(choose: Any) -> None:
    assert LISTEN.run() == 0
    expected = load_run("folder")["wer"].value
    kept = Path("folder/details/transcripts.jsonl")
    whole = kept.read_bytes()
    for at, bit in choose(flips(whole, 120), 10):
        kept.write_bytes(flipped(whole, at, bit))
        code = LISTEN.run("--resume")
        assert code in {0, 2}
        if code == 0:
            assert load_run("folder")["wer"].value == expected
        kept.parent.mkdir(exist_ok=True)
        Path("folder.transcripts.jsonl").unlink(missing_ok=True)


# A resumed run is an undisturbed one.


@pytest.mark.parametrize("scene", SCENES[:4], ids=lambda scene: scene.name)
def test_a_resumed_run_has_the_same_bytes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scene.run() == 0
    expected = Path("folder/items.parquet").read_bytes()
    journal = stopped(scene, monkeypatch)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], *lines[2:]]))  # the first chunk is to be made again
    assert scene.run("--resume") == 0
    assert Path("folder/items.parquet").read_bytes() == expected


# One writer at a time.

WAITING = """
import sys, time
from pathlib import Path
from gistmeter.core.runs import hold
with hold(Path("folder")):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def writer() -> Any:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_writer_is_refused_with_the_process_of_the_first(
    writer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for how in ((), ("--overwrite",), ("--resume",)):
        assert SPEECH.run(*how) == 2
        assert f"is being written by process {writer.pid} on " in capsys.readouterr().err
    run = score_text(["a b"], ["a b"], language="en", metrics=["s_acc"], resamples=0)
    with pytest.raises(InputError, match=f"process {writer.pid}"):
        run.save("folder", overwrite=True)


def test_the_lock_of_a_killed_process_is_taken_over(writer: Any) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert Path("folder/.lock").exists()
    assert SPEECH.run() == 0
    assert not Path("folder/.lock").exists()


def test_of_several_that_start_at_once_one_writes(choose: Any) -> None:
    """Each either writes the whole run or is refused; what stands there in the end is whole."""
    arguments = ["speech", *SPEECH.arguments, "-o", "folder", "--quiet", "--no-report"]
    command = [sys.executable, "-m", "gistmeter", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    several = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in choose(range(4), 4)
    ]
    said = [process.communicate()[1].decode() for process in several]
    assert sorted(process.returncode for process in several) == [0, 2, 2, 2], said
    assert not any("Traceback" in text for text in said)
    assert load_run("folder")["wer"].n == 5


def test_a_clock_that_goes_backwards_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SPEECH.run() == 0
    expected = Path("folder/items.parquet").read_bytes()
    backwards: Callable[[], float] = iter(range(10**9, 0, -1)).__next__
    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, backwards)
    assert SPEECH.run("--overwrite") == 0
    assert Path("folder/items.parquet").read_bytes() == expected
    assert load_run("folder")["wer"].n == 5
