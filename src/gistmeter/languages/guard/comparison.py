"""Two texts' facts against each other: what stands in both goes, what is left differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gistmeter.languages import Language
from gistmeter.languages.guard.facts import KINDS, Fact, Facts, Span
from gistmeter.languages.guard.names import comparable, stands_in
from gistmeter.languages.guard.negation import carries, flips
from gistmeter.languages.guard.numbers import Amount
from gistmeter.languages.guard.times import Time
from gistmeter.languages.guard.words import CONFLICTS

DATE_GROUPS = ("year", "month", "day", "weekday", "when", "half", "season", "decade", "clock")
UNORDERED = ("bound", "change")  # dimensions in which nothing is compared with another thing
MOST_NAMES = 2  # that are changed at once; more are another way of writing them
ALIKE = 0.5  # share of the shorter text's content that makes quantities comparable


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fact that two texts tell differently: its kind, the words of each, and where they are."""

    kind: str  # one of KINDS
    reference_words: str
    candidate_words: str
    reference_span: Span
    candidate_span: Span

    def __str__(self) -> str:
        return f"{self.kind}: {self.reference_words} → {self.candidate_words}"


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
        return tuple(kind for kind in KINDS if any(one.kind == kind for one in self.found))


def compare_facts(reference: Facts, candidate: Facts, language: Language) -> Alarms:
    """What differs, in the order of the reference."""
    pairs = [
        *amounts_and_dates(reference, candidate),
        *names(reference, candidate, language),
        *denials(reference, candidate, language),
        *quantities(reference, candidate),
        *comparisons(reference, candidate, language),
    ]
    alarms = {
        Alarm(kind, reference.text[slice(*own)], candidate.text[slice(*other)], own, other)
        for kind, own, other in pairs
    }
    order = {kind: at for at, kind in enumerate(KINDS)}
    return Alarms(
        tuple(sorted(alarms, key=lambda a: (order[a.kind], a.reference_span, a.candidate_span)))
    )


def denials(ours: Facts, theirs: Facts, language: Language) -> Iterator[tuple[str, Span, Span]]:
    for one, other in flips(ours, theirs, language):
        yield "negation", one.span, other.span


def left_over(
    ours: Sequence[Fact], theirs: Sequence[Fact], same: Callable[[Any, Any], bool]
) -> tuple[list[Fact], list[Fact]]:
    """What each side has that the other has not; a fact that is said twice need be said once."""
    own = [one for one in ours if not any(same(one.value, other.value) for other in theirs)]
    other = [one for one in theirs if not any(same(one.value, two.value) for two in ours)]
    return own, other


def amounts_and_dates(ours: Facts, theirs: Facts) -> Iterator[tuple[str, Span, Span]]:
    own, other = left_over(
        ours.of("number", "ordinal"), theirs.of("number", "ordinal"), same_amount
    )
    # The hour, day or year of one text may be a bare number of the other.
    own = [one for one in own if not any(is_part(one, date) for date in dated(theirs))]
    other = [one for one in other if not any(is_part(one, date) for date in dated(ours))]
    for one, two in paired(own, other, ours, theirs):
        yield kind_of(one.value, two.value), (one.start, one.end), (two.start, two.end)
    for group in DATE_GROUPS:
        own, other = left_over(ours.of(group), theirs.of(group), same_time)
        own = [one for one in own if not any(is_part(n, one) for n in theirs.of("number"))]
        other = [one for one in other if not any(is_part(n, one) for n in ours.of("number"))]
        for one, two in zip(own, other, strict=False):
            yield "date", (one.start, one.end), (two.start, two.end)


def dated(facts: Facts) -> list[Fact]:
    return facts.of("clock", "day", "year", "decade")


def same_amount(one: Amount, other: Amount) -> bool:
    return one.same(other)


def same_time(one: Hashable, other: Hashable) -> bool:
    if isinstance(one, Time) and isinstance(other, Time):
        return one.same(other)
    return one == other


def is_part(number: Fact, date: Fact) -> bool:
    """Whether a bare number says the hour, day or year of a date."""
    amount = number.value
    if not isinstance(amount, Amount):
        return False
    if isinstance(date.value, Time):
        return amount.value in (date.value.hour or 12, date.value.hour + 12)
    return amount.value == date.value


def kind_of(one: Hashable, other: Hashable) -> str:
    if isinstance(one, Amount) and isinstance(other, Amount) and one.value == other.value:
        return "unit"
    return "number"


def paired(
    own: list[Fact], other: list[Fact], ours: Facts, theirs: Facts
) -> list[tuple[Fact, Fact]]:
    """Numbers that stand in place of each other: those that count the same, the rest in order."""
    near = [(one, two) for one in own for two in other if akin(one, two, ours, theirs)]
    first, second = Counter(one for one, _ in near), Counter(two for _, two in near)
    made = [(one, two) for one, two in near if first[one] == second[two] == 1]
    done = {fact for pair in made for fact in pair}
    rest = [[one for one in side if one not in done and not one.weak] for side in (own, other)]
    return made + list(zip(*rest, strict=False))


