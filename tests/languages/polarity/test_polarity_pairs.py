"""Reversed praise is told from paraphrase: pairs written for this, in every language with lists.

A line of `polarity/<code>.tsv` has a reference, the same in other words, its reverse. A conflict
found in a reverse is right, one found in a paraphrase wrong. Word lists and rules were mended with
the lines of even number before the eyes; those of odd number have a test of their own.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import gistmeter
from conftest import shared_path
from gistmeter import languages
from gistmeter.text.metrics.polarity_conflict import conflicts

FOLDER = Path(__file__).parent
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


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        # What follows a contrast decides.
        ("zh-Hant", "話說得很動聽，臉色裝得很和善，可是一點也不誠懇", "形容人矯情虛偽"),
        ("en", "He looks kind and gentle, but he is cruel.", "a cruel man"),
        # Denying a fault is no praise that any other blame would contradict.
        ("zh", "现也指拘守旧准则，不敢稍做变动", "原指遵守规矩，不敢违反"),
        ("zh", "形容仇恨极深", "不愿和仇敌在一个天底下并存"),
        ("ko", "혼자서는 어떤 일을 이루기 어려움", "맞서는 사람이 없으면 싸움이 일어나지 않음"),
        # Both deny, each in its own words.
        ("zh-Hant", "以仁为任，无所谦让", "遇到应该做的事就积极主动去做，不推让"),
        ("zh-Hant", "天地间历久不变的常道", "指绝对正确，不能改变的道理"),
        # 地 ends the reach of a negation, and so does 的 after what it denied.
        ("zh", "指故意捣乱", "毫无理由地跟人吵闹"),
        ("zh", "形容医术高明", "比喻把已经没有希望的事物挽救过来"),
    ],
)
def test_paraphrases_that_people_wrote_do_not_contradict_each_other(
    code: str, said: str, expected: str
) -> None:
    assert not gistmeter.polarity_conflict(said, expected, language=code)


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        ("zh", "十分喜欢", "一点也不喜欢"),
        ("zh", "形容充满希望", "形容没有希望"),
        ("en", "He is honest.", "He is not honest."),
        ("ko", "싸움이 일어남", "싸움이 일어나지 않음"),
    ],
)
def test_a_denial_is_contradicted_by_what_it_denies(code: str, said: str, expected: str) -> None:
    assert gistmeter.polarity_conflict(said, expected, language=code)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ko", "쉬지말고 집 앞을 치우시기 바랍니다"),  # 고집 over a blank
        ("ko", "갑자기 생긴 사건"),  # 생기, vigour
        ("ja", "ジョン・マッケイとアリソン・マリソン博士"),  # 損 and ん in names
    ],
)
def test_words_that_are_only_spelled_alike_are_not_read(code: str, text: str) -> None:
    read = languages.get(code).polarity(text)
    assert not read.positive and not read.negative, read.words


def alike(code: str) -> list[list[str]]:
    """Development pairs to which people gave at least 95% of the highest score."""
    name = {"ko": "korsts-dev.tsv", "ja": "jsts-valid.jsonl"}.get(code, f"stsb-{code}-dev.csv")
    with shared_path(f"data/sts/{name}").open(encoding="utf-8", newline="") as stream:
        if code == "ja":
            rows = [[one["sentence1"], one["sentence2"], one["label"]]
                    for one in map(json.loads, stream)]  # fmt: skip
        elif code == "ko":
            table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            rows = [[one["sentence1"], one["sentence2"], one["score"]] for one in table]
        else:
            rows = list(csv.reader(stream))
    return [row for row in rows if float(row[2]) >= 4.75 and row[0] != row[1]]


@pytest.mark.parametrize("code", ["zh", "en", "ru", "ja", "ko"])
def test_no_conflict_is_found_where_people_found_the_same(code: str) -> None:
    pack, rows = languages.get(code), alike(code)
    assert len(rows) >= 10
    read = [(one, other, pack.polarity(one), pack.polarity(other)) for one, other, _ in rows]
    wrong = [
        (one, other)
        for one, other, left, right in read
        if conflicts(left, right, other) or conflicts(right, left, one)
    ]
    assert wrong == []
