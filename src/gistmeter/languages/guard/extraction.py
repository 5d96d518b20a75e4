"""A text to its facts: dates first, then numbers of what is left, then names and words."""

from __future__ import annotations

from collections.abc import Iterator

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.amounts import amounts, read_numbers
from gistmeter.languages.guard.fact import Fact, Facts, plain_text
from gistmeter.languages.guard.names import read_names
from gistmeter.languages.guard.negation import carries, read_denials
from gistmeter.languages.guard.times import read_times, years
from gistmeter.languages.lexicons import Mask


def read_facts(text: str, language: Language) -> Facts:
    """Everything that a text says and the guard can check."""
    plain = plain_text(text, language)
    tokens = tuple(language.analyser.tokens(text))
    taken = Mask(len(text))
    facts = read_times(plain, language, taken)
    readings = read_numbers(plain, language, taken)
    numbers = [fact for _, fact in amounts(plain, language, readings)]
    found = list(years(readings, plain))
    spans = {year.span for year in found}
    numbers = [number for number in numbers if number.span not in spans]
    counted = Mask(len(text), (number.span for number in numbers))
    facts += [year for year in found if not counted.covers(year.start)]
    facts += numbers
    for fact in facts:
        taken.take(*fact.span)
    facts += read_names(text, plain, tokens, language, taken)
    quantities = list(read_quantities(plain, language))
    facts += quantities
    facts += read_comparisons(plain, language, taken)
    denials = tuple(read_denials(text, plain, tokens, language, quantities))
    counting = Mask(len(text), (quantity.span for quantity in quantities))
    words = [token for token in tokens if not counting.covers(token.start, token.end)]
    content = frozenset(token.form for token in words if carries(token, language))
    forms = frozenset(token.form for token in words if any(map(str.isalnum, token.surface)))
    reverses = lexicons.words(language.lists, "shifters") | language.facts.verbs
    reversing = frozenset(token.form for token in tokens if token.form in reverses)
    ordered = sorted(facts, key=lambda fact: (fact.start, fact.end, fact.group))
    return Facts(text, plain, tokens, tuple(ordered), denials, content, reversing, forms)


def read_quantities(plain: str, language: Language) -> Iterator[Fact]:
    """Words of quantity: all, some, most, never."""
    for phrase in language.phrases("quantities").find(plain):
        if phrase.value != "other":
            yield Fact("quantity", phrase.value, phrase.start, phrase.end)


def read_comparisons(plain: str, language: Language, taken: Mask) -> Iterator[Fact]:
    """Dimension and direction of every word that compares."""
    phrases = [
        phrase
        for phrase in language.phrases("comparisons").find(plain)
        if not taken.covers(phrase.start, phrase.end)
    ]
    marked = any(phrase.value == "marker" for phrase in phrases)
    for phrase in phrases:
        unmarked = phrase.value.endswith("?") and not marked
        if phrase.value not in ("marker", "other") and not unmarked:
            yield Fact("comparative", phrase.value.rstrip("?"), phrase.start, phrase.end)
