"""The README's examples are real: each command is run, and every line it shows must be there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter.recognizers.sample import write_samples

BLOCKS = re.findall(
    r"```console\n\$ (.*)\n((?:.*\n)*?)```", (ROOT / "README.md").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("command", "shown"), BLOCKS, ids=[block[0].split()[1] for block in BLOCKS]
)
def test_an_example_prints_what_the_readme_shows(in_folder: Path, command: str, shown: str) -> None:
    write_samples(Path("runs/demo/clips"))
    samples = str(ROOT / "src" / "gistmeter" / "samples")
    arguments = shlex.split(command.replace("$S", samples))[1:]
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = {line.rstrip() for line in done.stdout.splitlines()}
    missing = [line for line in shown.splitlines() if line != "[…]" and line not in printed]
    assert not missing


def test_there_is_an_example_for_each_shape() -> None:
    assert [block[0].split()[1] for block in BLOCKS] == ["text", "book", "parse", "speech"]
