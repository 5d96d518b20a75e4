"""Alarms of transcripts: of long ones by segments."""

from __future__ import annotations

import json

import pytest

from gistmeter import score_speech

CALM = "and so the meeting went on for a while and everybody was rather content with what was said"


def test_a_long_clip_counts_with_the_share_of_its_segments() -> None:
    said = " ".join([CALM] * 5 + ["the dose is five milligrams"] + [CALM] * 5)
    heard = said.replace("five", "nine")
    more = heard.replace("content", "furious", 1)
    clips = [said, "turn it on", "turn it on"]
    run = score_speech(clips, {"a": [heard, "turn it on", "turn it off"],
                               "b": [more, "turn it on", "turn it on"],
                               "c": ["", "turn it on", "turn it on"]},
                       language="en", metrics=["alarms"])  # fmt: skip
    segments = 10  # of 18 or 19 words
    assert run.systems["a"]["alarms"].value == pytest.approx((1 / segments + 0 + 1) / 3)
    assert run.systems["a"]["alarm_number"].value == pytest.approx(1 / segments / 3)
    assert run.systems["b"]["alarms"].value == pytest.approx(2 / segments / 3)
    assert run.systems["b"]["alarm_word"].value == pytest.approx(1 / segments / 3)
    assert run.systems["c"]["alarms"].value > 0.3


def test_a_short_clip_counts_one_whatever_number_of_alarms() -> None:
    run = score_speech(["five of nine on monday"], ["four of eight on tuesday"], language="en",
                       metrics=["alarms"])  # fmt: skip
    assert run["alarms"].value == 1


def test_what_is_said_elsewhere_in_an_hour_excuses_nothing() -> None:
    said = [f"{CALM} the dose of {dose} milligrams is right" for dose in ("five", "nine", "six")]
    heard = [said[0].replace("five", "nine"), said[1], said[2].replace("six", "five")]
    texts = " ".join([*said, *said, *said]), " ".join([*heard, *said, *heard])
    run = score_speech([texts[0], "yes"], [texts[1], "yes"], language="en", metrics=["alarms"])
    (words, _) = run.measured.texts["alarm_words"]
    listed = json.loads(words or "")["alarms"]
    assert len(listed) == 4
    for kind, own, other, here, there in listed:
        assert kind == "number"
        assert texts[0][slice(*here)] == own != other == texts[1][slice(*there)]
