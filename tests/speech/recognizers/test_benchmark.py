"""Pace, tries, failures and the end of a benchmark."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError
from gistmeter.core.types import Clip
from gistmeter.speech.formats.audio import BYTES_PER_SECOND
from gistmeter.speech.recognizers import benchmark
from gistmeter.speech.recognizers.benchmark import (
    BenchmarkOutcome,
    BenchmarkSettings,
    RecognizerError,
    SpeechEvent,
    Transcript,
    adapt,
    transcribe,
    transcribe_all,
)
from gistmeter.speech.recognizers.listening import join
from speech.recognizers.recognizer_doubles import QUICK, Echo, Echoes, bytes_heard, clip

Results = list[tuple[str, str, Transcript]]


def run(
    recognizers: dict, clips: list[Clip], settings: BenchmarkSettings = QUICK, wanted=None
) -> tuple[Results, BenchmarkOutcome]:
    results: Results = []
    outcome = transcribe_all(
        recognizers,
        clips,
        settings,
        lambda name, clip, transcript: results.append((name, clip.id, transcript)),
        wanted,
    )
    return results, outcome


def test_a_clip_goes_out_in_chunks_with_silence_around_it(tmp_path: Path) -> None:
    echoes = Echoes()
    settings = dataclasses.replace(QUICK, silence_before=0.2, silence_after=0.3)
    [(_, _, transcript)], _ = run({"e": echoes}, [clip(tmp_path, seconds=0.5)], settings)
    assert echoes.sessions[0].chunks == [6400, 6400, 6400, 3200, 6400, 3200]
    assert bytes_heard(transcript.text) == BYTES_PER_SECOND
    assert transcript.duration == 0.5  # silence is not part of the clip
    assert (transcript.tries, transcript.partials, transcript.error) == (1, 1, "")
    assert [event.speaker for event in transcript.segments] == ["1", "2"]
    assert echoes.sessions[0].entered and echoes.sessions[0].left


def test_times_are_measured_from_the_first_and_the_last_sound(tmp_path: Path, monkeypatch) -> None:
    """A clock that moves only when the test says so."""
    now = [100.0]
    monkeypatch.setattr("gistmeter.speech.recognizers.listening.time.perf_counter", lambda: now[0])

    class Timed(Echo):
        async def send_audio(self, pcm: bytes) -> None:
            now[0] += 1
            await super().send_audio(pcm)
            await asyncio.sleep(0.01)  # the partial text is taken down

        async def end_audio(self) -> None:
            now[0] += 5
            await super().end_audio()

    settings = dataclasses.replace(QUICK, silence_after=0.4)
    [(_, _, transcript)], _ = run({"e": Echoes(Timed)}, [clip(tmp_path, seconds=0.6)], settings)
    assert transcript.latency_first == 1.0
    assert transcript.elapsed == 3 + 2 + 5  # three chunks of speech, two of silence
    assert transcript.latency_final == 2 + 5
    assert transcript.elapsed / transcript.duration == pytest.approx(10 / 0.6)


def test_the_pace_of_speech_is_kept(tmp_path: Path, monkeypatch) -> None:
    """Each chunk leaves when a microphone would have filled it, late ones at once."""
    now, waits = [0.0], []

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds, 6))
        now[0] += seconds
        await real_sleep(0)

    real_sleep = asyncio.sleep
    monkeypatch.setattr("gistmeter.speech.recognizers.listening.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("gistmeter.speech.recognizers.listening.asyncio.sleep", sleep)

    class Slow(Echo):
        async def send_audio(self, pcm: bytes) -> None:
            now[0] += 0.5 if not self.chunks else 0.0
            await super().send_audio(pcm)

    settings = dataclasses.replace(QUICK, realtime_factor=1.0, silence_after=0.0)
    [(_, _, transcript)], _ = run({"e": Echoes(Slow)}, [clip(tmp_path, seconds=1.0)], settings)
    # The first chunk took half a second, so the second and third are late, the fourth is not.
    assert waits == [0.2, 0.0, 0.0, 0.1, 0.2]
    assert transcript.latency_final == 0.0
    assert transcript.elapsed == 1.0


def test_a_recogniser_that_lags_does_not_hide_its_latency(tmp_path: Path, monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr("gistmeter.speech.recognizers.listening.time.perf_counter", lambda: now[0])

    class Lagging(Echo):
        async def send_audio(self, pcm: bytes) -> None:
            now[0] += 2.0
            await super().send_audio(pcm)

    async def sleep(seconds: float) -> None:
        now[0] += seconds
        await real_sleep(0)

    real_sleep = asyncio.sleep
    monkeypatch.setattr("gistmeter.speech.recognizers.listening.asyncio.sleep", sleep)
    settings = dataclasses.replace(QUICK, realtime_factor=1.0, silence_after=0.0)
    [(_, _, transcript)], _ = run({"e": Echoes(Lagging)}, [clip(tmp_path, seconds=1.0)], settings)
    assert transcript.latency_final == pytest.approx(10.2 - 1.0)


def test_results_come_in_the_order_of_clips_for_each_recogniser(tmp_path: Path) -> None:
    clips = [clip(tmp_path, name) for name in "abc"]
    results, outcome = run({"x": Echoes(), "y": Echoes()}, clips)
    for name in "xy":
        assert [found for who, found, _ in results if who == name] == ["a", "b", "c"]
    assert outcome == BenchmarkOutcome()


def test_recognisers_work_beside_each_other(tmp_path: Path) -> None:
    """Each waits for the other: one after the other they would never end."""
    meeting = threading.Barrier(2, timeout=20)

    def meet(path: Path) -> str:
        meeting.wait()
        return "met"

    results, _ = run({"x": adapt(meet), "y": adapt(meet)}, [clip(tmp_path)])
    assert [transcript.text for *_, transcript in results] == ["met", "met"]


def test_the_language_of_the_clip_goes_before_that_of_the_run(tmp_path: Path) -> None:
    settings = dataclasses.replace(QUICK, language="cs")
    results, _ = run({"e": Echoes()}, [clip(tmp_path, "a", language="ko")], settings)
    assert results[0][2].text.endswith(" ko")
    results, _ = run({"e": Echoes()}, [clip(tmp_path, "a")], settings)
    assert results[0][2].text.endswith(" cs")


class Failing(Echo):
    error: Exception = RecognizerError("out of order")

    async def send_audio(self, pcm: bytes) -> None:
        raise self.error


class Mended:
    """Fails so often before it works."""

    id = "mended"

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.opened = 0

    def session(self, language: str = "") -> Echo:
        self.opened += 1
        return Failing() if self.opened <= self.failures else Echo()


@pytest.mark.parametrize(("failures", "tries"), [(0, 1), (1, 2), (2, 3)])
def test_three_tries(tmp_path: Path, failures: int, tries: int) -> None:
    [(_, _, transcript)], _ = run({"m": Mended(failures)}, [clip(tmp_path)])
    assert (transcript.tries, transcript.error) == (tries, "")


def test_three_failures_are_a_failed_clip(tmp_path: Path) -> None:
    mended = Mended(3)
    [(_, _, transcript)], _ = run({"m": mended}, [clip(tmp_path)])
    assert (transcript.tries, transcript.error, mended.opened) == (3, "out of order", 3)
    assert transcript.failed and math.isnan(transcript.latency_final)
    assert transcript.text == ""
    assert transcript.duration == 0.5


def test_what_would_fail_again_is_not_tried_again(tmp_path: Path) -> None:
    class Refusing(Failing):
        error = RecognizerError("wrong key", lasting=True)

    echoes = Echoes(Refusing)
    [(_, _, transcript)], _ = run({"e": echoes}, [clip(tmp_path)])
    assert (transcript.tries, len(echoes.sessions)) == (1, 1)


def test_pauses_double_and_honour_what_the_service_asks_for(tmp_path: Path, monkeypatch) -> None:
    class Busy(Failing):
        error = RecognizerError("too many", retry_after=3.0)

    pauses: list[float] = []

    async def rest(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(benchmark, "_rest", rest)
    settings = dataclasses.replace(QUICK, pause=2.0)
    run({"e": Echoes(Busy)}, [clip(tmp_path)], settings)
    assert pauses == [3.0, 4.0]


def test_any_exception_of_a_recogniser_is_that_clips_failure(tmp_path: Path) -> None:
    class Broken(Failing):
        error = ZeroDivisionError("by zero")

    results, _ = run({"b": Echoes(Broken), "e": Echoes()}, [clip(tmp_path)])
    errors = {name: transcript.error for name, _, transcript in results}
    assert errors == {"b": "ZeroDivisionError: by zero", "e": ""}


def test_a_stream_that_ends_early_is_a_failure(tmp_path: Path) -> None:
    class Hasty(Echo):
        async def events(self) -> AsyncIterator[SpeechEvent]:
            yield SpeechEvent("too soon")

        async def send_audio(self, pcm: bytes) -> None:
            await asyncio.sleep(30)

    [(_, _, transcript)], _ = run({"h": Echoes(Hasty)}, [clip(tmp_path)])
    assert "closed before the audio had ended" in transcript.error


def test_a_recogniser_that_hangs_is_left_when_its_time_is_up(tmp_path: Path) -> None:
    class Hanging(Echo):
        async def end_audio(self) -> None:
            await asyncio.Event().wait()

    settings = dataclasses.replace(QUICK, timeout=0.05, timeout_factor=0.0, tries=2)
    echoes = Echoes(Hanging)
    results, _ = run({"h": echoes, "e": Echoes()}, [clip(tmp_path)], settings)
    errors = {name: transcript.error for name, _, transcript in results}
    assert "no complete answer" in errors["h"]
    assert errors["e"] == ""
    assert len(echoes.sessions) == 2
    assert all(session.left for session in echoes.sessions)


def test_a_function_that_never_returns_does_not_hold_up_the_end(tmp_path: Path) -> None:
    release = threading.Event()

    def hang(path: Path) -> str:
        release.wait()
        return ""

    settings = dataclasses.replace(QUICK, timeout=0.05, timeout_factor=0.0, tries=1)
    try:
        [(_, _, transcript)], _ = run({"h": adapt(hang)}, [clip(tmp_path)], settings)
    finally:
        release.set()
    assert "no complete answer" in transcript.error


def test_the_time_limit_grows_with_the_clip_and_its_pace() -> None:
    settings = BenchmarkSettings(timeout=10, timeout_factor=2, realtime_factor=1, silence_after=1)
    assert settings.limit(60) == 10 + 120 + 61


def test_five_failures_in_a_row_end_one_recogniser_only(tmp_path: Path) -> None:
    clips = [clip(tmp_path, name) for name in "abcdefgh"]
    settings = dataclasses.replace(QUICK, tries=1)
    broken, echoes = Echoes(Failing), Echoes()
    results, outcome = run({"b": broken, "e": echoes}, clips, settings)
    failed = [transcript for name, _, transcript in results if name == "b"]
    assert len(broken.sessions) == 5
    assert len(failed) == 8
    assert [transcript.tries for transcript in failed] == [1] * 5 + [0] * 3
    assert failed[7].error == "not tried after 5 failures: out of order"
    assert len(echoes.sessions) == 8
    assert outcome == BenchmarkOutcome("", {"b": "out of order"})


def test_a_success_begins_the_count_anew(tmp_path: Path) -> None:
    clips = [clip(tmp_path, name) for name in "abcdefghi"]
    made = []

    def make(language: str) -> Echo:
        made.append(language)
        return Echo() if len(made) == 5 else Failing()

    settings = dataclasses.replace(QUICK, tries=1)
    _, outcome = run({"r": Echoes(make)}, clips, settings)
    assert (len(made), outcome.abandoned) == (9, {})


def test_a_damaged_file_is_its_own_failure_and_not_the_recognisers(tmp_path: Path) -> None:
    (tmp_path / "bad.wav").write_bytes(b"no sound")
    bad = [Clip(f"bad{number}", "x", audio=str(tmp_path / "bad.wav")) for number in range(6)]
    silent = Clip("none", "x")
    results, outcome = run({"e": Echoes()}, [*bad, silent, clip(tmp_path)])
    assert all("bad.wav" in transcript.error for _, _, transcript in results[:6])
    assert {transcript.tries for _, _, transcript in results[:7]} == {0}
    assert results[6][2].error == "no audio"
    assert results[7][2].error == ""
    assert outcome.abandoned == {}


def test_only_what_is_wanted_is_done(tmp_path: Path) -> None:
    clips = [clip(tmp_path, name) for name in "ab"]
    done = {("x", "a"), ("y", "b")}
    results, _ = run(
        {"x": Echoes(), "y": Echoes()}, clips, wanted=lambda name, clip: (name, clip.id) not in done
    )
    assert sorted((name, found) for name, found, _ in results) == [("x", "b"), ("y", "a")]


def test_what_the_receiver_raises_ends_the_benchmark(tmp_path: Path) -> None:
    def refuse(name: str, clip: Clip, transcript: Transcript) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        transcribe_all({"e": Echoes()}, [clip(tmp_path)], QUICK, refuse)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_all_that_was_done(tmp_path: Path, number: signal.Signals) -> None:
    clips = [clip(tmp_path, name) for name in "abc"]
    before = signal.getsignal(number)
    results: list[str] = []

    class Endless(Echo):
        async def end_audio(self) -> None:
            if results:
                await asyncio.Event().wait()
            await super().end_audio()

    def take(name: str, clip: Clip, transcript: Transcript) -> None:
        results.append(clip.id)
        os.kill(os.getpid(), number)

    echoes = Echoes(Endless)
    outcome = transcribe_all({"e": echoes}, clips, QUICK, take)
    assert results == ["a"]
    assert outcome.interrupted == number.name
    assert all(session.left for session in echoes.sessions)
    assert signal.getsignal(number) is before


def test_it_runs_outside_the_main_thread_too(tmp_path: Path) -> None:
    found: list[Results] = []
    work = threading.Thread(target=lambda: found.append(run({"e": Echoes()}, [clip(tmp_path)])[0]))
    work.start()
    work.join(timeout=30)
    assert found[0][0][2].error == ""


def test_a_whole_file_is_complete_only_when_it_has_been_spoken(tmp_path: Path) -> None:
    spoken = clip(tmp_path, seconds=2.0)
    whole = {"w": adapt(lambda path: "all of it")}
    [(_, _, at_once)], _ = run(whole, [spoken])
    settings = dataclasses.replace(QUICK, realtime_factor=100.0)
    [(_, _, spoken_slowly)], _ = run(whole, [spoken], settings)
    assert at_once.latency_first < 200 <= spoken_slowly.latency_first
    assert spoken_slowly.elapsed / spoken_slowly.duration >= 100
    assert spoken_slowly.latency_final < 200  # counted from the end of the speech


def test_it_can_be_called_where_an_event_loop_runs(tmp_path: Path) -> None:
    async def notebook() -> Results:
        return run({"e": Echoes()}, [clip(tmp_path)])[0]

    assert asyncio.run(notebook())[0][2].error == ""


def test_one_clip_without_a_benchmark(tmp_path: Path) -> None:
    transcript = asyncio.run(transcribe(Echoes(), clip(tmp_path).audio or "", QUICK, "en"))
    assert transcript.text.endswith(" en")


def test_nothing_to_do() -> None:
    assert run({}, []) == ([], BenchmarkOutcome())


@pytest.mark.parametrize("wrong", [{"realtime_factor": -1}, {"tries": 0}, {"chunk_ms": 0}])
def test_settings_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="cannot be below"):
        BenchmarkSettings(**wrong)


def test_final_texts_make_the_transcript() -> None:
    plain = [SpeechEvent(" one "), SpeechEvent("two"), SpeechEvent("")]
    assert join(plain) == "one two"
    as_they_stand = [
        SpeechEvent(text, verbatim=True) for text in ("hel", "lo wor", "ld", ". ", "So")
    ]
    assert join(as_they_stand) == "hello world. So"


def test_nothing_said_is_an_answer_and_not_a_failure(tmp_path: Path) -> None:
    [(_, _, transcript)], _ = run({"q": adapt(lambda path: "")}, [clip(tmp_path)])
    assert (transcript.text, transcript.error, transcript.tries) == ("", "", 1)
    assert math.isnan(transcript.latency_final)


PROGRAM = """
import sys, time
from pathlib import Path
from gistmeter.recognizers.benchmark import *
from gistmeter.types import Clip
def heard(path):
    if seen: time.sleep(60)
    return "heard"
seen = []
def take(name, clip, transcript):
    seen.append(clip.id)
    print(clip.id, transcript.text, flush=True)
clips = [Clip(str(number), "x", audio=sys.argv[1]) for number in range(3)]
outcome = transcribe_all({"h": adapt(heard)}, clips, BenchmarkSettings(), take)
print("ended by", outcome.interrupted, flush=True)
"""


def test_a_program_that_is_told_to_end_still_says_what_it_has_done(tmp_path: Path) -> None:
    audio = clip(tmp_path).audio or ""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, audio], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(0.2)  # it is now in the call that takes a minute
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=30)
    assert first + rest == "0 heard\nended by SIGTERM\n"
    assert process.returncode == 0
