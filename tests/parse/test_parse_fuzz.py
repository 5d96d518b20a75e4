"""Whatever a file holds, the answer is a score or a message, never a traceback."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from door import prepare
from gistmeter.core.engines import measure
from gistmeter.core.errors import GistmeterError
from gistmeter.parse.family import Parses, ParseSettings
from gistmeter.parse.formats.taxonomy import read_taxonomy
from gistmeter.parse.formats.treebank_tools import (
    build_vocabulary,
    erase,
    find_problems,
    read_vocabulary,
)
from gistmeter.parse.read import read_weights
from parse.parse_files import row, sentence, text

PIECES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [b"\t", b"\n", b"\n\n", b"\r\n", b"#", b"1-2", b"1.1", b"_", b"\0", b"\xff", b" ", b"=",
         b"|", b"# global.columns = ID FORM\n", b"# sent_id = \n", b"999999999999", "é".encode()]
    ),
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A treebank with some bytes replaced, inserted or cut out; or no treebank at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200))
    content = text(draw(st.lists(sentence(), min_size=1, max_size=3))).encode()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 8)))
        content = content[:start] + draw(PIECES) + content[end:]
    return gzip.compress(content) if draw(st.integers(0, 9)) == 0 else content


CELLS = (
    "_", "a", "é", "真", "Case=Nom", "Case=Nom|Number=Sing", "root", "0", "1", "2", "nsubj:x",
    "SpaceAfter=No", "SemSlot=A|SemClass=B", "x" * 500, "\u202e", "NOUN", "=", "|", ":",
)  # fmt: skip


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A treebank and itself with other cells, which mostly parses; or two that are damaged."""
    if draw(st.integers(0, 2)) == 0:
        first = draw(damaged())
        return first, first if draw(st.booleans()) else draw(damaged())
    gold = text(draw(st.lists(sentence(), min_size=1, max_size=3)))
    lines = gold.split("\n")
    filled = [at for at, line in enumerate(lines) if "\t" in line]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.sampled_from(filled))
        cells = lines[at].split("\t")
        cells[draw(st.sampled_from([2, 3, 4, 5, 6, 7, 9]))] = draw(st.sampled_from(CELLS))
        lines[at] = "\t".join(cells)
    system = "\n".join(lines)
    return (gold.encode(), system.encode())[:: draw(st.sampled_from([1, -1]))]


def score(gold: Path, system: Path, conll18: bool) -> None:
    settings = ParseSettings(gold=gold, systems=system, conll18=conll18, flat_classes=True)
    task = prepare(Parses(), settings)
    rows = measure(task.items, task.metrics)
    for metric in task.metrics.values():
        values = np.asarray([float(value) for value in metric.pool(rows).values()])
        assert ((values >= 0) & (values <= 1 + 1e-9) | np.isnan(values)).all()


def passes(work: Callable[[], object]) -> bool:
    """Whether it was done; the other way to end is a message."""
    try:
        work()
    except GistmeterError as error:
        assert str(error)
        return False
    return True


def test_treebanks(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    scored: list[bool] = []

    @settings(max_examples=150)
    @given(pairs(), st.booleans())
    def all_of_them(both: tuple[bytes, bytes], conll18: bool) -> None:
        gold.write_bytes(both[0])
        system.write_bytes(both[1])
        scored.append(passes(lambda: score(gold, system, conll18)))
        for tool in (find_problems, erase, lambda path: build_vocabulary([path])):
            passes(lambda tool=tool: tool(gold))  # type: ignore[misc]

    all_of_them()
    assert sum(scored) >= 30, "hardly anything was scored: nothing is tested behind the reader"


def test_taxonomies_weights_and_vocabularies(tmp_path: Path) -> None:
    path = tmp_path / "file"
    readers = (read_taxonomy, read_vocabulary, lambda one: read_weights(one, "feats"))
    read = dict.fromkeys(range(len(readers)), 0)

    @settings(max_examples=100)
    @given(
        st.one_of(
            st.binary(max_size=60),
            st.text(alphabet="AB12,;\t\n\"'_ëID", max_size=60).map(str.encode),
            st.text(alphabet="AB12,\n", max_size=60).map(
                lambda rows: f"ID,ParentID,Depth,Name\n{rows}".encode()
            ),
            st.text(alphabet='{}[]",:1', max_size=20).map(str.encode),
            st.dictionaries(st.text(max_size=3), st.floats(0, 2), max_size=3).map(
                lambda feats: json.dumps({"feats": feats}).encode()
            ),
            st.lists(st.text(max_size=3), max_size=3).map(
                lambda names: json.dumps({"UPOS": names}).encode()
            ),
        )
    )
    def all_of_them(content: bytes) -> None:
        path.write_bytes(content)
        for at, reader in enumerate(readers):
            read[at] += passes(lambda reader=reader: reader(path))  # type: ignore[misc]

    all_of_them()
    assert all(read.values()), f"some reader refused everything: {read}"


def test_a_huge_number_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(
        text([[row("1-999999999", "a"), row(1, "a", head="999999999", deprel="root")]]),
        encoding="utf-8",
    )
    score(path, path, False)
    with pytest.raises(GistmeterError):
        score(path, path, True)
