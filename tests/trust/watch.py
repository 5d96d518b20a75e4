"""A process watched through strace: whom it calls, and where it writes.

The process runs in a network namespace that has loopback and nothing else (where the machine
allows one), with an empty home. Every thread has a trace of its own, so that no line is split.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT

CALLS = (
    "connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat,mknod,mknodat,"
    "rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate"
)
INTERNET = re.compile(r"\b(connect|sendto|sendmsg|sendmmsg)\(.*sa_family=AF_(INET|INET6|PACKET)\b")
LOOK_UP = re.compile(r'"/etc/(hosts|resolv\.conf|gai\.conf)"')
OPENED = re.compile(r"^(?:open|openat|creat)\(.*(?:O_WRONLY|O_RDWR|O_CREAT).* = \d+<(.+)>$")
MADE = re.compile(r"^(mk|rename|link|symlink|truncate).* = 0$")
PATHS = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
NOWHERE = ("/dev/null", "/dev/tty", "pipe:", "socket:", "anon_inode:", "/memfd:", "/proc/self/")


@dataclass(frozen=True, slots=True)
class Watched:
    """What a process did; `calls` and `strays` should be empty."""

    code: int
    output: str
    calls: list[str]  # connections and look-ups of names
    strays: list[str]  # files written outside the allowed folders


def watch(arguments: Sequence[str], folder: Path) -> Watched:
    """Run python with the arguments; it may write to run, cache and temporary folder below."""
    allowed = [folder / part for part in ("work", "cache", "temporary")]
    home = folder / "home"
    for place in (*allowed, home):
        place.mkdir(exist_ok=True)
    traces = Path(tempfile.mkdtemp(prefix="trace-", dir=folder))
    strace = ["strace", "-ff", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", f"trace={CALLS}"]
    command = [*strace, "-o", str(traces / "thread"), sys.executable, *arguments]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "TMPDIR": str(folder / "temporary"),
        "GISTMETER_CACHE_DIR": str(folder / "cache"),
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [*namespace(), *command],
        cwd=folder / "work",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    lines = [
        line
        for file in traces.iterdir()
        for line in file.read_text("utf-8", "replace").splitlines()
    ]
    assert lines, f"nothing was traced: {done.stderr}"
    calls = [line for line in lines if INTERNET.search(line) or LOOK_UP.search(line)]
    strays = [
        path for line in lines for path in written(line, folder / "work") if stray(path, allowed)
    ]
    return Watched(done.returncode, done.stdout + done.stderr, calls, strays + left_behind(home))


def written(line: str, work: Path) -> list[str]:
    """The paths that a call wrote to or made."""
    opened = OPENED.search(line)
    if opened:
        return [opened[1]]
    if MADE.search(line):
        named = (Path(at or work) / path for at, path in PATHS.findall(line))
        return [os.path.normpath(path) for path in named]
    return []


def stray(path: str, allowed: Sequence[Path]) -> bool:
    if path.startswith(NOWHERE):
        return False
    return not any(Path(path).is_relative_to(place) for place in allowed)


def left_behind(home: Path) -> list[str]:
    return [str(file) for file in home.rglob("*") if file.is_file()]


def namespace() -> list[str]:
    """The command's head that takes the network away but for loopback; nothing where it cannot."""
    head = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    if not shutil.which("unshare") or not shutil.which("ip"):
        return []
    return (
        head
        if subprocess.run([*head, "true"], capture_output=True, check=False).returncode == 0
        else []
    )


def need_strace() -> None:
    """Skip, and say why, where processes cannot be watched."""
    if not shutil.which("strace"):
        pytest.skip(
            "NOT CHECKED: strace is not installed, so nobody saw what was called or written"
        )
    if subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode:
        pytest.skip(
            "NOT CHECKED: strace may not trace here, so nobody saw what was called or written"
        )
