"""The same alignments in the order of additions of a plain loop, one anti-diagonal at a time.

The cells of an anti-diagonal depend on the two before it alone, so they can be computed together
while each still takes the very additions in float64 that a loop over rows and columns takes. Slower
than a row at a time, and only asked where two ways are so nearly equal that rounding decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gistmeter.book.metrics.similarity import Floats, Ints

if TYPE_CHECKING:
    from gistmeter.book.metrics.paths import Band

BestMove = Callable[[int, int], int]  # into the cell of a row and a column
Reach = Callable[[Ints, int, Floats, Floats, Floats], "Ways"]
MATCH, ABOVE, BESIDE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Ways:
    """What the cells of an anti-diagonal could come from, and what is added after choosing."""

    match: Floats
    above: Floats
    beside: Floats
    then: Floats | float = 0.0


def trace_needleman_wunsch_in_loop_order(similarity: Floats, band: Band, gap: float) -> Ints:
    """Pairs (summary, source) on the nodes between sentences."""
    columns = similarity.shape[1]
    flat = np.ravel(similarity)

    def reach(rows: Ints, diagonal: int, two_before: Floats, above: Floats, beside: Floats) -> Ways:
        places = diagonal - rows
        inner = (rows > 0) & (places > 0)
        gains = flat.take(np.where(inner, (rows - 1) * columns + places - 1, 0))
        match = np.where(inner, two_before + gains, -np.inf)
        # The edges of the table are multiples of the gap, as a loop would set them.
        return Ways(
            match,
            np.where(places == 0, rows * gap, above + gap),
            np.where(rows == 0, places * gap, beside + gap),
        )

    moves = _sweep(band, reach, start=0.0)
    pairs = [(row, column) for row, column, move in _walk_back(band, moves) if move == MATCH]
    return np.array(pairs[::-1], np.int64).reshape(-1, 2)


def trace_dtw_in_loop_order(similarity: Floats, band: Band) -> Ints:
    """Pairs (summary, source) from the first to the last; costs are counted as losses."""
    columns = similarity.shape[1]
    losses = np.ravel(similarity) - 1.0

    def reach(rows: Ints, diagonal: int, two_before: Floats, above: Floats, beside: Floats) -> Ways:
        loss = losses.take(rows * (columns - 1) + diagonal)
        return Ways(two_before, above, beside, then=loss)

    moves = _sweep(band, reach, start=float(losses[0]))
    last = len(band.low) - 1, int(band.high[-1])
    pairs = [last, *((row, column) for row, column, _ in _walk_back(band, moves))]
    return np.array(pairs[::-1], np.int64)


def _walk_back(band: Band, moves: BestMove) -> Iterator[tuple[int, int, int]]:
    """Every cell before the last one on the path, and the move that leads on from it."""
    row, column = len(band.low) - 1, int(band.high[-1])
    while row > 0 or column > 0:
        move = moves(row, column)
        row, column = row - (move != BESIDE), column - (move != ABOVE)
        yield row, column, move


def _sweep(band: Band, reach: Reach, start: float) -> BestMove:
    """Go through the anti-diagonals; the answer tells the best move into a cell."""
    rows = np.arange(len(band.low))
    begins, ends = rows + band.low, rows + band.high
    # One more place at either end stands for cells outside the table.
    one_before, two_before, current = (np.full(len(rows) + 2, -np.inf) for _ in range(3))
    one_before[1] = start
    directions: list[npt.NDArray[np.uint8]] = [np.zeros(1, np.uint8)]
    firsts = [0]
    for diagonal in range(1, int(ends[-1]) + 1):
        first = int(ends.searchsorted(diagonal))
        last = int(begins.searchsorted(diagonal, side="right"))  # not included
        ways = reach(
            rows[first:last],
            diagonal,
            two_before[first:last],
            one_before[first:last],
            one_before[first + 1 : last + 1],
        )
        skipped = np.maximum(ways.above, ways.beside)
        current[first + 1 : last + 1] = np.maximum(ways.match, skipped) + ways.then
        current[first] = current[last + 1] = -np.inf
        sideways = ways.above < ways.beside
        directions.append(((ways.match < skipped) * (1 + sideways)).astype(np.uint8))
        firsts.append(first)
        one_before, two_before, current = current, one_before, two_before

    def move(row: int, column: int) -> int:
        return int(directions[row + column][row - firsts[row + column]])

    return move
