"""The readers under a fuzzer that is guided by coverage:

    python tests/trust/guided.py csv -max_total_time=60

The name is one of the cases of `test_trust_fuzz`; everything behind it goes to libFuzzer. It begins
with sound files and those of `corpus/`, and keeps those changes that reach new code. Whatever ends
in anything but a score or a message of ours is a crash, and its file is kept. atheris has no wheels
for every system, so it is no dependency; `make trust` installs it where it can. What it finds goes
into `corpus/`, which every run of the tests reads.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
SEEDS = 40

with atheris.instrument_imports(include=["gistmeter"]):
    from gistmeter.core.errors import GistmeterError
    from trust.test_trust_fuzz import CASES


def main() -> None:
    name, *options = sys.argv[1:]
    file, make, use = CASES[name]
    logging.disable()
    with tempfile.TemporaryDirectory() as folder:
        path, corpus = Path(folder) / file, Path(folder) / "corpus"
        corpus.mkdir()
        for seed in range(SEEDS):
            (corpus / str(seed)).write_bytes(make(random.Random(f"{name} {seed}")))
        for kept in (Path(__file__).parent / "corpus" / name).glob("*"):
            shutil.copy(kept, corpus)

        def one(content: bytes) -> None:
            path.write_bytes(content)
            try:
                use(path)
            except GistmeterError as error:
                if not str(error):
                    raise

        atheris.Setup([sys.argv[0], str(corpus), "-timeout=300", *options], one)
        atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("GISTMETER_CACHE_DIR", tempfile.mkdtemp())
    main()
