"""Taxonomies: both layouts, errors with lines, and distances against climbing by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_path
from gistmeter.core.cache import Cache
from gistmeter.core.errors import FormatError
from gistmeter.parse.formats import forest
from gistmeter.parse.formats.taxonomy import Taxonomy, read_taxonomy

ANIMALS = "child,parent\nANIMAL,\nCANINAE,ANIMAL\nDOG,CANINAE\nWOLF,CANINAE\nTHING,\nTABLE,THING\n"


def taxonomy(folder: Path, content: str) -> Taxonomy:
    path = folder / "classes.csv"
    path.write_text(content, encoding="utf-8")
    return read_taxonomy(path)


def distance(classes: Taxonomy, left: str, right: str) -> float:
    return float(classes.distances(classes.find([left]), classes.find([right]))[0])


@pytest.mark.parametrize(
    "content",
    [
        ANIMALS,
        ANIMALS.replace("child,parent\n", ""),
        ANIMALS.replace("\n", "\r\n"),
        "\ufeff" + ANIMALS,
        ANIMALS.replace(",", "\t"),
        "child,parent\nDOG,CANINAE\nWOLF,CANINAE\nCANINAE,ANIMAL\nTABLE,THING\n",
        "ID,ParentID,Depth,Name\n1,,0,ANIMAL\n2,1,1,CANINAE\n3,2,2,DOG\n4,2,2,WOLF\n"
        "5,,0,THING\n6,5,1,TABLE\n",
        "1,NULL,0,ANIMAL,0,1\n2,1,1,CANINAE,0,0\n3,2,7,DOG,0,1\n4,2,2,WOLF,0,1\n5,NULL,0,THING,0,1\n"
        "6,5,1,TABLE,0,1\n",
        "Name,Depth,id,parentid\nDOG,2,3,2\nWOLF,2,4,2\nANIMAL,0,1,\nCANINAE,1,2,1\nTHING,0,5,\n"
        "TABLE,1,6,5\n",
    ],
)
def test_both_layouts(tmp_path: Path, content: str) -> None:
    classes = taxonomy(tmp_path, content)
    assert len(classes) == 6
    assert distance(classes, "DOG", "DOG") == 0
    assert distance(classes, "DOG", "WOLF") == 2
    assert distance(classes, "DOG", "ANIMAL") == 2
    assert distance(classes, "DOG", "TABLE") == math.inf
    assert classes.path("DOG", "ANIMAL") == ["DOG", "CANINAE", "ANIMAL"]
    assert classes.path("DOG", "WOLF") == ["DOG", "CANINAE", "WOLF"]
    assert classes.path("DOG", "TABLE") == classes.path("DOG", "NOWHERE") == []
    assert classes.find(["NOWHERE", "_"]).tolist() == [-1, -1]


def test_the_last_node_of_a_repeated_name_counts(tmp_path: Path) -> None:
    """As in CoBaLD's scorer, which fills a dictionary from top to bottom."""
    classes = taxonomy(tmp_path, "1,NULL,0,A,0,1\n2,1,1,TWICE,0,1\n3,1,1,B,0,1\n4,3,2,TWICE,0,1\n")
    assert distance(classes, "TWICE", "B") == 1
    assert distance(classes, "TWICE", "A") == 2
    assert classes.repeated == ["TWICE"]


def test_nodes_that_are_no_semantic_classes_are_left_out(tmp_path: Path) -> None:
    content = "ID,ParentID,Depth,Name,TypeID,IsHyperonym\n1,,0,A,0,1\n2,1,1,dog:DOG,1,0\n"
    for text in (content, content.partition("\n")[2].replace("1,,0", "1,NULL,0")):
        classes = taxonomy(tmp_path, text)
        assert list(classes.names) == ["A"]


