"""Numbers and lists in words."""

from __future__ import annotations

import pytest

from gistmeter.core.wording import count


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (1, "dish", "1 dish"),
        (2, "dish", "2 dishes"),
        (0, "item", "0 items"),
        (3, "pass", "3 passes"),
        (2, "entry", "2 entries"),
        (2, "essay", "2 essays"),
        (1200, "text", "1,200 texts"),
    ],
)
def test_things_are_counted_in_good_english(number: int, thing: str, said: str) -> None:
    assert count(number, thing) == said
