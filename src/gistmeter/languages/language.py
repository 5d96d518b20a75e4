"""A language: what is a word, a sentence, a content word, a negation in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Analyser, Token, Unicode
from gistmeter.languages.numbers import NumberPart, words_to_digits
from gistmeter.languages.paragraphs import Heading
from gistmeter.languages.polarity import Polarity, PolarityReader, compose, present
from gistmeter.languages.sentences import Splitter, simple_sentences

Step = Callable[[str], str]
Hint = Callable[[str], float]
Namer = Callable[[str, Sequence[Token]], Iterable[tuple[int, int]]]
# Characters without appearance: zero-width space and joiner marks, soft hyphen, byte order mark,
# directional marks, variation selectors.
INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
QUOTES = str.maketrans("‘’‚‛′“”„‟″–—―‐‑−", "'''''\"\"\"\"\"------")
# After digits, in Latin and in Cyrillic letters, whatever the language: 5th Avenue, 5-й
ORDINAL_END = r"(?:st|nd|rd|th)\b|-?(?:й|я|е|го|му|м|х|ми|ой|ая|ый|ю|ом)\b"


@dataclass(frozen=True, slots=True)
class Calendar:
    """Dates as numbers with a mark after each, the marks as patterns: 2024年5月3日."""

    year: str
    month: str
    day: str
    month_end: str = ""  # what may follow the month of a year: 5月*份*
    counters: str = ""  # characters before a number that is no month
    lone_days: bool = True  # whether a day may stand without its month


@dataclass(frozen=True, slots=True)
class FactRules:
    """How facts are written in a language, beside its lists.

    Fields that are patterns are regular expressions; texts are matched in small letters.
    """

    # Numbers
    decimal_comma: bool = False  # 3,5 and not 3.5
    # Characters that are numerals: signs (三, 삼), and tens (十) and larger ones that multiply
    numerals: Mapping[str, NumberPart] = field(default_factory=dict, hash=False)
    over: str = ""  # between the parts of a share, the whole first: 三分之二
    number_links: tuple[str, ...] = ()  # words within numbers: two *and a* half
    unit_link: str = ""  # words between a number and its unit, a pattern: half *an* hour
    ordinal_end: str = ORDINAL_END  # endings of ordinals in digits, a pattern
    ordinal_sign: str = "第"  # before an ordinal, where spaces do not part words
    word_before: str = ""  # letters after which a numeral is part of a word, a pattern
    # Dates
    day_end: str = r"\.?"  # what may follow the day before or after a month's name, a pattern
    day_link: str = ""  # a word between day and month: the 3rd *of* May
    calendar: Calendar | None = None  # where numbers with marks are dates
    half_after: str = ""  # characters that may stand between a clock and the half of the day
    half_before: str = ""  # and between the half and the clock: 午後*の*3時
    # Names
    capitals: bool = True  # whether capitals within a sentence are names; German nouns have them
    inflects: bool = False  # whether names have endings
    names: Namer | None = None  # where capitals do not show names
    respell: Step | None = None  # to the spelling of the lists, of the same length
    # Negation
    prefixes: tuple[str, ...] = ()  # that deny the rest of a word
    verbs: frozenset[str] = frozenset()  # negations that are verbs of their own: 拒绝
    cancels: tuple[str, ...] = ()  # words with which a negation means "only": しか, 밖에
    light: frozenset[str] = frozenset()  # forms that a negation passes over to what it denies
    prefix_tags: tuple[str, ...] = ()  # beginnings of the analyser's tags: of prefixes,
    predicate_tags: tuple[str, ...] = ()  # of verbs and adjectives,
    before_tags: tuple[str, ...] = ()  # of negations before what they deny, where others follow,
    ending_tags: tuple[str, ...] = ()  # of endings and suffixes, which are parts of words
    # Comparison
    than: str = ""  # the word at what something is compared with
    than_follows: bool = False  # whether it stands after it: 次郎より
    free_order: bool = False  # whether endings or particles, and not places, tell who does what


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
    reader: PolarityReader | None = None  # finds polar words and negations
    hint: Hint | None = None  # how sure it is, in [0, 1], that a text is in this language
    facts: FactRules = field(default_factory=FactRules)  # how the guard reads facts
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

    def phrases(self, name: str) -> lexicons.Phrases:
        """A list of phrases with values, made of whole words where spaces part them."""
        return lexicons.phrases(self.lists, name, not self.analysed)

    def polarity(self, text: str) -> Polarity:
        """Praise, blame and denial in a text; nothing is found where there are no lists."""
        if self.presence:
            return present(self.analyser.words(text), self.lists)
        return Polarity() if self.reader is None else compose(self.reader, text)

    def with_lists(self, lists: str) -> Language:
        """The same language with other word lists."""
        reader: Any = self.reader
        return replace(self, lists=lists, reader=reader and replace(reader, lists=lists))


def unify(text: str) -> str:
    """NFKC (full-width and half-width forms, ligatures), case folded, quotes and dashes plain,
    invisible characters dropped, white space collapsed. Idempotent."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(text.translate(QUOTES).split())
