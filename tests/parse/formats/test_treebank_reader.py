"""Reading: layouts, what editors leave behind, and errors that say where."""

from __future__ import annotations

import gzip
import itertools
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmeter.core.errors import FormatError, InputError
from gistmeter.parse.formats import blocks
from gistmeter.parse.formats.interning import CellReader
from gistmeter.parse.formats.treebank import COBALD, CONLLU, SEMARKUP, Treebank, declare, unique_ids
from gistmeter.parse.formats.treebank_reader import read_treebank
from parse.parse_files import row, sentence, text, write

TWO = [[row(1, "Dogs", upos="NOUN", head="2"), row(2, "bark", upos="VERB", head="0")],
       [row(1, "Why", upos="ADV", head="0")]]  # fmt: skip


def forms(treebank: Treebank) -> list[list[str]]:
    bounds = treebank.offsets.tolist()
    return [
        [treebank.form(word) for word in range(first, last)]
        for first, last in itertools.pairwise(bounds)
    ]


def ten(ninth: str) -> str:
    return "\t".join(["1", "a", "a", "X", "_", "_", "0", "root", ninth, "_"]) + "\n\n"


@pytest.mark.parametrize(
    ("content", "layout"),
    [
        (ten("_"), CONLLU),
        (ten("4:nsubj|6:conj"), CONLLU),
        (ten("3.1:nsubj:pass"), CONLLU),
        (ten("_") * 3 + ten("Agent"), SEMARKUP),
        (ten("4:"), SEMARKUP),
        (text(TWO), COBALD),
        ("# global.columns = ID FORM FEATS\n1\ta\t_\n", declare("ID FORM FEATS")),
        ("# global.columns = ID FORM FEATS X:Y\n1\ta\t_\tz\n", declare("ID FORM FEATS X:Y")),
    ],
)
def test_layouts(tmp_path: Path, content: str, layout: object) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(content, encoding="utf-8")
    found = read_treebank(path)
    assert found.layout.columns == layout.columns  # type: ignore[attr-defined]


def test_semarkup_cells_are_slots_and_classes(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(ten("Agent"), encoding="utf-8")
    found = read_treebank(path)
    assert found.text("SEMSLOT", 0) == "Agent"
    assert "DEPS" not in found
    assert found.guessed


def test_columns_win_over_the_number(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("1\tdog\tDOG\n", encoding="utf-8")
    found = read_treebank(path, layout=declare("id,form,sc"))
    assert found.text("SEMCLASS", 0) == "DOG"


@pytest.mark.parametrize(
    "names", ["FORM LEMMA", "ID LEMMA", "ID FORM FORM", "", "ID FORM UPOS POS"]
)
def test_impossible_columns(names: str) -> None:
    with pytest.raises(InputError):
        declare(names)


EXPECTED = [["Dogs", "bark"], ["Why"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"  \n"),
        lambda content: content.replace(b"_\n", b"_\t\t\n"),
        lambda content: content.replace(b"\n\n", b"\n \t \n\n\n"),
        lambda content: content.rstrip(b"\n"),
        lambda content: b"\n\n" + content,
        lambda content: content.replace(b"# sent", b"#\tcomment\twith\ttabs\n# sent"),
        gzip.compress,
        lambda content: gzip.compress(content[:40]) + gzip.compress(content[40:]),
    ],
    ids=[
        "crlf",
        "bom",
        "blanks",
        "tabs",
        "blank lines",
        "no end",
        "start",
        "comments",
        "gz",
        "gz2",
    ],
)
def test_what_editors_leave_behind(tmp_path: Path, change: object) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(change(text(TWO).encode()))  # type: ignore[operator]
    found = read_treebank(path)
    assert forms(found) == EXPECTED
    assert list(found.ids) == ["s1", "s2"]
    assert found.text("UPOS", 1) == "VERB"
    assert found.text("SEMCLASS", 1) == "_"


def test_multiwords_and_empty_nodes(tmp_path: Path) -> None:
    lines = [row("1-2", "don't"), row(1, "do"), row(2, "n't"), row("2.1", "gap"), row(3, "go")]
    found = read_treebank(write(tmp_path / "a.conllu", [[row(1, "Oh")], lines]))
    assert forms(found) == [["Oh"], ["do", "n't", "go"]]
    assert len(found.nodes) == 1
    assert found.multiwords.first.tolist() == [1]
    assert found.multiwords.last.tolist() == [2]
    assert found.lines.tolist() == [2, 6, 7, 9]
    assert found.sentence_lines.tolist() == [2, 5]


def test_sentence_names(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    word = "\t".join(row(1, "a")) + "\n\n"
    comments = ["", "# sent_id = x\n", "#sent_id=y\n", "# sent_id = x\n", "# sent_id_old = z\n"]
    path.write_text("".join(comment + word for comment in comments), encoding="utf-8")
    assert list(read_treebank(path).ids) == ["1", "x", "y", "x (2)", "5"]


@given(st.lists(st.sampled_from([None, "", "a", "b", "1", "2", "a (2)"]), max_size=12))
def test_names_are_unique(names: list[str | None]) -> None:
    found = unique_ids(names)
    assert len(set(found)) == len(found) == len(names)


@settings(max_examples=40)
@given(st.lists(sentence(), min_size=1, max_size=8), st.integers(1, 400))
def test_blocks_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, gold: list[list[list[str]]], size: int
) -> None:
    path = write(tmp_path_factory.mktemp("blocks") / "a.conllu", gold)
    whole, pieces = read_treebank(path), read_treebank(path, block=size)
    assert forms(whole) == forms(pieces) == [[cells[1] for cells in one] for one in gold]
    assert whole.lines.tolist() == pieces.lines.tolist()
    assert list(whole.ids) == list(pieces.ids)
    for name in whole.columns:
        cells = [whole.text(name, word) for word in range(whole.words)]
        assert cells == [pieces.text(name, word) for word in range(pieces.words)]


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=20), st.sampled_from([b"x" * n for n in (8, 9, 255, 256, 257, 999)])
        ),
        max_size=60,
    )
)
def test_interning_is_exact(cells: list[bytes]) -> None:
    content = b"".join(cells)
    lengths = np.asarray([len(cell) for cell in cells], np.int64)
    ends = np.cumsum(lengths, dtype=np.int64)
    found = CellReader(content).intern(ends - lengths, ends)
    assert [cells[found.representatives[code]] for code in found.codes] == cells
    assert len(set(found.codes.tolist())) == len(set(cells))


