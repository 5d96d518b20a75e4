"""What the benchmark asks of a recogniser.

A recogniser opens a *session* for each clip: an asynchronous context manager that is sent sound
while it gives back text.

    async with recognizer.session(language="en") as session:
        await session.send_audio(pcm)          # 16 kHz, mono, 16-bit little-endian, about 200 ms
        await session.end_audio()              # nothing more will come
        async for event in session.events():   # runs beside the sending; ends when all is said
            event.text, event.is_final, event.speaker

A partial text replaces the partial before it; a final text is settled and joins the transcript.
A recogniser that can only take whole files has `transcribe(path, language)` instead; `path` is a
WAV of 16 kHz, mono, 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from gistmeter.core.errors import InputError, ModelError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import TracebackType


@dataclass(frozen=True, slots=True)
class SpeechEvent:
    """A text as it was understood at one moment."""

    text: str
    is_final: bool = True
    speaker: str = ""
    verbatim: bool = False  # joins the final text before it as it stands, without a space


@runtime_checkable
class Session(Protocol):
    """One clip's conversation with a recogniser."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    async def send_audio(self, pcm: bytes) -> None: ...

    async def end_audio(self) -> None: ...

    def events(self) -> AsyncIterator[SpeechEvent]: ...


@runtime_checkable
class Recognizer(Protocol):
    """A recogniser of streams; `id` names service and model, all that could change its texts."""

    @property
    def id(self) -> str: ...

    def session(self, language: str = "") -> Session: ...


class RecognizerError(ModelError):
    """A recogniser failed on a clip.

    `lasting` says that the same request would fail again (a refused key, an unknown model): it is
    not retried. `retry_after` is how many seconds the service asked to be left alone.
    """

    def __init__(self, message: str, *, lasting: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.lasting, self.retry_after = lasting, retry_after


class MissingKey(InputError):
    """A vendor's key is not in the environment; the recogniser is left out, with a warning."""

    def __init__(self, vendor: str, variable: str, host: str = "") -> None:
        advice = f"set the environment variable {variable} to use it"
        if host:
            advice = (
                f"{host} is not its own host, so name the environment variable of the key for it:"
                f" --recognizer-key-env {host}={variable}"
            )
        super().__init__(f"{vendor} needs a key: {advice}")
        self.variable = variable
