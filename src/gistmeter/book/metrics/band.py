"""The part of the table of sentence pairs in which a path may run.

A band gives every row of the table a window of columns. Slanted, it follows the diagonal from the
first pair of sentences to the last, `|j + ½ − (i + ½)·N/M| ≤ width`, so that a book ten times as
long as its summary still has its path inside; absolute, it follows `|i − j| ≤ width`, which holds
a path only where both texts have about as many sentences. The width counts sentences of the source
on either side. A band that holds no path is widened to the narrowest that does.

Needleman–Wunsch walks between sentences, on the (M + 1) × (N + 1) nodes of the table; the other
algorithms walk on its M × N cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
KINDS = ("slanted", "absolute")


@dataclass(frozen=True, slots=True)
class Band:
    """For each row of the table, its first and its last column; neither ever decreases."""

    low: Ints
    high: Ints
    width: int | None = None  # as used, after widening; None: the whole table
    widened: bool = False

    @property
    def widest(self) -> int:
        return int((self.high - self.low).max()) + 1


def node_band(rows: int, columns: int, width: int | None, kind: str) -> Band:
    """Windows on the nodes between sentences, from (0, 0) to (rows, columns)."""
    slope = np.arange(rows + 1) * columns
    centres = slope if kind == "slanted" else np.arange(rows + 1) * rows
    return _narrowest(centres, rows, columns + 1, width, corners=True)


def cell_band(rows: int, columns: int, width: int | None, kind: str, *, corners: bool) -> Band:
    """Windows on the sentence pairs; `corners`: a path must join the first pair and the last."""
    slope = (2 * np.arange(rows) + 1) * columns - rows
    centres = slope if kind == "slanted" else np.arange(rows) * 2 * rows
    return _narrowest(centres, 2 * rows, columns, width, corners=corners)


def _narrowest(
    centres: Ints, scale: int, columns: int, width: int | None, *, corners: bool
) -> Band:
    """The band of the given width, or the narrowest wider one that holds a path.

    `centres / scale` is the middle column of each row, kept as integers so as not to be rounded.
    """
    if width is None:
        rows = len(centres)
        return Band(np.zeros(rows, np.int64), np.full(rows, columns - 1, np.int64))
    if _holds_path(_windows(centres, scale, columns, width), columns, corners=corners):
        return _windows(centres, scale, columns, width)
    below, enough = width, width + 1
    while not _holds_path(_windows(centres, scale, columns, enough), columns, corners=corners):
        below, enough = enough, enough * 2
    while enough - below > 1:
        middle = (below + enough) // 2
        if _holds_path(_windows(centres, scale, columns, middle), columns, corners=corners):
            enough = middle
        else:
            below = middle
    band = _windows(centres, scale, columns, enough)
    return Band(band.low, band.high, enough, widened=True)


def _windows(centres: Ints, scale: int, columns: int, width: int) -> Band:
    low = -((width * scale - centres) // scale)  # the ceiling of centre - width
    high = (centres + width * scale) // scale
    return Band(np.maximum(low, 0), np.minimum(high, columns - 1), width)


def _holds_path(band: Band, columns: int, *, corners: bool) -> bool:
    if not (band.low <= band.high).all():
        return False
    connected = (band.low[1:] <= band.high[:-1] + 1).all()
    return not corners or bool(connected and band.low[0] == 0 and band.high[-1] == columns - 1)
