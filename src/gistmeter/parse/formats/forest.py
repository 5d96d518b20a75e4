"""Forests as arrays of parents, with depths, cycles and distances for millions of nodes at once.

A node's parent is its position, -1 for a root. Depths come from pointer doubling: after k rounds
each node knows its ancestor 2^k steps up, so a forest of any height takes logarithmically many
rounds. The lowest common ancestor of a pair is found the same way, downwards (binary lifting).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def depths(parents: npt.ArrayLike) -> Ints:
    """How far each node is from its root; -1 where it never gets there: on or below a cycle."""
    up = np.array(parents, dtype=np.int64)
    depth = (up >= 0).astype(np.int64)
    for _ in range(max(1, len(up).bit_length() + 1)):
        climbing = np.flatnonzero(up >= 0)
        if not len(climbing):
            return depth
        above = up[climbing]
        depth[climbing] += depth[above]
        up[climbing] = up[above]
    depth[up >= 0] = -1
    return depth


def cycle(parents: npt.ArrayLike, start: int) -> list[int]:
    """The nodes of the cycle that climbing from `start` ends in."""
    up = np.asarray(parents)
    seen: dict[int, int] = {}
    node = start
    while node not in seen:
        seen[node] = len(seen)
        node = int(up[node])
    return [one for one, place in seen.items() if place >= seen[node]]


def lifting_table(parents: npt.ArrayLike, depth: Ints) -> Ints:
    """Row k holds each node's ancestor 2^k steps up, or its root where there is none so high."""
    up = np.asarray(parents, dtype=np.int64)
    rows = [np.where(up < 0, np.arange(len(up)), up)]
    for _ in range(1, max(1, int(depth.max(initial=0)).bit_length())):
        rows.append(rows[-1][rows[-1]])
    return np.stack(rows)


def common_ancestors(table: Ints, depth: Ints, left: npt.ArrayLike, right: npt.ArrayLike) -> Ints:
    """The lowest common ancestor of each pair of nodes; -1 where they are in different trees."""
    one, other = np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)
    deeper = depth[one] < depth[other]
    one[deeper], other[deeper] = other[deeper], one[deeper]
    rest = depth[one] - depth[other]
    for row in range(len(table)):
        step = (rest >> row) & 1 == 1
        one[step] = table[row][one[step]]
    for row in reversed(range(len(table))):
        apart = table[row][one] != table[row][other]
        one[apart], other[apart] = table[row][one[apart]], table[row][other[apart]]
    found = np.where(one == other, one, table[0][one])
    return np.where((one == other) | (found == table[0][other]), found, -1)


def path_lengths(table: Ints, depth: Ints, left: Ints, right: Ints) -> Floats:
    """Edges between each pair of nodes; infinite across trees."""
    meeting = common_ancestors(table, depth, left, right)
    length = (depth[left] + depth[right] - 2 * depth[meeting]).astype(np.float64)
    return np.where(meeting < 0, np.inf, length)
