"""The page of promises: each names a test that is there, and each hostile party is spoken of."""

from __future__ import annotations

import re

import pytest

from conftest import ROOT
from trust_table import kept

PAGE = (ROOT / "docs" / "trust.md").read_text("utf-8")
PROMISE = re.compile(r"(?m)^\| \*\*(?P<promise>.+?)\*\*.*\| (?P<held>[^|]+) \|$")
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
PARTIES = (
    "Files", "Folders", "Configurations", "Pages in the browser", "Caches", "Models", "Providers",
    "Other users of the machine", "Networks of a cluster", "Libraries", "The machine itself",
)  # fmt: skip


def test_every_hostile_party_has_promises() -> None:
    parts = dict(re.findall(r"(?ms)^### (.+?)\n(.*?)(?=^##)", PAGE))
    assert [party for party in PARTIES if not PROMISE.search(parts.get(party, ""))] == []


@pytest.mark.parametrize(
    ("promise", "held"), [pytest.param(*found, id=found[0]) for found in PROMISE.findall(PAGE)]
)
def test_every_promise_names_tests_that_are_there(promise: str, held: str) -> None:
    named = NAMED.findall(held)
    assert named, f"{promise} names no test"
    for file, test in named:
        assert (ROOT / file).is_file(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text("utf-8"), test


def test_no_promise_stands_there_twice_and_every_table_row_is_one() -> None:
    promises = [promise for promise, _ in PROMISE.findall(PAGE)]
    assert len(promises) == len(set(promises)) > 30
    assert len(promises) == len(re.findall(r"(?m)^\| \*\*", PAGE))


def test_the_table_keeps_the_lines_of_files_that_were_not_run() -> None:
    page = "x\n\n| file | tests | tries | failures | skipped |\n|---|---:|---:|---:|---:|\n"
    page += "| `a.py` | 1 | 2,000 | 0 | 0 |\n| `b.py` | 1 | 1 | 0 | 0 |\n"
    page += "| all | 2 | 2,001 | 0 | 0 |\n\ny"
    again = kept(page, {"b.py": [2, 3000, 1, 0], "c.py": [1, 1, 0, 1]})
    assert again.startswith("x\n\n| file |") and again.endswith("|\n\ny")
    assert "| `a.py` | 1 | 2,000 | 0 | 0 |\n| `b.py` | 2 | 3,000 | 1 | 0 |\n" in again
    assert "| `c.py` | 1 | 1 | 0 | 1 |\n| all | 4 | 5,001 | 1 | 1 |\n" in again
    assert kept(PAGE, {})  # ours has such a table


def test_every_file_of_trust_is_named_and_every_other_name_exists() -> None:
    """No test of trust stands for a promise that nobody reads of."""
    missing = [
        file.name
        for file in sorted((ROOT / "tests" / "trust").glob("test_trust_*.py"))
        if file.name not in PAGE
    ]
    assert missing == []
    assert [name for name, _ in NAMED.findall(PAGE) if not (ROOT / name).is_file()] == []
