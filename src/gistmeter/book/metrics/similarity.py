"""Similarities of all sentences of a summary with all of a source, in bounded memory.

Cosines of unit vectors, rounded to multiples of 2⁻²⁴ (about 6·10⁻⁸, a float32's own precision below
1): sums of such numbers are exact, so equal sentences give equal paths whatever the block they were
computed in. Cosines that a float32 cannot tell from 1 are 1. A table that fits is kept; a larger
one is computed again, block by block, when asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.book.metrics.band import Ints
from gistmeter.book.metrics.fixed_point import BLOCK_BYTES, Block
from gistmeter.book.metrics.fixed_point import Similarity as Blocks
from gistmeter.book.metrics.paths import Table

Vectors = npt.NDArray[np.float32]
KEPT_BYTES = 192 << 20
FINENESS = np.float32(2**24)
SAME = np.float32(16)  # in the same unit: about 10⁻⁶


class Similarity(Blocks, Protocol):
    """What measures ask of a table of similarities."""

    def at(self, rows: Ints, columns: Ints) -> npt.NDArray[np.float64]:
        """Single similarities."""


@dataclass(frozen=True, slots=True)
class KeptSimilarity:
    """A table that is there as a whole."""

    table: Table

    @property
    def shape(self) -> tuple[int, int]:
        return self.table.shape

    @property
    def bound(self) -> float:
        return self.table.bound

    def block(self, start: int, stop: int, first: int, last: int) -> Block:
        return self.table.block(start, stop, first, last)

    def at(self, rows: Ints, columns: Ints) -> npt.NDArray[np.float64]:
        return self.table.values[rows, columns].astype(np.float64)


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
        return _rounded(self.summary[start:stop] @ self.source[first:last].T)

    def at(self, rows: Ints, columns: Ints) -> npt.NDArray[np.float64]:
        found = np.empty(len(rows))
        for start in range(0, len(rows), 4096):
            part = slice(start, start + 4096)
            products = self.summary[rows[part]] * self.source[columns[part]]
            found[part] = _rounded(products.sum(axis=1))
        return found


def compare(summary: Vectors, source: Vectors, kept_bytes: int = KEPT_BYTES) -> Similarity:
    """The similarities of unit vectors; a vector of NaN is like no other."""
    computed = ComputedSimilarity(_unit(summary), _unit(source))
    rows, columns = computed.shape
    if 4 * rows * columns > kept_bytes:
        return computed
    values = np.empty((rows, columns), np.float32)
    for start, stop in block_rows(rows, columns):
        values[start:stop] = computed.block(start, stop, 0, columns)
    return KeptSimilarity(Table(values, 1.0))


def _unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1 to a float32's precision, so that equal sentences are equal."""
    clean = np.nan_to_num(np.asarray(vectors, np.float32))
    lengths = np.sqrt(np.einsum("ij,ij->i", clean, clean, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    unit: Vectors = (clean / lengths[:, None]).astype(np.float32)
    return unit


def given(table: npt.ArrayLike) -> Similarity:
    """Similarities that someone else computed."""
    return KeptSimilarity(Table.of(table))


def block_rows(rows: int, columns: int) -> list[tuple[int, int]]:
    """Stretches of whole rows that are small enough to be looked at together."""
    length = max(1, BLOCK_BYTES // (8 * max(columns, 1)))
    return [(start, min(start + length, rows)) for start in range(0, rows, length)]


def _rounded(cosines: Vectors) -> Vectors:
    cosines *= FINENESS
    np.rint(cosines, out=cosines)
    np.clip(cosines, -FINENESS, FINENESS, out=cosines)
    cosines[cosines >= FINENESS - SAME] = FINENESS
    cosines /= FINENESS
    return cosines
