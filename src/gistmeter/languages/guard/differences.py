"""Two texts' facts against each other: what stands in both goes, what is left differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gistmeter.languages import Language
from gistmeter.languages.guard.amounts import Amount
from gistmeter.languages.guard.fact import KINDS, Fact, Facts, Span
from gistmeter.languages.guard.names import comparable, stands_in
from gistmeter.languages.guard.negation import carries, flips
from gistmeter.languages.guard.times import Time

DATE_GROUPS = ("year", "month", "day", "weekday", "when", "half", "season", "decade", "clock")
NUMBERED = ("clock", "day", "year", "decade")  # parts of dates that may be said as a bare number
UNORDERED = ("bound", "change")  # dimensions in which nothing is compared with another thing
MOST_NAMES = 2  # that are changed at once; more are another way of writing them
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
            Alarm(kind, reference.text[slice(*own)], candidate.text[slice(*other)], own, other)
            for kind, own, other in ordered
        )
    )


def alike(ours: Facts, theirs: Facts) -> bool:
    """Whether two texts speak of the same: they share half of the shorter one's content."""
    own, other = ours.content, theirs.content
    if not (own and other):
        own, other = ours.forms, theirs.forms
    return len(own & other) >= ALIKE * min(len(own), len(other))


def only_in(ours: Sequence[Fact], theirs: Sequence[Fact]) -> list[Fact]:
    """What one text says and the other does not, however often it is said."""
    return [one for one in ours if not any(same(one, other) for other in theirs)]


def same(one: Fact, other: Fact) -> bool:
    """Whether two facts of one group say the same."""
    if isinstance(one.value, Amount) and isinstance(other.value, Amount):
        return one.value.same(other.value)
    if isinstance(one.value, Time) and isinstance(other.value, Time):
        return one.value.same(other.value)
    return one.value == other.value


def is_part(number: Fact, date: Fact) -> bool:
    """Whether a bare number says the hour, day or year of a date."""
    amount, time = number.value, date.value
    if not isinstance(amount, Amount):
        return False
    if isinstance(time, Time):
        return amount.value in (time.hour or 12, time.hour + 12)
    return amount.value == time


def numbers(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    """Numbers that stand in place of each other; a number may be a date's hour, day or year."""
    left = []
    for own, other in ((ours, theirs), (theirs, ours)):
        dated = other.of(*NUMBERED)
        only = only_in(own.of("number", "ordinal"), other.of("number", "ordinal"))
        left.append([one for one in only if not any(is_part(one, date) for date in dated)])
    for one, two in paired(left[0], left[1], ours, theirs):
        first, second = one.value, two.value
        assert isinstance(first, Amount) and isinstance(second, Amount)
        yield "unit" if first.value == second.value else "number", one.span, two.span


def paired(
    own: list[Fact], other: list[Fact], ours: Facts, theirs: Facts
) -> list[tuple[Fact, Fact]]:
    """Numbers that stand in place of each other: those that count the same, the rest in order."""
    near = [
        (one, two)
        for one in own
        for two in other
        if not (one.weak and two.weak) and ours.next_form(one) == theirs.next_form(two) != ""
    ]
    first, second = Counter(one for one, _ in near), Counter(two for _, two in near)
    made = [(one, two) for one, two in near if first[one] == second[two] == 1]
    done = {fact for pair in made for fact in pair}
    rest = [[one for one in side if one not in done and not one.weak] for side in (own, other)]
    return made + list(zip(*rest, strict=False))


def dates(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    """Parts of dates of one group that stand in place of each other."""
    for group in DATE_GROUPS:
        left = []
        for own, other in ((ours, theirs), (theirs, ours)):
            only = only_in(own.of(group), other.of(group))
            bare = other.of("number")
            left.append([one for one in only if not any(is_part(number, one) for number in bare)])
        for one, two in zip(*left, strict=False):
            yield "date", one.span, two.span


def names(ours: Facts, theirs: Facts, language: Language) -> Iterator[Difference]:
    own = missing_names(ours, theirs, language)
    other = missing_names(theirs, ours, language)
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


def missing_names(ours: Facts, theirs: Facts, language: Language) -> list[Fact]:
    """The names of a text that the other has in no shape."""
    if language.analysed:
        words = frozenset(str(name.value) for name in theirs.of("name"))
    else:
        words = frozenset(
            form
            for token in theirs.tokens
            for form in (token.form, theirs.plain[token.start : token.end])
        )
    return [
        name
        for name in ours.of("name")
        if not stands_in(str(name.value), theirs.plain, words, language)
    ]


def quantities(ours: Facts, theirs: Facts) -> Iterator[Difference]:
    own, other = ours.of("quantity"), theirs.of("quantity")
    both = {one.value for one in own} & {one.value for one in other}
    for one in own:
        for two in other:
            values = frozenset((one.value, two.value))
            if values in CONFLICTS and both.isdisjoint(values):
                yield "quantity", one.span, two.span


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
