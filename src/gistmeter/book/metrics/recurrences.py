"""The three alignments as recurrences that compute a whole row at once.

With s the similarities (rows: summary, columns: source) and every maximum over what the band holds:

monotone            F(i, j) = s(i, j) + max over k ≤ j of F(i−1, k): one running maximum a row.
Needleman–Wunsch    D(i, j) = max(D(i−1, j−1) + s(i, j), D(i−1, j) + g, D(i, j−1) + g). Counted as
                    E(i, j) = D(i, j) − (i + j)·g the gaps vanish, E(i, j) = max(E(i−1, j−1) +
                    s(i, j) − 2g, E(i−1, j), E(i, j−1)), and a row is again a running maximum.
                    Needleman and Wunsch, J. Mol. Biol. 48 (1970).
DTW                 C(i, j) = s(i, j) − 1 + max(C(i−1, j−1), C(i−1, j), C(i, j−1)), the least sum
                    of distances 1 − s, counted as losses. With P the prefix sum of the row's
                    losses, C − P is a running maximum.
                    Sakoe and Chiba, IEEE Trans. ASSP 26 (1978).

The way back needs one byte a cell. It says which moves into the cell are best, or within `doubt`
of it: where the path meets two of them, rounding could have decided in a float64 loop, the trace is
not sure, and `paths` looks closer. Ties: a match first, then skipping the summary sentence (from
above), then skipping the source sentence (from beside).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gistmeter.book.metrics.similarity import Bools, Ints, SimilarityRows, stretches

if TYPE_CHECKING:
    from gistmeter.book.metrics.paths import Band

NOWHERE = -(1 << 61)  # below any sum; sums may still be added to it
MATCH, ABOVE, BESIDE = 1, 2, 4  # bits of a cell's byte
ONLY_BESIDE = bytes([BESIDE])
RECORD = bytes([1])
CACHED = 768 << 10  # bytes of a block of rows


@dataclass(frozen=True, slots=True)
class Trace:
    """Pairs (summary, source) from first to last, and whether no tie was too close to call."""

    pairs: Ints
    sure: bool = True


def trace_monotone(cells: SimilarityRows, band: Band, cost: int | None = None) -> Trace:
    """Every summary sentence gets a source sentence; going back costs, or is not allowed.

    Among equally good places the first is taken, and a step ahead before a step back.
    """
    low, high = band.low.tolist(), band.high.tolist()
    records = np.empty((len(low), band.widest), np.bool_)  # where the running maximum rises
    running = np.zeros(high[-1] + 1, np.int64)
    gains = np.empty((1, band.widest), np.int64)
    known = high[0]
    returns = [0] * len(low)  # columns below which a step back has led here
    for row, (start, end) in enumerate(zip(low, high, strict=True)):
        running[known + 1 : end + 1] = running[known]  # the maximum goes on beyond its window
        known = end
        reached = running[start : end + 1]
        if cost is not None and row:
            # The maxima never decrease, so those that a step back exceeds stand first.
            returns[row] = start + int(np.searchsorted(reached, reached[-1] - cost))
            reached[: returns[row] - start] = reached[-1] - cost
        reached += cells.integers(row, start, end, 0, gains[:, : end - start + 1])[0]
        np.maximum.accumulate(reached, out=reached)
        records[row, 0] = True
        np.greater(reached[1:], reached[:-1], out=records[row, 1 : end - start + 1])
    places = np.empty(len(low), np.int64)
    limit = high[-1]
    for row in range(len(low) - 1, -1, -1):
        seen = records[row, : min(limit, high[row]) - low[row] + 1]
        limit = seen.tobytes().rindex(RECORD) + low[row]
        places[row] = limit
        if limit < returns[row]:
            limit = high[-1]
    return Trace(np.column_stack([np.arange(len(low)), places]))


def trace_needleman_wunsch(cells: SimilarityRows, band: Band, gap: int, doubt: int) -> Trace:
    """One source sentence to one summary sentence at most; skipping either costs `gap`."""
    moves = Moves(band, edge=0)
    stack, gains, leasts = moves.make_stack(), moves.make_rows(), moves.make_rows()
    stack[0, : moves.high[0] + 1] = 0
    for first, count in moves.blocks():
        left, end = moves.left[first], moves.high[first]
        match, least = (rows[:count, : end - left] for rows in (gains, leasts))
        cells.integers(first - 1, left, end - 1, -2 * gap, match)
        stack[1 : count + 1, left] = 0 if moves.low[first] == 0 else NOWHERE
        for gain, before, reached in zip(match, stack, stack[1:], strict=False):
            np.add(gain, before[left:end], out=gain)
            np.maximum(gain, before[left + 1 : end + 1], out=reached[left + 1 : end + 1])
            window = reached[left : end + 1]
            np.maximum.accumulate(window, out=window)
        np.subtract(stack[1 : count + 1, left + 1 : end + 1], doubt, out=least)
        above, beside = stack[:count, left + 1 : end + 1], stack[1 : count + 1, left:end]
        moves.record(first, least, match, above, beside)
        stack[0, left : end + 1] = stack[count, left : end + 1]
    return moves.follow_matches()


def trace_dtw(cells: SimilarityRows, band: Band, doubt: int) -> Trace:
    """A path from the first pair to the last, each step one sentence on in either text or both."""
    moves = Moves(band, edge=-1)
    one = cells.unit.integer(1.0)
    stack, losses, totals = moves.make_stack(), moves.make_rows(), moves.make_rows()
    begun = stack[:1, 1 : moves.high[0] + 2]
    np.add.accumulate(cells.integers(0, 0, moves.high[0], -one, begun), axis=1, out=begun)
    for first, count in moves.blocks():
        start, end = moves.low[first], moves.high[first]
        loss, total = (rows[:count, : end - start + 1] for rows in (losses, totals))
        cells.integers(first, start, end, -one, loss)
        np.add.accumulate(loss, axis=1, out=total)
        stack[1 : count + 1, start] = NOWHERE
        for summed, before, after in zip(total, stack, stack[1:], strict=False):
            reached = after[start + 1 : end + 2]
            np.maximum(before[start : end + 1], before[start + 1 : end + 2], out=reached)
            np.subtract(reached[1:], summed[:-1], out=reached[1:])
            np.maximum.accumulate(reached, out=reached)
            reached += summed
        least = np.subtract(stack[1 : count + 1, start + 1 : end + 2], loss, out=loss)
        least -= doubt
        match, above = (stack[:count, start + at : end + at + 1] for at in (0, 1))
        moves.record(first, least, match, above, stack[1 : count + 1, start : end + 1])
        stack[0, start : end + 2] = stack[count, start : end + 2]
    return moves.follow_cells()


class Moves:
    """For each cell, the moves into it that are best or nearly so, in one byte.

    Rows with the same window are worked on in blocks that stay in the processor's cache. Cells
    begin right of the `edge`: the first column of nodes is reached in one way alone.
    """

    def __init__(self, band: Band, edge: int) -> None:
        self.low, self.high, self.edge = band.low.tolist(), band.high.tolist(), edge
        self.left = [max(low - 1, edge) for low in self.low]  # the column before the cells
        self.widest = band.widest
        self.height = max(1, min(CACHED // (16 * band.widest), len(self.low)))
        self.table = np.empty((len(self.low), band.widest), np.uint8)
        self.flags: Bools = np.empty((self.height, self.widest), np.bool_)

    def make_stack(self) -> Ints:
        """A row and the block of rows after it: all columns from the edge on, unreached."""
        return np.full((self.height + 1, self.high[-1] + 1 - self.edge), NOWHERE)

    def make_rows(self) -> Ints:
        """Rows that do not touch: NumPy copies where one operand has gaps and another has none."""
        return np.empty((self.height, self.widest + 1), np.int64)[:, :-1]

    def blocks(self) -> Iterator[tuple[int, int]]:
        """First row and number of rows of each block, without row 0."""
        first = 1
        while first < len(self.low):
            count, window = 1, (self.low[first], self.high[first])
            while (
                count < self.height
                and first + count < len(self.low)
                and (self.low[first + count], self.high[first + count]) == window
            ):
                count += 1
            yield first, count
            first += count

    def record(self, first: int, least: Ints, match: Ints, above: Ints, beside: Ints) -> None:
        """Note the ways into the cells of a block that bring at least so much."""
        count, width = least.shape
        codes, flags = self.table[first : first + count, :width], self.flags[:count, :width]
        np.greater_equal(beside, least, out=codes.view(np.bool_))
        for ways in (above, match):
            np.greater_equal(ways, least, out=flags)
            np.add(codes, codes, out=codes)
            np.add(codes, flags.view(np.uint8), out=codes)

    def enter(self, row: int, column: int) -> tuple[int, int]:
        """Go back beside along a row: the column where the path came into it, and its byte."""
        codes = self.table[row, : column - self.left[row]].tobytes().rstrip(ONLY_BESIDE)
        return self.left[row] + len(codes), codes[-1]

    def follow_matches(self) -> Trace:
        """The path's matches, on the nodes between sentences."""
        sure, column = True, self.high[-1]
        pairs: list[tuple[int, int]] = []
        for row in range(len(self.low) - 1, 0, -1):
            if column == self.edge:
                break
            column, code = self.enter(row, column)
            sure = sure and code in (MATCH, ABOVE)
            if code & MATCH:
                column -= 1
                pairs.append((row - 1, column))
        return Trace(np.array(pairs[::-1], np.int64).reshape(-1, 2), sure)

    def follow_cells(self) -> Trace:
        """All the cells of the path."""
        sure, column = True, self.high[-1]
        firsts, lasts = [], []  # of the path's columns in each row, from the last row up
        for row in range(len(self.low) - 1, 0, -1):
            entered, code = self.enter(row, column)
            sure = sure and code in (MATCH, ABOVE)
            firsts.append(entered)
            lasts.append(column)
            column = entered - (code & MATCH)
        first, last = np.array([*firsts, 0])[::-1], np.array([*lasts, column])[::-1]
        return Trace(np.column_stack(stretches(first, last)), sure)
