"""Texts as sentences, with chapter headings set aside as marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gistmeter.languages import Heading, simple_sentences

TITLE, TITLES = 60, 4  # characters of a line on a title page, and such lines
ENDS = re.compile(r"[.!?:;。！？…”\"'’」』)\]]$")
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}|\d+")


class Splitter(Protocol):
    """A language's sentence rules; a `gistmeter.languages.Language` is one."""

    @property
    def id(self) -> str: ...
    def sentences(self, text: str) -> list[str]: ...
    def headings(self, text: str) -> Sequence[Heading]:
        """Headings with the index of the sentence that each is."""

    def content_words(self, text: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class SimpleSplitter:
    """One rule for all languages: an end after 。！？!?；; or a full stop with a space, or a line
    break. Headings are sentences like others."""

    id: str = "simple"

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

    sentences: tuple[str, ...]
    headings: tuple[Heading, ...] = ()


QUOTES = str.maketrans(
    "‘’‚‛′“”„‟″«»‹›「」『』–—―‐‑−", "'''''" + 5 * '"' + 2 * '"' + 2 * "'" + 4 * '"' + 6 * "-"
)


def fold(sentence: str, splitter: Splitter) -> str:
    """A sentence as it is compared: one style of quotation marks and dashes, ſ as s, and what the
    language writes in two ways (ё and е, traditional and simplified characters) in one."""
    text = unicodedata.normalize("NFC", sentence).translate(QUOTES).replace("ſ", "s")
    for step in getattr(splitter, "folds", ()):
        text = step(text)
    if str(getattr(splitter, "code", "")).startswith("zh"):
        from gistmeter.languages.zh.words import simplify

        text = simplify(text)
    return text


def _title_lines(pieces: Sequence[str], heading: int) -> int:
    """How many lines before the first heading are the book's title, author and the like."""
    before = pieces[:heading]
    short = all(len(piece) <= TITLE and not ENDS.search(piece) for piece in before)
    return heading if len(before) <= TITLES and short else 0


def segment(text: str, splitter: Splitter) -> Segments:
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
