"""Speech from Python: one clip through one recogniser, and lists of texts."""

from __future__ import annotations

import asyncio
import logging
import math
import wave
from pathlib import Path

import pytest
import speech_plugins
from speech_doubles import honest

from gistmeter import (
    DiffReport,
    SemanticUnderstandingAnalyzer,
    score_speech,
    transcribe_and_diff,
)
from gistmeter.errors import InputError, UnknownName


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    with wave.open(str(tmp_path / "a.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(b"\1\0" + b"\0\0" * 8000)
    (tmp_path / "a.txt").write_text("One two, four.\n")
    return tmp_path / "a.wav"


def diff(clip: Path, provider: object, custom: object = None, **settings: object) -> DiffReport:
    return asyncio.run(
        transcribe_and_diff(
            provider,
            clip,
            clip.with_suffix(".txt"),
            clip.with_suffix(".html"),
            custom_metric_fn=custom,
            language="en",
            **settings,
        )
    )


def test_a_clip_is_transcribed_and_compared(clip: Path) -> None:
    report = diff(clip, speech_plugins.heard)
    assert (report.provider, report.file) == ("heard", "a")
    assert report.wer == pytest.approx(100 / 3)
    assert (report.insertions, report.deletions, report.substitutions) == (0, 0, 1)
    assert (report.words_expected, report.words_got) == (3, 3)
    assert report.match_percent == pytest.approx(200 / 3)
    assert report.text_got == "one two three" and report.error == ""
    assert report.latency >= 0
    assert report.custom_metric is None
    page = clip.with_suffix(".html").read_text("utf-8")
    assert "<ins>three</ins>" in page and "Semantic Understanding" not in page


def test_the_analyser_is_a_custom_metric(clip: Path) -> None:
    clip.with_suffix(".txt").write_text("Anna met Boris. Clara left Prague.")
    analyzer = SemanticUnderstandingAnalyzer(llm=honest())
    report = diff(clip, lambda path: "Anna met Boris.", analyzer.compare)
    assert report.custom_metric is not None
    assert report.custom_metric.score == 50.0
    assert report.custom_metric.understanding == 50.0
    assert "Semantic Understanding" in clip.with_suffix(".html").read_text("utf-8")


def test_a_custom_metric_brings_its_own_html(clip: Path) -> None:
    report = diff(clip, speech_plugins.heard, speech_plugins.length)
    assert report.custom_metric is not None
    assert "my own" in clip.with_suffix(".html").read_text("utf-8")


def test_a_custom_metric_that_raises_leaves_a_warning(
    clip: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clip.with_suffix(".txt").write_text("one two")
    with caplog.at_level(logging.WARNING):
        report = diff(clip, speech_plugins.heard, speech_plugins.moody)
    assert report.custom_metric is None
    assert "not today" in caplog.text


def test_a_recogniser_that_fails_is_in_the_report(clip: Path) -> None:
    from gistmeter.recognizers.benchmark import BenchmarkSettings

    def broken(path: Path) -> str:
        raise RuntimeError("no microphone")

    report = diff(clip, broken, settings=BenchmarkSettings(tries=1))
    assert "no microphone" in report.error
    assert math.isnan(report.wer)
    assert "no microphone" in clip.with_suffix(".html").read_text("utf-8")


def test_lists_of_texts() -> None:
    run = score_speech(["one two", "three four"], ["one too", "three four"], metrics=["wer"])
    assert run["wer"].value == 25.0
    assert run.notes["edits"]["system"]["substitutions"] == 1
    several = score_speech(
        ["one two", "x"], {"a": ["one two", "x"], "b": ["", "x"]}, language="en", metrics=["wer"]
    )
    assert several.systems["a"]["wer"].value == 0
    assert several.systems["b"]["wer"].value == pytest.approx(200 / 3)


def test_facts_from_python() -> None:
    run = score_speech(
        ["Anna met Boris. Clara left Prague."], ["Anna met Boris."],
        language="en", metrics=["wer", "ser"], llm=honest(),
    )  # fmt: skip
    assert run["ser"].value == 50.0 and run["wer"].value == 50.0
    assert run.notes["short_texts"] == 1


def test_what_cannot_be_scored_is_said() -> None:
    with pytest.raises(UnknownName, match="sem_dist"):
        score_speech(["a"], ["a"], metrics=["semdist"])
    with pytest.raises(InputError, match=r"nothing to compute.*asks a language model"):
        score_speech(["a"], ["a"], language="en", metrics=["ser"])
    with pytest.raises(InputError, match="1 transcripts for 2 texts"):
        score_speech(["a", "b"], ["a"])
    assert score_speech(["a b"], [None], language="en", metrics=["wer"])["wer"].unscored == 1
