"""Vosk: Kaldi models for many languages, in a folder that the user has fetched."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers.local import LocalSession, model_folder, require
from gistmeter.speech.recognizers.protocols import RecognizerError, SpeechEvent

LAYOUTS = ("am/final.mdl", "final.mdl")  # the newer and the older models
WHERE = "a download from https://alphacephei.com/vosk/models, unpacked into that folder"


class Vosk:
    """`vosk:FOLDER`; the model is loaded once, with the first clip."""

    local = True  # it works on this machine

    def __init__(self, folder: Path) -> None:
        require("vosk", "vosk", "Recognising speech with Vosk")
        self._folder = folder
        self._lock = threading.Lock()
        self._model: Any = None

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:  # noqa: ARG003
        return cls(model_folder("vosk", argument, LAYOUTS, WHERE))

    @property
    def id(self) -> str:
        return f"vosk/{self._folder.resolve().name}"

    def session(self, language: str = "") -> LocalSession:  # noqa: ARG002 - the model knows one
        return LocalSession("vosk", self._open)

    def _open(self) -> _Stream:
        from vosk import KaldiRecognizer, Model, SetLogLevel

        with self._lock:
            if self._model is None:
                SetLogLevel(-1)
                try:
                    self._model = Model(str(self._folder))
                except Exception as error:  # the package raises nothing more precise
                    raise RecognizerError(
                        f"Vosk cannot load the model in {self._folder}: {error}", lasting=True
                    ) from error
        return _Stream(KaldiRecognizer(self._model, SAMPLE_RATE))


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
