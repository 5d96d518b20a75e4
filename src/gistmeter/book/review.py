"""The edition as an editor reviews it: its text, with a comment at every flag.

A comment says what was found, how likely, what differs and what the original has there. What the
chosen level of alarms leaves out, and small cuts, is counted at the beginning. Paragraphs are ours:
a new one at each heading, before speech, and after some sentences.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from gistmeter.book.book_document import BookDocument, Edition
from gistmeter.book.flags import Flag, flags_of, stretch
from gistmeter.book.metrics.claims import NOT_FOUND, SUPPORTED
from gistmeter.core.types import Sheet

LONGEST = 6  # sentences of a paragraph
CUT = 3  # sentences of a cut that is commented
PASSAGE = 1200  # characters of a passage in a comment
SPEECH = ("“", "„", "«", "「", "『", '"', "—")
Line = tuple[str, str, str]  # style, words, comment


def review_sheet(editions: Sequence[Edition]) -> Sheet:
    """All editions of a run, one after another."""
    rows = [line for edition in editions for line in _review(edition)]
    return Sheet("Review", ["style", "text", "comment"], rows, suffixes=(".docx",))


def _review(edition: Edition) -> Iterator[Line]:
    book = edition.book
    every = flags_of(book)
    flags = [flag for flag in every if _is_commented(flag, book)]
    comments: dict[int, list[str]] = {}
    placed = sorted(
        (entry.place, entry.index) for entry in book.sentences if entry.place is not None
    )
    for flag in flags:
        at = flag.first
        if at is None:  # of a cut, the last sentence before it
            at = placed[max(0, bisect_left(placed, (flag.place, 0)) - 1)][1] if placed else 0
        comments.setdefault(at, []).append(_comment(flag, book))
    yield "heading", f"{book.title}: {edition.system}", ""
    yield "paragraph", _head(len(flags), sum(one.kind != SUPPORTED for one in every)), ""
    titles: dict[int, list[str]] = {}
    for heading in book.summary.headings:
        titles.setdefault(heading.sentence, []).append(heading.text)
    size = 0
    for at, entry in enumerate(book.sentences):
        for title in titles.get(at, ()):
            yield "heading", title, ""
        begins = at == 0 or at in titles or size >= LONGEST or entry.sentence.startswith(SPEECH)
        size = 1 if begins else size + 1
        yield "paragraph" if begins else "", entry.sentence, "\n\n".join(comments.get(at, ()))


def _head(commented: int, every: int) -> str:
    told = f"{commented:,} comments."
    if commented < every:
        told += (
            f" {every - commented:,} further flags (less sure ones, or small cuts) have none: they"
            " are in the report and in -o tables.xlsx."
        )
    return told


def _is_commented(flag: Flag, book: BookDocument) -> bool:
    if flag.kind == SUPPORTED or not flag.is_shown(book.alarm_level):
        return False
    small = (flag.end or 0) - (flag.start or 0) + 1 < CUT
    return flag.kind != "cut" or not small


def _comment(flag: Flag, book: BookDocument) -> str:
    likely = "" if flag.probability is None else f" ({flag.probability:.0%})"
    what = "Cut after this" if flag.kind == "cut" else flag.kind.capitalize()
    passage = " ".join(stretch(book.source.sentences, flag.start, flag.end))
    more = f" … (+{len(passage) - PASSAGE:,} characters)" if len(passage) > PASSAGE else ""
    chapter = book.chapter_title(flag.start)
    where = f"Original{', ' + chapter if chapter else ''}, sentence {(flag.start or 0) + 1}"
    lead = "Nearest in the original" if flag.kind in ("invented", NOT_FOUND) else where
    return f"{what}{likely}: {flag.reason}\n{lead}: {passage[:PASSAGE]}{more}"
