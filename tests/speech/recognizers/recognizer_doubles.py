"""Recognisers whose every word is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from gistmeter.core.types import Clip
from gistmeter.speech.formats.audio import write_wav
from gistmeter.speech.recognizers.benchmark import BenchmarkSettings, SpeechEvent

QUICK = BenchmarkSettings(pause=0.0, timeout=20.0)


def clip(folder: Path, name: str = "a", seconds: float = 0.5, language: str = "") -> Clip:
    """A clip of noise."""
    path = folder / f"{name}.wav"
    noise = np.random.default_rng(len(name)).integers(-3000, 3000, round(16_000 * seconds))
    write_wav(path, noise.astype("<i2").tobytes())
    return Clip(name, f"what {name} says", audio=str(path), language=language)


class Echo:
    """A session that tells how much sound it was sent, as a partial and then as a final text."""

    def __init__(self, language: str = "") -> None:
        self.language = language
        self.chunks: list[int] = []
        self.entered = self.left = False
        self.queue: asyncio.Queue[SpeechEvent | None] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self.entered = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.left = True

    async def send_audio(self, pcm: bytes) -> None:
        self.chunks.append(len(pcm))
        if len(self.chunks) == 1:
            self.queue.put_nowait(SpeechEvent("partial", is_final=False))

    async def end_audio(self) -> None:
        self.queue.put_nowait(SpeechEvent(f"{sum(self.chunks)} bytes", speaker="1"))
        self.queue.put_nowait(SpeechEvent(self.language or "no language", speaker="2"))
        self.queue.put_nowait(None)

    async def events(self) -> AsyncIterator[SpeechEvent]:
        while (event := await self.queue.get()) is not None:
            yield event


class Echoes:
    """A recogniser that keeps its sessions for inspection."""

    id = "echoes"

    def __init__(self, make: Callable[[str], Echo] = Echo) -> None:
        self.make = make
        self.sessions: list[Echo] = []

    def session(self, language: str = "") -> Echo:
        session = self.make(language)
        self.sessions.append(session)
        return session


def bytes_heard(text: str) -> int:
    return int(text.partition(" ")[0])
