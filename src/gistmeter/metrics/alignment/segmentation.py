"""Texts as sentences, with chapter headings set aside as marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gistmeter.languages import Heading, simple_sentences


class Splitter(Protocol):
    """A language's sentence rules; a `gistmeter.languages.Language` is one."""

    @property
    def id(self) -> str: ...
    def sentences(self, text: str) -> list[str]: ...
    def headings(self, text: str) -> Sequence[Heading]:
        """Headings with the index of the sentence that each is."""


@dataclass(frozen=True, slots=True)
class SimpleSplitter:
    """One rule for all languages: an end after 。！？!?；; or a full stop with a space, or a line
    break. Headings are sentences like others."""

    id: str = "simple"

    def sentences(self, text: str) -> list[str]:
        return simple_sentences(text)

    def headings(self, text: str) -> Sequence[Heading]:  # noqa: ARG002
        return ()


@dataclass(frozen=True, slots=True)
class Segments:
    """A text's sentences, and its headings with the index of the sentence that follows each."""

    sentences: tuple[str, ...]
    headings: tuple[Heading, ...] = ()


def segment(text: str, splitter: Splitter) -> Segments:
    """Split a text; headings are marks, not sentences to be aligned."""
    pieces = splitter.sentences(text)
    marks = {heading.sentence: heading.text for heading in splitter.headings(text)}
    sentences: list[str] = []
    headings: list[Heading] = []
    for at, piece in enumerate(pieces):
        if at in marks:
            headings.append(Heading(marks[at], len(sentences)))
        else:
            sentences.append(piece)
    return Segments(tuple(sentences), tuple(headings))
