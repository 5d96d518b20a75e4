"""Aligning the sentences of a summary with those of its source.

`align` takes a table of similarities (rows: summary, columns: source) and gives the best path of
one of four algorithms, whole rows at a time (`recurrences`), the same as a plain loop over the
table would give, ties included: where rounding could have decided, the loop's own order of
additions is followed (`wavefront`).

A band gives every row of the table a window of columns in which a path may run. Slanted, it
follows the diagonal from the first pair of sentences to the last, `|j + ½ − (i + ½)·N/M| ≤ width`,
so that a book ten times as long as its summary still has its path inside; absolute, it follows
`|i − j| ≤ width`, which holds a path only where both texts have about as many sentences. The width
counts sentences of the source on either side. A band that holds no path is widened to the narrowest
that does. Needleman–Wunsch walks between sentences, on the (M + 1) × (N + 1) nodes of the table;
the other algorithms walk on its M × N cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gistmeter.book.metrics.moves import settle
from gistmeter.book.metrics.recurrences import (
    Trace,
    trace_dtw,
    trace_monotone,
    trace_needleman_wunsch,
)
from gistmeter.book.metrics.similarity import (
    Floats,
    Ints,
    Similarity,
    SimilarityRows,
    SimilarityTable,
    Unit,
    are_multiples,
    block_rows,
)
from gistmeter.book.metrics.wavefront import (
    trace_dtw_in_loop_order,
    trace_needleman_wunsch_in_loop_order,
)
from gistmeter.core.errors import InputError, UnknownName

ALGORITHMS = ("blocks", "monotone", "nw", "dtw")
BANDS = ("slanted", "absolute")
MOVE_COST = 0.6  # in units of a book's contrast


@dataclass(frozen=True, slots=True)
class AlignmentPath:
    """Pairs (summary sentence, source sentence) in the summary's order.

    The source never goes back either, but between the blocks of `blocks`.
    """

    pairs: Ints  # (pairs, 2)
    bandwidth: int | None = None  # as used; None: no band
    widened: bool = False  # the band asked for held no path


def align(  # noqa: PLR0917
    similarity: Similarity,
    algorithm: str = "monotone",
    gap_penalty: float = -0.5,
    bandwidth: int | None = None,
    band: str = "slanted",
    move_cost: float = MOVE_COST,
) -> AlignmentPath:
    """The best path; no pairs where either side is empty."""
    check_settings(algorithm, gap_penalty, bandwidth, band)
    rows, columns = similarity.shape
    if rows == 0 or columns == 0:
        return AlignmentPath(np.zeros((0, 2), np.int64), bandwidth)
    if algorithm == "nw":
        return _needleman_wunsch(similarity, gap_penalty, bandwidth, band)
    corners = algorithm == "dtw"
    windows = cell_band(rows, columns, bandwidth, band, corners=corners)
    unit = Unit.for_sums(rows + columns, similarity.bound + 1)
    cells = SimilarityRows(similarity, windows.low, windows.high, unit)
    if algorithm == "dtw":
        pairs = _decide(
            similarity,
            1.0,
            unit,
            lambda doubt: trace_dtw(cells, windows, doubt),
            lambda table: trace_dtw_in_loop_order(table, windows),
        )
    elif algorithm == "monotone":
        pairs = trace_monotone(cells, windows).pairs
    else:
        cost = max(move_cost * contrast(similarity), 0.0)
        pairs = trace_monotone(cells, windows, unit.integer(cost)).pairs
        pairs[:, 1] = settle(pairs[:, 1], similarity, cost)
    return AlignmentPath(pairs, windows.width, windows.widened)


def contrast(similarity: Similarity) -> float:
    """How far the best source of a sentence stands out: mean best similarity − mean similarity.

    It is the scale of a model's cosines on this book, so that a cost means the same for every
    model and language.
    """
    rows, columns = similarity.shape
    best, total = 0.0, 0.0
    for start, stop in block_rows(rows, columns):
        block = similarity.block(start, stop, 0, columns)
        best += float(block.max(axis=1).sum(dtype=np.float64))
        total += float(block.sum(dtype=np.float64)) / columns
    return (best - total) / rows


def align_sentences(
    similarity: npt.ArrayLike,
    algorithm: str = "nw",
    gap_penalty: float = -0.5,
    bandwidth: int | None = None,
    band: str = "slanted",
) -> list[tuple[int, int]]:
    """Pairs (summary sentence, source sentence) of the best path through a table of similarities.

    >>> align_sentences([[0.9, 0.1, 0.2], [0.1, 0.2, 0.8]])
    [(0, 0), (1, 2)]
    """
    path = align(SimilarityTable.of(similarity), algorithm, gap_penalty, bandwidth, band)
    return list(zip(path.pairs[:, 0].tolist(), path.pairs[:, 1].tolist(), strict=True))


def check_settings(algorithm: str, gap_penalty: float, bandwidth: int | None, band: str) -> None:
    """Refuse what no alignment can be made with."""
    if algorithm not in ALGORITHMS:
        raise UnknownName("alignment", algorithm, ALGORITHMS)
    if band not in BANDS:
        raise UnknownName("band", band, BANDS)
    if not math.isfinite(gap_penalty) or gap_penalty > 0:
        raise InputError(f"The gap penalty is {gap_penalty}; it must be 0 or negative")
    if bandwidth is not None and bandwidth < 0:
        raise InputError(f"The bandwidth is {bandwidth}; it must be 0 or more sentences")


def _needleman_wunsch(
    similarity: Similarity, gap_penalty: float, bandwidth: int | None, band: str
) -> AlignmentPath:
    rows, columns = similarity.shape
    windows = node_band(rows, columns, bandwidth, band)
    unit = Unit.for_sums(rows + columns, similarity.bound + 2 * abs(gap_penalty))
    first_cells, last_cells = np.maximum(windows.low[1:] - 1, 0), windows.high[1:] - 1
    cells = SimilarityRows(similarity, first_cells, last_cells, unit)
    gap = unit.integer(gap_penalty)
    pairs = _decide(
        similarity,
        gap_penalty,
        unit,
        lambda doubt: trace_needleman_wunsch(cells, windows, gap, doubt),
        lambda table: trace_needleman_wunsch_in_loop_order(table, windows, gap_penalty),
    )
    return AlignmentPath(pairs, windows.width, windows.widened)


def _decide(
    similarity: Similarity,
    step: float,
    unit: Unit,
    trace: Callable[[int], Trace],
    in_loop_order: Callable[[Floats], Ints],
) -> Ints:
    """The pairs of a trace; where rounding could have decided, those of a loop in float64."""
    by_rows = trace(unit.doubt)
    if by_rows.sure:
        return by_rows.pairs
    if adds_exactly(similarity, step):
        return trace(0).pairs
    rows, columns = similarity.shape
    return in_loop_order(similarity.block(0, rows, 0, columns).astype(np.float64))


def adds_exactly(similarity: Similarity, step: float) -> bool:
    """Whether float64 adds these numbers along any path without rounding, so its ties are ours.

    It does where they are multiples of a power of two that is not too small beside their sum.
    """
    rows, columns = similarity.shape
    total = (rows + columns) * (similarity.bound + 2 * abs(step))
    exponent = 52 - math.ceil(math.log2(max(total, 1.0)))
    return are_multiples(step, exponent) and all(
        are_multiples(similarity.block(row, row + 1, 0, columns), exponent) for row in range(rows)
    )


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

    def suffices(width: int) -> bool:
        return _holds_path(_windows(centres, scale, columns, width), columns, corners=corners)

    if suffices(width):
        return _windows(centres, scale, columns, width)
    below, enough = width, width + 1
    while not suffices(enough):
        below, enough = enough, enough * 2
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if suffices(middle) else (middle, enough)
    return replace(_windows(centres, scale, columns, enough), widened=True)


def _windows(centres: Ints, scale: int, columns: int, width: int) -> Band:
    low = -((width * scale - centres) // scale)  # the ceiling of centre - width
    high = (centres + width * scale) // scale
    return Band(np.maximum(low, 0), np.minimum(high, columns - 1), width)


def _holds_path(band: Band, columns: int, *, corners: bool) -> bool:
    if not (band.low <= band.high).all():
        return False
    connected = (band.low[1:] <= band.high[:-1] + 1).all()
    return not corners or bool(connected and band.low[0] == 0 and band.high[-1] == columns - 1)
