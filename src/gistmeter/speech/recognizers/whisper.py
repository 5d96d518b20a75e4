"""Whisper through faster-whisper (CTranslate2), with a model folder that the user has fetched.

Radford et al. (2022), "Robust Speech Recognition via Large-Scale Weak Supervision",
arXiv:2212.04356.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from gistmeter.speech.recognizers.local import model_folder, require
from gistmeter.speech.recognizers.protocols import RecognizerError

WHERE = "hf download Systran/faster-whisper-tiny --local-dir FOLDER"


class FasterWhisper:
    """`faster-whisper:FOLDER`; whole files, nothing is ever downloaded."""

    local = True  # it works on this machine

    def __init__(self, folder: Path) -> None:
        require("faster_whisper", "faster-whisper", "Recognising speech with Whisper")
        self._folder = folder
        self._lock = threading.Lock()
        self._model: Any = None

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:  # noqa: ARG003
        return cls(model_folder("faster-whisper", argument, ("model.bin",), WHERE))

    @property
    def id(self) -> str:
        return f"faster-whisper/{self._folder.resolve().name}"

    def transcribe(self, path: Path, language: str = "") -> str:
        code = language.partition("-")[0].lower() or None  # None: found by the model
        segments, _ = self._loaded().transcribe(str(path), language=code, beam_size=5)
        return " ".join(segment.text.strip() for segment in segments)

    def _loaded(self) -> Any:
        from faster_whisper import WhisperModel

        with self._lock:
            if self._model is None:
                try:
                    self._model = WhisperModel(str(self._folder), local_files_only=True)
                except (RuntimeError, ValueError, OSError) as error:
                    raise RecognizerError(
                        f"faster-whisper cannot load the model in {self._folder}: {error}",
                        lasting=True,
                    ) from error
            return self._model
