"""The alignments as anyone would first write them: what the kernels must equal."""

from __future__ import annotations

from collections.abc import Sequence

Grid = Sequence[Sequence[float]]
Window = Sequence[tuple[int, int]]  # first and last column of each row
Pairs = list[tuple[int, int]]
MATCH, ABOVE, BESIDE = range(3)


def needleman_wunsch(similarity: Grid, gap: float, band: Window | None = None) -> Pairs:
    """Global alignment; ties: a match, then skipping the summary, then skipping the source."""
    rows, columns = len(similarity), len(similarity[0])
    inside = _inside(band)
    best = [[float("-inf")] * (columns + 1) for _ in range(rows + 1)]
    move = [[MATCH] * (columns + 1) for _ in range(rows + 1)]
    best[0][0] = 0.0
    for i in range(1, rows + 1):
        if inside(i, 0):
            best[i][0], move[i][0] = i * gap, ABOVE
    for j in range(1, columns + 1):
        if inside(0, j):
            best[0][j], move[0][j] = j * gap, BESIDE
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            if band is not None and not inside(i, j):
                continue
            match = best[i - 1][j - 1] + similarity[i - 1][j - 1]
            above, beside = best[i - 1][j] + gap, best[i][j - 1] + gap
            if match >= above and match >= beside:
                best[i][j] = match
            elif above >= beside:
                best[i][j], move[i][j] = above, ABOVE
            else:
                best[i][j], move[i][j] = beside, BESIDE
    pairs, i, j = [], rows, columns
    while i or j:
        step = move[i][j]
        i, j = i - (step != BESIDE), j - (step != ABOVE)
        if step == MATCH:
            pairs.append((i, j))
    return pairs[::-1]


def dtw(similarity: Grid, band: Window | None = None) -> Pairs:
    """The path with the least sum of 1 − similarity, with the same order among ties."""
    rows, columns = len(similarity), len(similarity[0])
    inside, never = _inside(band), float("inf")
    cost = [[never] * columns for _ in range(rows)]
    move = [[MATCH] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if band is not None and not inside(i, j):
                continue
            here = 1 - similarity[i][j]
            match = cost[i - 1][j - 1] if i and j else never
            above = cost[i - 1][j] if i else never
            beside = cost[i][j - 1] if j else never
            if i == j == 0:
                cost[i][j] = here
            elif match <= above and match <= beside:
                cost[i][j] = here + match
            elif above <= beside:
                cost[i][j], move[i][j] = here + above, ABOVE
            else:
                cost[i][j], move[i][j] = here + beside, BESIDE
    i, j = rows - 1, columns - 1
    pairs = [(i, j)]
    while i or j:
        step = move[i][j]
        i, j = i - (step != BESIDE), j - (step != ABOVE)
        pairs.append((i, j))
    return pairs[::-1]


def monotone(similarity: Grid, band: Window | None = None) -> float:
    """The largest sum of similarities with sources that never go back."""
    inside, never = _inside(band), float("-inf")
    before = [0.0] * len(similarity[0])
    for i, row in enumerate(similarity):
        reached, running = [], never
        for j, value in enumerate(row):
            running = max(running, before[j])
            reached.append(running + value if inside(i, j) else never)
        before = reached
    return max(before)


def _inside(band: Window | None):  # type: ignore[no-untyped-def]
    return lambda i, j: band is None or band[i][0] <= j <= band[i][1]
