"""Heads that form no tree: found in columns as they are line by line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gistmeter.parse.formats.treebank_reader import read_treebank
from gistmeter.parse.formats.treebank_tools import find_problems
from gistmeter.parse.formats.trees import not_trees, problems_of
from parse.parse_files import row, write

HEADS = st.lists(st.sampled_from(["0", "1", "2", "3", "4", "x", "_", "00"]), min_size=1, max_size=4)


@given(treebank=st.lists(HEADS, min_size=1, max_size=4))
def test_the_same_problems_as_validate(tmp_path_factory: object, treebank: list[list[str]]) -> None:
    folder: Path = tmp_path_factory.mktemp("trees")  # type: ignore[attr-defined]
    sentences = [
        [row(at, head=head, deprel="dep") for at, head in enumerate(heads, 1)] for heads in treebank
    ]
    path = write(folder / "heads.conllu", sentences)
    read = read_treebank(path)
    found = [problem for at in not_trees(read) for problem in problems_of(read, at)]
    assert sorted(found) == [one for one in find_problems(path) if "FEATS" not in one.message]


def test_files_without_heads_have_no_trees_to_break(tmp_path: Path) -> None:
    path = tmp_path / "plain.conllu"
    path.write_text("# global.columns = ID FORM LEMMA\n1\ta\ta\n\n", encoding="utf-8")
    assert not_trees(read_treebank(path)) == []
