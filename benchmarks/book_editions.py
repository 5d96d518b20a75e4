"""Books: made editions with known cuts, inventions and moves, and what is found of them.

Every number is for books that were not in the calibration: the thresholds for a book come from the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from gold import Chapter, overlap

from gistmeter import languages
from gistmeter.book.metrics import measures
from gistmeter.book.metrics.book_comparison import AlignmentSettings, compare_book
from gistmeter.book.metrics.measures import ContentWords, source_evidence, summary_evidence
from gistmeter.book.metrics.paths import align
from gistmeter.book.metrics.segmentation import fold
from gistmeter.book.metrics.similarity import Similarity, compare

ENGLISH = languages.get("en")
WORDS = 0.1
KEPT, OWN = 0.96, 0.98  # shares of the right cases that a threshold lets through
SHORTEST = 60  # sentences of a summary that tells something by itself
Cases = dict[str, np.ndarray]  # by book


@dataclass(frozen=True)
class Bound:
    """A chapter of a novel with its abridgement, as a book of its own."""

    chapter: Chapter
    source: np.ndarray
    summary: np.ndarray

    @cached_property
    def content(self) -> tuple[list[list[str]], list[list[str]]]:
        one, two = (
            [ENGLISH.content_words(fold(sentence, ENGLISH)) for sentence in side]
            for side in (self.chapter.source, self.chapter.summary)
        )
        return one, two

    @cached_property
    def words(self) -> ContentWords:
        return ContentWords.of(*self.content)

    @cached_property
    def similarity(self) -> Similarity:
        return compare(self.summary, self.source)

    @cached_property
    def is_kept(self) -> np.ndarray:
        spans = self.chapter.source_spans
        return np.array([any(overlap(span, one) for one, _ in self.chapter.gold) for span in spans])

    @cached_property
    def gold_ranges(self) -> list[tuple[int, int]]:
        """The first and the last gold source of each summary sentence; (−1, −1) without one."""
        table = [
            [at for at in range(len(self.chapter.source)) if self.chapter.is_right(row, at)]
            for row in range(len(self.chapter.summary))
        ]
        return [(found[0], found[-1]) if found else (-1, -1) for found in table]

    @cached_property
    def gold_places(self) -> np.ndarray:
        """The first gold source of each summary sentence, −1 without one."""
        return np.array([first for first, _ in self.gold_ranges])


Library = Mapping[str, Bound]


def support_cases(library: Library, weight: float = WORDS) -> tuple[Cases, Cases]:
    """Evidence of source sentences: those that the abridgement kept, and those it dropped."""
    kept, dropped = {}, {}
    for name, book in library.items():
        places = measures.pairs_of(align(book.similarity, "blocks").pairs, book.similarity).index
        near = source_evidence(places, book.similarity, book.words, weight).similarity
        kept[name], dropped[name] = near[book.is_kept], near[~book.is_kept]
    return kept, dropped


def coverage_cases(library: Library, weight: float = WORDS) -> tuple[Cases, Cases]:
    """Evidence of summary sentences with a book: of its own abridgement, of all the others'."""
    own, foreign = {}, {}
    for name, book in library.items():
        own[name] = _evidence(book, book.summary, book.content[1], weight)
        others = [other for title, other in library.items() if title != name]
        vectors = np.concatenate([other.summary for other in others])
        content = [words for other in others for words in other.content[1]]
        foreign[name] = _evidence(book, vectors, content, weight)
    return own, foreign


def _evidence(
    book: Bound, vectors: np.ndarray, content: Sequence[Sequence[str]], weight: float
) -> np.ndarray:
    words = ContentWords.of(book.content[0], content)
    best = measures.best_sources(compare(vectors, book.source), 3)
    return summary_evidence(best, words, weight)


def threshold(right: Cases, share: float, without: str = "") -> float:
    """The evidence that this share of the right cases reaches."""
    values = np.concatenate([own for book, own in right.items() if book != without])
    return float(np.quantile(values, 1 - share))


def area(right: np.ndarray, wrong: np.ndarray) -> float:
    """The probability that a right case has more evidence than a wrong one, ties as halves."""
    order = np.sort(wrong)
    below = np.searchsorted(order, right), np.searchsorted(order, right, side="right")
    return float((below[0] + below[1]).mean() / 2 / len(wrong))


def check(library: Library) -> None:
    """The targets, on books that are not in the calibration."""
    print("Made editions; thresholds of each book from the other books")
    kept, dropped = support_cases(library)
    found = [kept[book] >= threshold(kept, KEPT, book) for book in kept]
    taken = [dropped[book] >= threshold(kept, KEPT, book) for book in kept]
    print(f"  kept sentences found        {np.concatenate(found).mean():6.1%}  (limit 95%)")
    print(f"  dropped taken for kept      {np.concatenate(taken).mean():6.1%}  (limit 7%)")
    own, foreign = coverage_cases(library)
    areas = [area(own[book], foreign[book]) for book in own if len(own[book]) >= SHORTEST]
    whole = area(np.concatenate([*own.values()]), np.concatenate([*foreign.values()]))
    print(f"  invented sentences: AUC     {whole:6.3f}  (limit 0.97); least {min(areas):.3f}")
    wrong = [own[book] < threshold(own, OWN, book) for book in own]
    missed = [foreign[book] >= threshold(own, OWN, book) for book in own]
    print(f"  own sentences taken for invented {np.concatenate(wrong).mean():.1%},"
          f" invented ones missed {np.concatenate(missed).mean():.1%}")  # fmt: skip
    copies(library)


def copies(library: Library) -> None:
    """A verbatim copy has nothing cut, nothing invented, nothing moved."""
    worst = []
    for book in library.values():
        settings = AlignmentSettings(
            coverage_threshold=0.99, support_threshold=0.99, word_weight=WORDS
        )
        words = ContentWords.of(book.content[0], book.content[0])
        found = compare_book(compare(book.source, book.source), settings, words)
        worst.append((1 - found.kept).sum() + found.unsupported.sum() + np.nansum(found.moved))
        worst.append((found.coverage != 1).sum())
    print(f"  faults found in verbatim copies {int(sum(worst))}  (limit 0)")


def sharpness(library: Library, embed: Callable[[Sequence[str]], np.ndarray]) -> None:
    """The α of scs that best tells sentences from one place from those stitched from two."""
    random = np.random.default_rng(0)
    whole: list[tuple[Similarity, int]] = []
    stitched: list[tuple[Similarity, int]] = []
    for book in library.values():
        size = len(book.summary)
        if size < SHORTEST:
            continue
        texts = []
        for at in range(size):
            other = int((at + size * random.uniform(0.35, 0.65)) % size)
            one, two = book.chapter.summary[at].split(), book.chapter.summary[other].split()
            texts.append(" ".join([*one[: len(one) // 2 + 1], *two[len(two) // 2 :]]))
        whole.append((book.similarity, size))
        stitched.append((compare(embed(texts), book.source), size))
    for alpha in (5, 10, 20, 30, 40, 60, 80, 120):
        sides = [
            np.concatenate([
                measures.compactness(measures.best_sources(table, 3), table.shape[1], alpha, 0.1)
                for table, _ in side
            ])
            for side in (whole, stitched)
        ]  # fmt: skip
        print(f"  alpha {alpha:3}: AUC {area(*sides):.3f}, scs of whole {sides[0].mean():.3f},"
              f" of stitched {sides[1].mean():.3f}")  # fmt: skip
