"""Whatever a file holds, the answer is a score or a message, never a traceback."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_files import row, sentence, text

from door import prepare
from gistmeter.errors import GistmeterError
from gistmeter.families.parse import Parses, ParseSettings
from gistmeter.families.parse.treebanks import read_weights
from gistmeter.formats.conllu.erasing import erase
from gistmeter.formats.conllu.validation import find_problems
from gistmeter.formats.conllu.vocabularies import build, read_vocabulary
from gistmeter.formats.taxonomy import read_taxonomy
from gistmeter.score import measure

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


def score(gold: Path, system: Path, conll18: bool) -> None:
    settings = ParseSettings(gold=gold, systems=system, conll18=conll18, flat_classes=True)
    task = prepare(Parses(), settings)
    rows = measure(task.items, task.metrics)
    for metric in task.metrics.values():
        values = np.asarray([float(value) for value in metric.pool(rows).values()])
        assert ((values >= 0) & (values <= 1 + 1e-9) | np.isnan(values)).all()


@settings(max_examples=150)
@given(damaged(), damaged(), st.booleans(), st.booleans())
def test_treebanks(
    tmp_path_factory: pytest.TempPathFactory, first: bytes, second: bytes, same: bool, conll18: bool
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    gold, system = folder / "gold.conllu", folder / "system.conllu"
    gold.write_bytes(first)
    system.write_bytes(first if same else second)
    with contextlib.suppress(GistmeterError):
        score(gold, system, conll18)
    for tool in (find_problems, erase, lambda path: build([path])):
        with contextlib.suppress(GistmeterError):
            tool(gold)


@settings(max_examples=100)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.text(alphabet="AB12,;\t\n\"'_ëID", max_size=60).map(str.encode),
        st.text(alphabet="AB12,\n", max_size=60).map(
            lambda rows: f"ID,ParentID,Depth,Name\n{rows}".encode()
        ),
        st.text(alphabet='{}[]",:1', max_size=20).map(str.encode),
    )
)
def test_taxonomies_weights_and_vocabularies(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "file"
    path.write_bytes(content)
    for read in (read_taxonomy, read_vocabulary, lambda one: read_weights(one, "feats")):
        with contextlib.suppress(GistmeterError):
            read(path)


def test_a_huge_number_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(
        text([[row("1-999999999", "a"), row(1, "a", head="999999999", deprel="root")]]),
        encoding="utf-8",
    )
    score(path, path, False)
    with pytest.raises(GistmeterError):
        score(path, path, True)
