"""Work on this machine: decoders of streams, and recognisers of whole files.

A decoder is plain and blocking: it accepts sound and gives back what it has understood so far. Its
session runs it in a thread of its own, so that recognisers work beside each other. A recogniser of
whole files gets the sound that was sent as a WAV file when it ends; a plain function runs in a
thread, an asynchronous one in the event loop.

The threads are daemons of our own and not those of an executor: a call that never returns can then
be left behind when its time is up, and neither the next clip nor the end of the program waits for
it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

from gistmeter.core.errors import InputError, MissingDependency, MissingModel
from gistmeter.core.folders import temporary_folder
from gistmeter.speech.formats.audio import write_wav
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent

Result = TypeVar("Result")
Transcribe = Callable[[Path, str], "str | Awaitable[str]"]


class WorkerThread:
    """One thread that does one thing after the other."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def settle(result: Result | None, error: BaseException | None) -> None:
            if future.done():  # its time was up
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]

        def job() -> None:
            result, failure = None, None
            try:
                result = function(*arguments)
            except BaseException as error:  # handed over to who waits for it
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(settle, result, failure)

        self._jobs.put(job)
        return await future

    def stop(self, last: Callable[[], None] | None = None) -> None:
        """Finish what is queued, then `last`, then end. Does not wait."""
        if last is not None:
            self._jobs.put(last)
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """One call in a thread of its own."""
    worker = WorkerThread(getattr(function, "__name__", "call"))
    try:
        return await worker.run(function, *arguments)
    finally:
        worker.stop()


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
        self._worker = WorkerThread(self._name)
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
        with temporary_folder() as folder:
            path = folder / "clip.wav"
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


class LocalRecognizer(ABC):
    """A recogniser whose model is on this machine, and is loaded once, with the first clip.

    The model comes with the package, or is in the folder of `name:FOLDER`, which must hold one of
    `files`.
    """

    local = True  # those that work here work one at a time
    name: ClassVar[str]  # also the extra that installs it
    title: ClassVar[str]
    package: ClassVar[str]
    enables: ClassVar[str]  # what the extra is good for, in words
    files: ClassVar[tuple[str, ...]] = ()
    where: ClassVar[str] = ""  # to get the model from

    def __init__(self, folder: Path = Path()) -> None:
        require(self.package, self.name, f"Recognising speech with {self.title}")
        self.folder = folder
        self._lock = threading.Lock()
        self._model: Any = None

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:  # noqa: ARG003
        if not cls.files:
            if argument:
                raise InputError(f"{cls.name} takes no argument, and '{argument}' was given")
            return cls()
        if not argument:
            raise InputError(
                f"{cls.name} needs a model: write {cls.name}:FOLDER. Get one with: {cls.where}"
            )
        folder = Path(argument).expanduser()
        if not any((folder / part).is_file() for part in cls.files):
            place = f"{folder} ({' or '.join(cls.files)})"
            raise MissingModel("speech", cls.name, place, cls.where)
        return cls(folder)

    @property
    def id(self) -> str:
        return f"{self.name}/{self.folder.resolve().name}"

    @abstractmethod
    def load(self) -> Any:
        """The model."""

    @property
    def model(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    self._model = self.load()
                except Exception as error:  # of packages that raise nothing more precise
                    place = f" in {self.folder}" if self.files else ""
                    raise RecognizerError(
                        f"{self.title} cannot load the model{place}: {error}", lasting=True
                    ) from error
            return self._model


def require(package: str, extra: str, purpose: str) -> None:
    """Say now, before any clip, that a package is not installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingDependency(package, extra, purpose)


def only_english(name: str, language: str) -> None:
    if language and language.lower().partition("-")[0] != "en":
        raise RecognizerError(f"{name} knows English only, not '{language}'", lasting=True)
