"""Normal forms are Unicode's, in time that grows with the length."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gistmeter
from gistmeter.languages import normal_forms
from gistmeter.languages.normal_forms import BEGINNING_WITH_MARKS, LONG, SIGNS, normal_form
from trust.doubling import steep

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
MARKS = [sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(sign)]
LETTERS = "aéqか가\u1100\u1161\u11a8\u0f40ﾊﷺ" + BEGINNING_WITH_MARKS


def test_every_mark_is_known() -> None:
    assert all(ord(mark) in SIGNS for mark in MARKS)
    made_of_marks = [
        sign
        for sign in map(chr, range(sys.maxunicode + 1))
        if unicodedata.combining(unicodedata.normalize("NFKD", sign)[0])
    ]
    assert set(made_of_marks) == {*MARKS, *BEGINNING_WITH_MARKS}


@given(st.lists(st.sampled_from([*LETTERS, *MARKS]), max_size=30), st.sampled_from(FORMS))
def test_a_sorted_run_has_the_same_normal_form(signs: list[str], form: normal_forms.Form) -> None:
    text = "".join(signs)
    run = f"{'x' * normal_forms.BRIEF}{text}{text * LONG}é"
    assert normal_form(form, run) == unicodedata.normalize(form, run)


@pytest.mark.parametrize("unit", ["\u0316\u0301", "\u0f73", "\u0f73\u0316", "a\u0301", "가"])
def test_marks_in_turn_take_time_by_the_length(unit: str) -> None:
    for form in FORMS:
        assert not steep(lambda text, form=form: normal_form(form, text), unit, 20_000)


def test_no_text_is_normalised_otherwise() -> None:
    """But for names of files, which the system keeps short."""
    source = Path(gistmeter.__file__).parent
    places = [
        file.relative_to(source).as_posix()
        for file in source.rglob("*.py")
        if "unicodedata.normalize(" in file.read_text("utf-8")
    ]
    assert sorted(places) == ["core/files.py", "languages/normal_forms.py"]
