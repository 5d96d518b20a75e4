"""A language that remembers what it read: words, content words and polarity of every text.

A segmenter takes about a millisecond for a text, three times over, and a run asks about the same
references with every arrangement and system, and about everything again when it is repeated. So
the analysis of a text is made once and kept in the cache, as models' answers are. A chunk's texts
are looked up together (`prepare`); a text that comes alone is looked up alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from gistmeter.core.cache import Cache, Form
from gistmeter.languages import Language, Polarity, PolarWord
from gistmeter.version import __version__

REVISION = 5  # to be raised when analysers or polarity change what they find
WORD_BYTES = 120  # that a word, or an alarm's words, take in memory, roughly
ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def decode_json(stored: bytes) -> Any:
    return json.loads(stored.decode("utf-8", "surrogatepass"))


class Analysis(NamedTuple):
    """What a language finds in a text."""

    content: tuple[str, ...]
    words: tuple[str, ...]  # of the normalised text
    polarity: Polarity

    def encode(self) -> bytes:
        return ENCODE(self).encode("utf-8", "surrogatepass")

    @classmethod
    def decode(cls, stored: bytes) -> Analysis:
        content, words, (*flags, marks, denied, last, turn) = decode_json(stored)
        found = tuple(PolarWord(*mark) for mark in marks)
        polarity = Polarity._make((*flags, found, tuple(denied), last, turn))
        return cls(tuple(content), tuple(words), polarity)

    def size(self) -> int:
        return WORD_BYTES * (4 + len(self.content) + len(self.words))


ANALYSIS = Form("analysis", Analysis.decode, Analysis.encode, Analysis.size, cheap=True)


class RememberingLanguage:
    """A language behind a cache; it answers as the language does, and has its id."""

    def __init__(self, language: Language, cache: Cache) -> None:
        self.language, self._cache = language, cache
        version = f"{__version__}.{REVISION}"
        self._name = f"analysis/{version}/{language.id}/plain={language.plain}"
        self._memory = f"{self._name}/{ANALYSIS.name}"  # its name in the memo, and that of counts
        self._counts = f"{self._name}/counts"

    @property
    def id(self) -> str:
        return self.language.id

    @property
    def lists(self) -> str:
        return self.language.lists

    @property
    def plain(self) -> bool:
        return self.language.plain

    def content_words(self, text: str) -> list[str]:
        return list(self._analysis(text).content)

    def content_counts(self, text: str) -> Counter[str]:
        """How often each content word (each word, where there is none) occurs."""
        known: Counter[str] | None = self._cache.memo.get(self._counts, text)
        if known is None:
            analysis = self._analysis(text)
            known = Counter(analysis.content or analysis.words)
            self._cache.memo.keep(self._counts, {text: known}, _size_of_counts)
        return known

    def normalise(self, text: str) -> str:
        """The text itself: what is kept of its words are those of the normalised text."""
        return text

    def words(self, text: str) -> list[str]:
        return list(self._analysis(text).words)

    def polarity(self, text: str) -> Polarity:
        return self._analysis(text).polarity

    def require(self) -> None:
        """Raise at once where the analyser's package is missing; else load nothing yet."""
        if "-absent" in self.language.analyser.id:
            self.language.words("?")

    def prepare(self, texts: Iterable[str]) -> None:
        """Have the analyses of texts at hand, looked up and made together."""
        self._analyses(texts)

    def _analyses(self, texts: Iterable[str]) -> dict[str, Analysis]:
        wanted = list(texts)
        known = self._cache.find(self._name, wanted, ANALYSIS)
        made = {text: analyse(self.language, text) for text in wanted if text not in known}
        self._cache.keep(self._name, made, ANALYSIS)
        return known | made

    def _analysis(self, text: str) -> Analysis:
        known: Analysis | None = self._cache.memo.get(self._memory, text)
        return known or self._analyses([text])[text]


def _size_of_counts(counts: Counter[str]) -> int:
    return WORD_BYTES * (2 + len(counts))


def analyse(language: Language, text: str) -> Analysis:
    """All that metrics ask a language about a text."""
    return Analysis(
        tuple(language.content_words(text)),
        tuple(language.words(language.normalise(text))),
        language.polarity(text),
    )
