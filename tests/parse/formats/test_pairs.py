"""Gold beside system: what does not fit is said exactly; slices and items stay true."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmeter.core.errors import FormatError
from gistmeter.core.rows import Rows
from gistmeter.parse.formats.pairs import ParsePairs
from gistmeter.parse.metrics.parsing import ParseAccuracy
from gistmeter.parse.metrics.points import SEVEN
from parse.parse_files import paired, row, two_treebanks

Treebanks = tuple[list[list[list[str]]], list[list[list[str]]]]


def words(*sentences: str) -> list[list[list[str]]]:
    return [[row(at, form) for at, form in enumerate(one.split(), start=1)] for one in sentences]


@pytest.mark.parametrize(
    ("gold", "system", "parts"),
    [
        (
            words("a b", "c d e", "f"),
            words("a b", "c X e", "f"),
            ["sentence 's2'", "line 6 of", "token 2", "'d' (line 7)", "'X' (line 7)"],
        ),
        (
            words("a b", "c d e"),
            words("a b", "c d"),
            ["sentence 's2'", "token 3", "'e' (line 8)", "no further token"],
        ),
        (
            words("a b", "c"),
            words("a x b", "c"),
            ["sentence 's1'", "token 2", "'b' (line 3)", "'x' (line 3)"],
        ),
        (
            words("a", "b", "c"),
            words("a", "b"),
            ["the gold has 3 sentences, the system 2", "Sentence 's3' (line 8 of", "'c'"],
        ),
        (words("a"), words("a", "b"), ["the gold has 1 sentences, the system 2", "Sentence 's2'"]),
    ],
)
def test_misfits_name_the_place(
    tmp_path: Path, gold: list[list[list[str]]], system: list[list[list[str]]], parts: list[str]
) -> None:
    with pytest.raises(FormatError) as caught:
        paired(tmp_path, gold, system)
    message = str(caught.value)
    assert str(tmp_path / "gold.conllu") in message
    assert str(tmp_path / "system.conllu") in message
    for part in parts:
        assert part in message


def test_other_normal_forms_fit(tmp_path: Path) -> None:
    gold = words("žluťoučký kůň")
    system = words(unicodedata.normalize("NFD", "žluťoučký kůň"))
    found = ParseAccuracy().measure(paired(tmp_path, gold, system))
    assert found.values("upos").tolist() == [1.0]


@settings(max_examples=40)
@given(two_treebanks(), st.data())
def test_slices_give_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, treebanks: Treebanks, data: st.DataObject
) -> None:
    pairs = paired(tmp_path_factory.mktemp("slices"), *treebanks)
    metric = ParseAccuracy(flat_classes=True)
    whole = metric.measure(pairs)
    cut = data.draw(st.integers(0, len(pairs)))
    parts = [pairs[:cut], pairs[cut:]]
    joined = Rows.concat(metric.measure(part) for part in parts if len(part))
    assert joined.keys == whole.keys
    for name in whole.names:
        assert joined.values(name).tobytes() == whole.values(name).tobytes(), name


@settings(max_examples=40)
@given(two_treebanks())
def test_items_score_as_columns_do(
    tmp_path_factory: pytest.TempPathFactory, treebanks: Treebanks
) -> None:
    pairs = paired(tmp_path_factory.mktemp("items"), *treebanks)
    metric = ParseAccuracy(flat_classes=True)
    items = list(pairs)
    assert [item.id for item in items] == pairs.keys()["id"]
    assert [[token.form for token in item.gold.tokens] for item in items] == [
        [cells[1] for cells in one] for one in treebanks[0]
    ]
    ours, theirs = metric.pool(metric.measure(pairs)), metric.pool(metric.measure(items))
    for score in ("total", *SEVEN):
        assert theirs[score] == pytest.approx(ours[score], abs=1e-12)


def test_an_item_that_does_not_fit_is_unscored(tmp_path: Path) -> None:
    items = list(paired(tmp_path, words("a b", "c"), words("a b", "c")))
    mixed = type(items[0])("odd", items[0].gold, items[1].parsed)
    found = ParseAccuracy().measure([items[0], mixed])
    assert found.values("upos")[0] == 1.0
    assert found.reasons["upos"] == {1: "the system's words are not the gold's"}
    assert ParseAccuracy().pool(found)["upos"] == 1.0


def test_sequence_manners(tmp_path: Path) -> None:
    pairs = paired(tmp_path, words("a", "b", "c"), words("a", "b", "c"))
    assert [item.id for item in pairs[::-1]] == ["s3", "s2", "s1"]
    assert pairs[-1].id == "s3"
    assert isinstance(pairs[1:], ParsePairs)
    assert len(pairs[5:]) == 0
    with pytest.raises(IndexError):
        pairs[3]
