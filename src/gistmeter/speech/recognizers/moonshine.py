"""Moonshine, an encoder-decoder for the processor; the package carries a tiny English model.

Jeffries et al. (2024), "Moonshine: Speech Recognition for Live Transcription and Voice Commands",
arXiv:2410.15608.

A stream of its own for each clip, because the package's whole-file call remembers the clip before
(its first line then tells of noise that is not there). And a forced update before the stream is
stopped, because what came in since the last update is lost otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any

from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import SpeechEvent
from gistmeter.speech.recognizers.local import LocalRecognizer, LocalSession, only_english

MODEL = "tiny-en"
UPDATE_SECONDS = 0.5  # between partial texts, as the package has it
NEVER = 1e9  # the stream would update by the sound's time; we do by the clock's
FORCE_UPDATE = 1  # MOONSHINE_FLAG_FORCE_UPDATE


class Moonshine(LocalRecognizer):
    """The package's English model."""

    enables = "speech recognition offline, in English"
    name, title, package = "moonshine", "Moonshine", "moonshine_voice"

    @property
    def id(self) -> str:
        return f"moonshine-voice@{version('moonshine-voice')}/{MODEL}"

    def session(self, language: str = "") -> LocalSession:
        return LocalSession("moonshine", lambda: self._open(language))

    def _open(self, language: str) -> _Stream:
        only_english("moonshine", language)
        return _Stream(self.model.create_stream(update_interval=NEVER))

    def load(self) -> Any:
        from moonshine_voice import ModelArch, Transcriber, get_model_path

        return Transcriber(str(get_model_path(MODEL)), ModelArch.TINY)


class _Stream:
    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._stream.start()
        self._updated = time.monotonic()
        self._said: dict[int, str] = {}  # the text of each line, as last told
        self._complete: set[int] = set()

    def accept(self, pcm: bytes) -> Iterable[SpeechEvent]:
        import numpy as np

        samples = np.frombuffer(pcm, dtype="<i2") / 32768.0
        self._stream.add_audio(samples.tolist(), SAMPLE_RATE)
        if time.monotonic() - self._updated < UPDATE_SECONDS:
            return ()
        events = list(self._news(self._stream.update_transcription()))
        self._updated = time.monotonic()
        return events

    def finish(self) -> Iterable[SpeechEvent]:
        yield from self._news(self._stream.update_transcription(FORCE_UPDATE))
        rest = self._stream.stop()
        if rest is not None:
            yield from self._news(rest)
        # A line the package never called complete is still what it heard.
        for line, text in self._said.items():
            if line not in self._complete and text:
                yield SpeechEvent(text)

    def close(self) -> None:
        self._stream.close()

    def _news(self, transcript: Any) -> Iterator[SpeechEvent]:
        for line in transcript.lines:
            if line.line_id in self._complete:
                continue
            text = line.text.strip()
            if line.is_complete:
                self._complete.add(line.line_id)
                yield SpeechEvent(text)
            elif text != self._said.get(line.line_id):
                yield SpeechEvent(text, is_final=False)
            self._said[line.line_id] = text
