"""The fewest edits that turn one sequence of words into another, and the places to cut it.

Edit distance with unit costs (Levenshtein 1966), by rapidfuzz, which jiwer uses as well: so the
counts are jiwer's. Every edit has a place in the expected text. An insertion belongs to the word
before it; so a text can be cut into segments whose edits sum to those of the whole, and nothing is
counted twice.

A text of n words is cut into segments of min(50, max(15, n/10)) words, as even as they can be.
They depend on the expected text alone, so all systems are cut at the same places.
"""

from __future__ import annotations

import bisect
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

EQUAL, SUBSTITUTED, DELETED, INSERTED = "=", "s", "d", "i"
TAGS = {"equal": EQUAL, "replace": SUBSTITUTED, "delete": DELETED, "insert": INSERTED}
SHORTEST, LONGEST, AIM = 15, 50, 10  # words in a segment, and segments in a text

Bounds = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Edit:
    """A run of words of one kind; substitutions are as long on both sides."""

    kind: str  # "=", "s", "d" or "i"
    expected: tuple[str, ...]
    got: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """How one text became the other."""

    edits: tuple[Edit, ...]

    def count(self, kind: str) -> int:
        """How many words are equal, substituted, deleted or inserted."""
        return sum(
            len(edit.got) if kind == INSERTED else len(edit.expected)
            for edit in self.edits
            if edit.kind == kind
        )

    @property
    def distance(self) -> int:
        return sum(self.count(kind) for kind in (SUBSTITUTED, DELETED, INSERTED))

    @property
    def expected(self) -> tuple[str, ...]:
        return tuple(word for edit in self.edits for word in edit.expected)

    @property
    def got(self) -> tuple[str, ...]:
        return tuple(word for edit in self.edits for word in edit.got)

    def to_json(self) -> str:
        """The edits as `[[kind, expected, got], …]`, words joined by spaces."""
        runs = [[edit.kind, " ".join(edit.expected), " ".join(edit.got)] for edit in self.edits]
        return json.dumps(runs, ensure_ascii=False)

    def cut(self, bounds: Bounds) -> list[WordAlignment]:
        """The same edits in the segments of the expected words; an insertion goes with the word
        before it."""
        ends = [end for _, end in bounds]
        parts: list[list[Edit]] = [[] for _ in bounds]
        for at, edit in self._single():
            parts[min(bisect.bisect_right(ends, at), len(bounds) - 1)].append(edit)
        return [WordAlignment(tuple(_joined(part))) for part in parts]

    def _single(self) -> Iterator[tuple[int, Edit]]:
        """Edits of one word each, with the place of the expected word they belong to."""
        at = 0
        for edit in self.edits:
            if edit.kind == INSERTED:
                yield max(at - 1, 0), edit
                continue
            for place, word in enumerate(edit.expected):
                got = edit.got[place : place + 1]
                yield at, Edit(edit.kind, (word,), got)
                at += 1


def _joined(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Neighbouring edits of one kind as one run."""
    run: list[Edit] = []
    for edit in edits:
        if run and run[-1].kind != edit.kind:
            yield _one(run)
            run = []
        run.append(edit)
    if run:
        yield _one(run)


def _one(run: Sequence[Edit]) -> Edit:
    return Edit(
        run[0].kind,
        tuple(word for edit in run for word in edit.expected),
        tuple(word for edit in run for word in edit.got),
    )


def align(expected: Sequence[str], got: Sequence[str]) -> WordAlignment:
    """The alignment with the fewest edits."""
    from rapidfuzz.distance import Levenshtein

    return WordAlignment(
        tuple(
            Edit(
                TAGS[code.tag],
                tuple(expected[code.src_start : code.src_end]),
                tuple(got[code.dest_start : code.dest_end]),
            )
            for code in Levenshtein.opcodes(expected, got)
        )
    )


def segments(words: int) -> Bounds:
    """Where a text of that many words is cut: places [start, end) of its segments, at least one."""
    size = min(LONGEST, max(SHORTEST, words / AIM))
    count = max(1, round(words / size))
    marks = [round(words * part / count) for part in range(count + 1)]
    return list(itertools.pairwise(marks))


def character_edits(expected: str, got: str, ends: Sequence[int]) -> list[int]:
    """How many character edits fall before each end and after the one before it."""
    from rapidfuzz.distance import Levenshtein

    counts = [0] * len(ends)
    for operation in Levenshtein.editops(expected, got):
        inserted = operation.tag == "insert"
        at = max(operation.src_pos - 1, 0) if inserted else operation.src_pos
        counts[min(bisect.bisect_right(ends, at), len(ends) - 1)] += 1
    return counts