def akin(one: Fact, two: Fact, ours: Facts, theirs: Facts) -> bool:
    """Whether two numbers count the same: what follows them is the same word."""
    if one.weak and two.weak:
        return False
    return next_form(one, ours) == next_form(two, theirs) != ""


def next_form(fact: Fact, facts: Facts) -> str:
    return next((token.form for token in facts.tokens if token.start >= fact.end), "")


def names(ours: Facts, theirs: Facts, language: Language) -> Iterator[tuple[str, Span, Span]]:
    own = missing_names(ours, theirs, language)
    other = missing_names(theirs, ours, language)
    if len(own) != len(other) or len(own) > MOST_NAMES:
        return  # names were left out or put in: a text is shorter, or cut otherwise
    for one, two in zip(own, other, strict=True):
        place = neighbours(one, ours) & neighbours(two, theirs)
        if place and comparable(str(one.value), str(two.value)):
            yield "name", (one.start, one.end), (two.start, two.end)


def neighbours(fact: Fact, facts: Facts) -> set[tuple[str, str]]:
    """The words before and after, where a name stands between others."""
    before = [token.form for token in facts.tokens if token.end <= fact.start]
    after = next_form(fact, facts)
    return {("before", before[-1] if before else ""), ("after", after)}


def missing_names(ours: Facts, theirs: Facts, language: Language) -> list[Fact]:
    """The names of a text that the other has in no shape."""
    words = frozenset(
        form
        for token in theirs.tokens
        for form in (token.form, theirs.plain[token.start : token.end])
    )
    if not language.spaced or language.particles:
        words = frozenset(str(name.value) for name in theirs.of("name"))
    return [
        one
        for one in ours.of("name")
        if not stands_in(str(one.value), theirs.plain, words, language)
    ]


def alike(ours: Facts, theirs: Facts) -> bool:
    """Whether two texts speak of the same: they share half of the shorter one's content."""
    own, other = ours.content, theirs.content
    if not (own and other):
        own, other = ours.forms, theirs.forms
    return len(own & other) >= ALIKE * min(len(own), len(other))


def quantities(ours: Facts, theirs: Facts) -> Iterator[tuple[str, Span, Span]]:
    own, other = ours.of("quantity"), theirs.of("quantity")
    both = {one.value for one in own} & {one.value for one in other}
    own = [one for one in own if one.value not in both]
    other = [one for one in other if one.value not in both]
    if not alike(ours, theirs):
        return
    for one in own:
        for two in other:
            if frozenset((str(one.value), str(two.value))) in CONFLICTS:
                yield "quantity", (one.start, one.end), (two.start, two.end)


def comparisons(ours: Facts, theirs: Facts, language: Language) -> Iterator[tuple[str, Span, Span]]:
    """Directions that are opposite, unless what is compared has changed places."""
    own, other = directions(ours), directions(theirs)
    for dimension in sorted(own.keys() & other.keys()):
        first, second = own[dimension], other[dimension]
        signs = ({one.value for one in first}, {one.value for one in second})
        if len(signs[0]) > 1 or len(signs[1]) > 1 or not alike(ours, theirs):
            continue
        turned = signs[0] != signs[1]
        related = turned or all(language.facts.than in facts.plain for facts in (ours, theirs))
        ordered = dimension not in UNORDERED and related
        if ordered and swapped(first[0], second[0], ours, theirs, language):
            turned = not turned
        if turned:
            one, two = first[0], second[0]
            yield "comparative", (one.start, one.end), (two.start, two.end)


def directions(facts: Facts) -> dict[str, list[Fact]]:
    """The words that compare, by dimension; what is left of their values is the direction."""
    found: dict[str, list[Fact]] = {}
    for fact in facts.of("comparative"):
        value = str(fact.value)
        found.setdefault(value[:-1], []).append(fact._replace(value=value[-1]))
    return found


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
    tokens = [token for token in facts.tokens if carries(token, language)]
    place = facts.plain.find(rules.than) if rules.than else -1
    if rules.than_follows:
        if place < 0:
            return frozenset()
        return frozenset(phrase_before(place, facts, language))
    start = place + len(rules.than) if place >= 0 else fact.end
    after = [token for token in tokens if start <= token.start]
    near = [token for token in after if token.end <= fact.start] or after
    return frozenset(token.form for token in near[:2])


def phrase_before(place: int, facts: Facts, language: Language) -> Iterator[str]:
    """The forms of the words right before a place, back to the first particle."""
    for token in reversed([one for one in facts.tokens if one.end <= place]):
        if carries(token, language):
            yield token.form
        elif not token.tag.startswith(("E", "X")):  # endings and suffixes are parts of words
            return
