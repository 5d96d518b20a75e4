"""What stands in another order: blocks of neighbouring summary sentences that were moved.

Each summary sentence has a place in the source. The largest set of sentences whose places never go
back stays; the others moved. Moved neighbours whose places go on from each other are one block. A
block is named by where it stands: "before" the first passage after it that the source has earlier,
or "after" the last passage before it that the source has later. Sentences without content words
("What!") fit in many places and take no part.

On a path that pays for every way back, a sentence beside one may stray far ahead for nothing. So a
block of a few sentences must gain more than the cost by its place, or `settle` puts its sentences
back beside their neighbours.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gistmeter.book.metrics.similarity import Bools, Ints, Similarity

FEW = 3  # sentences of a block that has to earn its place
WINDOW = 12  # source sentences that neighbours are looked for in
GAP = 3  # sentences without a source that a block may hold between two of its own
EDGE = 3  # source sentences by which a block may reach into what stands elsewhere


@dataclass(frozen=True, slots=True)
class MovedBlock:
    """A block of the summary, sentences `first` to `last`, from the source's `start` to `end`."""

    first: int
    last: int
    start: int
    end: int
    before: bool  # whether it came to stand earlier than in the source
    other: int  # the source sentence that it stands before, or after


def staying(places: Sequence[int]) -> list[int]:
    """The positions of a longest run of numbers that never decrease (patience sorting).

    >>> staying([1, 7, 8, 2, 3, 4])
    [0, 3, 4, 5]
    """
    ends: list[int] = []  # the least last number of a run of each length
    where: list[int] = []
    before: list[int] = []
    for at, place in enumerate(places):
        length = bisect_right(ends, place)
        before.append(where[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            where.append(at)
        else:
            ends[length], where[length] = place, at
    kept: list[int] = []
    at = where[-1] if where else -1
    while at >= 0:
        kept.append(at)
        at = before[at]
    return kept[::-1]


def find_moved(places: Ints, supported: Bools) -> list[MovedBlock]:
    """The blocks that moved, in the summary's order; sentences without a source have no place."""
    placed = np.flatnonzero(supported & (places >= 0))
    kept = set(staying(places[placed].tolist()))
    moved = [int(at) for number, at in enumerate(placed) if number not in kept]
    blocks: list[list[int]] = []
    for at in moved:
        before = blocks[-1][-1] if blocks else -1
        between = set(range(before + 1, at)) & set(placed.tolist()) if blocks else set()
        near = blocks and at - before <= GAP + 1 and not between
        if near and _goes_on(places, before, at, placed):
            blocks[-1].append(at)
        else:
            blocks.append([at])
    return [_name(block, places, placed) for block in blocks]


def settle(places: Ints, similarity: Similarity, cost: float) -> Ints:
    """The places without small blocks that gain less than the cost by standing elsewhere."""
    settled = places.copy()
    for block in find_moved(places, places >= 0):
        sentences = np.arange(block.first, block.last + 1)
        if len(sentences) > FEW or cost <= 0:
            continue
        near = _beside(settled, block, similarity.shape[1])
        whole = similarity.block(block.first, block.last + 1, 0, similarity.shape[1])
        values = whole[:, near]
        gain = (whole[sentences - block.first, places[sentences]] - values.max(axis=1)).sum()
        if gain < cost:
            settled[sentences] = near[values.argmax(axis=1)]
    return settled


def _beside(places: Ints, block: MovedBlock, columns: int) -> Ints:
    """The source sentences that follow the sentence before a block, or precede the one after, as
    far as the next that another sentence has for its place."""
    others = np.delete(places, np.arange(block.first, block.last + 1))
    windows = []
    if block.first > 0:
        start = int(places[block.first - 1])
        end = min([start + WINDOW, columns - 1, *others[others > start].tolist()])
        windows.append(np.arange(start, end + 1))
    if block.last + 1 < len(places):
        end = int(places[block.last + 1])
        start = max([end - WINDOW, 0, *others[others < end].tolist()])
        windows.append(np.arange(start, end + 1))
    return np.unique(np.concatenate(windows))


def _goes_on(places: Ints, before: int, at: int, placed: Ints) -> bool:
    """Whether a place follows another without other parts of the summary in between.

    A step of a few sentences always does: a sentence that merges the end of one chapter with the
    beginning of the next has its place in either.
    """
    if places[at] < places[before]:
        return False
    if places[at] - places[before] <= EDGE:
        return True
    between = (places[placed] > places[before]) & (places[placed] < places[at])
    return not between.any()


def _name(block: Sequence[int], places: Ints, placed: Ints) -> MovedBlock:
    first, last = block[0], block[-1]
    start, end = int(places[first]), int(places[last])
    later = [int(at) for at in placed[placed > last] if places[at] < start]
    earlier = [int(at) for at in placed[placed < first] if places[at] > end]
    # The side on which more of the book stands wrongly is the way that the block went.
    before = len(later) >= len(earlier)
    # The middle of three, since a sentence on the edge of a chapter may have strayed over it.
    beside = later[:3] if before else earlier[-3:]
    other = sorted(places[beside].tolist())[len(beside) // 2] if beside else start
    return MovedBlock(first, last, start, end, before, other)
