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

import numpy as np
import numpy.typing as npt

from gistmeter.metrics.alignment.band import Band, Ints
from gistmeter.metrics.alignment.fixed_point import SimilarityRows

Bools = npt.NDArray[np.bool_]
NOWHERE = -(1 << 61)  # below any sum; sums may still be added to it
MATCH, ABOVE, BESIDE = 1, 2, 4  # bits of a cell's byte
ONLY_BESIDE = bytes([BESIDE])
RECORD = bytes([1])
CACHED = 512 << 10  # bytes of a block of rows


@dataclass(frozen=True, slots=True)
class Trace:
    """Pairs (summary, source) from first to last, and whether no tie was too close to call."""

    pairs: Ints
    sure: bool = True


def trace_monotone(cells: SimilarityRows, band: Band) -> Trace:
    """Every summary sentence gets a source sentence; positions never decrease.

    Among equally good places the first is taken.
    """
    low, high = band.low.tolist(), band.high.tolist()
    records = np.empty((len(low), band.widest), np.bool_)  # where the running maximum rises
    running = np.zeros(high[-1] + 1, np.int64)
    gains = np.empty((1, band.widest), np.int64)
    known = high[0]
    for row, (start, end) in enumerate(zip(low, high, strict=True)):
        running[known + 1 : end + 1] = running[known]  # the maximum goes on beyond its window
        known = end
        reached = running[start : end + 1]
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
    return Trace(np.column_stack([np.arange(len(low)), places]))


def trace_needleman_wunsch(cells: SimilarityRows, band: Band, gap: int, doubt: int) -> Trace:
    """One source sentence to one summary sentence at most; skipping either costs `gap`."""
    moves = Moves(band, doubt)
    stack, gains = moves.make_stack(), moves.make_rows()
    stack[0, 1 : moves.high[0] + 2] = 0
    for first, count in moves.blocks():
        start, end = moves.low[first], moves.high[first]
        inner = max(start, 1)  # the first node that a match can lead to
        match = gains[:count, : end - inner + 1]
        cells.integers(first - 1, inner - 1, end - 1, -2 * gap, match)
        stack[1 : count + 1, start] = NOWHERE
        stack[1 : count + 1, start + 1] = stack[0, start + 1]  # as it stays where no match leads
        for gain, before, reached in zip(match, stack, stack[1:], strict=False):
            np.add(gain, before[inner : end + 1], out=gain)
            np.maximum(gain, before[inner + 1 : end + 2], out=reached[inner + 1 : end + 2])
            window = reached[start + 1 : end + 2]
            np.maximum.accumulate(window, out=window)
        reached, above = (stack[at : at + count, start + 1 : end + 2] for at in (1, 0))
        moves.record(first, reached, match, above, reached[:, :-1])
        stack[0, start : end + 2] = stack[count, start : end + 2]
    return moves.follow_matches()


def trace_dtw(cells: SimilarityRows, band: Band, doubt: int) -> Trace:
    """A path from the first pair to the last, each step one sentence on in either text or both."""
    moves = Moves(band, doubt)
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
            reached[1:] -= summed[:-1]
            np.maximum.accumulate(reached, out=reached)
            reached += summed
        reached = stack[1 : count + 1, start + 1 : end + 2]
        match, above = (stack[:count, start + at : end + at + 1] for at in (0, 1))
        best = np.subtract(reached, loss, out=loss)  # of the three ways into each cell
        moves.record(first, best, match, above, reached[:, :-1])
        stack[0, start : end + 2] = stack[count, start : end + 2]
    return moves.follow_cells()


class Moves:
    """For each cell, the moves into it that are best or within `doubt` of it, in one byte.

    Rows with the same window are worked on in blocks that stay in the processor's cache.
    """

    def __init__(self, band: Band, doubt: int) -> None:
        self.low, self.high = band.low.tolist(), band.high.tolist()
        self.doubt = doubt
        self.widest = band.widest
        self.height = max(1, min(CACHED // (16 * band.widest), len(self.low)))
        self.table = np.empty((len(self.low), band.widest), np.uint8)
        self.least = self.make_rows()
        self.flags: Bools = np.empty(self.least.shape, np.bool_)

    def make_stack(self) -> Ints:
        """A row and the block of rows after it: all columns and one before them, unreached."""
        return np.full((self.height + 1, self.high[-1] + 2), NOWHERE)

    def make_rows(self) -> Ints:
        return np.empty((self.height, self.widest), np.int64)

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

    def record(self, first: int, best: Ints, match: Ints, above: Ints, beside: Ints) -> None:
        """Note the ways into the cells of a block; ways that fewer columns have end with it."""
        count, width = best.shape
        least = np.subtract(best, self.doubt, out=self.least[:count, :width])
        codes = self.table[first : first + count, :width]
        codes[:, 0] = 0
        np.greater_equal(beside, least[:, 1:], out=codes[:, 1:].view(np.bool_))
        for ways in (above, match):
            missing = width - ways.shape[1]
            flags = np.greater_equal(
                ways, least[:, missing:], out=self.flags[:count, missing:width]
            )
            np.add(codes, codes, out=codes)
            part = codes[:, missing:]
            np.add(part, flags.view(np.uint8), out=part)

    def enter(self, row: int, column: int) -> tuple[int, int]:
        """Go back beside along a row: the column where the path came into it, and its byte."""
        codes = self.table[row, : column - self.low[row] + 1].tobytes().rstrip(ONLY_BESIDE)
        return self.low[row] + len(codes) - 1, codes[-1]

    def follow_matches(self) -> Trace:
        """The path's matches, on the nodes between sentences."""
        sure, column = True, self.high[-1]
        pairs: list[tuple[int, int]] = []
        for row in range(len(self.low) - 1, 0, -1):
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
        counts = last - first + 1
        ends = np.repeat(np.cumsum(counts), counts)
        columns = np.repeat(last + 1, counts) + np.arange(counts.sum()) - ends
        return Trace(np.column_stack([np.repeat(np.arange(len(counts)), counts), columns]), sure)
