"""Gold alignments of novels and their abridgements: chapters, and what counts as right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmeter import languages

content_words = languages.get("en").content_words
Span = tuple[int, int]


@dataclass(frozen=True)
class Chapter:
    book: str
    source: tuple[str, ...]
    summary: tuple[str, ...]
    source_spans: tuple[Span, ...]
    summary_spans: tuple[Span, ...]
    gold: tuple[tuple[Span, Span], ...]  # of the source, of the summary; only what was kept
    content: float  # the share of the content words of all gold rows that their summary has

    def is_right(self, summary: int, source: int) -> bool:
        """Whether the source sentence overlaps a gold span that the summary sentence overlaps."""
        return any(
            overlap(original, self.source_spans[source])
            and overlap(abridged, self.summary_spans[summary])
            for original, abridged in self.gold
        )


def overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def read_chapters(path: Path) -> Iterator[Chapter]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Chapter(
            row["book"],
            cut(row["original"], row["orig_sents"]),
            cut(row["abridged"], row["abr_sents"]),
            tuple(map(tuple, row["orig_sents"])),
            tuple(map(tuple, row["abr_sents"])),
            tuple((tuple(a), tuple(b)) for a, b in row["gold_rows"] if b[1] > b[0]),
            _content(row),
        )


def _content(row: Mapping[str, Any]) -> float:
    rows = [
        (content_words(row["original"][a:b]), set(content_words(row["abridged"][c:d])))
        for (a, b), (c, d) in row["gold_rows"]
    ]
    kept = sum(word in there for words, there in rows for word in words)
    return kept / sum(len(words) for words, _ in rows)


def cut(text: str, spans: Sequence[Span]) -> tuple[str, ...]:
    return tuple(text[start:end].strip() for start, end in spans)


def share_right(chapters: Mapping[str, Chapter], places: Mapping[str, Sequence[int]]) -> float:
    """The share of all summary sentences that are on their gold source; −1 is never right."""
    hits = [
        place >= 0 and chapters[book].is_right(at, place)
        for book, own in places.items()
        for at, place in enumerate(own)
    ]
    return sum(hits) / len(hits)
