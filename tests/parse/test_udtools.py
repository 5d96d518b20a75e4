"""The official scorer of Universal Dependencies (the package udtools) gives the same numbers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from gistmeter import Run, score_parses
from parse.parse_files import row

udeval = pytest.importorskip("udtools.udeval")

OURS = {
    "Tokens": "tokens", "Sentences": "sentences", "Words": "words", "UPOS": "conll18_upos",
    "XPOS": "xpos", "UFeats": "ufeats", "AllTags": "alltags", "Lemmas": "lemmas",
    "UAS": "conll18_uas", "LAS": "conll18_las", "CLAS": "clas", "MLAS": "mlas", "BLEX": "blex",
    "ELAS": "elas", "EULAS": "eulas",
}  # fmt: skip
RELATIONS = ("nsubj", "obj", "obl:in", "case", "det", "aux:pass", "conj", "punct", "acl:relcl")
FEATURES = ("_", "Case=Nom", "Case=Gen|Number=Sing", "Odd=1", "Number=Sing|Odd=2")


class Made:
    """A random treebank: each text is cut into sentences, tokens and words in its own way."""

    def __init__(self, text: str, dice: random.Random) -> None:
        self.sentences: list[list[list[str]]] = []
        letters = list(text)
        while letters:
            size = dice.randint(3, 12)
            self.sentences.append(self._sentence("".join(letters[:size]), dice))
            del letters[:size]

    def _sentence(self, letters: str, dice: random.Random) -> list[list[str]]:
        forms: list[str] = []
        ranges: dict[int, str] = {}
        while letters:
            size = dice.randint(1, 3)
            token, letters = letters[:size], letters[size:]
            if len(token) > 1 and dice.random() < 0.3:
                ranges[len(forms) + 1] = token
                forms += list(token)
            else:
                forms.append(token)
        order = dice.sample(range(1, len(forms) + 1), len(forms))
        heads = {word: dice.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
        empty = dice.randint(1, len(forms)) if dice.random() < 0.5 else 0
        lines = []
        for at, form in enumerate(forms, 1):
            if at in ranges:
                lines.append(row(f"{at}-{at + len(ranges[at]) - 1}", ranges[at])[:10])
            edges = {f"{heads[at]}:{dice.choice(RELATIONS)}"}
            if dice.random() < 0.3:
                # Another head, so that no two edges of a word differ in their subtypes alone.
                others = [head for head in range(1, len(forms) + 1) if head != heads[at]]
                edges |= {f"{dice.choice(others)}:{dice.choice(RELATIONS)}"} if others else set()
            if empty and dice.random() < 0.3:
                edges.add(f"{empty}.1:{dice.choice(RELATIONS)}")
            lines.append(row(
                at, form, lemma=dice.choice([form, "_", "l"]), upos=dice.choice(["NOUN", "VERB"]),
                xpos=dice.choice("XY"), feats=dice.choice(FEATURES), head=str(heads[at]),
                deprel=dice.choice(RELATIONS) if heads[at] else "root",
                deps="|".join(sorted(edges)),
            )[:10])  # fmt: skip
            if at == empty:
                above = dice.randint(0, len(forms))
                lines.append(row(f"{at}.1", "#", deps=f"{above}:{dice.choice(RELATIONS)}")[:10])
        return lines

    def write(self, path: Path) -> Path:
        blocks = ["\n".join("\t".join(cells) for cells in one) for one in self.sentences]
        path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
        return path


def collapse(path: Path) -> Path:
    """What the shared tasks do before they score: empty nodes become paths in the relations."""
    blocks = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        nodes = {cells[0]: cells[8].partition(":") for cells in rows if "." in cells[0]}
        for cells in rows:
            edges = [edge.partition(":") for edge in cells[8].split("|")]
            cells[8] = "|".join(dict.fromkeys(
                f"{nodes[head][0]}:{nodes[head][2]}>{relation}" if head in nodes else
                f"{head}{colon}{relation}" for head, colon, relation in edges
            ))  # fmt: skip
        blocks.append("\n".join("\t".join(cells) for cells in rows if "." not in cells[0]))
    collapsed = path.with_suffix(".collapsed")
    collapsed.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return collapsed


def official(gold: Path, system: Path) -> dict[str, Any]:
    loaded = []
    for path in (gold, system):
        with path.open(encoding="utf-8") as file:
            loaded.append(udeval.load_conllu(file, str(path), {}))
    scores: dict[str, Any] = udeval.evaluate(*loaded)
    return scores


def made(folder: Path, seed: int) -> tuple[Path, Path]:
    dice = random.Random(seed)
    text = "".join(dice.choice("abcdefg") for _ in range(60))
    gold, system = (Made(text, dice).write(folder / name) for name in ("g.conllu", "s.conllu"))
    return gold, system


def scored(gold: Path, system: Path) -> Run:
    return score_parses(gold, system, conll18=True, enhanced=True, resamples=0)


@pytest.mark.parametrize("seed", range(6))
def test_all_scores_are_those_of_the_official_script(tmp_path: Path, seed: int) -> None:
    gold, system = made(tmp_path, seed)
    theirs = official(collapse(gold), collapse(system))
    run = scored(gold, system)
    assert {name: run[ours].value for name, ours in OURS.items()} == pytest.approx(
        {name: theirs[name].f1 for name in OURS}, abs=1e-12
    )
    assert run.rows is not None
    details = run.rows.details
    tables = (details[f"{name}.json"]["s"]["official"] for name in ("conll18", "enhanced"))
    for name, numbers in {key: one for table in tables for key, one in table.items()}.items():
        expected = theirs[name]
        assert (numbers["correct"], numbers["gold"], numbers["system"], numbers["aligned"]) == (
            expected.correct, expected.gold_total, expected.system_total, expected.aligned_total
        )  # fmt: skip
        assert numbers["precision"] == expected.precision
        assert numbers["recall"] == expected.recall
        assert numbers["aligned_accuracy"] == expected.aligned_accuracy


def test_without_collapsing_the_script_leaves_edges_of_empty_nodes_out(tmp_path: Path) -> None:
    """One of three edges hangs from an empty node, and the system has it wrong.

    The script is made for files whose empty nodes were collapsed before, as both shared tasks did;
    where they were not, it drops the edge from all counts and finds everything right.
    """
    words = [row(1, "a", head="0", deprel="root", deps="0:root"),
             row(2, "b", head="1", deprel="conj", deps="1:conj"),
             row("2.1", "#", deps="1:conj"),
             row(3, "c", head="2", deprel="obj", deps="2.1:obj")]  # fmt: skip
    files = []
    for name, relation in (("g", "obj"), ("s", "nsubj")):
        lines = [[cell.replace("2.1:obj", f"2.1:{relation}") for cell in one[:10]] for one in words]
        path = tmp_path / f"{name}.conllu"
        path.write_text("\n".join("\t".join(one) for one in lines) + "\n\n", encoding="utf-8")
        files.append(path)
    assert official(*files)["ELAS"].f1 == 1.0
    assert official(*map(collapse, files))["ELAS"].f1 == pytest.approx(2 / 3)
    assert scored(*files)["elas"].value == pytest.approx(2 / 3)
