"""Texts as sentences, with chapter headings set aside as marks; and how parts of them are named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from gistmeter.languages import Heading, simple_sentences
from gistmeter.languages.normal_forms import normal_form

MOST_PAIRED = 2_000_000_000  # sentences of a book beside its edition's: 44,000 beside as many
TITLE, TITLES = 60, 4  # characters of a line on a title page, and such lines
ENDS = re.compile(r"[.!?:;。！？…”\"'’」』)\]]$")
MARKS = re.compile(r"^#+\s*|[\s*_=]+$|^[*_=]+")
MOST, EDGE = 0.8, 0.2  # shares of a chapter's sentences that are all of it, and that are some
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}|\d+")


class SentenceRules(Protocol):
    """A language's sentence rules; a `gistmeter.languages.Language` is one."""

    @property
    def id(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def folds(self) -> Sequence[Callable[[str], str]]: ...
    def sentences(self, text: str) -> list[str]: ...
    def headings(self, text: str) -> Sequence[Heading]:
        """Headings with the index of the sentence that each is."""

    def content_words(self, text: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class SimpleSplitter:
    """One rule for all languages: an end after 。！？!?；; or a full stop with a space, or a line
    break. Headings are sentences like others."""

    id: str = "simple"
    code: ClassVar[str] = ""
    folds: ClassVar[Sequence[Callable[[str], str]]] = ()

    def sentences(self, text: str) -> list[str]:
        return simple_sentences(text)

    def headings(self, text: str) -> Sequence[Heading]:  # noqa: ARG002
        return ()

    def content_words(self, text: str) -> list[str]:
        """Words of two letters and more, and single characters of writing without spaces."""
        return WORD.findall(text.lower())


@dataclass(frozen=True, slots=True)
class Segments:
    """A text's sentences, and its headings with the index of the sentence that follows each."""

    sentences: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()


QUOTES = str.maketrans(
    "‘’‚‛′“”„‟″«»‹›「」『』–—―‐‑−", "'''''" + 5 * '"' + 2 * '"' + 2 * "'" + 4 * '"' + 6 * "-"
)


EMPHASIS = re.compile(r"(?<!\w)[_*=~]+(?=[\w\"'(])|(?<=[\w.,;:!?\"')])[_*=~]+(?!\w)")


def fold(sentence: str, splitter: SentenceRules) -> str:
    """A sentence as it is compared: without marks of emphasis (_so_, *so*), one style of quotation
    marks and dashes, ſ as s, and what the language writes in two ways (ё and е, traditional and
    simplified characters) in one. Words stay at their places."""
    text = normal_form("NFC", sentence).translate(QUOTES).replace("ſ", "s")
    text = EMPHASIS.sub(lambda mark: " " * len(mark[0]), text)
    for step in splitter.folds:
        text = step(text)
    if splitter.code.startswith("zh"):
        from gistmeter.languages.zh.words import simplify

        text = simplify(text)
    return text


def _title_lines(pieces: Sequence[str], heading: int) -> int:
    """How many lines before the first heading are the book's title, author and the like."""
    before = pieces[:heading]
    short = all(len(piece) <= TITLE and not ENDS.search(piece) for piece in before)
    return heading if len(before) <= TITLES and short else 0


def segment(text: str, splitter: SentenceRules) -> Segments:
    """Split a text; headings are marks, not sentences to be aligned."""
    pieces = splitter.sentences(text)
    marks = {heading.sentence: heading.text for heading in splitter.headings(text)}
    titles = _title_lines(pieces, min(marks, default=0))
    sentences: list[str] = []
    headings: list[Heading] = []
    for at, piece in enumerate(pieces):
        if at in marks:
            headings.append(Heading(marks[at], len(sentences)))
        elif at >= titles:
            sentences.append(piece)
    return Segments(tuple(sentences), tuple(headings))


def hurdle(source: Segments, summary: Segments) -> str:
    """Why two texts cannot be compared; "" where they can."""
    for text, name in ((source, "source"), (summary, "summary")):
        if not text.sentences:
            return f"the {name} has no sentence"
    pairs = len(source.sentences) * len(summary.sentences)
    return f"more than {MOST_PAIRED:,} pairs of sentences to compare" * (pairs > MOST_PAIRED)


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


@dataclass(frozen=True, slots=True)
class NamedStretch:
    """What to call a stretch of the source, and whether that is a plural."""

    name: str
    plural: bool


def name_place(chapters: Sequence[Chapter], sentence: int) -> str:
    """A single sentence's chapter, or its number where there are no titles."""
    chapter = chapters[chapter_at(chapters, sentence)]
    return chapter.title or f"sentence {sentence + 1}"


def name_stretch(
    chapters: Sequence[Chapter], inside: Sequence[int], used: Sequence[int]
) -> NamedStretch:
    """The chapters of some places of the source; `used` are those of the whole summary.

    A chapter counts where most of the places lie in it or most of its own are among them, so that
    a sentence on the edge of a chapter does not give it another name.
    """
    start, end = min(inside), max(inside)
    places = f"sentence {start + 1}" if start == end else f"sentences {start + 1}–{end + 1}"
    counts = Counter(chapter_at(chapters, place) for place in inside)
    owned = Counter(chapter_at(chapters, place) for place in used)
    numbers = [
        number
        for number in sorted(counts)
        if counts[number] > EDGE * len(inside) or counts[number] > MOST * owned[number]
    ] or sorted(counts)
    titles = [chapters[number].title for number in numbers]
    if not all(titles):
        return NamedStretch(places, plural=start != end)
    name = titles[0] if len(titles) == 1 else f"{titles[0]} – {titles[-1]}"
    if any(counts[number] < MOST * owned[number] for number in numbers):
        name = f"part of {name} ({places})"
    return NamedStretch(name, plural=len(titles) > 1)
