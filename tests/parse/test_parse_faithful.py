"""What SEMarkup's and the shared task's own scripts read and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gistmeter
from gistmeter.core.errors import FormatError, InputError
from gistmeter.parse.formats.treebank_tools import read_vocabulary


def conllu(path: Path, *sentences: list[str]) -> Path:
    blocks = []
    for number, words in enumerate(sentences, 1):
        lines = [f"# sent_id = {number}"]
        for at, form in enumerate(words, 1):
            head, rel = (0, "root") if at == 1 else (1, "dep")
            lines.append(f"{at}\t{form}\t{form}\tNOUN\t_\t_\t{head}\t{rel}\t_\t_")
        blocks.append("\n".join(lines) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


def test_the_reference_vocabulary_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train_vocab.json"
    theirs = {"upos": ["NOUN", "_"], "xpos": ["_"], "feats": {"Case": ["Nom", "Acc"]},
              "heads": [0, 1],
              "deprels": ["root"], "semslots": ["Agent"], "semclasses": ["DOG"]}  # fmt: skip
    path.write_text(json.dumps(theirs), encoding="utf-8")
    read = read_vocabulary(path)
    assert read["FEATS"] == {"Case=Nom", "Case=Acc"}
    assert (
        read["DEPREL"] == {"root"} and read["SEMSLOT"] == {"Agent"} and read["SEMCLASS"] == {"DOG"}
    )


def test_reordered_sentences_get_the_advice_they_need(tmp_path: Path) -> None:
    gold = conllu(tmp_path / "g.conllu", ["a", "b"], ["c", "d"])
    system = conllu(tmp_path / "s.conllu", ["c", "d"], ["a", "b"])
    with pytest.raises(FormatError, match="put the sentences in the gold's order"):
        gistmeter.score_parses(gold, system)
    other = conllu(tmp_path / "o.conllu", ["x", "b"], ["c", "d"])
    with pytest.raises(FormatError, match="--conll18"):
        gistmeter.score_parses(gold, other)


def multiword(path: Path, *words: str) -> Path:
    lines = ["# sent_id = 1", f"1-2\t{'xy'}\t_\t_\t_\t_\t_\t_\t_\t_"]
    for at, form in enumerate(words, 1):
        head, rel = (0, "root") if at == 1 else (1, "dep")
        lines.append(f"{at}\t{form}\tl\tNOUN\t_\t_\t{head}\t{rel}\t_\t_")
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def test_blanks_inside_multiword_tokens_count_as_in_the_official_script(tmp_path: Path) -> None:
    gold = multiword(tmp_path / "g.conllu", "x y", "z")
    system = multiword(tmp_path / "s.conllu", "xy", "z")
    run = gistmeter.score_parses(gold, system, conll18=True, resamples=0)
    assert run["words"].value == pytest.approx(0.5)


def test_semarkups_scorer_refuses_what_it_has_no_weight_for(tmp_path: Path) -> None:
    path = tmp_path / "g.conllu"
    path.write_text(
        "# sent_id = 1\n1\ta\ta\tNOUN\t_\tStrange=Yes\t0\troot\t_\t_\n\n", encoding="utf-8"
    )
    assert gistmeter.score_parses(path, path, resamples=0)["feats"].value == 1.0
    with pytest.raises(InputError, match="They are refused"):
        gistmeter.score_parses(path, path, preset="semarkup", resamples=0)
