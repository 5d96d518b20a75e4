"""Cartesia's Ink, finalised by us.

https://docs.cartesia.ai/api-reference/stt/stt: sound goes out as binary messages; `transcript`
messages come back, the settled ones with `is_final`, and are put together as they stand; the text
`close` is answered by the rest and `done`. Failures are messages of type `error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gistmeter.models.credentials import Service
from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.services import MISTAKES
from gistmeter.speech.recognizers.websocket import Dialect

VERSION = "2026-03-01"  # of the interface, as the service wants it named


class Cartesia(Dialect):
    service = Service("Cartesia", ("CARTESIA_API_KEY",), ("api.cartesia.ai",))
    enables = "Cartesia's recogniser"
    usual_model = "ink-whisper"
    usual_url = "wss://api.cartesia.ai/stt/websocket"

    def query(self, language: str) -> Mapping[str, str]:
        query = {"model": self.model, "encoding": "pcm_s16le", "sample_rate": str(SAMPLE_RATE)}
        return {**query, "language": language.partition("-")[0]} if language else query

    def headers(self) -> Mapping[str, str]:
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return {**key, "Cartesia-Version": VERSION}

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
