"""The cache: keys by content, bytes back as they were, several processes at once."""

from __future__ import annotations

import errno
import io
import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gistmeter.core.cache import Cache, Memo, Spool, keys
from gistmeter.core.errors import GistmeterError


def test_a_key_depends_on_model_settings_and_input_alone() -> None:
    base = keys("m@1", ["text"], {"layer": 2})
    assert base == keys("m@1", ["text"], {"layer": 2})
    others = [
        keys("m@2", ["text"], {"layer": 2}),
        keys("m@1", ["text "], {"layer": 2}),
        keys("m@1", ["text"], {"layer": 3}),
        keys("m@1", [["text", "pair"]], {"layer": 2}),
        keys("m@1", ["text"]),
    ]
    assert len({base[0], *(key for (key,) in others)}) == 6


@pytest.mark.parametrize("kept", [True, False])
def test_numbers_come_back_to_the_bit(tmp_path: Path, kept: bool) -> None:
    cache = Cache(tmp_path / "answers.sqlite" if kept else None)
    vectors = np.random.default_rng(1).normal(size=(10_000, 8)).astype(np.float32)
    names = keys("m", [f"text {at}" for at in range(10_000)])
    cache.put_many({key: vector.tobytes() for key, vector in zip(names, vectors, strict=True)})
    found = cache.get_many([*names, *keys("m", ["not there"])])
    assert len(found) == 10_000
    back = np.stack([np.frombuffer(found[key], dtype="<f4") for key in names])
    assert np.array_equal(back, vectors)


def write(path: str, worker: int) -> None:
    cache = Cache(Path(path))
    for step in range(20):
        names = keys("m", [[worker, step, at] for at in range(20)])
        cache.put_many(dict.fromkeys(names, b"%d" % worker))


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write, args=(str(path), number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert Cache(path).info().entries == 4 * 20 * 20


def test_a_damaged_file_does_not_end_a_run_and_can_be_cleared(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(GistmeterError, match="gistmeter cache clear"):
        Cache(path).info()
    cache = Cache(path)
    assert cache.get_many([b"key"]) == {}
    cache.put_many({b"key": b"value"})
    assert cache.get_many([b"key"]) == {b"key": b"value"}
    assert caplog.text.count("gistmeter cache clear") == 1
    Cache(path).clear()
    assert Cache(path).get_many([b"key"]) == {}


def test_a_flipped_bit_is_a_miss_and_never_another_answer(tmp_path: Path) -> None:
    """Every bit of every value once, and a sample of all others, structure included."""
    path = tmp_path / "answers.sqlite"
    names = keys("m", ["one", "two"])
    answers = dict(zip(names, (np.asarray([0.25, 0.5]).tobytes(), b"an answer"), strict=True))
    cache = Cache(path)
    cache.put_many(answers)
    cache.close()
    whole = path.read_bytes()
    places = {at for value in answers.values() for at in spread(whole, value)}
    places |= set(range(0, len(whole), 97))
    missed = 0
    for at in sorted(places):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        Cache(path).clear()
        path.write_bytes(damaged)
        hurt = Cache(path)
        found = hurt.get_many(names)
        hurt.close()
        assert found.items() <= answers.items()
        missed += len(found) < 2
    assert missed >= sum(map(len, answers.values()))


def spread(whole: bytes, value: bytes) -> range:
    start = whole.index(value)
    return range(start, start + len(value))


def test_a_value_under_another_key_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    cache.put_many({b"a": b"1", b"b": b"2"})
    connection = sqlite3.connect(tmp_path / "answers.sqlite")
    with connection:
        query = "UPDATE sealed SET value = (SELECT value FROM sealed WHERE key = ?) WHERE key = ?"
        connection.execute(query, (b"a", b"b"))
    connection.close()
    assert cache.get_many([b"a", b"b"]) == {b"a": b"1"}


@pytest.mark.parametrize("kind", ["a file where the folder should be", "a folder"])
def test_an_unusable_place_does_not_end_a_run(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "place" / "answers.sqlite"
    if kind == "a folder":
        path.mkdir(parents=True)
    else:
        (tmp_path / "place").write_text("")
    cache = Cache(path)
    cache.put_many({b"key": b"value"})
    assert cache.get_many([b"key", b"other"]) == {b"key": b"value"}
    assert "new answers are kept for this run only" in caplog.text


READ_ONLY = """
import logging, os, sys
from pathlib import Path
from typing import Any
import sqlite3, threading, hashlib
from gistmeter.core.cache import Cache
logging.basicConfig()
path = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(65534)
cache = Cache(path)
assert cache.get_many([b"key"]) == {b"key": b"value"}, "what is there can be read"
cache.put_many({b"new": b"1"})
assert cache.get_many([b"key", b"new"]) == {b"key": b"value", b"new": b"1"}
"""


def test_a_read_only_cache_is_read_and_does_not_end_a_run() -> None:
    # Not below pytest's own folder, which nobody else may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "answers.sqlite"
        cache = Cache(path)
        cache.put_many({b"key": b"value"})
        cache.close()
        path.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "cannot be written" in done.stderr


def test_a_full_disk_does_not_end_a_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    cache.put_many({b"key": b"value"})
    cache._open().execute("PRAGMA max_page_count = 4")
    big = {b"%d" % at: b"x" * 4000 for at in range(10)}
    cache.put_many(big)
    assert cache.get_many([b"key", *big]) == {b"key": b"value", **big}
    assert "full" in caplog.text


def test_many_processes_meet_at_a_fresh_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from gistmeter.core.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "cache.put_many({sys.argv[2].encode(): b'x'})\n"
        "assert cache._writes"
    )
    path = tmp_path / "deep" / "answers.sqlite"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(number)])
        for number in range(8)
    ]
    assert [process.wait() for process in started] == [0] * 8
    assert Cache(path).info().entries == 8


