"""Cartesia's Ink, finalised by us.

https://docs.cartesia.ai/api-reference/stt/stt: sound goes out as binary messages; `transcript`
messages come back, the settled ones with `is_final`, and are put together as they stand; the text
`close` is answered by the rest and `done`. Failures are messages of type `error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from gistmeter.formats.audio import SAMPLE_RATE
from gistmeter.recognizers.http import MISTAKES
from gistmeter.recognizers.protocols import RecognizerError, SpeechEvent
from gistmeter.recognizers.websocket import (
    WebSocketSession,
    key_of,
    model_and_url,
    stream_to,
)

MODEL = "ink-whisper"
URL = "wss://api.cartesia.ai/stt/websocket"
VERSION = "2026-03-01"  # of the interface, as the service wants it named


@dataclass(frozen=True, slots=True)
class Cartesia:
    """`cartesia`, `cartesia:MODEL` or `cartesia:MODEL@URL`; the key in CARTESIA_API_KEY."""

    vendor: ClassVar[str] = "Cartesia"
    settle: ClassVar[float] = 0.0
    close_is_end: ClassVar[bool] = False

    key: str = field(repr=False)
    model: str = MODEL
    url: str = URL

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:
        key = key_of(cls.vendor, "CARTESIA_API_KEY", environment)
        model, url = model_and_url(argument, MODEL, URL)
        return cls(key, model, stream_to(cls.vendor, url, extra="cartesia"))

    @property
    def id(self) -> str:
        return f"cartesia:{self.model}@{self.url}"

    def session(self, language: str = "") -> WebSocketSession:
        return WebSocketSession(self, language)

    def query(self, language: str) -> Mapping[str, str]:
        query = {"model": self.model, "encoding": "pcm_s16le", "sample_rate": str(SAMPLE_RATE)}
        return {**query, "language": language.partition("-")[0]} if language else query

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Cartesia-Version": VERSION}

    def opening(self, language: str) -> None:  # noqa: ARG002
        return None

    def is_ready(self, message: Mapping[str, Any]) -> bool:  # noqa: ARG002
        return True

    def audio(self, pcm: bytes) -> bytes:
        return pcm

    def ending(self, chunks: int) -> str:  # noqa: ARG002
        return "close"

    def events(self, message: Mapping[str, Any]) -> Iterable[SpeechEvent]:
        kind = message.get("type")
        if kind == "error":
            reason = message.get("message") or message.get("title") or message.get("error_code")
            lasting = message.get("status_code") in MISTAKES
            raise RecognizerError(f"{self.vendor}: {reason}", lasting=lasting)
        if kind == "transcript":
            text, final = str(message.get("text", "")), bool(message.get("is_final"))
            yield SpeechEvent(text, final, verbatim=True)

    def is_last(self, message: Mapping[str, Any]) -> bool:
        return message.get("type") == "done"
