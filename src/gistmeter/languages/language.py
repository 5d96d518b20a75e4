"""A language: what is a word, a sentence, a content word, a negation in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Analyser
from gistmeter.languages.analysers.unicode import Unicode
from gistmeter.languages.headings import Heading
from gistmeter.languages.normalisation import unify
from gistmeter.languages.number_words import words_to_digits
from gistmeter.languages.polarity import Polarity, Reader, compose
from gistmeter.languages.polarity.matching import present
from gistmeter.languages.sentences import Splitter, simple_sentences

Step = Callable[[str], str]
Hint = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Language:
    """One language pack: data and the few rules that read it.

    Its `id` stands in signatures for all of it.
    """

    code: str
    analyser: Analyser = field(default_factory=Unicode)
    name: str = ""  # in English
    aliases: tuple[str, ...] = ()  # other codes and names by which people call it
    spaced: bool = True  # whether words are written apart
    particles: bool = False  # whether they are written onto words, which spaces then do not part
    lists: str = lexicons.GENERIC  # the package whose folder has its word lists
    splitter: Splitter = field(default_factory=Splitter)
    steps: tuple[Step, ...] = ()  # of `normalise`, after what is done for every language
    folds: tuple[Step, ...] = ()  # spellings that are optional in writing, folded where asked
    conjunction: str = ""  # a word within numbers: two hundred *and* five
    reader: Reader | None = None  # finds polar words and negations
    hint: Hint | None = None  # how sure it is, in [0, 1], that a text is in this language
    plain: bool = False  # content words as the analyser gives them, nothing normalised
    presence: bool = False  # polarity by the words that are there, wherever negations stand
    # Similarities that tell sentences of books apart, by model: coverage and support
    thresholds: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """Code, analyser with its versions, and word lists: what could change an answer."""
        present = ",presence" if self.presence else ""
        lists = lexicons.fingerprint(self.lists)
        return f"{self.code}({self.analyser.id},lists-{lists}{present})"

    @property
    def analysed(self) -> bool:
        """Whether its words are found by the analyser, since spaces do not part all of them."""
        return self.particles or not self.spaced

    def words(self, text: str) -> list[str]:
        """The words as they stand, without spaces and punctuation."""
        return self.analyser.words(text)

    def content_words(self, text: str) -> list[str]:
        """The words that carry content: normalised, as lemmas where the language inflects,
        without stop words. Negations are content. May be empty."""
        stop = lexicons.words(self.lists, "stopwords")
        if self.plain:
            return self.analyser.forms(text, stop)
        return self.analyser.forms(self.normalise(text, fold=True), stop)

    def sentences(self, text: str) -> list[str]:
        """The sentences, white space collapsed; nothing else is lost."""
        return self.splitter.sentences(text)

    def simple_sentences(self, text: str) -> list[str]:
        """Sentences by the simple rule, the same for every language."""
        return simple_sentences(text)

    def headings(self, text: str) -> list[Heading]:
        """Chapter headings with the index of the sentence that each is."""
        return self.splitter.headings(text)

    def normalise(self, text: str, *, fold: bool = False) -> str:
        """One spelling for what is the same: width, case, script, numerals. With `fold` also
        spellings that are optional in writing (Russian ё). Idempotent."""
        text = unify(text)
        for step in (*self.steps, *(self.folds if fold else ())):
            text = step(text)
        return text

    def number_words(self, text: str) -> str:
        """Number words as digits, where the language has a list of them."""
        return words_to_digits(text, self.lists, self.conjunction)

    def polarity(self, text: str) -> Polarity:
        """Praise, blame and denial in a text; nothing is found where there are no lists."""
        if self.presence:
            return present(self.analyser.words(text), self.lists)
        return Polarity() if self.reader is None else compose(self.reader, text)

    def with_lists(self, lists: str) -> Language:
        """The same language with other word lists."""
        reader: Any = self.reader
        own = replace(reader, lists=lists) if hasattr(reader, "lists") else reader
        return replace(self, lists=lists, reader=own)
