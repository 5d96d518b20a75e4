"""Normalisation: one spelling for what is the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter import languages
from gistmeter.languages import generic
from gistmeter.languages.numbers import join_grouped
from languages.pack_examples import CODES


def test_normalise_without_a_pack() -> None:
    assert generic.pack("de").normalise("Straße") == "strasse"


def test_yo_is_folded_only_where_asked() -> None:
    assert languages.get("ru").normalise("Ещё", fold=True) == "еще"


@pytest.mark.parametrize("code", CODES)
@given(
    text=st.text(max_size=40) | st.text("0123456789,. 一二十百千万零〇年人國国ＡａЁё", max_size=30)
)
def test_normalising_twice_changes_nothing(code: str, text: str) -> None:
    language = languages.get(code)
    for fold in (False, True):
        once = language.normalise(text, fold=fold)
        assert language.normalise(once, fold=fold) == once


def test_a_comma_after_a_leading_zero_groups_no_thousands() -> None:
    language = languages.get("zh-Hant")
    once = language.normalise("0,200")
    assert language.normalise(once) == once
    assert join_grouped("0,200 1,000,000") == "0,200 1000000"
