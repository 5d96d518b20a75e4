"""Negation with its scope: which word each negation denies, and what two texts deny differently.

A negation governs the nearest word of content in its clause, after it or (Japanese, Korean) before
it; a prefix (impossible, nepřišel, 불가능) governs the rest of its word, where the rest is a word
of the two texts. A word under an odd number of negations is denied. Two texts differ where a word
of both is denied in one and not in the other; where each denies what the other does not, a negation
has only moved (I don't think he is right; I think he is not right), and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import Morph
from gistmeter.languages.guard.fact import Denial, Fact, Facts, Span
from gistmeter.languages.polarity import Kind, Mark, negations_of

SPOKEN_FOR = ("only", "notall", "affirmed")  # quantities whose negations deny nothing
REACH = 12  # words over which a negation looks for what it denies


def read_denials(
    text: str, plain: str, tokens: Sequence[Morph], language: Language, quantities: Sequence[Fact]
) -> Iterator[Denial]:
    """What each negation of a text denies."""
    if language.reader is None:
        return
    rules = language.facts
    spoken_for = [quantity for quantity in quantities if quantity.value in SPOKEN_FOR]
    places = {token.start: at for at, token in enumerate(tokens)}
    for clause, mark in operators(language.reader.read(text), len(text)):
        if (
            any(quantity.start <= mark.start < quantity.end for quantity in spoken_for)
            or plain[mark.start : mark.end] in rules.verbs
            or any(word in plain[clause[0] : mark.start] for word in rules.cancels)
            or mark.start not in places
        ):
            continue
        at = places[mark.start]
        within = tokens[at].end > mark.end and carries(tokens[at], language)  # im- in impossible
        head = at if within else head_of(tokens, at, clause, language)
        if head is not None:
            token = tokens[head]
            yield Denial(head, min(mark.start, token.start), max(mark.end, token.end))
    for at, token in enumerate(tokens[:-1]):
        if token.tag.startswith(rules.prefix_tags) and token.surface in rules.prefixes:
            yield Denial(at + 1, token.start, tokens[at + 1].end)


def operators(marks: Sequence[Mark], length: int) -> Iterator[tuple[Span, Mark]]:
    """Each negation with the bounds of its clause; words in concord are one."""
    start = 0
    clause: list[Mark] = []
    for mark in [*marks, Mark(Kind.BORDER, length, length)]:
        if mark.kind is not Kind.BORDER:
            clause.append(mark)
            continue
        for negation in negations_of(clause):
            yield (start, mark.end), negation
        start, clause = mark.end, []


def head_of(tokens: Sequence[Morph], at: int, clause: Span, language: Language) -> int | None:
    """The token that a negation denies: the nearest that carries content, within the clause."""
    after = range(at + 1, len(tokens))
    before = range(at - 1, -1, -1)
    follows = language.reader is not None and language.reader.follows
    backwards = follows and not tokens[at].tag.startswith(language.facts.before_tags)
    first, second = (before, after) if backwards else (after, before)
    back = language.facts.inflects or language.facts.denies_back
    for places in [first, second] if back else [first]:
        for place in places[:REACH]:
            token = tokens[place]
            if not clause[0] <= token.start < clause[1]:
                break
            if carries(token, language) or is_predicate(token, language):
                return place
    if not language.spaced and not follows:  # 没来, 不可能: what is common is denied too
        negations = lexicons.words(language.lists, "negations")
        place = next((one for one in after[:REACH] if tokens[one].form not in negations), at)
        return place if place > at and tokens[place].surface.isalnum() else None
    return None


def is_predicate(token: Morph, language: Language) -> bool:
    """Whether a token is a verb or adjective by its tag; a negation after it denies it."""
    return token.tag.startswith(language.facts.predicate_tags) and token.form not in (
        language.facts.light | lexicons.words(language.lists, "negations")
    )


def carries(token: Morph, language: Language) -> bool:
    """Whether a token has content that can be denied."""
    empty = without_content(language.lists, language.facts.prefixes)
    return (
        token.content
        and token.surface.lower() not in empty
        and token.form not in empty
        and token.form not in language.facts.light
        and any(map(str.isalnum, token.surface))
    )


@cache
def without_content(lists: str, prefixes: tuple[str, ...]) -> frozenset[str]:
    """Stop words and negations, but those that deny what they are made of: impossible, 不可能."""
    words = (lexicons.words(lists, name) for name in ("stopwords", "negations", "concord"))
    return frozenset(
        word
        for word in frozenset().union(*words)
        if not any(
            word.startswith(one) and len(word) >= 1 + 2 * len(one) + 2 * (len(one) > 1)
            for one in prefixes
        )
    )


class Occurrence(NamedTuple):
    """A word where it stands, with its negations; denied where their number is odd."""

    denied: bool
    span: Span


Occurrences = dict[str, list[Occurrence]]  # by form


def occurrences(
    facts: Facts, forms: Mapping[str, str], bare: frozenset[str], language: Language
) -> Occurrences:
    """Every word of content with all its places; `bare` words have a prefix elsewhere."""
    by_token: dict[int, list[Denial]] = {}
    for denial in facts.denials:
        by_token.setdefault(denial.token, []).append(denial)
    made: Occurrences = {}
    for at, token in enumerate(facts.tokens):
        form, inside = without_prefix(token, forms, language)
        if form in language.facts.light or not (form in bare or carries(token, language)):
            continue
        denials = by_token.get(at, [])
        # A mark on a prefix and the prefix itself are one negation.
        within = any(one.start == token.start and one.end == token.end for one in denials)
        count = len(denials) + (inside and not within)
        start = min([token.start, *(one.start for one in denials)])
        end = max([token.end, *(one.end for one in denials)])
        made.setdefault(form, []).append(Occurrence(count % 2 == 1, (start, end)))
    return made


def hidden(ours: Occurrences, theirs: Occurrences, facts: Facts, language: Language) -> Occurrences:
    """Words denied in ours that stand in the other text as a part of a word: 锁 in 门锁."""
    denied = (form for form, places in ours.items() if any(one.denied for one in places))
    made: Occurrences = {}
    for form in denied:
        at = facts.plain.find(form)
        if form not in theirs and at >= 0:
            prefixed = facts.plain[max(0, at - 1) : at] in language.facts.prefixes
            made[form] = [Occurrence(prefixed, (at, at + len(form)))]
    return made


def without_prefix(token: Morph, forms: Mapping[str, str], language: Language) -> tuple[str, bool]:
    """What is left after a prefix that denies, where it is a word of the texts; and whether."""
    prefixes = language.facts.prefixes
    spellings = (token.form, token.surface.lower())
    if not any(spelled.startswith(prefixes) for spelled in spellings):
        return token.form, False
    least = 1 if not language.spaced else 2 if language.particles else 3
    for prefix in prefixes:
        for spelled in spellings:
            rest = spelled.removeprefix(prefix)
            if rest != spelled and len(rest) >= least and rest in forms:
                return forms[rest], True
    return token.form, False


def flips(
    reference: Facts, candidate: Facts, language: Language
) -> list[tuple[Occurrence, Occurrence]]:
    """Words that are denied in one text and not in the other, unless a negation has only moved."""
    both = (reference, candidate)
    tokens = sorted({*reference.tokens, *candidate.tokens})
    forms = {token.surface.lower(): token.form for token in tokens}
    forms |= {token.form: token.form for token in tokens}
    bare = frozenset(
        form for form, inside in (without_prefix(one, forms, language) for one in tokens) if inside
    )
    if not (bare or reference.denials or candidate.denials):
        return []
    bare |= {facts.tokens[one.token].form for facts in both for one in facts.denials}
    ours, theirs = (occurrences(facts, forms, bare, language) for facts in both)
    if not language.spaced:
        theirs |= hidden(ours, theirs, candidate, language)
        ours |= hidden(theirs, ours, reference, language)
    gained: list[tuple[Occurrence, Occurrence]] = []
    lost: list[tuple[Occurrence, Occurrence]] = []
    for form in sorted(ours.keys() & theirs.keys()):
        denied, other = ({one.denied for one in side[form]} for side in (ours, theirs))
        if denied.isdisjoint(other):
            (lost if denied == {True} else gained).append((ours[form][0], theirs[form][0]))
    if idle(reference, theirs, forms, language):
        gained = []
    if idle(candidate, ours, forms, language):
        lost = []
    more, fewer = (sum(one.value == "notall" for one in facts.of("quantity")) for facts in both)
    if (lost or more > fewer) and (gained or fewer > more):
        return []
    return sorted(lost + gained, key=lambda pair: (pair[0].span, pair[1].span))


def idle(facts: Facts, theirs: Occurrences, forms: Mapping[str, str], language: Language) -> bool:
    """Whether a text denies something in words of its own: it may say the same otherwise."""
    heads = {without_prefix(facts.tokens[one.token], forms, language)[0] for one in facts.denials}
    return not facts.reversing <= theirs.keys() or not heads <= theirs.keys()