def test_unnamed_nodes_are_places_but_no_classes(tmp_path: Path) -> None:
    classes = taxonomy(tmp_path, "ID,ParentID,Depth,Name\n1,,0,_\n2,1,1,_\n3,2,2,DOG\n4,1,1,CAT\n")
    assert distance(classes, "DOG", "CAT") == 3
    assert classes.find(["_"]).tolist() == [-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ID,ParentID,Depth,Name\n1,,0,A\n2,9,1,B\n", "line 3, column ParentID: the parent '9'"),
        ("1,NULL,0,A,0,1\n2,9,1,B,0,1\n", "line 2, column ParentID: the parent '9'"),
        ("1,NULL,0,A,0,1\n2,1,1,B\n", "line 2: 4 cells, expected 5"),
        ("ID,ParentID,Depth,Name\n1,,0,A\n1,,0,B\n", "line 3, column ID: '1' is there twice"),
        (
            "ID,ParentID,Depth,Name\n1,,0,R\n2,3,1,A\n3,2,1,B\n",
            "line 3: a class is its own ancestor",
        ),
        ("ID,ParentID,Depth,Name\n1,,0\n", "line 2: 3 cells, expected 4"),
        ("ID,ParentID,Depth,Name\n", "has no class"),
        ("A,\nB,C\n", "line 2, column parent: the parent 'C'"),
        ("A,B\nB,A\n", "line 1: a class is its own ancestor: A → B → A"),
        ("A,A\n", "line 1: a class is its own ancestor: A → A"),
        ("A,\nA,\n", "line 2, column child: 'A' is there twice; first on line 1"),
        ("A,B,C,D\n", "line 1: 4 cells"),
        (",A\n", "line 1, column child: a name is empty"),
    ],
)
def test_errors_say_where(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        taxonomy(tmp_path, content)
    assert message in str(caught.value)


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """Parents that come before their children, then shuffled."""
    size = draw(st.integers(1, 20))
    parents = [draw(st.integers(-1, at - 1)) for at in range(size)]
    order = draw(st.permutations(range(size)))
    place = {old: new for new, old in enumerate(order)}
    return [place[parents[old]] if parents[old] >= 0 else -1 for old in order]


def climb(parents: list[int], node: int) -> list[int]:
    way = [node]
    while parents[way[-1]] >= 0:
        way.append(parents[way[-1]])
    return way


@settings(max_examples=50)
@given(forests())
def test_distances_are_those_of_climbing(parents: list[int]) -> None:
    names = [f"c{at}" for at in range(len(parents))]
    classes = Taxonomy.build(names, np.asarray(parents), "test")
    nodes = np.arange(len(parents))
    left, right = np.repeat(nodes, len(nodes)), np.tile(nodes, len(nodes))
    found = classes.distances(left, right)
    for one, other, value in zip(left.tolist(), right.tolist(), found.tolist(), strict=True):
        ours, theirs = climb(parents, one), climb(parents, other)
        common = [node for node in ours if node in theirs]
        expected = ours.index(common[0]) + theirs.index(common[0]) if common else math.inf
        assert value == expected
        assert len(classes.path(names[one], names[other])) == (expected + 1 if common else 0)


@given(st.lists(st.integers(-1, 30), min_size=1, max_size=31))
def test_cycles_are_found(parents: list[int]) -> None:
    bounded = [parent if parent < len(parents) else -1 for parent in parents]
    found = forest.depths(bounded).tolist()
    for node, depth in enumerate(found):
        seen, at = set(), node
        while at >= 0 and at not in seen:
            seen.add(at)
            at = bounded[at]
        assert (depth < 0) == (at >= 0)
        if depth >= 0:
            assert depth == len(seen) - 1


@given(st.lists(st.integers(-1, 12), min_size=1, max_size=13))
def test_covered_nodes_are_those_whose_parent_is_above_all_in_between(parents: list[int]) -> None:
    bounded = [parent if parent < len(parents) else -1 for parent in parents]
    depth = forest.depths(bounded).tolist()
    for node, found in enumerate(forest.covered(bounded).tolist()):
        head = bounded[node]
        between = range(min(node, head) + 1, max(node, head)) if head >= 0 else ()
        straight = all(depth[one] >= 0 and head in climb(bounded, one) for one in between)
        assert found == (depth[node] >= 0 and straight)


def test_a_long_chain() -> None:
    size = 5000
    chain = Taxonomy.build([f"n{at}" for at in range(size)], np.arange(-1, size - 1), "chain")
    assert distance(chain, "n0", f"n{size - 1}") == size - 1


def test_compiled_form(tmp_path: Path) -> None:
    classes = taxonomy(tmp_path, ANIMALS)
    stored = classes.to_bytes()
    again = Taxonomy.from_bytes(stored, classes.id)
    assert again is not None
    assert list(again.names) == list(classes.names)
    assert distance(again, "DOG", "WOLF") == 2
    assert Taxonomy.from_bytes(stored[:50], "x") is None
    assert Taxonomy.from_bytes(b"nonsense", "x") is None


def test_the_cache_holds_the_compiled_form(tmp_path: Path) -> None:
    path = tmp_path / "classes.csv"
    path.write_text(ANIMALS, encoding="utf-8")
    cache = Cache(tmp_path / "cache.sqlite")
    first = read_taxonomy(path, cache)
    assert cache.info().entries == 1
    second = read_taxonomy(path, cache)
    assert second.id == first.id
    assert distance(second, "DOG", "ANIMAL") == 2
    path.write_text(ANIMALS + "CHAIR,THING\n", encoding="utf-8")
    third = read_taxonomy(path, cache)
    assert third.id != first.id
    assert len(third) == 7


def test_the_large_taxonomy() -> None:
    classes = read_taxonomy(shared_path("golden/parse/semantic_hierarchy.csv"))
    assert len(classes) == 201_001
    assert len(classes.numbers) == 860
