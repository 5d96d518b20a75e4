"""Two texts' facts against each other: what stands in both goes, what is left differs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gistmeter.languages import Language
from gistmeter.languages.guard.amounts import SHARE, Amount
from gistmeter.languages.guard.fact import KINDS, Fact, Facts, Span
from gistmeter.languages.guard.names import comparable, stands_in
from gistmeter.languages.guard.negation import carries, flips
from gistmeter.languages.guard.times import Time

DATE_GROUPS = ("year", "month", "day", "weekday", "when", "half", "season", "decade", "clock")
NUMBERED = ("clock", "day", "year", "decade")  # parts of dates that may be said as a bare number
UNORDERED = ("bound", "change")  # dimensions in which nothing is compared with another thing
MOST_NAMES = 2  # that are changed at once; more are another way of writing them
MOST_QUANTITIES = 1_000  # pairs of words that are told; a text that repeats them has millions
ALIKE = 0.5  # share of the shorter text's content that makes quantities comparable
# What cannot be true of the same things: all against some, most against few.
CONFLICTS = {
    frozenset(pair)
    for pair in (
        ("all", "some"), ("all", "most"), ("all", "few"), ("all", "none"), ("all", "notall"),
        ("all", "only"), ("all", "many"), ("none", "some"), ("none", "most"), ("none", "many"),
        ("most", "few"), ("many", "few"), ("most", "some"),
        ("always", "never"), ("always", "sometimes"), ("always", "rarely"), ("always", "often"),
        ("often", "never"), ("often", "rarely"), ("often", "sometimes"), ("sometimes", "never"),
    )
}  # fmt: skip
# Dimensions that one word may mean: degrees (of Celsius), pounds (of money), m (minutes, metres)
AMBIGUOUS = {
    frozenset(pair) for pair in (("degree", "celsius"), ("degree", "fahrenheit"), ("mass", "gbp"))
}
CURRENCY_UNITS = ("usd", "eur", "gbp", "czk", "cny", "jpy", "krw", "rub", "peso")
Difference = tuple[str, Span, Span]  # its kind, and where it stands in the two texts


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fact that two texts tell differently: its kind, the words of each, and where they are."""

    kind: str  # one of KINDS
    reference_words: str
    candidate_words: str
    reference_span: Span
    candidate_span: Span

    def __str__(self) -> str:
        words = (self.reference_words, self.candidate_words)
        return f"{self.kind}: {' → '.join(one or '(nothing)' for one in words)}"


@dataclass(frozen=True, slots=True)
class Alarms:
    """All that differs between two texts; false where nothing does."""

    found: tuple[Alarm, ...] = ()

    def __iter__(self) -> Iterator[Alarm]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that occur, in the order of KINDS."""
        return tuple(kind for kind in KINDS if any(alarm.kind == kind for alarm in self.found))


def compare_facts(reference: Facts, candidate: Facts, language: Language) -> Alarms:
    """What differs, in the order of the reference."""
    differences = {
        *numbers(reference, candidate),
        *dates(reference, candidate),
        *names(reference, candidate, language),
        *(("negation", one.span, two.span) for one, two in flips(reference, candidate, language)),
    }
    if alike(reference, candidate):
        differences |= {
            *quantities(reference, candidate),
            *comparisons(reference, candidate, language),
        }
    ordered = sorted(differences, key=lambda one: (KINDS.index(one[0]), *one[1:]))
    return Alarms(
        tuple(
            Alarm(kind, reference.text[slice(*first)], candidate.text[slice(*other)], first, other)
            for kind, first, other in ordered
        )
    )


def alike(ours: Facts, theirs: Facts) -> bool:
    """Whether two texts speak of the same: they share half of the shorter one's content."""
    own, other = ours.content, theirs.content
    if not (own and other):
        own, other = ours.forms, theirs.forms
    return len(own & other) >= ALIKE * min(len(own), len(other))


@dataclass(frozen=True, slots=True)
class Known:
    """The values of some facts, so that each other one is looked up and not compared with all."""

    values: frozenset[Hashable]
    worths: frozenset[tuple[str, Fraction]]  # of amounts, with their dimension
    bare: frozenset[Fraction]  # of amounts without a unit
    units: frozenset[Fraction]  # of amounts with one, shares apart
    halves: Mapping[tuple[int, int], set[str]]  # of times: hour and minute -> halves of the day

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Known:
        amounts = [fact.value for fact in facts if isinstance(fact.value, Amount)]
        halves: dict[tuple[int, int], set[str]] = {}
        for fact in facts:
            if isinstance(fact.value, Time):
                halves.setdefault(fact.value[:2], set()).add(fact.value.half)
        return cls(
            frozenset(fact.value for fact in facts),
            frozenset((one.dimension, one.worth) for one in amounts),
            frozenset(one.value for one in amounts if not one.dimension),
            frozenset(one.value for one in amounts if one.dimension not in ("", SHARE)),
            halves,
        )

    def has(self, value: Hashable) -> bool:
        """Whether a fact says the same; a unit or a half of the day that one lacks is no matter."""
        if value in self.values:
            return True
        if isinstance(value, Time):
            halves = self.halves.get(value[:2], set())
            return bool(halves and (not value.half or halves & {"", value.half}))
        if not isinstance(value, Amount):
            return False
        dimension, worth = value.dimension, value.worth
        if (dimension, worth) in self.worths:
            return True
        if dimension == SHARE:
            return ("", worth) in self.worths
        if dimension:
            return value.value in self.bare
        return (SHARE, worth) in self.worths or value.value in self.units


