"""Every recogniser over every clip, with times.

Recognisers run beside each other, each takes the clips in their order, and every transcript is
handed over as soon as it is there, so that a stopped benchmark keeps what was done. The audio is
sent in chunks of 200 ms, at the pace of speech times `realtime_factor` (0: as fast as it is
taken), followed by silence so that the recogniser finds the end of the utterance.

    found = resolve(["moonshine", "pocketsphinx", "deepgram"])
    for name, reason in found.skipped.items(): ...warn...
    outcome = transcribe_all(found.recognizers, clips, BenchmarkSettings(), on_result)

Times, in seconds: `latency_first` from the first sound sent to the first text of any kind;
`latency_final` from the last sound of the clip sent (the silence after it does not count) to the
last final text; the real-time factor is the time from first sound to last text over the clip's
duration, so at `realtime_factor=1` a stream cannot be below 1. Loading a model and opening a
connection are not part of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gistmeter.recognizers.protocols import Recognizer, RecognizerError, SpeechEvent
from gistmeter.recognizers.resolution import Resolved, adapt, resolve
from gistmeter.types import Clip

__all__ = [
    "BenchmarkSettings",
    "Outcome",
    "Recognizer",
    "RecognizerError",
    "Resolved",
    "SpeechEvent",
    "Transcript",
    "adapt",
    "resolve",
    "transcribe",
    "transcribe_all",
]


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """How the audio is sent and when to give up."""

    realtime_factor: float = 0.0  # 1: as spoken; 0.5: twice as fast; 0: as fast as it is taken
    chunk_ms: int = 200
    silence_before: float = 0.0  # seconds of silence sent ahead of the clip
    silence_after: float = 1.0  # and after it, so that the end of the utterance is found
    timeout: float = 30.0  # a try ends after timeout + timeout_factor · duration seconds
    timeout_factor: float = 4.0
    tries: int = 3
    pause: float = 1.0  # seconds before the second try, doubled before each further one
    stop_after: int = 5  # clips failed in a row, after which a recogniser is left alone
    language: str = ""  # for clips that do not name their own


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a recogniser made of one clip, or why it made nothing."""

    text: str = ""  # the final texts, joined; "" where nothing was heard
    error: str = ""  # why there is no text; then `text` must not be scored
    latency_first: float = math.nan
    latency_final: float = math.nan
    elapsed: float = math.nan  # seconds from first sound sent to last text
    duration: float = math.nan  # of the clip's audio, without the silence around it
    tries: int = 0  # 0: never asked, because the recogniser had been given up or the file is bad
    partials: int = 0  # how many partial texts came
    segments: tuple[SpeechEvent, ...] = ()  # the final texts one by one, with their speakers

    @property
    def failed(self) -> bool:
        return bool(self.error)

    @property
    def real_time_factor(self) -> float:
        return self.elapsed / self.duration if self.duration > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a benchmark ended. What it measured went to `on_result`."""

    interrupted: str = ""  # "SIGTERM" or "SIGINT" when it was stopped from outside
    abandoned: Mapping[str, str] = field(default_factory=dict)  # recogniser -> its last error


OnResult = Callable[[str, Clip, Transcript], None]


async def transcribe(
    recognizer: Recognizer, path: str, settings: BenchmarkSettings, language: str = ""
) -> Transcript:
    """One clip through one recogniser, with its tries. A failure is in the transcript's `error`."""
    raise NotImplementedError


def transcribe_all(
    recognizers: Mapping[str, Recognizer],
    clips: Sequence[Clip],
    settings: BenchmarkSettings,
    on_result: OnResult,
    wanted: Callable[[str, Clip], bool] | None = None,
) -> Outcome:
    """Every clip (its `audio` is the path) through every recogniser.

    `on_result(name, clip, transcript)` is called in the calling thread, one call at a time, as
    results come; failures come too, with `error` set, those of an abandoned recogniser with
    `tries == 0`. What `on_result` raises ends the benchmark. SIGTERM and Ctrl-C end it without an
    exception: results so far have been handed over and `Outcome.interrupted` says so.

    `wanted(name, clip)` tells which are to be done, for a resumed run; all where it is None.
    """
    raise NotImplementedError
