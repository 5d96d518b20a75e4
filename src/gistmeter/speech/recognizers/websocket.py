"""Sessions over a WebSocket, for services that speak one.

What differs between services is a *dialect*: where to connect, how sound and its end are written,
and what their messages mean. Everything else is the same: the connection, its failures, and when
the last word has been said.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from gistmeter.core.errors import InputError
from gistmeter.models.credentials import Service, stays_here
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.local import require
from gistmeter.speech.recognizers.services import (
    LARGEST,
    MISTAKES,
    json_object,
    key_of,
    model_and_url,
    retry_after,
)

Message = Mapping[str, Any]
OPEN_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Dialect(ABC):
    """One service's way of speaking: `name`, `name:MODEL` or `name:MODEL@URL`.

    Its key goes to its own hosts; another host gets the key that was named for it, or none. What is
    written here is what most services do.
    """

    service: ClassVar[Service]
    enables: ClassVar[str]  # what its key and its extra are good for, in words
    usual_model: ClassVar[str]
    usual_url: ClassVar[str]
    settle: ClassVar[float] = 0.0  # seconds of quiet after the last message in which more may come
    close_is_end: ClassVar[bool] = False  # a normal close after our ending: all has been said

    key: str = field(repr=False)
    model: str
    url: str

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:
        model, url = model_and_url(argument, cls.usual_model, cls.usual_url)
        key = key_of(cls.service, url, environment)
        return cls(key, model, stream_to(cls.service, url))

    @property
    def vendor(self) -> str:
        return self.service.title

    @property
    def id(self) -> str:
        return f"{self.vendor.lower()}:{self.model}@{self.url}"

    def session(self, language: str = "") -> WebSocketSession:
        return WebSocketSession(self, language)

    def query(self, language: str) -> Mapping[str, str]:  # noqa: ARG002
        return {}

    @abstractmethod
    def headers(self) -> Mapping[str, str]:
        """What is said of who asks; nothing of a key where there is none."""

    def opening(self, language: str) -> str | None:  # noqa: ARG002
        """What is sent first."""
        return None

    def is_ready(self, message: Message) -> bool:  # noqa: ARG002
        """Whether sound may be sent after this message; asked only where there is an opening."""
        return True

    def audio(self, pcm: bytes) -> str | bytes:
        return pcm

    @abstractmethod
    def ending(self, chunks: int) -> str:
        """What says that no more sound will come, after so many chunks."""

    @abstractmethod
    def events(self, message: Message) -> Iterable[SpeechEvent]:
        """The texts of a message; a message of failure raises `RecognizerError`."""

    @abstractmethod
    def is_last(self, message: Message) -> bool: ...


class WebSocketSession:
    """One clip's conversation in a dialect."""

    def __init__(self, dialect: Dialect, language: str) -> None:
        self._dialect, self._language = dialect, language
        self._chunks = 0
        self._ended = False
        self._early: list[Message] = []  # came while waiting to be let in
        self._received = 0  # bytes

    async def __aenter__(self) -> Self:
        from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI

        dialect = self._dialect
        address = with_query(dialect.url, dialect.query(self._language))
        try:
            self._connection = await _connect(
                address,
                additional_headers=dict(dialect.headers()),
                max_size=LARGEST,
                open_timeout=OPEN_SECONDS,
                close_timeout=1,
                **({"proxy": None} if stays_here(address) else {}),
            )
        except InvalidStatus as error:
            raise _refused(dialect.vendor, error.response) from error
        except (InvalidHandshake, InvalidURI, OSError, EOFError) as error:
            raise RecognizerError(f"{dialect.vendor} cannot be reached: {error}") from error
        except TimeoutError as error:
            raise RecognizerError(f"{dialect.vendor} did not answer in time") from error
        try:
            await self._open()
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def _open(self) -> None:
        opening = self._dialect.opening(self._language)
        if opening is None:
            return
        await self._write(opening)
        while not self._dialect.is_ready(message := await self._read()):
            list(self._dialect.events(message))  # raises where it is a refusal
            self._early.append(message)

    async def __aexit__(self, *_: object) -> None:
        await self._connection.close()

    async def send_audio(self, pcm: bytes) -> None:
        self._chunks += 1
        await self._write(self._dialect.audio(pcm))

    async def end_audio(self) -> None:
        self._ended = True
        await self._write(self._dialect.ending(self._chunks))

    async def events(self) -> AsyncIterator[SpeechEvent]:
        for message in self._early:
            for event in self._dialect.events(message):
                yield event
        last = False
        while not (last and not self._dialect.settle):
            heard = await self._next(self._dialect.settle if last else None)
            if heard is None:
                return
            for event in self._dialect.events(heard):
                yield event
            last = last or (self._ended and self._dialect.is_last(heard))

    async def _next(self, quiet: float | None) -> Message | None:
        """The next message; None when all has been said."""
        from websockets.exceptions import ConnectionClosedOK

        try:
            return await asyncio.wait_for(self._read(), quiet)
        except TimeoutError:
            return None
        except RecognizerError as error:
            normal = isinstance(error.__cause__, ConnectionClosedOK)
            if normal and self._ended and (quiet is not None or self._dialect.close_is_end):
                return None
            raise

    async def _read(self) -> Message:
        from websockets.exceptions import ConnectionClosed

        try:
            raw = await self._connection.recv()
        except ConnectionClosed as error:
            raise self._closed(error) from error
        self._received += len(raw)
        if self._received > LARGEST:
            raise RecognizerError(
                f"{self._dialect.vendor} sent more than {LARGEST // 2**20} MB", lasting=True
            )
        return json_object(f"{self._dialect.vendor} sent", raw)

    async def _write(self, message: str | bytes) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(message)
        except ConnectionClosed as error:
            raise self._closed(error) from error

    def _closed(self, error: Any) -> RecognizerError:
        frame = error.rcvd
        why = f" ({frame.code} {frame.reason})".replace(" )", ")") if frame else " abruptly"
        when = "before the transcript was complete" if self._ended else "before the audio had ended"
        return RecognizerError(f"{self._dialect.vendor} closed the connection {when}{why}")


def _connect(address: str, **options: Any) -> Any:
    """A connection to this address and no other: keys are sent along where a redirect leads."""
    from websockets.asyncio.client import connect

    class Straight(connect):  # type: ignore[misc]
        def process_redirect(self, exc: Exception) -> Exception:
            return exc

    return Straight(address, **options)


def _refused(vendor: str, response: Any) -> RecognizerError:
    status = response.status_code
    body = bytes(response.body or b"")[:200].decode("utf-8", "replace").strip()
    return RecognizerError(
        f"{vendor} refused the connection with {status}{': ' + body if body else ''}",
        lasting=status in MISTAKES,
        retry_after=retry_after(response.headers.get("Retry-After")),
    )


def with_query(url: str, query: Mapping[str, str]) -> str:
    """An address with further parameters, beside those it may have."""
    from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss"):
        raise InputError(f"A streaming service's address begins with wss://, not '{url}'")
    own = parse_qsl(parts.query)
    return urlunsplit(parts._replace(query=urlencode([*own, *query.items()])))


def stream_to(service: Service, url: str) -> str:
    """A service's address, once it is sure that it can be streamed to."""
    require("websockets", service.title.lower(), f"Streaming to {service.title}")
    return with_query(url, {})
