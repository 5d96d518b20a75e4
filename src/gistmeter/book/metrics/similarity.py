"""Similarities of all sentences of a summary with all of a source, in bounded memory.

Cosines of unit vectors, rounded to multiples of 2⁻²⁴ (about 6·10⁻⁸, a float32's own precision below
1): sums of such numbers are exact, so equal sentences give equal paths whatever the block they were
computed in. Cosines that a float32 cannot tell from 1 are 1. A table that fits is kept; a larger
one is computed again, block by block, when asked.

The kernels that align add thousands of similarities and compare the sums. They do it in 64-bit
integers, counted in units of a power of two: sums have no rounding error and ties are ties; and
NumPy's running maximum of integers is four times as fast as that of floats, which must look for
NaN. The unit is as fine as the longest path allows (about 2⁻⁴⁷ for a book), finer than a float64
that holds the same sum. A float becomes an integer by one addition: in `x + 1.5·2^(52−e)` the last
52 bits of the sum are `x·2^e`, rounded to nearest, plus a constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError
from gistmeter.models.products import products

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Vectors = npt.NDArray[np.float32]
Block = Floats | Vectors
BLOCK_BYTES = 32 << 20  # similarities looked at together
KEPT_BYTES = 192 << 20
FINENESS = np.float32(2**24)
SAME = np.float32(16)  # in the same unit: about 10⁻⁶


class Similarity(Protocol):
    """A table of similarities, asked for in blocks or one by one."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def bound(self) -> float:
        """No similarity is larger, or smaller than its negative."""

    def block(self, start: int, stop: int, first: int, last: int) -> Block:
        """Rows start to stop (not included), columns first to last (not included)."""

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Single similarities."""


@dataclass(frozen=True, slots=True)
class SimilarityTable:
    """A table of similarities that is there as a whole."""

    values: Block
    bound: float

    @classmethod
    def of(cls, similarity: npt.ArrayLike) -> SimilarityTable:
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

    def at(self, rows: Ints, columns: Ints) -> Floats:
        return self.values[rows, columns].astype(np.float64)


@dataclass(frozen=True, slots=True)
class ComputedSimilarity:
    """A table that is computed from the vectors whenever it is asked for."""

    summary: Vectors
    source: Vectors

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.summary), len(self.source)

    @property
    def bound(self) -> float:
        return 1.0

    def block(self, start: int, stop: int, first: int, last: int) -> Block:
        return _rounded(products(self.summary[start:stop], self.source[first:last]))

    def at(self, rows: Ints, columns: Ints) -> Floats:
        similarities = np.empty(len(rows))
        for start in range(0, len(rows), 4096):
            part = slice(start, start + 4096)
            products = self.summary[rows[part]] * self.source[columns[part]]
            similarities[part] = _rounded(products.sum(axis=1))
        return similarities


def compare(summary: Vectors, source: Vectors, kept_bytes: int = KEPT_BYTES) -> Similarity:
    """The similarities of unit vectors; a vector of NaN is like no other."""
    computed = ComputedSimilarity(_unit(summary), _unit(source))
    rows, columns = computed.shape
    if 4 * rows * columns > kept_bytes:
        return computed
    values = np.empty((rows, columns), np.float32)
    for start, stop in block_rows(rows, columns):
        values[start:stop] = computed.block(start, stop, 0, columns)
    return SimilarityTable(values, 1.0)


def _unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1 to a float32's precision, so that equal sentences are equal."""
    clean = np.nan_to_num(np.asarray(vectors, np.float32))
    lengths = np.sqrt(np.einsum("ij,ij->i", clean, clean, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    unit: Vectors = (clean / lengths[:, None]).astype(np.float32)
    return unit


def block_rows(rows: int, columns: int) -> list[tuple[int, int]]:
    """Stretches of whole rows that are small enough to be looked at together."""
    length = max(1, BLOCK_BYTES // (8 * max(columns, 1)))
    return [(start, min(start + length, rows)) for start in range(0, rows, length)]


def stretches(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Every number from each first to its last, beside the index of the stretch it is in."""
    counts = last - first + 1
    ends = np.repeat(np.cumsum(counts), counts)
    numbers: Ints = np.repeat(last + 1, counts) + np.arange(counts.sum()) - ends
    return np.repeat(np.arange(len(counts)), counts), numbers


def _rounded(cosines: Vectors) -> Vectors:
    cosines *= FINENESS
    np.rint(cosines, out=cosines)
    np.clip(cosines, -FINENESS, FINENESS, out=cosines)
    cosines[cosines >= FINENESS - SAME] = FINENESS
    cosines /= FINENESS
    return cosines


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
