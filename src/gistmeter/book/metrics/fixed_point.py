"""Similarities as 64-bit integers, so that sums are exact whatever their order.

Every kernel adds thousands of similarities and compares the sums. As integers, counted in units of
a power of two, sums have no rounding error and ties are ties; and NumPy's running maximum of
integers is four times as fast as that of floats, which must look for NaN. The unit is as fine as
the longest path allows (about 2⁻⁴⁷ for a book), finer than a float64 that holds the same sum.

A float becomes an integer by one addition: in `x + 1.5·2^(52−e)` the last 52 bits of the sum are
`x·2^e`, rounded to nearest, plus a constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.book.metrics.band import Ints

Block = npt.NDArray[np.float64] | npt.NDArray[np.float32]
BLOCK_BYTES = 32 << 20  # similarities looked at together


class Similarity(Protocol):
    """A table of similarities, asked for in blocks."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def bound(self) -> float:
        """No similarity is larger, or smaller than its negative."""

    def block(self, start: int, stop: int, first: int, last: int) -> Block:
        """Rows start to stop (not included), columns first to last (not included)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of the integers, 2 to the power of −exponent."""

    exponent: int
    doubt: int  # two sums that differ by no more may compare otherwise in float64

    @classmethod
    def for_sums(cls, terms: int, size: float) -> Unit:
        """The finest unit in which `terms` numbers of at most `size` can be added."""
        total = max(terms * size, 1.0)
        exponent = min(60 - math.ceil(math.log2(total)), 49 - math.ceil(math.log2(max(size, 1.0))))
        # A float64 sum of n terms is off by at most n·ε/2 of its largest partial sum, an integer
        # one by half a unit a term; two of either are compared.
        error = terms * (total * np.finfo(np.float64).eps + math.ldexp(1.0, -exponent))
        return cls(exponent, math.ceil(math.ldexp(2 * error, exponent)))

    def integer(self, value: float) -> int:
        return round(math.ldexp(value, self.exponent))


def are_multiples(values: npt.ArrayLike, exponent: int) -> bool:
    """Whether all values are whole multiples of 2 to the power of −exponent."""
    scaled = np.ldexp(np.asarray(values, dtype=np.float64), exponent)
    return bool((scaled == np.rint(scaled)).all())


class SimilarityRows:
    """The windows of a band, row after row, as integers; looked up in blocks of rows."""

    def __init__(self, similarity: Similarity, low: Ints, high: Ints, unit: Unit) -> None:
        self.similarity, self.low, self.high, self.unit = similarity, low, high, unit
        rows, columns = similarity.shape
        widest = max(int((high - low).max()) + 1, 1)
        fitting = max(1, BLOCK_BYTES // (8 * widest))
        # A block of a slanted band is a rectangle around it: not much wider than the band itself.
        self.length = min(fitting, max(1, rows * widest // columns))
        self.start = self.stop = self.offset = 0
        self.block: Block = np.zeros((0, 0))
        self.magic = np.float64(math.ldexp(1.5, 52 - unit.exponent))
        self.magic_bits = int(self.magic.view(np.int64))

    def integers(self, row: int, first: int, last: int, plus: int, out: Ints) -> Ints:
        """Similarities as integers with `plus` added, written to `out`.

        `out` has a row for each table row from `row` on; columns first to last, both included,
        must be inside the windows of all of them.
        """
        done = 0
        while done < len(out):
            self._load(row + done)
            count = min(self.stop - row, len(out)) - done
            start = row + done - self.start
            part = self.block[start : start + count, first - self.offset : last - self.offset + 1]
            np.add(part, self.magic, out=out[done : done + count].view(np.float64))
            done += count
        out += plus - self.magic_bits
        return out

    def _load(self, row: int) -> None:
        """Have the block that this row is in."""
        if self.start <= row < self.stop:
            return
        self.start = row - row % self.length
        self.stop = min(self.start + self.length, len(self.low))
        self.offset = int(self.low[self.start])
        end = int(self.high[self.stop - 1]) + 1
        self.block = self.similarity.block(self.start, self.stop, self.offset, end)
