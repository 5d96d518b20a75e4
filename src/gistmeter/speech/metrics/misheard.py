"""What a transcript tells otherwise, leaves out or puts in.

The guard asks whether two texts of any kind can both be true. A transcript is more than that: it
follows what was said word by word. So the two are aligned, and only where they part something can
be wrong. In such a passage

- numbers, dates and units that differ by value are an alarm, unless they are the same digits, cut
  otherwise (five fifty, 5.50); so is a number or a date that was lost or put in;
- a negation on one side is an alarm where the transcript has more or fewer of them in all;
- so are opposites, which the language lists: before and after, must and may, he and she;
- a word of content in place of another is an alarm (`word`, or `name` where it was a name), unless
  both are spellings, inflections or sounds of one word, or the transcript has no word of the
  language that sounds much like it;
- words that change places are an alarm: who did what (Anna told Mark, Mark told Anna).

A single word of content that was only lost or put in is none.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from gistmeter import languages
from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import Lemmas, is_known
from gistmeter.languages.guard import Alarm, Alarms, Facts, compare, read
from gistmeter.languages.guard.differences import DATE_GROUPS
from gistmeter.languages.guard.fact import KINDS
from gistmeter.languages.guard.negation import carries
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.polarity import Kind
from gistmeter.speech.metrics.passages import (
    PartedPassage,
    SaidValues,
    Substrings,
    alarm_kind,
    ambiguous,
    facts_of,
    passages_of,
    same_digits_in,
    worth,
    written,
)
from gistmeter.speech.metrics.spoken_words import (
    AMOUNTS,
    REMEMBERED,
    SpokenWord,
    alikeness,
    comparable_scripts,
    letters,
    same_word,
    sound,
    spoken_words,
)

WORD = "word"
ORDER = (*KINDS, WORD)
ALONE = 3  # words of content that are an alarm where nothing stands in their place
SHORT = 3  # words of a passage in which opposites stand in place of each other
MISSPELLED = 0.5  # how alike a word sounds to one that no dictionary has, to be a slip of it
SLIP = 0.75  # and to another one that none has, or where there is no dictionary
HAN = re.compile("[\u3400-\u9fff]")
DECIMALS = re.compile("[〇零一二三四五六七八九]+・[〇零一二三四五六七八九]+")
DIGITS = str.maketrans("〇零一二三四五六七八九・", "00123456789.")
# Beginnings of words that sound alike and turn the meaning
TURNED = tuple(
    frozenset(pair)
    for pair in (
        ("hypo", "hyper"), ("pre", "post"), ("inter", "intra"), ("micro", "milli"),
        ("micro", "macro"),
        ("in", "ex"), ("mono", "bi"), ("гипо", "гипер"), ("микро", "милли"), ("mikro", "milli"),
        ("mikro", "makro"), ("under", "over"), ("unter", "über"), ("up", "down"),
    )
)  # fmt: skip
ANSWERED = re.compile(r"\s*[,.?!]")
LONGEST = 6  # words of a passage in which a negation is looked for; longer ones are reworded
ENDING = 2  # letters that tell the case of a word
NOWHERE = (0, 0)
# So that time grows with the length: words that one is compared with, and pairs of a passage that
# may have changed places. Passages of more words are no slips of the ear.
COMPARED, EXCHANGED = 100, 4_096


def transcript_alarms(expected: str, got: str, code: str) -> Alarms:
    """What the transcript of a text tells otherwise, in the order of kinds and places."""
    if expected == got:
        return Alarms()
    language = languages.get(code)
    comparison = HeardTranscript(
        read(_respelled(expected, language), code), read(_respelled(got, language), code), language
    )
    alarms = [_with_words(one, expected, got) for one in comparison.alarms()]
    ordered = sorted(
        set(alarms),
        key=lambda one: (ORDER.index(one.kind), one.reference_span, one.candidate_span),
    )
    return Alarms(tuple(ordered))


def _respelled(text: str, language: Language) -> str:
    """In the script of the lists, where a language has two; decimals in digits: 二・五 is 2.5."""
    plain = language.facts.respell(text) if language.facts.respell is not None else text
    plain = plain if len(plain) == len(text) else text
    return DECIMALS.sub(lambda match: match[0].translate(DIGITS), plain)


def _with_words(alarm: Alarm, expected: str, got: str) -> Alarm:
    own, other = alarm.reference_span, alarm.candidate_span
    return Alarm(alarm.kind, expected[slice(*own)], got[slice(*other)], own, other)


class HeardTranscript:
    """A transcript beside what was said."""

    def __init__(self, said: Facts, heard: Facts, language: Language) -> None:
        self.said, self.heard, self.language = said, heard, language
        ours, theirs = spoken_words(said, language), spoken_words(heard, language)
        self.empty = not theirs
        self.known = [_known(words, one) for words, one in ((ours, said), (theirs, heard))]
        self.values = [SaidValues(one) for one in (said, heard)]
        self.names = [
            Mask(len(one.plain), (name.span for name in one.of("name"))) for one in (said, heard)
        ]
        self.passages = [
            passage for passage in passages_of(ours, theirs) if not self._sounds_alike(passage)
        ]

    def alarms(self) -> Iterator[Alarm]:
        amounts = list(itertools.chain.from_iterable(map(self._amounts, self.passages)))
        yield from amounts
        yield from self._negations()
        yield from self._exchanged()
        yield from self._quantities()
        for passage in self.passages:
            yield from self._opposed(passage)
            yield from self._words(passage)

    def _alarm(self, kind: str, one: SpokenWord | None, two: SpokenWord | None) -> Alarm:
        return Alarm(kind, "", "", one.span if one else NOWHERE, two.span if two else NOWHERE)

    def _sounds_alike(self, passage: PartedPassage) -> bool:
        """Whether both texts have the same letters there, cut or spelled otherwise."""
        own, other = written(passage.own, self.said), written(passage.other, self.heard)
        if own == other:
            return True
        if any(map(str.isdecimal, own + other)) or min(len(own), len(other)) < 2:
            return False
        cut_otherwise = len(passage.own) != len(passage.other)
        numbers = any(facts_of((*passage.own, *passage.other)))
        return (cut_otherwise or not numbers) and sound(own) == sound(other)

    # Numbers and dates

    def _amounts(self, passage: PartedPassage) -> Iterator[Alarm]:
        """Numbers and dates of a passage that differ by value, are lost or put in."""
        sides = [facts_of(passage.own), facts_of(passage.other)]
        if not any(sides) or same_digits_in(sides[0], sides[1], self.said, self.heard):
            return
        left = [
            self.values[1].lacks(sides[0]),
            self.values[0].lacks(sides[1]),
        ]
        for groups in (AMOUNTS, *((group,) for group in DATE_GROUPS)):
            own, other = ([fact for fact in side if fact.group in groups] for side in left)
            kind = "number" if groups is AMOUNTS else "date"
            for one, two in zip(own, other, strict=False):
                if not ambiguous(one, two):
                    yield Alarm(alarm_kind(kind, one, two), "", "", one.span, two.span)
            alone = own[len(other) :] or other[len(own) :]
            lost = bool(own[len(other) :])
            if self._corrected(passage, kind) or (passage.own and passage.other):
                continue
            for fact in alone:
                if not fact.weak and fact.group != "half" and worth(fact) != 0:
                    spans = (fact.span, NOWHERE) if lost else (NOWHERE, fact.span)
                    yield Alarm(kind, "", "", *spans)

    def _corrected(self, passage: PartedPassage, kind: str) -> bool:
        """Whether what a passage lost was corrected by the speaker: on Monday, no, on Tuesday."""
        if passage.other or len(passage.own) < SHORT:
            return False
        kinds = ("number" if one.fact.group in AMOUNTS else "date"
                 for one in passage.after if one.fact)  # fmt: skip
        return kind in kinds

    # Negations

    def _negations(self) -> Iterator[Alarm]:
        """Negations that only one of the texts has, where the other has none in their place."""
        marks = [
            _denying(facts, other, self.language)
            for facts, other in ((self.said, self.heard), (self.heard, self.said))
        ]
        lost: list[tuple[SpokenWord | None, SpokenWord | None]] = []
        gained: list[tuple[SpokenWord | None, SpokenWord | None]] = []
        for passage in self.passages:
            if max(len(passage.own), len(passage.other)) > LONGEST and not self.empty:
                continue
            own = [one for one in passage.own if _within(one, marks[0].alone)]
            other = [one for one in passage.other if _within(one, marks[1].alone)]
            if any(_within(one, marks[0].every) for one in passage.own) and any(
                _within(one, marks[1].every) for one in passage.other
            ):
                continue
            if not own and not other:
                own, other = self._prefixed(passage)
            if own and not other:
                lost.append((own[0], next(iter(passage.other), None)))
            elif other and not own:
                gained.append((next(iter(passage.own), None), other[0]))
        if not (lost and gained):
            yield from (self._alarm("negation", *pair) for pair in (*lost, *gained))

    def _prefixed(self, passage: PartedPassage) -> tuple[list[SpokenWord], list[SpokenWord]]:
        """Words that differ in a prefix which denies: benign and not, possible and impossible."""
        for prefix, one, two in itertools.product(
            self.language.facts.prefixes, passage.own, passage.other
        ):
            if one.key == prefix + two.key or one.token.form == prefix + two.token.form:
                return [one], []
            if two.key == prefix + one.key or two.token.form == prefix + one.token.form:
                return [], [two]
        return [], []

    # Words

    def _quantities(self) -> Iterator[Alarm]:
        """Words of quantity and comparison, as the guard reads them, where the texts part."""
        apart = (
            Mask(len(self.said.text), (one.span for part in self.passages for one in part.own)),
            Mask(len(self.heard.text), (one.span for part in self.passages for one in part.other)),
        )
        for alarm in compare(self.said.text, self.heard.text, self.language.code):
            spans = (alarm.reference_span, alarm.candidate_span)
            if alarm.kind in ("quantity", "comparative") and any(
                side.covers(*span) for span, side in zip(spans, apart, strict=True)
            ):
                yield alarm

    def _opposed(self, passage: PartedPassage) -> Iterator[Alarm]:
        """Opposites in place of each other, in passages so short that they stand for each other."""
        if max(len(passage.own), len(passage.other)) > SHORT:
            return
        pairs = opposites(self.language.lists)
        for one, two in itertools.product(passage.own, passage.other):
            against = pairs.get(one.key, frozenset()) | pairs.get(one.token.form, frozenset())
            if not against.isdisjoint((two.key, two.token.form)) or (
                not self.language.spaced and _opposed_signs(one.key, two.key, pairs)
            ):
                yield self._alarm(WORD, one, two)

    def _exchanged(self) -> Iterator[Alarm]:
        """Words that changed places, each standing where the other stood."""
        later: dict[tuple[str, str], list[tuple[str, str]]] = {}  # of passages that follow
        for passage in reversed(self.passages):
            own, other = (_by_form(side, self.language) for side in (passage.own, passage.other))
            if len(own) * len(other) > EXCHANGED:
                continue
            pairs = list(itertools.product(own, other))
            for one, two in pairs:
                keys = own[one].key, other[two].key
                turned_back = (
                    later.get((two, one), []) if one not in other and two not in own else []
                )
                case = sound(keys[0])[-ENDING:] == sound(keys[1])[-ENDING:]
                # with other ends, only the order changed
                if any(
                    case or not self.language.facts.inflects or keys != back for back in turned_back
                ):
                    yield self._alarm(WORD, own[one], other[two])
            for one, two in pairs:
                back = other[two].key, own[one].key
                known = later.setdefault((one, two), [])
                if len(known) < 2 and back not in known:
                    known.append(back)

    def _words(self, passage: PartedPassage) -> Iterator[Alarm]:
        """Words of content in place of others, or many in place of none."""
        written_here = letters(passage.own), letters(passage.other)
        near = Substrings(written_here[0]), Substrings(written_here[1])
        missed = [one for one in passage.own if self._misses(one, 1, near[1])]
        added = deque(one for one in passage.other if self._misses(one, 0, near[0]))
        lost = []
        for one in missed:
            close = enumerate(itertools.islice(added, COMPARED))
            place = next((at for at, two in close if self._alike(one, two)), None)
            if place is None:
                lost.append(one)
            else:
                del added[place]
        if sound(written_here[0]) == sound(written_here[1]) or (
            sound(letters(lost)) == sound(letters(added))
        ):
            return
        if (lost and added and len(lost) == len(added)) or self.empty:
            for one, two in itertools.zip_longest(lost, added):
                yield self._alarm("name" if one and self._is_name(one, 0) else WORD, one, two)
        elif not (lost and added) and len(lost) + len(added) >= ALONE:
            for one in lost or added:
                yield self._alarm(WORD, *((one, None) if lost else (None, one)))

    def _misses(self, word: SpokenWord, side: int, near: Substrings) -> bool:
        """Whether a word carries content that the other text has nowhere, `near` it least."""
        if word.fact or word.token.form in self.known[side] or word.key in self.known[side]:
            return False
        if not carries(word.token, self.language):
            return False
        if self.language.analysed:
            if self._is_name(word, 1 - side):
                return word.key not in near
            if len(word.key) == 1 and not self.language.particles and HAN.match(word.key):
                return False  # 查, 茶: one sign of many that sound alike
            return word.key not in near and not any(
                sign in near for sign in word.key if len(word.key) > 1 and HAN.match(sign)
            )
        return len(word.key) > 1

    def _is_name(self, word: SpokenWord, side: int) -> bool:
        return self.names[side].covers(word.token.start)

    def _alike(self, one: SpokenWord, two: SpokenWord) -> bool:
        """Whether a word was heard rightly and written otherwise."""
        if turned(one.key, two.key):
            return False
        if same_word(one, two, self.language) or not comparable_scripts(one.key, two.key):
            return True
        if self._is_name(one, 0):
            return False
        likeness, analyser = alikeness(one.key, two.key), self.language.analyser
        if self.language.particles:
            return min(len(one.key), len(two.key)) > 1 and likeness >= SLIP
        if not isinstance(analyser, Lemmas) or is_known(two.key, analyser.language):
            return False
        return likeness > (MISSPELLED if is_known(one.key, analyser.language) else SLIP)


@lru_cache(maxsize=REMEMBERED)
def turned(one: str, two: str) -> bool:
    """Whether two words differ in a beginning that turns the meaning: hypotension, hypertension."""
    return any(
        one.startswith(first) and two.startswith(second) and one[len(first) :] == two[len(second) :]
        for pair in TURNED
        for first, second in itertools.permutations(pair)
    )


def _known(words: Sequence[SpokenWord], facts: Facts) -> frozenset[str]:
    """Every form and spelling of a text's words."""
    keys = (one.key for one in words)
    forms = (form for token in facts.tokens for form in (token.form, token.surface.lower()))
    return frozenset(itertools.chain(keys, forms))


