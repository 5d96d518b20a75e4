"""Negation with its scope: which word each negation denies, and what two texts deny differently.

A negation governs the nearest word of content in its clause, after it or (Japanese, Korean) before
it; a prefix (impossible, nepřišel, 불가능) governs the rest of its word, where the rest is a word
of the two texts. A word under an odd number of negations is denied. Two texts differ where a word
of both is denied in one and not in the other; where each denies what the other does not, a negation
has only moved (I don't think he is right; I think he is not right), and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from gistmeter.languages import Language, lexicons
from gistmeter.languages.analysers import Token
from gistmeter.languages.guard.facts import Denial, Fact, Facts, Span
from gistmeter.languages.polarity import Kind, Mark

PREFIXES = ("接頭辞", "XPN")  # tags of prefixes that are tokens
SPOKEN_FOR = ("only", "notall", "affirmed")  # quantities whose negations deny nothing
REACH = 12  # words over which a negation looks for what it denies
PREDICATES = ("VV", "VA", "XR", "動詞", "形容詞", "形状詞")
BEFORE = ("MAG",)  # tags of negations that stand before what they deny, where others follow it


def read_denials(
    text: str, plain: str, tokens: Sequence[Token], language: Language, quantities: Sequence[Fact]
) -> Iterator[Denial]:
    """What each negation of a text denies."""
    reader = language.reader
    if reader is None:
        return
    marks = reader.read(text)
    spoken_for = [(one.start, one.end) for one in quantities if one.value in SPOKEN_FOR]
    places = {token.start: at for at, token in enumerate(tokens)}
    for clause_start, clause_end, mark in operators(marks, len(text)):
        if any(start <= mark.start < end for start, end in spoken_for):
            continue
        if plain[mark.start : mark.end] in language.facts.verbs:
            continue
        clause = plain[clause_start : mark.start]
        if any(word in clause for word in language.facts.cancels):
            continue
        at = places.get(mark.start)
        if at is not None and tokens[at].end > mark.end and carries(tokens[at], language):
            head = at  # a part of the word that it denies
        elif at is None:
            head = None
        else:
            head = head_of(tokens, at, (clause_start, clause_end), language)
        if head is not None:
            held = tokens[head]
            yield Denial(head, min(mark.start, held.start), max(mark.end, held.end))
    for at, token in enumerate(tokens[:-1]):
        if token.tag.startswith(PREFIXES) and token.surface in language.facts.prefixes:
            yield Denial(at + 1, token.start, tokens[at + 1].end)


def operators(marks: Sequence[Mark], length: int) -> Iterator[tuple[int, int, Mark]]:
    """Each negation with the bounds of its clause; words in concord are one."""
    start = 0
    clause: list[Mark] = []
    for mark in [*marks, Mark(Kind.BORDER, length, length)]:
        if mark.kind is not Kind.BORDER:
            clause.append(mark)
            continue
        negations = [one for one in clause if one.kind is Kind.NEGATION]
        negations = negations or [one for one in clause if one.kind is Kind.CONCORD][:1]
        for one in negations:
            yield start, mark.end, one
        start, clause = mark.end, []


def head_of(tokens: Sequence[Token], at: int, clause: Span, language: Language) -> int | None:
    """The token that a negation denies: the nearest that carries content, within the clause."""
    after = range(at + 1, len(tokens))
    before = range(at - 1, -1, -1)
    follows = language.reader is not None and language.reader.follows
    first, second = (before, after) if follows else (after, before)
    if follows and tokens[at].tag.startswith(BEFORE):
        first, second = after, before
    looked = [first, second] if language.facts.inflects else [first]
    for places in looked:
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


def is_predicate(token: Token, language: Language) -> bool:
    """Whether a token is a verb or adjective by its tag; a negation after it denies it."""
    return token.tag.startswith(PREDICATES) and token.form not in (
        language.facts.light | lexicons.words(language.lists, "negations")
    )


def carries(token: Token, language: Language) -> bool:
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


@dataclass(frozen=True, slots=True)
class Standing:
    """How often a word is denied in a text, and where it is said so."""

    odd: bool
    span: Span


def standings(
    facts: Facts, forms: Mapping[str, str], bare: frozenset[str], language: Language
) -> dict[str, list[Standing]]:
    """Every word of content with all its standings; `bare` words have a prefix elsewhere."""
    denied: dict[int, list[Denial]] = {}
    for denial in facts.denials:
        denied.setdefault(denial.token, []).append(denial)
    found: dict[str, list[Standing]] = {}
    for at, token in enumerate(facts.tokens):
        form, inside = without_prefix(token, forms, language)
        own = denied.get(at, [])
        light = form in language.facts.light
        if light or not (form in bare or carries(token, language)):
            continue
        # A mark on a prefix and the prefix itself are one negation.
        within = sum(one.start == token.start and one.end == token.end for one in own)
        count = len(own) + (inside if not within else 0)
        start = min([token.start, *(one.start for one in own)])
        end = max([token.end, *(one.end for one in own)])
        found.setdefault(form, []).append(Standing(count % 2 == 1, (start, end)))
    return found


def hidden(
    ours: Mapping[str, list[Standing]],
    theirs: dict[str, list[Standing]],
    facts: Facts,
    language: Language,
) -> None:
    """Denied words that stand in the other text as a part of a word: 锁 in 门锁."""
    for form in [form for form, held in ours.items() if any(one.odd for one in held)]:
        at = facts.plain.find(form)
        if form not in theirs and at >= 0:
            odd = facts.plain[max(0, at - 1) : at] in language.facts.prefixes
            theirs[form] = [Standing(odd, (at, at + len(form)))]


def without_prefix(token: Token, forms: Mapping[str, str], language: Language) -> tuple[str, int]:
    """What is left after a prefix that denies, where it is a word of the texts."""
    prefixes = language.facts.prefixes
    if not (token.form.startswith(prefixes) or token.surface.lower().startswith(prefixes)):
        return token.form, 0
    least = 1 if not language.spaced else 2 if language.particles else 3
    for prefix in prefixes:
        for written in (token.form, token.surface.lower()):
            rest = written.removeprefix(prefix)
            if rest != written and len(rest) >= least and rest in forms:
                return forms[rest], 1
    return token.form, 0


def flips(
    reference: Facts, candidate: Facts, language: Language
) -> list[tuple[Standing, Standing]]:
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
    ours, theirs = (standings(one, forms, bare, language) for one in both)
    if not language.spaced:
        hidden(ours, theirs, candidate, language)
        hidden(theirs, ours, reference, language)
    gained: list[tuple[Standing, Standing]] = []
    lost: list[tuple[Standing, Standing]] = []
    for form in sorted(ours.keys() & theirs.keys()):
        own = {one.odd for one in ours[form]}
        other = {one.odd for one in theirs[form]}
        if own.isdisjoint(other):
            (lost if own == {True} else gained).append((ours[form][0], theirs[form][0]))
    if idle(reference, theirs, forms, language):
        gained = []
    if idle(candidate, ours, forms, language):
        lost = []
    more, fewer = (sum(one.value == "notall" for one in facts.of("quantity")) for facts in both)
    if (lost or more > fewer) and (gained or fewer > more):
        return []
    return sorted(lost + gained, key=lambda pair: (pair[0].span, pair[1].span))


def idle(
    facts: Facts, theirs: Mapping[str, object], forms: Mapping[str, str], language: Language
) -> bool:
    """Whether a text denies something in words of its own: it may say the same otherwise."""
    heads = {without_prefix(facts.tokens[one.token], forms, language)[0] for one in facts.denials}
    return not facts.reversing <= theirs.keys() or any(head not in theirs for head in heads)
