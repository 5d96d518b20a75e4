"""The answer of speech: meaning first, and where word errors say otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gistmeter import score_speech
from gistmeter.core.views import Opener
from gistmeter.speech.views import confusions

SAID = [f"take {number} pills and do not drink before noon" for number in range(20, 40)]
FORMS = [text.replace("do not", "don't").replace("and", "um and") for text in SAID]
WRONG = [text.replace("not ", "") for text in SAID]


def test_where_words_and_meaning_disagree_both_are_said() -> None:
    run = score_speech(SAID, {"forms": FORMS, "wrong": WRONG}, language="en",
                       metrics=["wer", "alarms"], normalizer="none")  # fmt: skip
    assert run.systems["wrong"]["wer"].value < run.systems["forms"]["wer"].value
    answer = run.answer()
    assert "Word errors and meaning disagree" in answer
    assert "by changed facts (alarms) forms is, with 0.000 against 1.000" in answer
    assert "Trust meaning for whether" in answer


def test_silence_is_no_gain(tmp_path: Path) -> None:
    """Empty cells are transcripts of nothing; null ones were never delivered."""
    table = tmp_path / "t.jsonl"
    said = "take 20 pills"
    rows = [
        {"file": str(at), "expected": said, "good": said, "mute": heard}
        for at, heard in enumerate(["", None, said])
    ]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run = score_speech(table, language="en", metrics=["wer", "alarms"], systems=["good", "mute"])
    mute = run.systems["mute"]
    assert (mute["alarms"].value, mute["alarms"].n, mute["alarms"].unscored) == (0.5, 2, 1)
    assert mute["wer"].value == pytest.approx(50)


def test_errors_are_counted_by_word_and_by_kind() -> None:
    said = ["Anna paid 20 euros in Brno", "Anna paid 30 euros in Brno"]
    heard = ["hannah paid 12 euros in Prague", "Anna paid 30 euros in Brno"]
    run = score_speech(said, {"a": heard}, language="en", metrics=["wer", "alarms"])
    assert run.systems["a"]["number_error_rate"].value == 50
    assert run.systems["a"]["name_error_rate"].n == 2
    confused = run.notes["confused_words"]["a"]
    assert ["brno", "prague", 1] in confused["substituted"]
    assert confused["deleted"] == confused["inserted"] == []


def test_the_report_counts_all_errors_of_a_kind_and_not_those_it_lists() -> None:
    said = ["alpha beta gamma delta"] * 3
    run = score_speech(said, {"a": ["alpha beta", "alpha", ""]}, language="en", metrics=["wer"])
    (block,) = confusions(Opener(run))
    assert [(title, total) for title, _, _, total in block["g"]] == [
        ("Heard as another word", 0), ("Lost", 9), ("Put in", 0),
    ]  # fmt: skip


def test_the_answer_says_when_the_order_depends_on_the_normaliser() -> None:
    said = ["it rose by three point five percent", "we have twenty dogs"] * 10
    forms = ["it rose by 3.5%", "we have 20 dogs"] * 10
    wrong = ["it rose by three point five percent", "we had twenty dogs"] * 10
    run = score_speech(said, {"forms": forms, "wrong": wrong}, language="en", metrics=["wer"])
    assert "by seed's rules wrong is first instead of second" in run.answer() or (
        "by seed's rules forms is second instead of first" in run.answer()
    )
