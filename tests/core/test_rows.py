"""Rows: concatenation, selection, joining, and the way to polars and back."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gistmeter.core.errors import GistmeterError, UnknownName
from gistmeter.core.rows import KEYS, Counts, Rows, divide
from toys import Length, pairs

cells = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


def make(values: list[float]) -> Rows:
    keys = {key: [f"{key}{at % 3}" for at in range(len(values))] for key in KEYS}
    rows = Rows(keys, np.arange(len(values))).with_numbers({"x": values, "y": values[::-1]})
    rows = rows.with_texts({"said": [f"文{at}" for at in range(len(values))]})
    rows = rows.with_counts({"by_label": count(values)})
    return rows.with_reasons("x", {at: "why" for at, v in enumerate(values) if np.isnan(v)})


def count(values: list[float]) -> Counts:
    """Two labels a row, the second in half of them; undefined where the value is."""
    size = len(values)
    row = [*range(size), *range(0, size, 2)]
    label = [at % 3 for at in range(size)] + [3] * len(range(0, size, 2))
    numbers = {"seen": np.ones(len(row)), "right": np.arange(len(row))}
    table = Counts.of(size, row, label, ["cat", "ant", "文", "bee"], numbers)
    return table.without(np.isnan(values))


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


@given(st.lists(cells, min_size=1, max_size=20), st.randoms())
def test_shards_in_any_order_have_the_totals_of_the_whole(
    values: list[float], random: Random
) -> None:
    rows = make(values)
    order = list(range(len(values)))
    random.shuffle(order)
    merged = Rows.concat([rows.take([at]) for at in order])
    assert same(merged.take(np.argsort(merged.item)), rows)
    whole, found = rows.labelled("by_label"), merged.labelled("by_label")
    assert found.labels == whole.labels or not any(rows.counts["by_label"].known)
    for number in ("seen", "right"):
        assert found[number].tolist() == whole[number].tolist()


def test_counts_by_hand() -> None:
    table = Counts.of(
        3, [0, 2, 0, 0], [1, 1, 0, 1], ["noun", "verb"], {"words": [1, 2, 4, 8], "ok": [0, 1, 1, 0]}
    )
    assert table.sizes.tolist() == [2, 0, 1]
    assert table.to_series("pos").to_list() == [
        [{"label": "noun", "words": 4.0, "ok": 1.0}, {"label": "verb", "words": 9.0, "ok": 0.0}],
        [],
        [{"label": "verb", "words": 2.0, "ok": 1.0}],
    ]
    totals = table.totals()
    assert totals.labels == ("noun", "verb")
    assert totals["words"].tolist() == [4.0, 11.0]


def test_labels_that_are_spelled_alike_are_one() -> None:
    table = Counts.of(1, [0, 0], [0, 1], ["same", "same"], {"n": [1, 2]})
    assert table.labels == ("same",)
    assert table.totals()["n"].tolist() == [3.0]


def test_undefined_counts_are_not_empty_ones() -> None:
    table = Counts.of(2, [], [], [], {"n": []}).without(np.asarray([False, True]))
    assert table.to_series("n").to_list() == [[], None]
    again = Counts.from_series(table.to_series("n"))
    assert again.known.tolist() == [True, False]


def test_a_part_without_counts_is_undefined_there() -> None:
    bare = Rows(make([1.0]).keys, np.zeros(1, np.int64))
    joined = Rows.concat([bare, make([2.0])])
    assert joined.counts["by_label"].known.tolist() == [False, True]


def test_counts_join_the_first_row_of_an_item_with_parts() -> None:
    whole = make([1.0, 2.0])
    keys = {key: ["a", "a", "b"] for key in KEYS}
    parts = Rows(keys, np.asarray([0, 0, 1])).with_numbers({"part": [1, 2, 3]})
    for joined in (whole.join(parts), parts.join(whole)):
        assert joined.counts["by_label"].sizes.tolist() == [2, -1, 1]
        assert joined.labelled("by_label")["seen"].tolist() == [1.0, 1.0, 1.0]


def test_counts_of_other_rows_are_refused() -> None:
    with pytest.raises(GistmeterError, match="'z' counts 1 rows, the rows are 2"):
        make([1.0, 2.0]).with_counts({"z": count([1.0])})


def test_rows_are_grouped_by_any_key_or_text() -> None:
    rows = make([1.0, 2.0, 3.0]).with_texts({"language": ["zh", None, "zh"]})
    assert {name: part.sum("x") for name, part in rows.by("language").items()} == {
        "zh": 4.0,
        "": 2.0,
    }
    assert list(rows.by("cluster")) == ["cluster0", "cluster1", "cluster2"]
    with pytest.raises(UnknownName, match="Did you mean 'language'"):
        rows.by("langauge")


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
