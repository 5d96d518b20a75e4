"""A language that remembers what it read: words, content words and polarity of every text; and a
guard that remembers which facts two texts tell differently.

A segmenter takes about a millisecond for a text, three times over, and a run asks about the same
references with every arrangement and system, and about everything again when it is repeated. So
the analysis of a text is made once and kept in the cache, as models' answers are. A chunk's texts
are looked up together (`prepare`); a text that comes alone is looked up alone.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gistmeter import languages
from gistmeter.core.cache import Cache, keys
from gistmeter.core.wiring import Wiring, readers_of
from gistmeter.languages import Language, Polarity, PolarWord
from gistmeter.languages.guard import Alarm, Alarms, Guard
from gistmeter.version import __version__

REVISION = 5  # to be raised when analysers or polarity change what they find
HELD = 1 << 13  # analyses in memory at most: those of many chunks
PAIRS = 1 << 13  # compared pairs in memory: those of a chunk, for the next metric
NONE = Alarms()
ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _decode(stored: bytes) -> Any:
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
        content, words, (*flags, marks, denied, last, turn) = _decode(stored)
        found = tuple(PolarWord(*mark) for mark in marks)
        polarity = Polarity._make((*flags, found, tuple(denied), last, turn))
        return cls(tuple(content), tuple(words), polarity)


class RememberingLanguage:
    """A language behind a cache; it answers as the language does, and has its id."""

    def __init__(self, language: Language, cache: Cache) -> None:
        self.language, self._cache = language, cache
        self._held: dict[str, Analysis] = {}
        self._counts: dict[str, Counter[str]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return RememberingLanguage, (self.language, self._cache)  # without what it remembers

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
        if text not in self._counts:
            found = self._analysis(text)
            self._counts[text] = Counter(found.content or found.words)
        return self._counts[text]

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
        wanted_texts = list(dict.fromkeys(texts))
        missing = [text for text in wanted_texts if text not in self._held]
        if not missing:
            return
        if len(self._held) + len(missing) > HELD:
            self._held.clear()
            self._counts.clear()
            missing = wanted_texts
        name = f"analysis/{__version__}.{REVISION}/{self.language.id}/plain={self.language.plain}"
        wanted = dict(zip(missing, keys(name, missing), strict=True))
        stored = self._cache.get_many(list(wanted.values()))
        made: dict[Any, bytes] = {}
        for text, key in wanted.items():
            if key in stored:
                self._held[text] = Analysis.decode(stored[key])
            else:
                self._held[text] = analysis = analyse(self.language, text)
                made[key] = analysis.encode()
        if self._cache.path is not None:  # one in memory would hold them twice
            self._cache.put_many(made)

    def _analysis(self, text: str) -> Analysis:
        if text not in self._held:
            self.prepare([text])
        return self._held[text]


def analyse(language: Language, text: str) -> Analysis:
    """All that metrics ask a language about a text."""
    return Analysis(
        tuple(language.content_words(text)),
        tuple(language.words(language.normalise(text))),
        language.polarity(text),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class RememberingGuard(Guard):
    """The guard of a language behind a cache, for metrics that ask about the same pairs in turn."""

    cache: Cache
    reader: RememberingLanguage | None = None  # of a run that asks for the same words anyway
    held: dict[tuple[str, str], Alarms] = dataclasses.field(default_factory=dict, hash=False)

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Alarms]:
        wanted = dict.fromkeys(pairs)
        missing = [pair for pair in wanted if pair not in self.held]
        if len(self.held) + len(missing) > PAIRS:
            self.held.clear()
            missing = list(wanted)
        named = keys(f"alarms/{__version__}/{self.id}", missing)
        stored = self.cache.get_many(named)
        made: dict[Any, bytes] = {}
        for pair, key in zip(missing, named, strict=True):
            if key in stored:
                parts = _decode(stored[key])
                found = (Alarm(*one[:3], *map(tuple, one[3:])) for one in parts)
                self.held[pair] = Alarms(tuple(found)) if parts else NONE
            else:
                (self.held[pair],) = Guard.compare(self, [pair])
                parts = [dataclasses.astuple(alarm) for alarm in self.held[pair]]
                made[key] = ENCODE(parts).encode("utf-8", "surrogatepass")
        self.cache.put_many(made)
        return [self.held[pair] for pair in pairs]

    def content_words(self, texts: Sequence[str]) -> list[Sequence[str]]:
        if self.reader is None:
            return Guard.content_words(self, texts)
        self.reader.prepare(texts)
        return [self.reader.content_words(text) for text in texts]


def guards_of(wiring: Wiring) -> dict[str, RememberingGuard]:
    """The guard of each language of a run."""
    return make_guards(wiring.languages, wiring.context.cache, readers_of(wiring))


def make_guards(
    codes: Iterable[str], cache: Cache, readers: Mapping[str, RememberingLanguage]
) -> dict[str, RememberingGuard]:
    """The guard of each language, with the reader of those that are read by their own lists."""
    plain = {
        code: reader for code, reader in readers.items() if reader.language == languages.get(code)
    }
    return {code: RememberingGuard(code, cache, plain.get(code)) for code in codes}
