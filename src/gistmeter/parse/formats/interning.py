"""Cells of a column turned into small integers, without one object per cell.

A cell is a stretch of bytes. It is taken eight bytes at a time into a 64-bit mixture; cells of one
mixture are given one representative through a table addressed by the mixture's upper bits; and
every cell is then compared with its representative byte by byte, so that the result is exact
whatever the input. Cells of unusual length, and a column on which that comparison fails, go
through a dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

PADDING = b"\0" * 8
SHORT = 256  # bytes; longer cells are rare, and each eight bytes cost a round
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ROTATION = np.uint64(29)


@dataclass(frozen=True, slots=True)
class Interned:
    """A number for each cell, and a cell that stands for each number."""

    codes: Codes
    representatives: Ints  # positions of cells


class CellReader:
    """The bytes of a block, ready to be read eight at a time from anywhere."""

    def __init__(self, content: bytes) -> None:
        padded = content + PADDING
        self.content = content
        self.bytes = np.frombuffer(padded, np.uint8)[: len(content)]
        self._words: Words = np.ndarray((len(content) + 1,), "<u8", padded, strides=(1,))

    def words(self, starts: Ints, lengths: Ints) -> Words:
        """The first eight bytes of each cell, zeros beyond its end."""
        return self._words[starts] & _MASKS[np.minimum(lengths, 8)]

    def slices(self, starts: Ints, lengths: Ints) -> list[bytes]:
        content = self.content
        pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
        return [content[start : start + length] for start, length in pairs]

    def intern(self, starts: Ints, ends: Ints) -> Interned:
        """Number the cells so that equal cells, and only those, have equal numbers."""
        lengths = ends - starts
        is_long = lengths > SHORT
        if not is_long.any():
            return self._intern_short(starts, lengths)
        short, long = np.flatnonzero(~is_long), np.flatnonzero(is_long)
        some = self._intern_short(starts[short], lengths[short])
        others = self._intern_by_dictionary(starts[long], lengths[long])
        codes = np.zeros(len(starts), np.int32)
        codes[short] = some.codes
        codes[long] = others.codes + len(some.representatives)
        return Interned(
            codes, np.concatenate([short[some.representatives], long[others.representatives]])
        )

    def _intern_short(self, starts: Ints, lengths: Ints) -> Interned:
        if not len(starts):
            return Interned(np.zeros(0, np.int32), np.zeros(0, np.int64))
        representative = _elect(self._mix(starts, lengths))
        if not self._same(starts, lengths, representative):
            return self._intern_by_dictionary(starts, lengths)
        return _number(representative)

    def _mix(self, starts: Ints, lengths: Ints) -> Words:
        mixed = (self.words(starts, lengths) ^ lengths.astype(np.uint64)) * _MULTIPLIER
        mixed ^= mixed >> _ROTATION
        for place in range(8, int(lengths.max()), 8):
            longer = np.flatnonzero(lengths > place)
            more = self.words(starts[longer] + place, lengths[longer] - place)
            part = (mixed[longer] ^ more) * _MULTIPLIER
            mixed[longer] = part ^ (part >> _ROTATION)
        return mixed * _MULTIPLIER

    def _same(self, starts: Ints, lengths: Ints, representative: Ints) -> bool:
        """Whether each cell is its representative to the last byte.

        The mixture of one word and a length can be undone, so up to eight bytes equal lengths
        suffice; beyond that all words are compared.
        """
        if not np.array_equal(lengths, lengths[representative]):
            return False
        left = np.flatnonzero((lengths > 8) & (representative != np.arange(len(starts))))
        right, place = representative[left], 0
        while len(left):
            rest = lengths[left] - place
            mine = self.words(starts[left] + place, rest)
            if not np.array_equal(mine, self.words(starts[right] + place, rest)):
                return False
            place += 8
            longer = rest > 8
            left, right = left[longer], right[longer]
        return True

    def _intern_by_dictionary(self, starts: Ints, lengths: Ints) -> Interned:
        known: dict[bytes, int] = {}
        codes = [known.setdefault(cell, len(known)) for cell in self.slices(starts, lengths)]
        numbers = np.asarray(codes, dtype=np.int32)
        first = np.zeros(len(known), dtype=np.int64)
        first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
        return Interned(numbers, first)


def _elect(mixed: Words) -> Ints:
    """For each value the position of one that is equal to it, the same for all equal ones."""
    size = len(mixed)
    bits = min(22, max(8, (2 * size).bit_length()))
    slots = (mixed >> np.uint64(64 - bits)).astype(np.int64)
    table = np.zeros(1 << bits, dtype=np.int64)
    table[slots] = np.arange(size)
    representative: Ints = table[slots]
    unsettled = np.flatnonzero(mixed[representative] != mixed)
    if len(unsettled):  # two values wanted one slot: few enough to sort
        _, first, inverse = np.unique(mixed[unsettled], return_index=True, return_inverse=True)
        representative[unsettled] = unsettled[first[inverse]]
    return representative


def _number(representative: Ints) -> Interned:
    chosen = np.zeros(len(representative), dtype=bool)
    chosen[representative] = True
    positions = np.flatnonzero(chosen)
    number = np.zeros(len(representative), dtype=np.int32)
    number[positions] = np.arange(len(positions), dtype=np.int32)
    return Interned(number[representative], positions)
