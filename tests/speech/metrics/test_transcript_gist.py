"""gist of long recordings: by segments, weighted by content words, the worst with their texts."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from gistmeter import score_speech
from gistmeter.core.cache import Cache
from gistmeter.core.rows import Rows
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.metrics.gist import PairGist
from gistmeter.speech.metrics.edits import segments
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.transcript_gist import (
    MINUTE,
    TranscriptGist,
    TranscriptGuard,
    cut_clip,
)
from text.text_doubles import Given, Letters

ENGLISH = Normalisation(get("en"), "default")
SENTENCE = "The committee moved the meeting in Leeds to Thursday because of the strike. "


GUARDS = {"en": TranscriptGuard("en", Cache(None))}


def metric(*, segmented: bool = False) -> TranscriptGist:
    return TranscriptGist(
        Given(), Letters(), Given(), "speech", guards=GUARDS, normalisation=ENGLISH,
        segmented=segmented,
    )  # fmt: skip


def alone(said: str, heard: str) -> Rows:
    """What gist says of the texts as they stand."""
    return PairGist(Given(), Letters(), Given(), "speech", guards=GUARDS).measure(
        [Clip("a", said, heard, language="en")]
    )


def test_a_short_clip_is_judged_whole_as_the_normaliser_writes_it() -> None:
    said, heard = "So the committee, um, moved 2 rooms.", "so the committee moved two rooms"
    rows = metric().measure([Clip("a", said, heard, language="en")])
    plain = alone(ENGLISH.normalise(said), ENGLISH.normalise(heard))
    assert rows.values("gist").tolist() == plain.values("gist").tolist()
    assert rows.texts["evidence"] == plain.texts["evidence"]
    assert metric().pool(rows)["gist"] == plain.values("gist")[0]


@pytest.mark.parametrize("normalizer", ["default", "seed", "none"])
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("um it rose three point five percent", "It rose 3.5 %."),
        ("well-known <s> methods [laughter]", "Well known methods"),
        ("call five five five one two three four", "Call 555-1234."),
    ],
)
def test_ways_of_writing_lose_no_meaning(said: str, heard: str, normalizer: str) -> None:
    judge = dataclasses.replace(metric(), normalisation=Normalisation(get("en"), normalizer))
    clips = [Clip("a", said, text, language="en") for text in (said, heard)]
    same, other = judge.measure(clips).values("gist")
    assert other == pytest.approx(same)


def test_with_an_alarm_the_lower_of_both_readings_counts() -> None:
    said, heard = "Take fifty milligrams of it daily.", "Take fifty micrograms of it daily."
    found = metric().measure([Clip("a", said, heard, language="en")])
    readings = [alone(said, heard), alone(ENGLISH.normalise(said), ENGLISH.normalise(heard))]
    values = [float(rows.values("gist")[0]) for rows in readings]
    assert values[0] != values[1]
    assert found.values("gist")[0] == min(values)
    assert found.texts["evidence"][0] == readings[values.index(min(values))].texts["evidence"][0]
    assert '"kind": "unit"' in (found.texts["evidence"][0] or "")


def test_without_an_alarm_the_higher_of_both_readings_counts() -> None:
    said = "The committee, um, met on 3 May 2024 in the old town hall."
    heard = "the the committee meets on may third twenty twenty four in a town hall"
    found = metric().measure([Clip("a", said, heard, language="en")])
    readings = [alone(said, heard), alone(ENGLISH.normalise(said), ENGLISH.normalise(heard))]
    values = [float(rows.values("gist")[0]) for rows in readings]
    assert values[0] != values[1]
    assert found.values("gist")[0] == max(values)


def test_hesitations_alone_are_nothing_said() -> None:
    rows = metric().measure([Clip("a", "um uh", "", language="en")])
    assert np.isnan(rows.values("gist")).all()


def test_a_long_clip_is_cut_at_sentences_and_nothing_is_lost() -> None:
    clip = Clip("a", SENTENCE * 30, SENTENCE * 10 + SENTENCE * 18, language="en")
    words = len(ENGLISH.read(clip.expected).words)
    parts = cut_clip(clip, words, [(0, words)], range(1))
    assert len(parts) == len(segments(words)) > 1
    assert all(part.clip.expected.endswith("strike.") for part in parts)
    assert " ".join(part.clip.expected for part in parts).split() == clip.expected.split()
    assert " ".join(part.clip.got or "" for part in parts).split() == (clip.got or "").split()


def test_lost_stretches_lower_the_mean_and_are_kept_with_their_texts() -> None:
    expected = SENTENCE * 30
    whole, half = (Clip("a", expected, heard, language="en") for heard in (expected, SENTENCE * 12))
    rows = metric().measure([whole, half])
    first, second = rows.values("gist").tolist()
    assert second < 0.6 * first
    worst = json.loads(rows.texts["worst_segments"][1] or "")
    value, start, said, heard = worst[0]
    assert (value, heard) == (0.0, "")
    assert 0 < start < len(expected.split())
    assert said in expected


def test_segments_with_more_content_weigh_more() -> None:
    filler = "yes yes well okay so then right " * 30
    facts = "Prague Leeds Vienna budget strike contract railway harvest engine turbine " * 21
    heard = Clip("a", filler + facts, facts, language="en")
    rows = metric(segmented=True).measure([heard])
    values, weights = rows.values("gist"), rows.values("gist_weight")
    assert weights[-1] > weights[0]
    assert metric(segmented=True).pool(rows)["gist"] == pytest.approx(
        np.average(values, weights=weights)
    )
    assert metric(segmented=True).pool(rows)["gist"] > values.mean()


def test_a_missing_transcript_is_unscored() -> None:
    rows = metric().measure([Clip("a", SENTENCE * 30, None, language="en")])
    assert np.isnan(rows.values("gist")).all()
    assert rows.reasons["gist"]


def test_the_worst_segments_of_one_recording_are_shown_with_their_words(tmp_path: Path) -> None:
    said, heard = tmp_path / "said.txt", tmp_path / "heard.txt"
    said.write_text(" ".join(f"word{at}" for at in range(3 * MINUTE)), "utf-8")
    heard.write_text(" ".join(f"word{at}" for at in range(2 * MINUTE)) + " and so on", "utf-8")
    run = score_speech(said, heard, language="en", metrics=["wer"], normalizer="seed")
    rows = run.measured
    worst = int(np.argmax(rows.values("wer")))
    assert rows.texts["heard"][worst] is not None
    assert rows.texts["heard"][0].startswith("word0 word1 ")  # type: ignore[union-attr]
