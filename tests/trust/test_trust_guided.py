"""What a fuzzer that is guided by coverage found, and, in the long form, the fuzzer itself.

`corpus/CASE/` holds inputs that once ended in a traceback, or that reach code which chance seldom
does. `make trust` lets atheris at every case for an hour in all (FUZZ_SECONDS says otherwise).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter.core.errors import GistmeterError
from trust.test_trust_fuzz import CASES, quick

__all__ = ["quick"]
HERE = Path(__file__).parent
HELD = os.environ.get("PYTHONPATH", "")
KEPT = sorted((HERE / "corpus").glob("*/*"))
SECONDS = int(os.environ.get("FUZZ_SECONDS", "3600"))


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: f"{kept.parent.name}-{kept.name}")
def test_what_was_found_is_read_or_refused(kept: Path, tmp_path: Path) -> None:
    file, _, use = CASES[kept.parent.name]
    path = tmp_path / file
    path.write_bytes(kept.read_bytes())
    try:
        use(path)
    except GistmeterError as error:
        assert str(error)


def test_the_corpus_is_small() -> None:
    assert KEPT and sum(kept.stat().st_size for kept in KEPT) < 200_000


@pytest.mark.parametrize("name", CASES)
def test_no_input_that_reaches_new_code_ends_in_a_traceback(
    name: str, everything: bool, in_folder: Path, record_property: Callable[[str, object], None]
) -> None:
    if not everything:
        pytest.skip("in the long form: make trust")
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python or system")
    seconds = max(1, SECONDS // len(CASES))
    done = subprocess.run(
        [sys.executable, str(HERE / "guided.py"), name, f"-max_total_time={seconds}"],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{HELD}"},
        capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    tries = re.findall(r"#(\d+)", done.stderr)
    record_property("tries", int(tries[-1]) if tries else 0)
    crashes = {file.name: file.read_bytes()[:500] for file in Path().glob("*-*")}
    assert done.returncode == 0 and not crashes, (crashes, done.stderr[-3000:])
