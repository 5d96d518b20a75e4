"""A language: what is a word, a sentence, a content word, a negation in it.

A segmenter takes about a millisecond for a text, three times over, and a run asks about the same
references with every arrangement and system, and about everything again when it is repeated. So
a `RememberingLanguage` analyses a text once and keeps that in the cache, as models' answers are. A
chunk's texts are looked up together (`prepare`); a text that comes alone is looked up alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gistmeter.core.cache import Cache, Form
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Analyser, Morph, Unicode
from gistmeter.languages.normal_forms import normal_form
from gistmeter.languages.numbers import NumberPart, words_to_digits
from gistmeter.languages.paragraphs import Heading
from gistmeter.languages.polarity import Polarity, PolarityReader, PolarWord, compose, present
from gistmeter.languages.sentences import Splitter, simple_sentences
from gistmeter.version import __version__

Step = Callable[[str], str]
Hint = Callable[[str], float]
Namer = Callable[[str, Sequence[Morph]], Iterable[tuple[int, int]]]
# Characters without appearance: zero-width space and joiner marks, soft hyphen, byte order mark,
# directional marks, variation selectors.
INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
QUOTES = str.maketrans("‘’‚‛′“”„‟″–—―‐‑−", "'''''\"\"\"\"\"------")
# After digits, in Latin and in Cyrillic letters, whatever the language: 5th Avenue, 5-й
ORDINAL_END = r"(?:st|nd|rd|th)\b|-?(?:й|я|е|го|му|м|х|ми|ой|ая|ый|ю|ом)\b"
REVISION = 6  # to be raised when analysers or polarity change what they find
WORD_BYTES = 120  # that a word, or an alarm's words, take in memory, roughly
ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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
    # Numerals: signs (三, 삼), tens (十) and larger ones that multiply, words that no list has
    numerals: Mapping[str, NumberPart] = field(default_factory=dict, hash=False)
    over: str = ""  # between the parts of a share, the whole first: 三分之二
    number_links: tuple[str, ...] = ()  # words within numbers: two *and a* half
    decimal: str = ""  # what parts a whole number from its decimals when said, a pattern: point
    minus: str = ""  # what makes a number negative, before it, a pattern
    zero: str = ""  # another word for 0 among digits that are said one by one, a pattern: oh
    unit_link: str = ""  # words between a number and its unit, a pattern: half *an* hour
    ordinal_end: str = ORDINAL_END  # endings of ordinals in digits, a pattern
    ordinal_sign: str = "第"  # before an ordinal, where spaces do not part words
    short_numbers: bool = False  # whether the place of a last digit may be left out: 四千五
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
    unsaid: frozenset[str] = frozenset()  # negations that speech leaves out: French ne
    prefixes: tuple[str, ...] = ()  # that deny the rest of a word
    denies_back: bool = False  # whether a negation denies what stands before it, if nothing follows
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
    elides: bool = False  # whether an apostrophe parts two words: l'eau
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
    if text.isascii():
        return " ".join(text.lower().split())
    text = normal_form("NFKC", INVISIBLE.sub("", text))
    text = normal_form("NFKC", text.casefold())
    return " ".join(text.translate(QUOTES).split())


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
    words = language.normalise(text)
    content = (
        language.content_words(text)
        if language.folds or language.plain
        else language.analyser.forms(words, lexicons.words(language.lists, "stopwords"))
    )
    return Analysis(tuple(content), tuple(language.words(words)), language.polarity(text))
