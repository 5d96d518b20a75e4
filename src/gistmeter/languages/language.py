"""A language: what is a word, a sentence, a content word, a negation in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Analyser
from gistmeter.languages.analysers.unicode import Unicode
from gistmeter.languages.normalisation import unify
from gistmeter.languages.polarity import Polarity
from gistmeter.languages.sentences import Heading, simple_sentences


@dataclass(frozen=True, slots=True)
class Language:
    """One language pack."""

    code: str
    analyser: Analyser = field(default_factory=Unicode)
    spaced: bool = True
    lists: str = ""  # the folder of word lists; the code if empty

    @property
    def id(self) -> str:
        """Code, analyser with versions, and word lists: all that could change an answer."""
        return (
            f"{self.code}({self.analyser.id},lists-{lexicons.fingerprint(self.lists or self.code)})"
        )

    def words(self, text: str) -> list[str]:
        return self.analyser.words(text)

    def content_words(self, text: str) -> list[str]:
        stop = lexicons.words(self.lists or self.code, "stopwords")
        return [form for form in self.analyser.forms(self.normalise(text)) if form not in stop]

    def sentences(self, text: str) -> list[str]:
        return simple_sentences(text)

    def simple_sentences(self, text: str) -> list[str]:
        return simple_sentences(text)

    def headings(self, text: str) -> list[Heading]:
        return []

    def normalise(self, text: str) -> str:
        return unify(text)

    def number_words(self, text: str) -> str:
        return text

    def polarity(self, text: str) -> Polarity:
        return Polarity()
