"""Rows: concatenation, selection, joining, and the way to polars and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.errors import GistmeterError
from gistmeter.rows import KEYS, Rows, divide
from toys import Length, pairs

cells = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


def make(values: list[float]) -> Rows:
    keys = {key: [f"{key}{at % 3}" for at in range(len(values))] for key in KEYS}
    rows = Rows(keys, np.arange(len(values))).with_numbers({"x": values, "y": values[::-1]})
    rows = rows.with_texts({"said": [f"文{at}" for at in range(len(values))]})
    return rows.with_reasons("x", {at: "why" for at, v in enumerate(values) if np.isnan(v)})


def same(one: Rows, other: Rows) -> bool:
    return one.to_polars().equals(other.to_polars()) and {
        k: dict(v) for k, v in one.reasons.items() if v
    } == {k: dict(v) for k, v in other.reasons.items() if v}


@given(st.lists(cells, min_size=1, max_size=20), st.data())
def test_cutting_and_joining_again_changes_nothing(
    values: list[float], data: st.DataObject
) -> None:
    rows = make(values)
    cut = data.draw(st.integers(0, len(values)))
    parts = [rows.take(np.arange(cut)), rows.take(np.arange(cut, len(values)))]
    assert same(Rows.concat(parts), rows)


@given(st.lists(cells, min_size=1, max_size=20))
def test_polars_and_back(values: list[float]) -> None:
    rows = make(values)
    assert same(Rows.from_polars(rows.to_polars()), rows)


def test_undefined_cells_are_left_out_of_sums() -> None:
    rows = make([1.0, float("nan"), 3.0])
    assert rows.sum("x") == 4.0
    assert rows.mean("x") == 2.0
    assert rows.ratio("x", "y") == 1.0
    assert np.isnan(make([float("nan")]).mean("x"))


def test_a_part_without_a_column_is_undefined_there() -> None:
    one, other = make([1.0]), make([2.0]).with_numbers({"z": [5.0]})
    joined = Rows.concat([one, other])
    assert np.isnan(joined.values("z")[0])
    assert joined.values("z")[1] == 5.0


def test_a_column_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(GistmeterError, match=r"'z' has shape \(3,\), the rows are 2"):
        make([1.0, 2.0]).with_numbers({"z": [1, 2, 3]})


def test_rows_split_by_group_keep_their_order() -> None:
    rows = Length().measure(pairs(4, arrangements=("p", "q")))
    parts = rows.by("group")
    assert list(parts) == ["p", "q"]
    assert [list(part.keys["id"]) for part in parts.values()] == [
        ["item0", "item1", "item2", "item3"]
    ] * 2


def test_half_characters_reach_polars_as_replacement_marks() -> None:
    rows = make([1.0]).with_texts({"said": ["a\ud800b"]})
    assert rows.to_polars()["said"].to_list() == ["a\N{REPLACEMENT CHARACTER}b"]


def test_divide_by_zero_is_undefined_and_silent() -> None:
    assert np.isnan(divide(1.0, 0.0))
    assert divide(np.asarray([1.0, 2.0]), np.asarray([2.0, 0.0]))[0] == 0.5
