"""Aligning the sentences of a summary with those of its source.

`align` takes a table of similarities (rows: summary, columns: source) and gives the best path of
one of four algorithms, whole rows at a time (`recurrences`), the same as a plain loop over the
table would give, ties included: where rounding could have decided, the loop's own order of
additions is followed (`wavefront`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.book.metrics import band as bands
from gistmeter.book.metrics.band import Band, Ints
from gistmeter.book.metrics.fixed_point import (
    BLOCK_BYTES,
    Block,
    Similarity,
    SimilarityRows,
    Unit,
    are_multiples,
)
from gistmeter.book.metrics.moves import settle
from gistmeter.book.metrics.recurrences import trace_dtw, trace_monotone, trace_needleman_wunsch
from gistmeter.book.metrics.wavefront import (
    trace_dtw_in_loop_order,
    trace_needleman_wunsch_in_loop_order,
)
from gistmeter.core.errors import InputError, UnknownName

ALGORITHMS = ("blocks", "monotone", "nw", "dtw")
MOVE_COST = 0.6  # in units of a book's contrast


@dataclass(frozen=True, slots=True)
class Path:
    """Pairs (summary sentence, source sentence) in the summary's order.

    The source never goes back either, but between the blocks of `blocks`.
    """

    pairs: Ints  # (pairs, 2)
    bandwidth: int | None = None  # as used; None: no band
    widened: bool = False  # the band asked for held no path


@dataclass(frozen=True, slots=True)
class Table:
    """A table of similarities that is there as a whole."""

    values: Block
    bound: float

    @classmethod
    def of(cls, similarity: npt.ArrayLike) -> Table:
        values = np.asarray(similarity)
        if values.ndim != 2:
            raise InputError(f"A table of similarities has 2 dimensions, not {values.ndim}")
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        bound = max(float(values.max()), -float(values.min())) if values.size else 0.0
        if not math.isfinite(bound):
            raise InputError("The table of similarities holds values that are not finite")
        return cls(values, bound)

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def block(self, start: int, stop: int, first: int, last: int) -> Block:
        return self.values[start:stop, first:last]


def align(  # noqa: PLR0917
    similarity: Similarity,
    algorithm: str = "monotone",
    gap_penalty: float = -0.5,
    bandwidth: int | None = None,
    band: str = "slanted",
    move_cost: float = MOVE_COST,
) -> Path:
    """The best path; no pairs where either side is empty."""
    check_settings(algorithm, gap_penalty, bandwidth, band)
    rows, columns = similarity.shape
    if rows == 0 or columns == 0:
        return Path(np.zeros((0, 2), np.int64), bandwidth)
    if algorithm == "nw":
        return _needleman_wunsch(similarity, gap_penalty, bandwidth, band)
    corners = algorithm == "dtw"
    windows = bands.cell_band(rows, columns, bandwidth, band, corners=corners)
    unit = Unit.for_sums(rows + columns, similarity.bound + 1)
    cells = SimilarityRows(similarity, windows.low, windows.high, unit)
    if not corners:
        if algorithm == "monotone":
            return _path(trace_monotone(cells, windows).pairs, windows)
        cost = max(move_cost * contrast(similarity), 0.0)
        pairs = trace_monotone(cells, windows, unit.integer(cost)).pairs
        pairs[:, 1] = settle(pairs[:, 1], similarity, cost)
        return _path(pairs, windows)
    trace = trace_dtw(cells, windows, unit.doubt)
    if not trace.sure and adds_exactly(similarity, 1.0):
        trace = trace_dtw(cells, windows, doubt=0)
    elif not trace.sure:
        return _path(trace_dtw_in_loop_order(_whole(similarity), windows), windows)
    return _path(trace.pairs, windows)


def contrast(similarity: Similarity) -> float:
    """How far the best source of a sentence stands out: mean best similarity − mean similarity.

    It is the scale of a model's cosines on this book, so that a cost means the same for every
    model and language.
    """
    rows, columns = similarity.shape
    best, total = 0.0, 0.0
    step = max(1, BLOCK_BYTES // (8 * columns))
    for start in range(0, rows, step):
        block = similarity.block(start, min(start + step, rows), 0, columns)
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
    path = align(Table.of(similarity), algorithm, gap_penalty, bandwidth, band)
    return list(zip(path.pairs[:, 0].tolist(), path.pairs[:, 1].tolist(), strict=True))


def check_settings(algorithm: str, gap_penalty: float, bandwidth: int | None, band: str) -> None:
    """Refuse what no alignment can be made with."""
    if algorithm not in ALGORITHMS:
        raise UnknownName("alignment", algorithm, ALGORITHMS)
    if band not in bands.KINDS:
        raise UnknownName("band", band, bands.KINDS)
    if not math.isfinite(gap_penalty) or gap_penalty > 0:
        raise InputError(f"The gap penalty is {gap_penalty}; it must be 0 or negative")
    if bandwidth is not None and bandwidth < 0:
        raise InputError(f"The bandwidth is {bandwidth}; it must be 0 or more sentences")


def _needleman_wunsch(
    similarity: Similarity, gap_penalty: float, bandwidth: int | None, band: str
) -> Path:
    rows, columns = similarity.shape
    windows = bands.node_band(rows, columns, bandwidth, band)
    unit = Unit.for_sums(rows + columns, similarity.bound + 2 * abs(gap_penalty))
    first_cells, last_cells = np.maximum(windows.low[1:] - 1, 0), windows.high[1:] - 1
    cells = SimilarityRows(similarity, first_cells, last_cells, unit)
    gap = unit.integer(gap_penalty)
    trace = trace_needleman_wunsch(cells, windows, gap, unit.doubt)
    if not trace.sure and adds_exactly(similarity, gap_penalty):
        trace = trace_needleman_wunsch(cells, windows, gap, doubt=0)
    elif not trace.sure:
        table = _whole(similarity)
        return _path(trace_needleman_wunsch_in_loop_order(table, windows, gap_penalty), windows)
    return _path(trace.pairs, windows)


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


def _whole(similarity: Similarity) -> npt.NDArray[np.float64]:
    rows, columns = similarity.shape
    return similarity.block(0, rows, 0, columns).astype(np.float64)


def _path(pairs: Ints, windows: Band) -> Path:
    return Path(pairs, windows.width, windows.widened)
