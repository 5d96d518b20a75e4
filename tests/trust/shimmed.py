"""Commands on a machine that fails below Python; run by `test_trust_shim` with `shim.c` preloaded.

    LD_PRELOAD=… python shimmed.py SCENE ERRNO [SHARE …]

Each try begins in an empty folder. The disk fails from the nth call on (from each in turn, or at
these shares of all in per cent); then it is whole again, and the same command goes on. Prints
one line of JSON: how many calls an undisturbed run makes, how many tries there were, what was
wrong with any of them.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import polars
import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.errors import GistmeterError
from gistmeter.core.rows import Rows
from gistmeter.core.runs import shards
from gistmeter.core.types import Pair
from trust.scenes import Scene, set_up

SHIM = ctypes.CDLL(None)
RUNS = {
    "text": ("text", "predictions.csv", "--language", "en", "--metrics", "lexical_cosine"),
    "parse": ("parse", "gold.conllu", "system.conllu"),
    "speech": ("speech", "clips.csv", "--metrics", "wer,cer", "--language", "en"),
}
JUMPS = 5  # tries with a clock
ANSWERS = {b"%d" % at: b"x" * 3000 for at in range(40)}
SHARD = shards.to_parquet(Rows.of([Pair(str(at), "x" * 99, ()) for at in range(20_000)]))


def armed(nth: int, code: int, action: Callable[[], object]) -> tuple[object, int]:
    """What an action gives while the disk fails, and how many calls it made."""
    SHIM.disk_arm(os.fsencode(Path.cwd() / "folder"), ctypes.c_long(nth), code)
    try:
        given = action()
    finally:
        count = SHIM.disk_disarm()
    return given, count


def score(name: str, nth: int, code: int) -> tuple[int, str]:
    """A run that fails, ends in an error of ours, and is then what an undisturbed one is."""
    family, *arguments = RUNS[name]
    scene, said = Scene(name, family, tuple(arguments)), io.StringIO()
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        ended, count = armed(nth, code, lambda: scene.run("--no-report"))
    if ended not in ((0, 1) if nth else (0,)):
        return count, f"exit code {ended}: {said.getvalue()}"
    if ended == 0 and nth and not Path("folder/run.json").exists():
        return count, "exit code 0 without a run"
    if ended == 1 and os.strerror(code) not in said.getvalue():
        return count, f"the error does not say what failed: {said.getvalue()}"
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        again = scene.run("--no-report", "--resume")
    if again:
        return count, f"cannot be resumed: {said.getvalue()}"
    return count, ""


def jump(name: str, nth: int, code: int) -> tuple[int, str]:
    """A clock that goes years to and fro while runs are made, resumed and looked at."""
    del name, code
    for scene in (Scene(name, family, tuple(given)) for name, (family, *given) in RUNS.items()):
        kept = []
        for seconds in (0, 400_000_000 // nth if nth else 1):
            SHIM.clock_jump(ctypes.c_long(seconds))
            with redirect_stderr(io.StringIO()) as said, redirect_stdout(io.StringIO()):
                codes = [scene.run(how) for how in ("--overwrite", "--resume")]
            SHIM.clock_jump(ctypes.c_long(0))
            if codes != [0, 0]:
                return JUMPS, f"{scene.name}: exit codes {codes}: {said.getvalue()}"
            kept.append(Path("folder/items.parquet").read_bytes())
        if kept[0] != kept[1]:
            return JUMPS, f"{scene.name}: other scores"
        if min(json.loads(Path("folder/run.json").read_text("utf-8"))["timings"].values()) < 0:
            return JUMPS, f"{scene.name}: negative timings"
        shutil.rmtree("folder")
    return JUMPS, ""


def keep_answers(name: str, nth: int, code: int) -> tuple[int, str]:
    """SQLite's own writes: no answer is lost for this run, none is wrong for the next."""
    path = Path("folder/answers.sqlite")
    Cache(path).put_many({b"old": b"value"})
    cache = Cache(path)
    _, count = armed(nth, code, lambda: (cache.put_many(ANSWERS), cache.close()))
    if cache.get_many([*ANSWERS, b"old"]) != {**ANSWERS, b"old": b"value"}:
        return count, "an answer is lost"
    cache.close()
    later = Cache(path).get_many([*ANSWERS, b"old"])
    wrong = [key for key, value in later.items() if value != {**ANSWERS, b"old": b"value"}[key]]
    return count, f"wrong answers: {wrong}" if wrong else ""


def join(name: str, nth: int, code: int) -> tuple[int, str]:
    """polars' own writer: the old table or the new one, and an error of ours."""
    folder, problem = shards.Folder(Path("folder")), ""
    folder.write("shards/a.parquet", SHARD)
    folder.write("items.parquet", b"old")

    def write() -> None:
        nonlocal problem
        try:
            shards.join_shards(folder.path, [shards.Shard("a.parquet", "", 0, 0)])
        except GistmeterError as error:
            problem = str(error)

    _, count = armed(nth, code, write)
    content = folder.read("items.parquet")
    if (content == b"old") != (problem != ""):
        return count, f"written or not: {problem}"
    if content != b"old" and not polars.read_parquet(content).equals(polars.read_parquet(SHARD)):
        return count, "a part of a table"
    return count, f"left behind: {folder.names()}" if folder.names() != ["items.parquet"] else ""


def main() -> None:
    name, code, *given = sys.argv[1:]
    attempt = {"cache": keep_answers, "table": join, "clock": jump}.get(name, score)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        set_up(patch)
        calls, problem = _try(attempt, name, 0, int(code))
        faults = {0: problem} if problem else {}
        tries = [max(1, calls * int(at) // 100) for at in given] or list(range(1, calls + 1))
        for at in tries:
            _, problem = _try(attempt, name, at, int(code))
            faults |= {at: problem} if problem else {}
    sys.stdout.write(json.dumps({"calls": calls, "tries": len(tries), "faults": faults}) + "\n")


def _try(
    attempt: Callable[[str, int, int], tuple[int, str]], name: str, nth: int, code: int
) -> tuple[int, str]:
    shutil.rmtree("folder", ignore_errors=True)
    try:
        return attempt(name, nth, code)
    except Exception:
        SHIM.disk_disarm()
        return 0, traceback.format_exc()


if __name__ == "__main__":
    main()