def test_a_reference_survives_a_flood_of_predictions() -> None:
    memo, reads = Memo(20), 0
    for wave in range(6):
        if not memo.find("model", ["reference"]):
            reads += 1
            memo.keep("model", {"reference": wave}, lambda _: 1)
        predictions = {f"prediction {wave} {at}": wave for at in range(30)}
        memo.keep("model", predictions, lambda _: 1)
        assert len(memo.find("model", predictions)) == 10
    assert reads == 2


def test_a_spool_holds_on_disk_what_is_beyond_its_memory_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    values = {at: bytes([at]) * 1000 for at in range(50)}
    spool = Spool(memory=4000, limit=50_000)
    for place, value in values.items():
        spool.keep(place, value)
        spool.keep(place, b"another")  # what is kept stays
    tracemalloc.start()
    assert {place: spool.get(place) for place in [*values, 50]} == {**values, 50: None}
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()
    spool.keep(50, b"one more than it may hold")
    assert [spool.get(place) for place in (0, 49, 50)] == [None, None, b"one more than it may hold"]
    del spool
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fails", ["open", "write", "read"])
def test_a_spool_does_without_a_disk_that_refuses(
    fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def refuse(self, *given: Any) -> Any:
            raise OSError(errno.ENOSPC, "No space left on device")

        write = refuse if fails == "write" else io.BytesIO.write
        read = refuse if fails == "read" else io.BytesIO.read

    def disk(*given: Any, **options: Any) -> Any:
        if fails == "open":
            raise FileNotFoundError("No usable temporary directory")
        return Full()

    monkeypatch.setattr(tempfile, "TemporaryFile", disk)
    spool, values = Spool(memory=4000), {at: bytes([at]) * 1000 for at in range(10)}
    for place, value in values.items():
        spool.keep(place, value)
        assert spool.get(place) in (value, None)
        assert spool.get(0) in (values[0], None)
    spool.keep("later", b"in memory")
    assert spool.get("later") == b"in memory"


@pytest.mark.skipif(os.name == "nt", reason="modes of files are those of POSIX")
def test_answers_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "answers.sqlite"
    for _ in range(2):
        cache = Cache(path)
        cache.put_many({b"key": b"value"})
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
        cache.close()
        path.chmod(0o644)  # as caches from before are


def test_a_locked_cache_says_what_it_waits_for_and_then_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gistmeter.core.cache.REMARK", 0.1)
    monkeypatch.setattr("gistmeter.core.cache.PATIENCE", 0.5)
    path = tmp_path / "answers.sqlite"
    Cache(path).put_many({b"old": b"value"})
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    cache = Cache(path)
    start = time.monotonic()
    cache.put_many({b"key": b"value"})
    assert time.monotonic() - start < 10
    assert f"Waiting for the cache {path}" in caplog.text and "locked" in caplog.text
    assert cache.get_many([b"key"]) == {b"key": b"value"}
    holder.rollback()
    holder.close()


def test_a_cache_that_is_let_go_in_time_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gistmeter.core.cache.REMARK", 0.2)
    path = tmp_path / "answers.sqlite"
    Cache(path).put_many({b"old": b"value"})
    holder = sqlite3.connect(path, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(1.0, holder.rollback)
    timer.start()
    Cache(path).put_many({b"key": b"value"})
    timer.join()
    holder.close()
    assert caplog.text.count("Waiting for the cache") == 1
    assert Cache(path).get_many([b"key"]) == {b"key": b"value"}
