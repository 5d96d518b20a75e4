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
duration, so at `realtime_factor=1` it cannot be below 1. Loading a model and opening a connection
are not part of them. A recogniser of whole files gets the file at once; the time for which it would
have been spoken is added.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from gistmeter.core.errors import FormatError, InputError, blot, hide
from gistmeter.core.types import Clip
from gistmeter.speech.formats.audio import Audio, read_audio
from gistmeter.speech.recognizers import Recognizer, RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.listening import Notes, Pace, join, listen
from gistmeter.speech.recognizers.local import WholeFiles, in_thread
from gistmeter.speech.recognizers.resolution import adapt, resolve

log = logging.getLogger(__name__)
LONGEST_PAUSE = 60.0  # seconds; a service that asks for more is tried again all the same

__all__ = [
    "BenchmarkOutcome",
    "BenchmarkSettings",
    "Recognizer",
    "RecognizerError",
    "SpeechEvent",
    "Transcript",
    "adapt",
    "resolve",
    "transcribe",
    "transcribe_all",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """How the audio is sent and when to give up."""

    realtime_factor: float = 0.0  # 1: as spoken; 0.5: twice as fast; 0: as fast as it is taken
    chunk_ms: int = 200
    silence_before: float = 0.0  # seconds of silence sent ahead of the clip
    silence_after: float = 1.0  # and after it, so that the end of the utterance is found
    timeout: float = 30.0  # a try ends after timeout + timeout_factor · duration + the sending
    timeout_factor: float = 4.0
    tries: int = 3
    pause: float = 1.0  # seconds before the second try, doubled before each further one
    stop_after: int = 5  # clips failed in a row, after which a recogniser is left alone
    language: str = ""  # for clips that do not name their own

    def __post_init__(self) -> None:
        if self.realtime_factor < 0 or self.chunk_ms < 1 or self.tries < 1 or self.stop_after < 1:
            raise InputError(
                "The real-time factor cannot be below 0, nor chunks (in ms), tries and failures "
                f"in a row below 1: {self}"
            )

    def pace(self, recognizer: Recognizer) -> Pace:
        """A recogniser of whole files gets the clip at once, without silence around it."""
        if isinstance(recognizer, WholeFiles):
            return Pace(0.0, self.chunk_ms, 0.0, 0.0)
        return Pace(self.realtime_factor, self.chunk_ms, self.silence_before, self.silence_after)

    def unspoken(self, recognizer: Recognizer, audio: Audio) -> float:
        """Seconds for which a whole file would still have been spoken before it could be sent."""
        return self.realtime_factor * audio.duration if isinstance(recognizer, WholeFiles) else 0.0

    def limit(self, duration: float) -> float:
        """Seconds after which a try has failed."""
        padded = duration + self.silence_before + self.silence_after
        return self.timeout + self.timeout_factor * duration + self.realtime_factor * padded


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


@dataclass(frozen=True, slots=True)
class BenchmarkOutcome:
    """How a benchmark ended. What it measured went to `on_result`."""

    interrupted: str = ""  # "SIGTERM" or "SIGINT" when it was stopped from outside
    abandoned: Mapping[str, str] = field(default_factory=dict)  # recogniser -> its last error


OnResult = Callable[[str, Clip, Transcript], None]


async def transcribe(
    recognizer: Recognizer, path: str, settings: BenchmarkSettings, language: str = ""
) -> Transcript:
    """One clip through one recogniser, with its tries. A failure is in the transcript's `error`."""
    try:
        audio = await in_thread(read_audio, path)
    except FormatError as damage:
        return Transcript(error=str(damage))
    error, tried = "", 0
    for tried in range(1, settings.tries + 1):
        try:
            notes = await _attempt(recognizer, audio, settings, language)
            whole = _report(notes, audio.duration, tried, settings.unspoken(recognizer, audio))
            return _without(whole, _secrets(recognizer))
        except RecognizerError as failure:
            error = hide(str(failure), _secrets(recognizer))
            log.info("%s, try %d on %s: %s", recognizer.id, tried, path, error)
            if failure.lasting:
                break
            if tried < settings.tries:
                await _rest(max(settings.pause * 2 ** (tried - 1), failure.retry_after))
    return Transcript(error=error, duration=audio.duration, tries=tried)


def _secrets(recognizer: Recognizer) -> list[str]:
    """What a recogniser's services must not repeat to anyone: its key, also as in an address."""
    key = str(getattr(recognizer, "key", ""))
    return [key, quote(key, safe="")]


def _without(heard: Transcript, secrets: Sequence[str]) -> Transcript:
    """A transcript in which the service repeats no key."""
    text = blot(heard.text, secrets)
    if text == heard.text:
        return heard
    segments = tuple(replace(one, text=blot(one.text, secrets)) for one in heard.segments)
    return replace(heard, text=text, segments=segments)


async def _rest(seconds: float) -> None:
    await asyncio.sleep(min(seconds, LONGEST_PAUSE))


async def _attempt(
    recognizer: Recognizer, audio: Audio, settings: BenchmarkSettings, language: str
) -> Notes:
    """One try; whatever others' code raises is a failure of this clip."""
    pace, limit = settings.pace(recognizer), settings.limit(audio.duration)
    try:
        return await listen(recognizer, audio, pace, language or settings.language, limit)
    except RecognizerError:
        raise
    except InputError as error:  # a missing package or model: no try will change that
        raise RecognizerError(str(error), lasting=True) from error
    except Exception as error:
        raise RecognizerError(f"{type(error).__name__}: {error}") from error


def _report(notes: Notes, duration: float, tried: int, unspoken: float) -> Transcript:
    last = notes.last if notes.last is not None else math.nan
    first = notes.first if notes.first is not None else math.nan
    return Transcript(
        text=join(notes.finals),
        latency_first=first - notes.started + unspoken,
        latency_final=max(0.0, last - notes.spoken) if notes.last is not None else math.nan,
        elapsed=last - notes.started + unspoken,
        duration=duration,
        tries=tried,
        partials=notes.partials,
        segments=tuple(notes.finals),
    )


def transcribe_all(
    recognizers: Mapping[str, Recognizer],
    clips: Sequence[Clip],
    settings: BenchmarkSettings,
    on_result: OnResult,
    wanted: Callable[[str, Clip], bool] | None = None,
) -> BenchmarkOutcome:
    """Every clip (its `audio` is the path) through every recogniser.

    `on_result(name, clip, transcript)` is called in the calling thread, one call at a time, as
    results come; failures come too, with `error` set, those of an abandoned recogniser with
    `tries == 0`. What `on_result` raises ends the benchmark. SIGTERM and Ctrl-C end it without an
    exception: results so far have been handed over and `BenchmarkOutcome.interrupted` says so.
    `wanted(name, clip)` tells which are to be done, for a resumed run; all where it is None.
    Where an event loop runs already, as in a notebook, all this happens in a thread of its own.
    """

    def work() -> BenchmarkOutcome:
        return asyncio.run(_Benchmark(settings, on_result).run(recognizers, clips, wanted))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


class _Benchmark:
    def __init__(self, settings: BenchmarkSettings, on_result: OnResult) -> None:
        self._settings, self._on_result = settings, on_result
        self._interrupted = ""
        self._abandoned: dict[str, str] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._machine = asyncio.Lock()  # those that work here work one at a time: times are fair

    async def run(
        self,
        recognizers: Mapping[str, Recognizer],
        clips: Sequence[Clip],
        wanted: Callable[[str, Clip], bool] | None,
    ) -> BenchmarkOutcome:
        for name, recognizer in recognizers.items():
            due = [clip for clip in clips if wanted is None or wanted(name, clip)]
            self._tasks.append(asyncio.create_task(self._go_through(name, recognizer, due)))
        with _signals(self._stop):
            if self._tasks:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
            ended = await self._end()
        for error in ended:
            if isinstance(error, BaseException) and not isinstance(error, asyncio.CancelledError):
                raise error
        return BenchmarkOutcome(self._interrupted, dict(self._abandoned))

    async def _end(self) -> list[BaseException | None]:
        for task in self._tasks:
            task.cancel()
        return await asyncio.gather(*self._tasks, return_exceptions=True)

    def _stop(self, name: str) -> None:
        self._interrupted = name
        for task in self._tasks:
            task.cancel()

    async def _go_through(self, name: str, recognizer: Recognizer, clips: Sequence[Clip]) -> None:
        failures, reason = 0, ""
        for clip in clips:
            if failures >= self._settings.stop_after:
                transcript = Transcript(error=f"not tried after {failures} failures: {reason}")
            else:
                transcript = await self._transcribe(recognizer, clip)
            self._on_result(name, clip, transcript)
            if transcript.tries:  # a damaged file says nothing about the recogniser
                failures = failures + 1 if transcript.failed else 0
                reason = transcript.error
            if failures == self._settings.stop_after and name not in self._abandoned:
                self._abandoned[name] = reason
                log.info("%s is given up after %d failures: %s", name, failures, reason)

    async def _transcribe(self, recognizer: Recognizer, clip: Clip) -> Transcript:
        if not clip.audio:
            return Transcript(error="no audio")
        alone = self._machine if getattr(recognizer, "local", False) else contextlib.nullcontext()
        async with alone:
            return await transcribe(recognizer, clip.audio, self._settings, clip.language)


@contextlib.contextmanager
def _signals(stop: Callable[[str], None]) -> Iterator[None]:
    """SIGTERM and Ctrl-C call `stop`; only the main thread can be asked to do that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        for number in before:
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, stop, number.name)
        yield
    finally:
        for number, handler in before.items():
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            if handler is not None:  # None: set by something other than Python
                signal.signal(number, handler)
