"""Sessions with a decoder that runs on this machine.

A decoder is plain and blocking: it accepts sound and gives back what it has understood so far. The
session runs it in a thread of its own, so that recognisers work beside each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Protocol, Self

from gistmeter.core.errors import InputError, MissingDependency, MissingModel
from gistmeter.speech.recognizers.protocols import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.threads import Worker


class Decoder(Protocol):
    """A recogniser's work on one clip."""

    def accept(self, pcm: bytes) -> Iterable[SpeechEvent]: ...

    def finish(self) -> Iterable[SpeechEvent]: ...

    def close(self) -> None: ...


class LocalSession:
    """A decoder in a thread. Sending waits until the sound has been worked on."""

    def __init__(self, name: str, open_decoder: Callable[[], Decoder]) -> None:
        self._open_decoder = open_decoder
        self._name = name
        self._events: asyncio.Queue[SpeechEvent | None] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self._worker = Worker(self._name)
        try:
            self._decoder = await self._worker.run(self._open_decoder)
        except BaseException:
            self._worker.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._worker.stop(self._close)

    def _close(self) -> None:
        with contextlib.suppress(Exception):  # the texts are out; nothing depends on the rest
            self._decoder.close()

    async def send_audio(self, pcm: bytes) -> None:
        self._tell(await self._worker.run(lambda: list(self._decoder.accept(pcm))))

    async def end_audio(self) -> None:
        self._tell(await self._worker.run(lambda: list(self._decoder.finish())))
        self._events.put_nowait(None)

    async def events(self) -> AsyncIterator[SpeechEvent]:
        while (event := await self._events.get()) is not None:
            yield event

    def _tell(self, events: Iterable[SpeechEvent]) -> None:
        for event in events:
            self._events.put_nowait(event)


def require(package: str, extra: str, purpose: str) -> None:
    """Say now, before any clip, that a package is not installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingDependency(package, extra, purpose)


def only_english(name: str, language: str) -> None:
    if language and language.lower().partition("-")[0] != "en":
        raise RecognizerError(f"{name} knows English only, not '{language}'", lasting=True)


def model_folder(name: str, argument: str, parts: Iterable[str], command: str) -> Path:
    """The folder of `name:FOLDER`, which must hold one of these files."""
    if not argument:
        raise InputError(f"{name} needs a model: write {name}:FOLDER. Get one with: {command}")
    folder = Path(argument).expanduser()
    if not any((folder / part).is_file() for part in parts):
        raise MissingModel("speech", name, f"{folder} ({' or '.join(parts)})", command)
    return folder
