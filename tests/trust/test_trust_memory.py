"""A command takes no more memory than it may, and says so where it wants more."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter.cli.memory import available, parse_size
from gistmeter.core.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux")
GREEDY = """
import ctypes, os, sys
from gistmeter.cli.memory import limit_memory, supervise
def work():
    limit_memory(400 << 20)
    if sys.argv[1] == "abort":
        os.abort()
    if sys.argv[1] == "wait":
        print(os.getpid(), flush=True)
        import time
        time.sleep(60)
    return 7
sys.exit(supervise(work))
"""


def start(*arguments: str, **process: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, **process,
    )  # fmt: skip


@pytest.mark.parametrize(("how", "code"), [("end", 7), ("abort", 1)])
def test_the_exit_code_is_that_of_the_work_or_of_a_failure(how: str, code: int) -> None:
    process = start("-c", GREEDY, how)
    _, said = process.communicate(timeout=100)
    assert process.returncode == code
    assert ("memory ran out" in said) == (how == "abort")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_reaches_the_work(number: int) -> None:
    process = start("-c", GREEDY, "wait")
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    assert worker != process.pid
    process.send_signal(number)
    process.communicate(timeout=100)
    for _ in range(1000):
        if not Path(f"/proc/{worker}").exists():
            return
        time.sleep(0.02)
    pytest.fail("the work goes on")


def test_the_option_holds_for_the_whole_command(in_folder: Path) -> None:
    """A table of 120 MB takes more than 256 MB to be read."""
    Path("x.csv").write_text("id,prediction,reference\n" + "1,it rains,it rained\n" * 6_000_000)
    arguments = ["-m", "gistmeter", "text", "x.csv", "--language", "en", "--metrics", "s_info"]
    process = start(*arguments, "--memory-limit", "256M", "-o", "run", "-q")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "memory ran out" in said
    assert "--memory-limit" in said
    assert "Traceback" not in said
    assert not Path("run/run.json").exists()


SIZES = [20, 40, 60, 80, 100, 150, 200, 250, 300, 350, 400, 500, 600, 800, 1000, 1500, 2000]  # MB


def test_little_address_space_is_an_error_and_no_crash(
    in_folder: Path, choose: Callable[[Sequence[int], int], list[int]]
) -> None:
    Path("x.csv").write_text("id,prediction,reference\n1,it rains,it rained\n")
    arguments = ["text", "x.csv", "--language", "en", "--metrics", "s_info", "-o", "run", "-q"]
    for size in choose(SIZES, 2):
        limit = (size << 20,) * 2
        process = start(
            "-m", "gistmeter", *arguments, "--overwrite",
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, limit),
        )  # fmt: skip
        _, said = process.communicate(timeout=300)
        assert process.returncode in (0, 1), (size, said)
        assert "Traceback" not in said, (size, said)
        assert bool(said.strip()) == bool(process.returncode), (size, said)


def test_sizes_are_read() -> None:
    assert [parse_size(size) for size in ("4G", "512MB", "0.5 GiB")] == [
        4 << 30,
        512 << 20,
        1 << 29,
    ]
    for wrong in ("", "4", "lots", "-1G", "1P"):
        with pytest.raises(InputError, match="--memory-limit is"):
            parse_size(wrong)
    assert available() > 1 << 28
