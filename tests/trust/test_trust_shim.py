"""A machine that fails below Python: SQLite's and polars' own writes too, memory, and the clock."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

resource: Any = pytest.importorskip("resource", reason="needs the limits of POSIX")
HERE = Path(__file__).parent
PATHS = os.pathsep.join(str(ROOT / name) for name in ("src", "tests"))
Recorder = Callable[[str, object], None]
SIZES = 20
SHORT = {
    ("cache", errno.ENOSPC),
    ("cache", errno.EIO),
    ("table", errno.ENOSPC),
    ("parse", errno.EIO),
}
SHARES = (10, 50, 90)  # per cent of the calls after which the disk fails, in the short form
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None,
    reason="needs Linux and gcc, to preload a library that fails",
)


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = HERE / "shim.c"
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wno-nonnull-compare"]
    subprocess.run(["gcc", *options, "-o", library, source, "-ldl"], check=True)
    return library


def play(shim: Path, *arguments: str) -> dict[str, Any]:
    """What `shimmed.py` found out."""
    done = subprocess.run(
        [sys.executable, str(HERE / "shimmed.py"), *arguments],
        env={**os.environ, "PYTHONPATH": PATHS, "LD_PRELOAD": str(shim)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "broken"])
@pytest.mark.parametrize("scene", ["cache", "table", "text", "parse", "speech"])
def test_no_failing_call_of_any_library_loses_or_forges_anything(
    scene: str, code: int, shim: Path, everything: bool, record_property: Recorder
) -> None:
    if not everything and (scene, code) not in SHORT:
        pytest.skip("in the long form: make trust")
    found = play(shim, scene, str(code), *(() if everything else map(str, SHARES)))
    record_property("tries", found["tries"])
    assert found["calls"] > 3  # the library was asked, and not around it
    assert found["faults"] == {}


def test_a_clock_that_jumps_changes_nothing(
    shim: Path, everything: bool, record_property: Recorder
) -> None:
    found = play(shim, "clock", "0", *(() if everything else ("1",)))
    record_property("tries", found["tries"])
    assert found["faults"] == {}


@pytest.mark.skipif(sys.platform != "linux", reason="needs the limits of Linux")
def test_a_run_that_memory_ended_can_be_resumed(
    in_folder: Path, everything: bool, record_property: Recorder
) -> None:
    """Address space of 20 sizes: whatever allocation fails first, nothing wrong is believed."""
    rows = "".join(f"{at},the dog sleeps {at},the dog slept {at}\n" for at in range(20_000))
    Path("data.csv").write_text("id,prediction,reference\n" + rows)
    command = [
        sys.executable, "-m", "gistmeter", "text", "data.csv", "--language", "en", "--metrics",
        "lexical_cosine", "--resamples", "20", "--no-report", "--quiet",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": PATHS, "POLARS_MAX_THREADS": "1"}

    def run(*more: str, size: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *more], env=environment, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        )  # fmt: skip

    assert run("-o", "calm").returncode == 0
    expected = Path("calm/items.parquet").read_bytes()
    sizes = [int((100 << 20) * 1.18**step) for step in range(SIZES)]  # 100 MB to 2.3 GB
    sizes = sizes if everything else sizes[SIZES // 2 :: SIZES]
    record_property("tries", len(sizes))
    for size in sizes:
        shutil.rmtree("run", ignore_errors=True)
        limited = run("-o", "run", size=size)
        if limited.returncode:
            again = run("-o", "run", "--resume")
            assert again.returncode == 0, (size, limited.stderr, again.stderr)
        assert Path("run/items.parquet").read_bytes() == expected, size
