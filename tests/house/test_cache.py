"""The cache: keys by content, bytes back as they were, several processes at once."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from gistmeter.cache import Cache, keys, pack
from gistmeter.errors import GistmeterError


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
    cache.put_many({key: pack(vector) for key, vector in zip(names, vectors, strict=True)})
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


def test_a_damaged_file_says_what_to_do_and_can_be_cleared(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(GistmeterError, match="gistmeter cache clear"):
        Cache(path).get_many([b"key"])
    Cache(path).clear()
    assert Cache(path).get_many([b"key"]) == {}
