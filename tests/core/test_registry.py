"""Names: everything listed can be found, and a wrong name says what was meant."""

from __future__ import annotations

import pytest

from gistmeter.core import registry
from gistmeter.core.errors import InputError, UnknownName

ENTRIES = [(group, name) for group in registry.TABLES for name in registry.names(group)]


@pytest.mark.parametrize(("group", "name"), ENTRIES)
def test_every_name_stands_for_something(group: str, name: str) -> None:
    found = registry.find(group, name)
    assert callable(found)


def test_an_unknown_name_says_what_was_probably_meant() -> None:
    with pytest.raises(UnknownName, match="Did you mean 's_acc'"):
        registry.find("gistmeter.metrics", "s_ac")


@pytest.mark.parametrize("target", ["nocolon", "no.such.module:x", "math:no_such_thing"])
def test_a_wrong_target_is_a_clear_error(target: str) -> None:
    with pytest.raises(InputError):
        registry.load(target)
