"""A text to its facts: dates first, then numbers of what is left, then names and words."""

from __future__ import annotations

from gistmeter.languages import Language, lexicons
from gistmeter.languages.guard.facts import Fact, Facts, Mask, plain
from gistmeter.languages.guard.names import read_names
from gistmeter.languages.guard.negation import carries, read_denials
from gistmeter.languages.guard.numbers import amounts, read_numbers
from gistmeter.languages.guard.times import read_times, years
from gistmeter.languages.guard.words import read_comparisons, read_quantities


def read_facts(text: str, language: Language) -> Facts:
    """Everything that a text says and the guard can check."""
    spelled = plain(text, language)
    tokens = tuple(language.analyser.tokens(text))
    taken = Mask(len(text))
    found: list[Fact] = read_times(spelled, language, taken)
    readings = read_numbers(spelled, language, taken)
    numbers = list(amounts(spelled, language, readings))
    for one, year in years(readings, spelled):
        numbers = [fact for fact in numbers if fact.start != one.start or fact.end != one.end]
        found.append(year) if not any(n.start <= one.start < n.end for n in numbers) else None
    found += numbers
    taken.take_all(found)
    found += read_names(text, spelled, tokens, language, taken)
    quantities = list(read_quantities(spelled, language))
    counting = Mask(len(text))
    counting.take_all(quantities)
    found += quantities
    found += read_comparisons(spelled, language, taken)
    denials = tuple(read_denials(text, spelled, tokens, language, quantities))
    words = [token for token in tokens if not counting.covers(token.start, token.end)]
    content = frozenset(token.form for token in words if carries(token, language))
    forms = frozenset(token.form for token in words if any(map(str.isalnum, token.surface)))
    reverses = lexicons.words(language.lists, "shifters") | language.facts.verbs
    reversing = frozenset(token.form for token in tokens if token.form in reverses)
    ordered = sorted(found, key=lambda fact: (fact.start, fact.end, fact.group))
    return Facts(text, spelled, tokens, tuple(ordered), denials, content, reversing, forms)
