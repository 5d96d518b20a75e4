"""Forests as arrays of parents, with depths, cycles and distances for millions of nodes at once.

A node's parent is its position, -1 for a root. Depths come from pointer doubling: after k rounds
each node knows its ancestor 2^k steps up, so a forest of any height takes logarithmically many
rounds. The lowest common ancestor of a pair is found the same way, downwards (binary lifting).
"""

from __future__ import annotations

from collections.abc import Iterator

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


def cycles(parents: npt.ArrayLike) -> Iterator[list[int]]:
    """Each cycle once: its nodes from the least on, by climbing."""
    up: list[int] = np.asarray(parents).tolist()
    reached = [-1] * len(up)  # from which start; each node is climbed from once
    for start in range(len(up)):
        node = start
        while node >= 0 and reached[node] < 0:
            reached[node], node = start, up[node]
        if node >= 0 and reached[node] == start:
            ring = [node]
            while up[ring[-1]] != node:
                ring.append(up[ring[-1]])
            first = ring.index(min(ring))
            yield ring[first:] + ring[:first]


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


def covered(parents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each node's parent is above all nodes that stand between the two.

    In a dependency tree: whether the arc is projective. A root's is; on or below a cycle none is.
    Nodes are numbered parents first (`enter`), so that those below one are a range of numbers; of
    all nodes in between the least and the greatest number are looked up (a sparse table).
    """
    up, depth = np.asarray(parents, dtype=np.int64), depths(parents)
    size, enter = np.ones(len(up), np.int64), np.zeros(len(up), np.int64)
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)
    levels = [level for level in levels if len(level) and depth[level[0]] >= 0]
    for level in reversed(levels[1:]):
        np.add.at(size, up[level], size[level])
    for unsorted in levels:
        level = unsorted[np.argsort(up[unsorted], kind="stable")]
        above = up[level]
        before = np.cumsum(size[level]) - size[level]
        first = np.searchsorted(above, above)  # the first sibling of each
        enter[level] = before - before[first] + np.where(above >= 0, enter[above] + 1, 0)
    node = np.arange(len(up))
    low, high = np.minimum(node, up) + 1, np.maximum(node, up)  # what stands between, end excluded
    found = depth >= 0
    asked = np.flatnonzero((up >= 0) & found & (high > low))
    least, most, width = enter.copy(), np.where(found, enter, len(up)), 1
    least[~found] = -1
    span = high[asked] - low[asked]
    while len(asked):
        now = (span >= width) & (span < 2 * width)
        at, arc = low[asked[now]], asked[now]
        end = high[arc] - width
        top = up[arc]
        inside = np.minimum(least[at], least[end]) >= enter[top]
        found[arc] = inside & (np.maximum(most[at], most[end]) < enter[top] + size[top])
        asked, span = asked[~now], span[~now]
        keep = len(least) - width
        if keep <= 0:
            break
        least = np.minimum(least[:keep], least[width:])
        most = np.maximum(most[:keep], most[width:])
        width *= 2
    return found
