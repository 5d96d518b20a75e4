"""Recognisers of whole files as recognisers of streams.

The sound that is sent is kept, written to a WAV file when it ends, and the file transcribed. A
plain function runs in a thread, an asynchronous one in the event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from gistmeter.speech.formats.audio import write_wav
from gistmeter.speech.recognizers.protocols import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.threads import in_thread

Transcribe = Callable[[Path, str], "str | Awaitable[str]"]


@dataclass(frozen=True, slots=True)
class WholeFiles:
    """A function of (path, language) as a `Recognizer`."""

    id: str
    function: Transcribe
    key: str = field(default="", repr=False)  # of its service: what must not be shown

    def session(self, language: str = "") -> FileSession:
        return FileSession(self.function, language)


class FileSession:
    """One clip, kept until it is whole."""

    def __init__(self, function: Transcribe, language: str) -> None:
        self._function, self._language = function, language
        self._pcm = bytearray()
        self._whole = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._pcm.clear()

    async def send_audio(self, pcm: bytes) -> None:
        self._pcm += pcm

    async def end_audio(self) -> None:
        self._whole.set()

    async def events(self) -> AsyncIterator[SpeechEvent]:
        await self._whole.wait()
        with tempfile.TemporaryDirectory(prefix="gistmeter-") as folder:
            path = Path(folder) / "clip.wav"
            write_wav(path, bytes(self._pcm))
            text = await self._call(path)
        if not isinstance(text, str):
            raise RecognizerError(
                f"transcribing gave {type(text).__name__} where a text was expected", lasting=True
            )
        yield SpeechEvent(text)

    async def _call(self, path: Path) -> object:
        answer = await in_thread(self._function, path, self._language)
        return await answer if inspect.isawaitable(answer) else answer