def _by_form(words: Sequence[SpokenWord], language: Language) -> dict[str, SpokenWord]:
    """The numbers and words of content of a passage by their forms."""
    return {
        one.key if one.fact else one.token.form: one
        for one in words
        if one.fact or (carries(one.token, language) and (language.analysed or len(one.key) > 1))
    }


class Denying(NamedTuple):
    """Where a text has negations: those that deny alone, and every one."""

    alone: list[int]
    every: list[int]


def _denying(facts: Facts, other: Facts, language: Language) -> Denying:
    """Words in concord (nobody, nothing) deny alone where the other text denies nothing; one that
    stands by itself (No, I said) answers and denies nothing."""
    if language.reader is None:
        return Denying([], [])
    denied = any(one.kind is Kind.NEGATION for one in language.reader.read(other.text))
    kinds = [Kind.NEGATION] if denied else [Kind.NEGATION, Kind.CONCORD]
    marks = [
        one
        for one in language.reader.read(facts.text)
        if one.kind in (Kind.NEGATION, Kind.CONCORD)
        and facts.plain[one.start : one.end] not in language.facts.unsaid
    ]
    alone = [one for one in marks if one.kind in kinds and not ANSWERED.match(facts.text, one.end)]
    return Denying(sorted(one.start for one in alone), sorted(one.start for one in marks))


def _within(word: SpokenWord, places: Sequence[int]) -> bool:
    """Whether one of some places, in their order, is in a word."""
    at = bisect_left(places, word.token.start)
    return at < len(places) and places[at] < word.token.end


def _opposed_signs(one: str, two: str, pairs: Mapping[str, frozenset[str]]) -> bool:
    """Whether two words differ in one sign that has the other for its opposite: 左转, 右转."""
    apart = [signs for signs in zip(one, two, strict=False) if signs[0] != signs[1]]
    same_length = len(one) == len(two) and len(apart) == 1
    return same_length and apart[0][1] in pairs.get(apart[0][0], ())


@cache
def opposites(lists: str) -> dict[str, frozenset[str]]:
    """Words that must not stand in place of each other, each with its opposites."""
    made: dict[str, frozenset[str]] = {}
    for line in lexicons.lines(lists, "opposites"):
        sides = [frozenset(side.split()) for side in line.split("=")]
        for side, rest in ((side, sides[:at] + sides[at + 1 :]) for at, side in enumerate(sides)):
            for word in side:
                made[word] = made.get(word, frozenset()).union(*rest)
    return made