def only_in(ours: Sequence[Fact], theirs: Sequence[Fact]) -> list[Fact]:
    """What one text says and the other does not, however often it is said."""
    known = Known.of(theirs)
    return [fact for fact in ours if not known.has(fact.value)]


def said_as_numbers(date: Fact) -> set[Hashable]:
    """The bare numbers that say the hour, day or year of a date."""
    time = date.value
    return {time.hour or 12, time.hour + 12} if isinstance(time, Time) else {time}


def number_of(fact: Fact) -> Hashable:
    return fact.value.value if isinstance(fact.value, Amount) else None


def numbers(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    """Numbers that stand in place of each other; a number may be a date's hour, day or year."""
    left = []
    for own, other in ((ours, theirs), (theirs, ours)):
        dated = {part for date in other.of(*NUMBERED) for part in said_as_numbers(date)}
        only = only_in(own.of("number", "ordinal"), other.of("number", "ordinal"))
        left.append([one for one in only if number_of(one) not in dated])
    if same_digits(ours, theirs):
        return
    for one, two in paired(left[0], left[1], ours, theirs):
        first, second = one.value, two.value
        assert isinstance(first, Amount) and isinstance(second, Amount)
        if first.value != second.value:
            yield "number", one.span, two.span
        elif frozenset((first.dimension, second.dimension)) not in AMBIGUOUS:
            yield "unit", one.span, two.span


def same_digits(ours: Facts, theirs: Facts) -> bool:
    """Whether what only one of the texts has is the same digits, cut otherwise: 555 1234 and
    5551234, eleven forty and 11:40, four pounds fifty and £4.50."""
    lines = []
    for own, other in ((ours, theirs), (theirs, ours)):
        facts = [
            fact
            for groups in (("number", "ordinal"), ("year",), ("clock",))
            for fact in only_in(own.of(*groups), other.of(*groups))
        ]
        ordered = sorted(facts, key=lambda fact: fact.start)
        lines.append((len(facts), "".join(digits_of(fact, own) for fact in ordered)))
    return lines[0] != lines[1] and lines[0][1] == lines[1][1] != ""


def digits_of(fact: Fact, facts: Facts) -> str:
    """The digits of a number, a year or a time; cents are two of them, other decimals stay."""
    if isinstance(fact.value, Time):
        written = re.sub(r"\D", "", facts.plain[fact.start : fact.end])
        return written or f"{fact.value.hour or 12}{fact.value.minute or '':0>2}"
    value = fact.value.value if isinstance(fact.value, Amount) else fact.value
    money = isinstance(fact.value, Amount) and fact.value.dimension in CURRENCY_UNITS
    if money and isinstance(value, Fraction) and (100 * value).denominator == 1:
        return f"{int(value)}{int(100 * value) % 100 or ''}"
    return str(value)


def paired(
    own: list[Fact], other: list[Fact], ours: Facts, theirs: Facts
) -> list[tuple[Fact, Fact]]:
    """Numbers that stand in place of each other: those that count the same, the rest in order."""
    sides = (NumbersByWord.of(own, ours), NumbersByWord.of(other, theirs))
    made = []
    for one, form in zip(own, ours.forms_after(own), strict=True):
        partner = sides[1].only(form, one)
        if form and partner is not None and sides[0].only(form, partner) is not None:
            made.append((one, partner))
    done = {fact for pair in made for fact in pair}
    rest = [[one for one in side if one not in done and not one.weak] for side in (own, other)]
    return made + list(zip(*rest, strict=False))


@dataclass(frozen=True, slots=True)
class NumbersByWord:
    """Numbers by the word after them, which is what they count."""

    all: Mapping[str, list[Fact]]
    strong: Mapping[str, list[Fact]]  # those that are not said in passing

    @classmethod
    def of(cls, numbers: Sequence[Fact], facts: Facts) -> NumbersByWord:
        every: dict[str, list[Fact]] = {}
        strong: dict[str, list[Fact]] = {}
        for number, form in zip(numbers, facts.forms_after(numbers), strict=True):
            every.setdefault(form, []).append(number)
            if not number.weak:
                strong.setdefault(form, []).append(number)
        return cls(every, strong)

    def only(self, form: str, other: Fact) -> Fact | None:
        """The one number that counts the same as another text's, where there is just one."""
        numbers = (self.strong if other.weak else self.all).get(form, [])
        return numbers[0] if len(numbers) == 1 else None


def dates(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    """Parts of dates of one group that stand in place of each other."""
    same = same_digits(ours, theirs)
    for group in DATE_GROUPS:
        if same and group in ("clock", "year"):
            continue
        left = []
        for own, other in ((ours, theirs), (theirs, ours)):
            only = only_in(own.of(group), other.of(group))
            bare = {number_of(number) for number in other.of("number")}
            left.append([one for one in only if bare.isdisjoint(said_as_numbers(one))])
        for one, two in zip(*left, strict=False):
            yield "date", one.span, two.span


def names(ours: Facts, theirs: Facts, language: Language) -> Iterator[Difference]:
    own = list(itertools.islice(missing_names(ours, theirs, language), MOST_NAMES + 1))
    other = list(itertools.islice(missing_names(theirs, ours, language), MOST_NAMES + 1))
    if len(own) != len(other) or len(own) > MOST_NAMES:
        return  # names were left out or put in: a text is shorter, or cut otherwise
    for one, two in zip(own, other, strict=True):
        place = neighbours(one, ours) & neighbours(two, theirs)
        if place and comparable(str(one.value), str(two.value)):
            yield "name", one.span, two.span


def neighbours(fact: Fact, facts: Facts) -> set[tuple[str, str]]:
    """The words before and after, where a name stands between others."""
    before = [token.form for token in facts.tokens if token.end <= fact.start]
    return {("before", before[-1] if before else ""), ("after", facts.next_form(fact))}


def missing_names(ours: Facts, theirs: Facts, language: Language) -> Iterator[Fact]:
    """The names of a text that the other has in no shape."""
    if language.analysed:
        words = frozenset(str(name.value) for name in theirs.of("name"))
    else:
        words = frozenset(
            form
            for token in theirs.tokens
            for form in (token.form, theirs.plain[token.start : token.end])
        )
    return (
        name
        for name in ours.of("name")
        if not stands_in(str(name.value), theirs.plain, words, language)
    )


def quantities(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    """Quantities that cannot both be true; of a text that repeats them, the first pairs."""
    own, other = (by_value(facts.of("quantity")) for facts in (ours, theirs))
    both = own.keys() & other.keys()
    for one, two in itertools.product(own, other):
        if frozenset((one, two)) in CONFLICTS and both.isdisjoint((one, two)):
            pairs = itertools.product(own[one], other[two])
            for first, second in itertools.islice(pairs, MOST_QUANTITIES):
                yield "quantity", first.span, second.span


def by_value(facts: Sequence[Fact]) -> dict[Hashable, list[Fact]]:
    made: dict[Hashable, list[Fact]] = {}
    for fact in facts:
        made.setdefault(fact.value, []).append(fact)
    return made


def comparisons(ours: Facts, theirs: Facts, language: Language) -> Iterator[Difference]:
    """Directions that are opposite, unless what is compared has changed places."""
    own, other = directions(ours), directions(theirs)
    for dimension in sorted(own.keys() & other.keys()):
        one, two = own[dimension][0], other[dimension][0]
        if any(len({fact.value for fact in side[dimension]}) > 1 for side in (own, other)):
            continue
        turned = one.value != two.value
        related = turned or all(language.facts.than in facts.plain for facts in (ours, theirs))
        ordered = dimension not in UNORDERED and related
        if ordered and swapped(one, two, ours, theirs, language):
            turned = not turned
        if turned:
            yield "comparative", one.span, two.span


def directions(facts: Facts) -> dict[str, list[Fact]]:
    """The words that compare, by dimension; what is left of their values is the direction."""
    made: dict[str, list[Fact]] = {}
    for fact in facts.of("comparative"):
        value = str(fact.value)
        made.setdefault(value[:-1], []).append(fact._replace(value=value[-1]))
    return made


def swapped(one: Fact, two: Fact, ours: Facts, theirs: Facts, language: Language) -> bool:
    """Whether what each text compares with is the thing compared in the other."""
    own, other = standard(one, ours, language), standard(two, theirs, language)
    lone, alone = own - other, other - own
    return (
        bool(lone and alone)
        and lone <= {token.form for token in theirs.tokens}
        and alone <= {token.form for token in ours.tokens}
    )


def standard(fact: Fact, facts: Facts, language: Language) -> frozenset[str]:
    """What something is compared with: the words beside "than", or after the word itself."""
    rules = language.facts
    place = facts.plain.find(rules.than) if rules.than else -1
    if rules.than_follows:
        return frozenset(phrase_before(place, facts, language) if place >= 0 else ())
    start = place + len(rules.than) if place >= 0 else fact.end
    tokens = [token for token in facts.tokens if carries(token, language)]
    after = [token for token in tokens if start <= token.start]
    near = [token for token in after if token.end <= fact.start] or after
    return frozenset(token.form for token in near[:2])


def phrase_before(place: int, facts: Facts, language: Language) -> Iterator[str]:
    """The forms of the words right before a place, back to the first particle."""
    for token in reversed([token for token in facts.tokens if token.end <= place]):
        if carries(token, language):
            yield token.form
        elif not token.tag.startswith(language.facts.ending_tags):
            return
