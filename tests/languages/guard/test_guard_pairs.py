"""The guard on pairs with one fact changed, and on hard pairs that say the same."""

from __future__ import annotations

import pytest
from benchmarks.guard import LANGUAGES, measure, read_pairs

SIZES = dict.fromkeys(LANGUAGES, 60) | {"zh-Hant": 16}  # changed, and unchanged


@pytest.mark.parametrize("language", LANGUAGES)
def test_changed_facts_are_told_from_other_words_for_the_same(language: str) -> None:
    found = measure(read_pairs(language), language)
    assert found.precision >= 0.95, found.wrong
    assert found.recall >= 0.90, found.wrong
    assert found.right_kind >= 0.88, found.wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_and_of_every_kind(language: str) -> None:
    pairs = read_pairs(language)
    same = [pair for pair in pairs if pair.kind == "same"]
    assert min(len(same), len(pairs) - len(same)) >= SIZES[language]
    kinds = {"number", "date", "unit", "name", "negation", "quantity", "comparative", "same"}
    assert {pair.kind for pair in pairs} == kinds
    assert len(set(pairs)) == len(pairs)
