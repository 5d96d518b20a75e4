"""Whisper through faster-whisper (CTranslate2), with a model folder that the user has fetched.

Radford et al. (2022), "Robust Speech Recognition via Large-Scale Weak Supervision",
arXiv:2212.04356.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gistmeter.speech.recognizers.local import LocalRecognizer


class FasterWhisper(LocalRecognizer):
    """`faster-whisper:FOLDER`; whole files, nothing is ever downloaded."""

    enables = "speech recognition with Whisper"
    name, title, package = "faster-whisper", "faster-whisper", "faster_whisper"
    files = ("model.bin",)
    where = "hf download Systran/faster-whisper-tiny --local-dir FOLDER"

    def transcribe(self, path: Path, language: str = "") -> str:
        code = language.partition("-")[0].lower() or None  # None: found by the model
        segments, _ = self.model.transcribe(str(path), language=code, beam_size=5)
        return " ".join(segment.text.strip() for segment in segments)

    def load(self) -> Any:
        from faster_whisper import WhisperModel

        return WhisperModel(str(self.folder), local_files_only=True)
