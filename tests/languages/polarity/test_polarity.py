"""Polarity beyond the packs' own examples."""

from __future__ import annotations

import pytest

from gistmeter import languages
from gistmeter.languages import generic
from languages.pack_examples import CODES


def test_words_found_are_marked_where_they_stand() -> None:
    text = "He is not brave, but honest."
    found = languages.get("en").polarity(text)
    assert [(word.text, word.kind, word.negations) for word in found.words] == [
        ("not", "negation", 0),
        ("brave", "positive", 1),
        ("honest", "positive", 0),
    ]
    assert all(text[word.start : word.end] == word.text for word in found.words)


@pytest.mark.parametrize("code", CODES)
def test_an_empty_text_has_no_polarity(code: str) -> None:
    assert languages.get(code).polarity("") == languages.Polarity()


def test_the_generic_pack_finds_nothing() -> None:
    assert generic.pack("fr").polarity("Ce n'est pas bon.") == languages.Polarity()
