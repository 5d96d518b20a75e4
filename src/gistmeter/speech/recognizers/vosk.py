"""Vosk: Kaldi models for many languages, in a folder that the user has fetched."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import SpeechEvent
from gistmeter.speech.recognizers.local import LocalRecognizer, LocalSession


class Vosk(LocalRecognizer):
    """`vosk:FOLDER`."""

    enables = "speech recognition with Vosk"
    name, title, package = "vosk", "Vosk", "vosk"
    files = ("am/final.mdl", "final.mdl")  # of the newer and the older models
    where = "a download from https://alphacephei.com/vosk/models, unpacked into that folder"

    def session(self, language: str = "") -> LocalSession:  # noqa: ARG002 - the model knows one
        return LocalSession("vosk", self._open)

    def _open(self) -> _Stream:
        from vosk import KaldiRecognizer

        return _Stream(KaldiRecognizer(self.model, SAMPLE_RATE))

    def load(self) -> Any:
        from vosk import Model, SetLogLevel

        SetLogLevel(-1)
        return Model(str(self.folder))


class _Stream:
    def __init__(self, recognizer: Any) -> None:
        self._recognizer = recognizer
        self._partial = ""

    def accept(self, pcm: bytes) -> Iterable[SpeechEvent]:
        if self._recognizer.AcceptWaveform(pcm):
            self._partial = ""
            yield SpeechEvent(json.loads(self._recognizer.Result()).get("text", ""))
            return
        partial = json.loads(self._recognizer.PartialResult()).get("partial", "")
        if partial and partial != self._partial:
            self._partial = partial
            yield SpeechEvent(partial, is_final=False)

    def finish(self) -> Iterable[SpeechEvent]:
        yield SpeechEvent(json.loads(self._recognizer.FinalResult()).get("text", ""))

    def close(self) -> None:
        self._recognizer = None
