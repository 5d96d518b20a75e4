"""How much memory a command may take, and how it ends where it wants more.

The limit is one of the system (`RLIMIT_DATA`), so it holds for whatever allocates: Python, polars,
ONNX Runtime. Python raises an error then; others abort, or are killed. So on Linux the command
works in a process of its own, and the first one only waits, says what happened and gives the exit
code. It passes signals on, and its end is the other's end too.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError

LIMITS: Any = importlib.import_module("resource") if os.name == "posix" else None
SHARE = 0.8  # of the machine's memory, where nothing else is said
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)
TIGHT = 1 << 30  # bytes of addresses that libraries alone may take
LEAST = 256 << 20  # bytes below which nothing can be scored
CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
FORWARDED = (signal.SIGTERM, signal.SIGINT)
TOLD_BY_KILL = 0  # SI_USER: not from the terminal, which reaches both processes by itself
PR_SET_PDEATHSIG = 1
ADVICE = "Give it fewer or smaller inputs at a time, or more memory: --memory-limit 8G"
# What libraries say where they cannot allocate, map a file or start a thread.
EXHAUSTED = (
    "cannot allocate memory", "failed to map segment", "can't start new thread",
    "resource temporarily unavailable",
)  # fmt: skip


def parse_size(text: str) -> int:
    """Bytes.

    >>> parse_size("1.5G"), parse_size("512 MB")
    (1610612736, 536870912)
    """
    match = SIZE.fullmatch(text)
    size = int(float(match[1]) * UNITS[match[2].upper()]) if match else 0
    if size < LEAST:
        raise InputError(
            f"--memory-limit is '{text}'; expected a size such as 4G or 800M, at least "
            f"{LEAST >> 20}M"
        )
    return size


def available() -> int:
    """Bytes of memory that this machine, or its container, has; 0 where it is not known."""
    sizes = []
    with contextlib.suppress(ValueError, OSError, AttributeError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in CGROUP:
        with contextlib.suppress(ValueError, OSError):
            sizes.append(int(file.read_text()))
    return min((size for size in sizes if size > 0), default=0)


def limit_memory(size: int) -> None:
    """Let this process take so many bytes and no more, where the system can say so."""
    if LIMITS is None:
        return
    hard = LIMITS.getrlimit(LIMITS.RLIMIT_DATA)[1]
    soft = size if hard == LIMITS.RLIM_INFINITY else min(size, hard)
    with contextlib.suppress(OSError, ValueError):
        LIMITS.setrlimit(LIMITS.RLIMIT_DATA, (soft, hard))


def is_panic(error: BaseException) -> bool:
    """Whether a library written in Rust gave up, as Polars does where no thread can be started."""
    return type(error).__name__ == "PanicException"


def is_exhaustion(error: BaseException) -> bool:
    """Whether an error means that memory ran out."""
    if isinstance(error, ImportError | OSError | RuntimeError) or is_panic(error):
        return any(words in str(error).lower() for words in EXHAUSTED)
    # A library that could not be loaded as a whole fails later, in ways of its own.
    mapped = LIMITS.getrlimit(LIMITS.RLIMIT_AS)[0] if LIMITS else -1  # negative: any number
    return isinstance(error, MemoryError) or 0 < mapped < TIGHT


def supervise(work: Callable[[], int]) -> int:
    """The exit code of some work, also where it aborts."""
    if memory := available():
        limit_memory(int(memory * SHARE))
    if not sys.platform.startswith("linux"):
        return work()
    watched = {signal.SIGCHLD, *FORWARDED}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        child = os.fork()
    except OSError:  # no room for a second process
        child = 0
    if child == 0:
        _die_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return work()
    while True:
        received = signal.sigwaitinfo(watched)
        if received.si_signo != signal.SIGCHLD and received.si_code == TOLD_BY_KILL:
            os.kill(child, received.si_signo)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            os._exit(_code(status))  # what is to be done at the end, the work has done


def _code(status: int) -> int:
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    name = signal.Signals(number).name
    cause = "most likely because its memory ran out"
    sys.stderr.write(f"Error: the command was ended by {name}, {cause}. {ADVICE}\n")
    sys.stderr.flush()
    return 1


def _die_with_parent() -> None:
    """Whoever kills the first process means this one."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
