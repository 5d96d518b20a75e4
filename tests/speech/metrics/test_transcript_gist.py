"""gist of long recordings: by segments, weighted by content words, the worst with their texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gistmeter import score_speech
from gistmeter.core.types import Clip
from gistmeter.languages import get
from gistmeter.metrics.gist import PairGist
from gistmeter.speech.metrics.edits import segments
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.transcript_gist import MINUTE, TranscriptGist, cut_clip
from text.text_doubles import Given, Letters

ENGLISH = Normalisation(get("en"))
SENTENCE = "The committee moved the meeting in Leeds to Thursday because of the strike. "


def metric(*, segmented: bool = False) -> TranscriptGist:
    return TranscriptGist(
        Given(), Letters(), Given(), "speech", normalisation=ENGLISH, segmented=segmented
    )


def test_a_short_clip_is_judged_as_before() -> None:
    clips = [Clip("a", SENTENCE, "The committee moved the meeting.", language="en")]
    rows, plain = (
        metric().measure(clips),
        PairGist(Given(), Letters(), Given(), "speech").measure(clips),
    )
    assert rows.values("gist").tolist() == plain.values("gist").tolist()
    assert rows.texts["evidence"] == plain.texts["evidence"]
    assert metric().pool(rows)["gist"] == plain.values("gist")[0]


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
