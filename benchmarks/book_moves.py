"""Books: blocks that moved, in made editions, by a move cost from other books.

The cost for a book is that of `move_cost` on all the others: the least at which nothing moved in
their real abridgements, and a step more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from book_editions import SHORTEST, Bound, Library

from gistmeter.book.metrics.book_comparison import AlignmentSettings, BookComparison, compare_book
from gistmeter.book.metrics.description import describe_moves
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.book.metrics.moves import MovedBlock, find_moved
from gistmeter.book.metrics.segmentation import Chapter, Segments, chapters_of
from gistmeter.book.metrics.similarity import compare
from gistmeter.languages import Heading

COSTS = np.arange(1, 16) / 10
STEP = 0.1
PARTS = (3, 4, 5, 6, 8)  # chapters that a text is cut into
LEAST = 3  # sentences of a chapter
LENGTHS = (1, 2, 3, 5)  # of blocks that are moved by themselves
TRIES = 20  # blocks of each length in each book
FAR = 10  # sentences by which they are moved, at least


def move_cost(library: Library, without: str = "") -> float:
    """The least cost at which nothing moved in real abridgements, and a step more."""
    books = [book for name, book in library.items() if name != without]
    for cost in COSTS.tolist():
        if not any(_compared(book, np.arange(len(book.summary)), cost).moves for book in books):
            return float(cost + STEP)
    return float(COSTS[-1] + STEP)


def check_moves(library: Library) -> None:
    """The targets, by costs from other books."""
    costs = {name: move_cost(library, name) for name in library}
    print(f"  move cost from the other books: {min(costs.values()):.1f} to"
          f" {max(costs.values()):.1f}; from all {move_cost(library):.1f}")  # fmt: skip
    every: list[bool] = []
    for parts in PARTS:
        exact = [named_exactly(book, order, costs[name])
                 for name, book in library.items() for order in orders(book, parts)]  # fmt: skip
        every += exact
        print(f"    in {parts} chapters: {np.mean(exact):6.1%} of {len(exact)} editions")
    print(f"  moved chapters named exactly {np.mean(every):6.1%}  (limit 95%) of {len(every)}")
    for length in LENGTHS:
        found, further = small_blocks(library, length, costs)
        print(f"  moved blocks of {length} found     {np.mean(found):6.1%}, other blocks beside"
              f" them {np.mean(further):.2f} per edition")  # fmt: skip
    still = [not _compared(book, np.arange(len(book.summary)), costs[name]).moves
             for name, book in library.items()]  # fmt: skip
    print(f"  abridgements in order       {np.mean(still):6.1%}  of {len(still)} real ones")


def _compared(book: Bound, chosen: np.ndarray, cost: float) -> BookComparison:
    """An edition of some of the summary's sentences in some order."""
    words = ContentWords.of(book.content[0], [book.content[1][at] for at in chosen.tolist()])
    return compare_book(
        compare(book.summary[chosen], book.source), AlignmentSettings(move_cost=cost), words
    )


def edges_of(book: Bound, parts: int) -> list[int]:
    """Where chapters of like length begin; none begins within what a sentence abridges."""
    size = len(book.chapter.source)
    clean = [at for at in range(1, size) if not any(a < at <= b for a, b in book.gold_ranges)]
    wanted = [size * number // parts for number in range(1, parts)]
    return [0, *(min(clean, key=lambda at, near=near: abs(at - near)) for near in wanted), size]


def parts_of(book: Bound, parts: int) -> list[np.ndarray]:
    """The summary's sentences in chapters by their gold places."""
    places = np.maximum.accumulate(book.gold_places)
    edges = edges_of(book, parts)
    return [np.flatnonzero((places >= first) & (places < last)) for first, last in pairwise(edges)]


def orders(book: Bound, parts: int) -> Iterator[list[int]]:
    """One chapter elsewhere, two exchanged: every way there is."""
    if len(book.summary) < SHORTEST or min(map(len, parts_of(book, parts))) < LEAST:
        return
    seen = set()
    for start in range(parts):
        for end in range(parts):
            moved = [at for at in range(parts) if at != start]
            moved.insert(end, start)
            swapped = list(range(parts))
            swapped[start], swapped[end] = swapped[end], swapped[start]
            seen |= {tuple(moved), tuple(swapped)}
    yield from (list(order) for order in sorted(seen) if list(order) != sorted(order))


def named_exactly(book: Bound, order: Sequence[int], cost: float) -> bool:
    """Whether an edition in another order is described as its true places would be."""
    own = parts_of(book, len(order))
    chosen = np.concatenate([own[at] for at in order])
    edges = edges_of(book, len(order))
    headings = tuple(Heading(f"Chapter {at + 1}", first) for at, first in enumerate(edges[:-1]))
    chapters = chapters_of(Segments(book.chapter.source, headings))
    found = _compared(book, chosen, cost)
    true = np.maximum.accumulate(book.gold_places)[chosen]
    placed = ~np.isnan(found.moved)
    return _told(chapters, found.places, found.moves, placed) == _told(
        chapters, true, tuple(find_moved(true, placed)), placed
    )


def _told(
    chapters: Sequence[Chapter],
    places: np.ndarray,
    moves: tuple[MovedBlock, ...],
    placed: np.ndarray,
) -> list[str]:
    return [move.text for move in describe_moves(chapters, places, moves, placed)]


def small_blocks(
    library: Library, length: int, costs: dict[str, float]
) -> tuple[list[bool], list[int]]:
    """Blocks of a few sentences put elsewhere: whether each is found, and how many others are."""
    random = np.random.default_rng(length)
    found, further = [], []
    for name, book in library.items():
        size = len(book.summary)
        if size < SHORTEST:
            continue
        for _ in range(TRIES):
            start = int(random.integers(size - length + 1))
            rest = np.delete(np.arange(size), np.arange(start, start + length))
            far = [at for at in range(len(rest) + 1) if abs(at - start) >= FAR]
            end = int(random.choice(far))
            order = np.insert(rest, end, np.arange(start, start + length))
            moves = _compared(book, order, costs[name]).moves
            hits = [move for move in moves if move.first <= end + length - 1 and move.last >= end]
            found.append(any(move.last - move.first < length + 2 for move in hits))
            further.append(len(moves) - len(hits))
    return found, further
