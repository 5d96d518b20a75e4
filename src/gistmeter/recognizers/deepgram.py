"""Deepgram's live transcription.

https://developers.deepgram.com/reference/speech-to-text/listen-streaming: sound goes out as binary
messages, `Results` come back, `is_final` ones settled; after `CloseStream` the rest comes, then
`Metadata`, then the connection is closed. A refused key is a 401 to the handshake.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from gistmeter.formats.audio import SAMPLE_RATE
from gistmeter.recognizers.protocols import RecognizerError, SpeechEvent
from gistmeter.recognizers.websocket import (
    WebSocketSession,
    key_of,
    model_and_url,
    stream_to,
)

MODEL = "nova-3"
URL = "wss://api.deepgram.com/v1/listen"


@dataclass(frozen=True, slots=True)
class Deepgram:
    """`deepgram`, `deepgram:MODEL` or `deepgram:MODEL@URL`; the key in DEEPGRAM_API_KEY."""

    vendor: ClassVar[str] = "Deepgram"
    settle: ClassVar[float] = 0.0
    close_is_end: ClassVar[bool] = True

    key: str = field(repr=False)
    model: str = MODEL
    url: str = URL

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:
        key = key_of(cls.vendor, "DEEPGRAM_API_KEY", environment)
        model, url = model_and_url(argument, MODEL, URL)
        return cls(key, model, stream_to(cls.vendor, url, extra="deepgram"))

    @property
    def id(self) -> str:
        return f"deepgram:{self.model}@{self.url}"

    def session(self, language: str = "") -> WebSocketSession:
        return WebSocketSession(self, language)

    def query(self, language: str) -> Mapping[str, str]:
        query = {
            "model": self.model,
            "encoding": "linear16",
            "sample_rate": str(SAMPLE_RATE),
            "channels": "1",
            "interim_results": "true",
            "punctuate": "true",
        }
        return {**query, "language": language} if language else query

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Token {self.key}"}

    def opening(self, language: str) -> None:  # noqa: ARG002
        return None

    def is_ready(self, message: Mapping[str, Any]) -> bool:  # noqa: ARG002
        return True

    def audio(self, pcm: bytes) -> bytes:
        return pcm

    def ending(self, chunks: int) -> str:  # noqa: ARG002
        return json.dumps({"type": "CloseStream"})

    def events(self, message: Mapping[str, Any]) -> Iterable[SpeechEvent]:
        kind = message.get("type")
        if kind == "Error":
            raise RecognizerError(f"Deepgram: {message.get('description') or message}")
        if kind != "Results":
            return
        try:
            best = message["channel"]["alternatives"][0]
            text = str(best["transcript"])
        except (KeyError, IndexError, TypeError) as error:
            raise RecognizerError("Deepgram sent results without a transcript") from error
        yield SpeechEvent(text, bool(message.get("is_final")), _speaker(best.get("words") or ()))

    def is_last(self, message: Mapping[str, Any]) -> bool:
        return message.get("type") == "Metadata"


def _speaker(words: Iterable[Mapping[str, Any]]) -> str:
    """Of the first word, where the service tells speakers apart."""
    return next((str(word["speaker"]) for word in words if "speaker" in word), "")
