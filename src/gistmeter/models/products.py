"""Products of vectors that are the same bits with any number of threads.

NumPy's library shares a large product out among its threads, and what stands at the edge of a share
is added up in another order: the last bits depend on the number. Small products are computed by
one thread, so a large one is made of small ones here. It takes two to three times as
long, a small part of what the vectors cost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]
ALONE = 1 << 18  # multiplications that OpenBLAS leaves to one thread
ACROSS = 32


def products(left: Float32, right: Float32) -> Float32:
    """`left @ right.T`: each row of one with each row of the other."""
    found = np.empty((len(left), len(right)), np.float32)
    columns = right.T
    down = ALONE // (ACROSS * max(1, left.shape[1]))
    down = max(1, down - down % 4)  # whole tiles: equal rows are equal wherever they stand
    for first in range(0, len(right), ACROSS):
        across = slice(first, first + ACROSS)
        for start in range(0, len(left), down):
            rows = slice(start, start + down)
            np.matmul(left[rows], columns[:, across], out=found[rows, across])
    return found


def times(table: Float32, vector: Float32) -> Float32:
    """`table @ vector`."""
    return np.asarray(np.einsum("ij,j->i", table, vector))
