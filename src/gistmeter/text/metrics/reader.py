"""What text metrics ask of a language, and which language reads which pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from gistmeter.core.types import Pair
from gistmeter.languages import Polarity


class TextReader(Protocol):
    """A language as metrics see it: a pack's own answers, possibly remembered."""

    @property
    def id(self) -> str: ...
    @property
    def lists(self) -> str:
        """The name of its word lists."""

    @property
    def plain(self) -> bool:
        """Whether content words are taken as the analyser gives them."""

    def content_words(self, text: str) -> list[str]: ...
    def words(self, text: str) -> list[str]: ...
    def normalise(self, text: str) -> str: ...
    def polarity(self, text: str) -> Polarity: ...


def normal_words(reader: TextReader, text: str) -> list[str]:
    """All words of the normalised text."""
    return reader.words(reader.normalise(text))


def assign_readers(pairs: Sequence[Pair], readers: Mapping[str, TextReader]) -> list[TextReader]:
    """The language of each pair, the first where it names none that is there.

    A reader that can look up many texts at once is told of all of its own.
    """
    first = next(iter(readers.values()))
    chosen = [readers.get(pair.language, first) for pair in pairs]
    for reader in dict.fromkeys(chosen):
        prepare = getattr(reader, "prepare", None)
        if prepare is not None:
            own = [pair for pair, one in zip(pairs, chosen, strict=True) if one is reader]
            prepare(text for pair in own for text in (pair.candidate or "", *pair.references))
    return chosen
