"""Transcripts that were heard, and may have been paid for, are neither lost nor made twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gistmeter import load_run, score_speech
from gistmeter.cli import app
from speech.test_family import FAST, PLUGINS, assets

JOURNAL, KEPT = Path("folder.transcripts.jsonl"), Path("folder/details/transcripts.jsonl")


@pytest.fixture(autouse=True)
def clips(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(PLUGINS))
    return assets()


def run(*more: str, recognizer: str = "counted") -> Result:
    arguments = ["speech", "--assets", "assets", "--recognizers", f"x=speech_plugins:{recognizer}"]
    return CliRunner().invoke(app, [*arguments, *FAST, "-o", "folder", "--tries", "1", *more])


def calls() -> list[int]:
    return [int(line) for line in Path("calls.txt").read_text().split()]


def stopped_after(lines: int) -> bytes:
    """A benchmark that was killed when so many lines of its journal were written."""
    assert run().exit_code == 0
    whole = KEPT.read_bytes().splitlines(keepends=True)
    for file in sorted(Path("folder").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    Path("folder").rmdir()
    Path("calls.txt").unlink()
    JOURNAL.write_bytes(b"".join(whole[:lines]))
    return JOURNAL.read_bytes()


def test_a_finished_run_that_is_resumed_hears_nothing_again() -> None:
    assert run().exit_code == 0
    before = KEPT.read_bytes(), Path("folder/items.parquet").read_bytes()
    done = run("--resume")
    assert done.exit_code == 0, done.stderr
    assert "3 transcripts were there already" in done.stderr
    assert calls() == [1, 2, 3]
    assert (KEPT.read_bytes(), Path("folder/items.parquet").read_bytes()) == before
    assert not JOURNAL.exists()


def test_only_what_failed_is_heard_again() -> None:
    assert run(recognizer="counted_once_failing").exit_code == 0
    assert load_run("folder")["wer"].n == 2
    Path("mended").touch()
    assert run("--resume", recognizer="counted_once_failing").exit_code == 0
    assert calls() == [1, 2, 3, 2]
    assert load_run("folder")["wer"].n == 3
    lines = [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
    assert [(line["id"], line["error"] != "") for line in lines[1:]] == [
        ("a", False), ("b", True), ("c", False), ("b", False),
    ]  # fmt: skip


def test_a_journal_is_never_cut_short_unasked() -> None:
    before = stopped_after(3)
    done = run()
    assert done.exit_code == 2
    assert "--resume" in done.stderr and "--overwrite" in done.stderr
    assert JOURNAL.read_bytes() == before
    assert not Path("calls.txt").exists()
    assert run("--overwrite").exit_code == 0
    assert calls() == [1, 2, 3]


def test_a_resumed_journal_only_grows() -> None:
    before = stopped_after(3)
    assert run("--resume").exit_code == 0
    assert calls() == [3]
    assert KEPT.read_bytes().startswith(before)


@pytest.mark.parametrize(("cut", "again"), [(1, [3]), (30, [2, 3])])
def test_a_line_that_a_kill_cut_off_is_heard_again_unless_it_is_whole(
    cut: int, again: list[int]
) -> None:
    before = stopped_after(3)
    JOURNAL.write_bytes(before[:-cut])
    assert run("--resume").exit_code == 0
    assert calls() == again
    assert all(json.loads(line) for line in KEPT.read_text("utf-8").splitlines())


def test_a_benchmark_killed_before_its_plan_was_written_starts() -> None:
    JOURNAL.write_bytes(b'{"plan": {"reco')
    assert run("--resume").exit_code == 0
    assert calls() == [1, 2, 3]


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"[1, 2]\n",
        b"{}\n",
        b'{"recognizer": 1, "id": "a", "text": "x", "error": ""}\n',
        b'{"recognizer": "x", "id": "a", "text": ["x"], "error": "", "latency_first": 1,'
        b' "latency_final": 1, "elapsed": 1, "duration": 1, "tries": 1}\n',
        b'{"recognizer": "x", "id": "a", "text": "x", "error": "", "latency_first": "soon",'
        b' "latency_final": 1, "elapsed": 1, "duration": 1, "tries": 1}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_damaged_journal_is_an_error_and_stays_as_it_is(line: bytes) -> None:
    head, _, rest = stopped_after(3).partition(b"\n")
    damaged = head + b"\n" + line + rest
    JOURNAL.write_bytes(damaged)
    done = run("--resume")
    assert done.exit_code == 2, done.output
    assert "line 2" in done.stderr and "--overwrite" in done.stderr
    assert JOURNAL.read_bytes() == damaged
    assert not Path("calls.txt").exists()


def test_a_folder_of_something_else_is_refused_before_anything_is_heard() -> None:
    Path("folder").mkdir()
    Path("folder/letter.txt").write_text("mine")
    assert run("--resume").exit_code == 2
    assert not Path("calls.txt").exists()


@pytest.mark.parametrize(
    "more",
    [
        ("--metrics", "wre"),
        ("--custom-metric", "no:thing"),
        ("--alternatives", "absent.txt"),
        ("--metrics", "ser", "--llm", "nobody"),
        ("--metrics", "sem_dist", "--token-encoder", "./absent"),
    ],
)
def test_what_is_wrong_with_the_scores_is_said_before_anything_is_heard(
    more: tuple[str, ...],
) -> None:
    done = run(*more)
    assert done.exit_code == 2, done.output
    assert not Path("calls.txt").exists() and not JOURNAL.exists()


def test_recognisers_from_python_keep_nothing_unless_told() -> None:
    options = {"assets": "assets", "recognizers": ["x=speech_plugins:counted"], "language": "en",
               "metrics": ["wer", "cer"], "normalizer": "seed", "tries": 1}  # fmt: skip
    there = set(Path().iterdir())
    assert score_speech(**options)["wer"].n == 3
    assert set(Path().iterdir()) - there == {Path("calls.txt")}
    score_speech(**options, output="kept", no_report=True)
    assert run().exit_code == 0
    kept, ours = load_run("kept"), load_run("folder")
    assert (kept.command, kept.settings, kept.notes) == (ours.command, ours.settings, ours.notes)
    assert Path("kept/details/transcripts.jsonl").exists()
    assert not Path("kept.transcripts.jsonl").exists()


def test_a_run_saved_from_memory_keeps_what_was_heard() -> None:
    options = {"assets": "assets", "recognizers": ["x=speech_plugins:counted"], "language": "en",
               "metrics": ["wer", "cer"], "tries": 1}  # fmt: skip
    made = score_speech(**options)
    paid = Path("calls.txt").read_text()
    made.save("folder", report=False)
    load_run("folder").save("elsewhere", report=False)  # and from there to another place
    for place in ("folder", "elsewhere"):
        lines = Path(place, "details/transcripts.jsonl").read_text().splitlines()
        assert [json.loads(line).get("id") for line in lines] == [None, "a", "b", "c"]
        again = score_speech(**options, output=place, resume=True, no_report=True)
        assert again["wer"].value == made["wer"].value
    assert Path("calls.txt").read_text() == paid  # nothing was heard twice
