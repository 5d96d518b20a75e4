"""Deepgram's live transcription.

https://developers.deepgram.com/reference/speech-to-text/listen-streaming: sound goes out as binary
messages, `Results` come back, `is_final` ones settled; after `CloseStream` the rest comes, then
`Metadata`, then the connection is closed. A refused key is a 401 to the handshake.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gistmeter.models.credentials import Service
from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.websocket import Dialect


class Deepgram(Dialect):
    service = Service(
        "Deepgram", ("DEEPGRAM_API_KEY",), ("api.deepgram.com", "api.eu.deepgram.com")
    )
    enables = "Deepgram's recogniser"
    usual_model = "nova-3"
    usual_url = "wss://api.deepgram.com/v1/listen"
    close_is_end = True

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
        return {"Authorization": f"Token {self.key}"} if self.key else {}

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
