"""The tools for treebanks: validate, build-vocabulary, erase, estimate-weights."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import shared_path
from gistmeter.core.errors import FormatError, InputError, MissingDependency, UnknownName
from gistmeter.parse.formats.treebank_reader import read_treebank
from gistmeter.parse.formats.treebank_tools import (
    build_vocabulary,
    erase,
    find_official_problems,
    find_problems,
    read_vocabulary,
)
from gistmeter.parse.formats.trees import Problem
from gistmeter.parse.read import estimate_weights
from parse.parse_files import row, text, write

GOOD = [
    [
        row("1-2", "don't"),
        row(1, "do", upos="AUX", head="3", deprel="aux", feats="Mood=Ind|VerbForm=Fin"),
        row(2, "n't", upos="PART", head="3", deprel="advmod"),
        row(3, "go", upos="VERB", head="0", deprel="root"),
        row("3.1", "gap"),
    ]
]


def problems(folder: Path, *rows: list[str]) -> list[tuple[int, str]]:
    path = write(folder / "a.conllu", [list(rows)])
    return [(problem.line, problem.message) for problem in find_problems(path)]


def test_a_good_treebank_has_no_problems(tmp_path: Path) -> None:
    assert find_problems(write(tmp_path / "a.conllu", GOOD)) == []


def test_real_treebanks_are_trees() -> None:
    assert find_problems(shared_path("data/parse/cs_pud-ud-test.conllu")) == []


def test_the_golden_files_are_no_trees() -> None:
    found = find_problems(shared_path("golden/parse/system-random.conllu"))
    assert any("cycle" in problem.message for problem in found)
    assert any("roots" in problem.message for problem in found)
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row(1, head="0"), row(2, head="7")],
         (3, "HEAD '7' is not a word of the sentence (0 to 2)")),
        ([row(1, head="0"), row(2, head="_")],
         (3, "HEAD '_' is not a word of the sentence (0 to 2)")),
        ([row(1, head="0"), row(2, head="0")],
         (2, "the sentence has 2 roots (lines 2, 3), expected one")),
        ([row(1, head="2"), row(2, head="1")], (2, "the sentence has 0 roots, expected one")),
        ([row(1, head="0"), row(2, head="3"), row(3, head="2")], (3, "HEAD: a cycle, 2 → 3 → 2")),
        ([row(1, head="0"), row(2, head="2")], (3, "HEAD: a cycle, 2 → 2")),
        ([row(1, head="0"), row(3, head="1")], (3, "ID 3 where 2 is due")),
        ([row("one", head="0")], (2, "ID 'one' is not a number, range (1-2) or empty node (1.1)")),
        ([row("1-3"), row(1, head="0")], (2, "ID '1-3' is not a range of this sentence's 1 words")),
        ([row("1-2"), row(1, head="0"), row("2-3"), row(2, head="1"), row(3, head="1")],
         (4, "ID '2-3' overlaps the range before it")),
        ([row(1, head="0", feats="Case")], (2, "FEATS 'Case' is not of the form Category=Value")),
        ([row(1, head="0", feats="Case=A|Case=B")], (2, "FEATS has 'Case' twice")),
        ([row(1, head="0", lemma="")], (2, "LEMMA is empty; write _ for nothing")),
        ([row(1, head="0")[:11]], (2, "11 columns, not 12")),
    ],
)  # fmt: skip
def test_problems(tmp_path: Path, rows: list[list[str]], expected: tuple[int, str]) -> None:
    more = [] if len(rows[0]) == 12 else [row(1, head="0"), row(2, head="1")]
    assert expected in problems(tmp_path, *rows, *more)


def test_all_problems_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    content = text([[row(1, head="5")], [row(1, head="0", upos="")]]).replace("s2", "s1")
    path.write_bytes(content.encode() + b"# \xff\n")
    assert find_problems(path) == [
        Problem(2, "HEAD '5' is not a word of the sentence (0 to 1)"),
        Problem(2, "the sentence has 0 roots, expected one"),
        Problem(4, "sent_id 's1' was used on line 1 already"),
        Problem(5, "UPOS is empty; write _ for nothing"),
        Problem(7, "is not UTF-8"),
    ]


def test_tags_outside_a_vocabulary(tmp_path: Path) -> None:
    known = build_vocabulary([write(tmp_path / "train.conllu", GOOD)])
    assert known["UPOS"] == {"AUX": 1, "PART": 1, "VERB": 1}
    assert known["FEATS"] == {"Mood=Ind": 1, "VerbForm=Fin": 1}
    path = write(
        tmp_path / "b.conllu",
        [[row(1, head="0", upos="NOUN", deprel="root", feats="Case=Nom|Mood=Ind")]],
    )
    tags = {column: frozenset(found) for column, found in known.items()}
    assert [problem.message for problem in find_problems(path, None, tags)] == [
        "FEATS 'Case=Nom' is not in the vocabulary",
        "UPOS 'NOUN' is not in the vocabulary",
    ]


@pytest.mark.parametrize("content", ["[]", "{", '{"UPOS": 3}', '{"UPOS": [1]}', "{}"])
def test_bad_vocabularies(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(content)
    with pytest.raises(FormatError):
        read_vocabulary(path)


def test_erase_keeps_id_and_form(tmp_path: Path) -> None:
    path = write(tmp_path / "a.conllu", GOOD)
    blind = tmp_path / "blind.conllu"
    blind.write_text(erase(path), encoding="utf-8")
    lines = blind.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# sent_id = s1"
    assert lines[1] == "\t".join(["1-2", "don't", *["_"] * 10])
    assert lines[2] == "\t".join(["1", "do", *["_"] * 10])
    assert len(lines) == len(path.read_text(encoding="utf-8").splitlines())
    found = read_treebank(blind)
    assert [found.form(at) for at in range(3)] == ["do", "n't", "go"]


def test_erase_says_where_a_file_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(text(GOOD) + "1\tshort\n\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 8: 2 columns"):
        erase(path)


def test_weights_are_estimated(tmp_path: Path) -> None:
    rows = [row(1, upos="NOUN", feats="Case=Nom|Number=Sing"),
            row(2, upos="ADP", feats="Case=Gen|Number=Sing"),
            row(3, upos="NOUN", feats="Case=Nom,Gen")]  # fmt: skip
    found = estimate_weights([write(tmp_path / "a.conllu", [rows])])
    assert found.lemma == {"ADP": 0.3, "NOUN": 0.7}
    assert found.feats == {"Case": 3.0, "Number": 1.0}


def test_the_official_validator_is_called(tmp_path: Path) -> None:
    pytest.importorskip("udtools")
    lines = [
        "# sent_id = 1", "# text = He sleeps", "1\tHe\the\tPRON\t_\tCase=Nom\t2\tobj\t_\t_",
        "2\tsleeps\tsleep\tVERB\t_\tCase=Odd\t0\troot\t_\t_", "", "",
    ]  # fmt: skip
    path = tmp_path / "one.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert find_problems(path) == []
    form, language = (find_official_problems(path, name, 5) for name in ("ud", "en"))
    assert not any("feature-value-unknown" in problem.message for problem in form)
    (odd,) = [problem for problem in language if "feature-value-unknown" in problem.message]
    assert odd.line == 4
    with pytest.raises(UnknownName, match="klingon"):
        find_official_problems(path, "klingon", 5)


def test_the_official_validator_wants_conllu_and_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cobald.conllu", [[row(1, head="0")]])
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "udtools", None)
        with pytest.raises(MissingDependency, match=r"pip install 'gistmeter\[ud\]'"):
            find_official_problems(path, "en", 5)
    pytest.importorskip("udtools")
    with pytest.raises(InputError, match="reads CoNLL-U, and this is CoBaLD"):
        find_official_problems(path, "en", 5)
