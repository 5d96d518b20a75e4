"""Signatures: whatever could change a score changes the hash."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import pytest

from gistmeter.core.errors import GistmeterError
from gistmeter.core.signature import combine, describe, sign


@dataclass(frozen=True)
class Model:
    id: str


@dataclass(frozen=True)
class Inner:
    gamma: float = 3.0


@dataclass(frozen=True)
class Everything:
    model: Model = Model("e5@1")
    beta: float = 2.0
    mode: str = "max"
    strict: bool = False
    prompt: str = "a very long prompt " * 20
    weights: tuple[float, ...] = (0.5, 0.3, 0.2)
    inner: Inner = Inner()
    words: frozenset[str] = frozenset({"b", "a"})
    table: dict[str, int] = field(default_factory=lambda: {"x": 1})


CHANGES = {
    "model": Model("e5@2"),
    "beta": 1.0,
    "mode": "mean",
    "strict": True,
    "prompt": "a very long prompt " * 20 + "!",
    "weights": (0.4, 0.4, 0.2),
    "inner": Inner(2.0),
    "words": frozenset({"a"}),
    "table": {"x": 2},
}


def test_no_field_is_forgotten_here() -> None:
    assert set(CHANGES) == {part.name for part in dataclasses.fields(Everything)}


@pytest.mark.parametrize("name", CHANGES)
def test_changing_a_field_changes_the_hash(name: str) -> None:
    changed = dataclasses.replace(Everything(), **{name: CHANGES[name]})
    assert sign("m", Everything()).rsplit("#")[-1] != sign("m", changed).rsplit("#")[-1]


def test_seed_and_name_count_too() -> None:
    base = sign("m", Everything(), seed=1)
    assert len({base, sign("m", Everything(), seed=2), sign("n", Everything(), seed=1)}) == 3


def test_the_version_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sign("m", Inner())
    monkeypatch.setattr("gistmeter.core.signature.__version__", "99.0")
    assert before.rsplit("#")[-1] != sign("m", Inner()).rsplit("#")[-1]


def test_the_line_can_be_read() -> None:
    assert sign("m", Inner(), seed=1).startswith("m|gamma:3.0|seed:1|gistmeter:")


def test_something_without_a_name_is_refused() -> None:
    with pytest.raises(GistmeterError, match="give it an `id`"):
        describe(object())


def test_several_metrics_make_one_signature() -> None:
    both = combine({"a": "a|#1", "b": "b|#2"})
    assert both.startswith("a|#1 + b|#2 = #")
    assert combine({"a": "a|#1"}) == "a|#1"