def test_cells_with_nul_bytes_are_told_apart() -> None:
    cells = [b"a", b"a\0", b"a\0\0", b"", b"\0", b"a"]
    lengths = np.asarray([len(cell) for cell in cells], np.int64)
    ends = np.cumsum(lengths)
    codes = CellReader(b"".join(cells)).intern(ends - lengths, ends).codes.tolist()
    assert codes[0] == codes[5]
    assert len(set(codes)) == 5


BROKEN = [
    ("1\ta\n", "line 1: 2 columns; expected 10"),
    (text(TWO) + "1\tshort\n", "line 8: 2 columns where CoBaLD"),
    (text(TWO) + "1 a b c\n", "separated by blanks instead of tabs"),
    (text([[row("x")]]), "line 2, column ID: 'x' is neither a number"),
    (text([[row(1), row(3)]]), "line 3, column ID: word 3 where word 2 is due"),
    (text([[row(1), row(1)]]), "Is a blank line missing between two sentences?"),
    ("# global.columns = FORM\na\n", "line 1: The columns need ID"),
    ("# only a comment\n", "has no sentence"),
    ("", "is empty"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_errors_say_where(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_treebank(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_wrong_encoding_says_where(tmp_path: Path) -> None:
    path = tmp_path / "latin.conllu"
    path.write_bytes(text([[row(1, "dog")], [row(1, "ž")]]).encode("iso-8859-2"))
    with pytest.raises(FormatError, match=r"line 5, column FORM: .* is not UTF-8"):
        read_treebank(path)
    path.write_bytes(text(TWO).encode("utf-16"))
    with pytest.raises(FormatError, match="is UTF-16"):
        read_treebank(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_treebank(tmp_path / "nowhere.conllu")
    with pytest.raises(InputError, match="is a folder"):
        read_treebank(tmp_path)


def test_a_bomb_does_not_go_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "UNFOLDED", 1000)
    path = tmp_path / "bomb.conllu.gz"
    path.write_bytes(gzip.compress(b"\n" * 10_000_000))
    with pytest.raises(InputError, match="unfolds to more than"):
        read_treebank(path)


@pytest.mark.parametrize("cut", [5, 15, 40])
def test_cut_off_archives(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.conllu.gz"
    path.write_bytes(gzip.compress(text(TWO).encode())[:cut])
    with pytest.raises(FormatError, match="is not a whole gzip file"):
        read_treebank(path)


def test_composed_and_decomposed_forms_are_one_spelling(tmp_path: Path) -> None:
    composed = unicodedata.normalize("NFC", "žluťoučký")
    found = read_treebank(
        write(
            tmp_path / "a.conllu",
            [[row(1, composed), row(2, unicodedata.normalize("NFD", composed))]],
        )
    )
    classes = found.vocabularies["FORM"].classes(lambda form: unicodedata.normalize("NFC", form))
    assert len(found.vocabularies["FORM"]) == 2
    assert len(set(classes.tolist())) == 1
