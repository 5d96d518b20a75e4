"""Reversed praise is told from paraphrase: pairs written for this, in every language with lists.

A line of `polarity/<code>.tsv` has a reference, the same in other words, its reverse. A conflict
found in a reverse is right, one found in a paraphrase wrong. Word lists and rules were mended with
the lines of even number before the eyes; those of odd number have a test of their own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import gistmeter
from gistmeter import languages
from gistmeter.metrics.polarity import conflicts

FOLDER = Path(__file__).parent / "polarity"
CODES = ("zh", "zh-Hant", "ja", "ko", "en", "cs", "ru")


def triples(code: str) -> list[list[str]]:
    name = "zh" if code == "zh-Hant" else code
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    found = [line.split("\t") for line in lines if not line.startswith("#")]
    if code == "zh-Hant":
        from gistmeter.languages.zh.words import converter

        found = [[converter("s2t").convert(text) for text in line] for line in found]
    return found


def rates(code: str, lines: list[list[str]]) -> tuple[float, float]:
    """Precision and recall of conflicts."""
    pack = languages.get(code)
    read = [
        (reference, pack.polarity(reference), same, reverse) for reference, same, reverse in lines
    ]
    wrong = sum(conflicts(pack.polarity(same), sign, text) for text, sign, same, _ in read)
    right = sum(conflicts(pack.polarity(reverse), sign, text) for text, sign, _, reverse in read)
    return right / max(1, right + wrong), right / len(lines)


@pytest.mark.parametrize("code", CODES)
def test_precision_and_recall(code: str) -> None:
    lines = triples(code)
    assert len(lines) >= 60 and all(len(line) == 3 for line in lines)
    precision, recall = rates(code, lines)
    assert precision >= 0.95 and recall >= 0.85, (precision, recall)


@pytest.mark.parametrize("code", CODES)
def test_lines_that_were_not_looked_at(code: str) -> None:
    precision, recall = rates(code, triples(code)[1::2])
    assert precision >= 0.95 and recall >= 0.85, (precision, recall)


@pytest.mark.parametrize("answer", ["不忍放手", "不愿意放开手", "爱得不肯放手", "珍爱得不忍释手"])
def test_right_answers_do_not_contradict_love(answer: str) -> None:
    assert not gistmeter.polarity_conflict(answer, "喜爱得舍不得放手", language="zh")


@pytest.mark.parametrize(
    ("code", "noun"),
    [
        ("zh", "品格"),
        ("zh", "品德"),
        ("zh", "道德"),
        ("zh", "成绩"),
        ("ko", "인품"),
        ("ja", "道徳"),
    ],
)
def test_neutral_nouns_are_no_praise(code: str, noun: str) -> None:
    assert not languages.get(code).polarity(noun).positive


def test_the_predicate_outranks_what_it_speaks_of() -> None:
    assert gistmeter.polarity_conflict("形容才能平庸", "形容才能出众", language="zh")
    assert not gistmeter.polarity_conflict("诽谤好人", "陷害好人", language="zh")


def test_only_a_shared_predicate_can_be_denied() -> None:
    assert not gistmeter.polarity_conflict("He did not stop.", "He is brave.", language="en")


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "They like music."), ("en", "We support him."), ("ja", "彼を支持する")],
)
def test_liking_and_supporting_are_praise(code: str, text: str) -> None:
    assert languages.get(code).polarity(text).positive


def test_like_in_a_comparison_is_no_praise() -> None:
    assert not languages.get("en").polarity("sly like a fox").positive
