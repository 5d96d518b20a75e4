"""Chapters of a text, and how stretches of it are named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gistmeter.book.metrics.segmentation import Segments

MOST, EDGE = 0.8, 0.2  # shares of a chapter's sentences that are all of it, and that are some
MARKS = re.compile(r"^#+\s*|[\s*_=]+$|^[*_=]+")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a text under one heading: its sentences `first` to `last`."""

    title: str
    first: int
    last: int


def chapters_of(text: Segments) -> list[Chapter]:
    """The chapters in order; what stands before the first heading has no title.

    Two headings that follow each other (a part, its first chapter) are one; of more, which are a
    table of contents, the last counts.
    """
    size = len(text.sentences)
    marks: dict[int, list[str]] = {}
    for heading in text.headings:
        marks.setdefault(heading.sentence, []).append(MARKS.sub("", heading.text.strip()))
    starts = sorted({0, *(at for at in marks if at < size)}) if size else []
    ends = [*(start - 1 for start in starts[1:]), size - 1]
    return [
        Chapter(
            " · ".join(titles if len(titles := marks.get(start, [])) < 3 else titles[-1:]),
            start,
            end,
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def chapter_at(chapters: Sequence[Chapter], sentence: int) -> int:
    """The number of the chapter that a sentence stands in."""
    return bisect_right([chapter.first for chapter in chapters], sentence) - 1


def name_place(chapters: Sequence[Chapter], sentence: int) -> str:
    """A single sentence's chapter, or its number where there are no titles."""
    chapter = chapters[chapter_at(chapters, sentence)]
    return chapter.title or f"sentence {sentence + 1}"


def name_stretch(chapters: Sequence[Chapter], inside: Sequence[int], used: Sequence[int]) -> str:
    """The chapters of some places of the source; `used` are those of the whole summary.

    A chapter counts where most of the places lie in it or most of its own are among them, so that
    a sentence on the edge of a chapter does not give it another name.
    """
    start, end = min(inside), max(inside)
    counts = Counter(chapter_at(chapters, place) for place in inside)
    owned = Counter(chapter_at(chapters, place) for place in used)
    told = [
        number
        for number in sorted(counts)
        if counts[number] > EDGE * len(inside) or counts[number] > MOST * owned[number]
    ] or sorted(counts)
    titles = [chapters[number].title for number in told]
    if not all(titles):
        return f"sentence {start + 1}" if start == end else f"sentences {start + 1}–{end + 1}"
    named = titles[0] if len(told) == 1 else f"{titles[0]} – {titles[-1]}"
    if any(counts[number] < MOST * owned[number] for number in told):
        places = f"sentence {start + 1}" if start == end else f"sentences {start + 1}–{end + 1}"
        return f"part of {named} ({places})"
    return named
