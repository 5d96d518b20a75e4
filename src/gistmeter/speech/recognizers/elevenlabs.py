"""ElevenLabs Scribe, live over a WebSocket or whole files over HTTP.

Live (`scribe_v2_realtime`): sound as base64 in `input_audio_chunk` messages, the last of which
commits; `partial_transcript` and `committed_transcript` come back. There is no closing message,
and the service may commit on its own in long clips, so a short quiet after the last committed text
ends the session. Any message with an `error` is a failure.
https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime

Whole files (any other model, as `scribe_v2`): `POST /v1/speech-to-text`.
https://elevenlabs.io/docs/api-reference/speech-to-text/convert
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gistmeter.models.credentials import Service
from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.local import require
from gistmeter.speech.recognizers.services import key_of, model_and_url, post_file, text_of
from gistmeter.speech.recognizers.websocket import Dialect, stream_to

SERVICE = Service(
    "ElevenLabs",
    ("ELEVENLABS_API_KEY",),
    ("api.elevenlabs.io", "api.us.elevenlabs.io", "residency.elevenlabs.io"),
)
VENDOR = SERVICE.title
MODEL = "scribe_v2_realtime"
URL = "https://api.elevenlabs.io"
LIVE = "/v1/speech-to-text/realtime"
FILES = "/v1/speech-to-text"
HARMLESS = frozenset({"commit_throttled", "insufficient_audio_activity"})
PASSING = frozenset({"rate_limited", "queue_overflow", "resource_exhausted", "transcriber_error"})


class ElevenLabs:
    """`elevenlabs`, `elevenlabs:MODEL` or `elevenlabs:MODEL@URL`; key in ELEVENLABS_API_KEY."""

    service = SERVICE
    enables = "ElevenLabs' recogniser"

    @classmethod
    def from_name(
        cls, argument: str, environment: Mapping[str, str]
    ) -> ElevenLabsLive | ElevenLabsFiles:
        model, url = model_and_url(argument, MODEL, URL)
        key = key_of(SERVICE, url, environment)
        if "realtime" in model:
            live = stream_to(SERVICE, re.sub("^http", "ws", url) + LIVE)
            return ElevenLabsLive(key, model, live)
        require("httpx", "elevenlabs", "Sending files to ElevenLabs")
        return ElevenLabsFiles(key, model, re.sub("^ws", "http", url) + FILES)


class ElevenLabsLive(Dialect):
    """Scribe as it listens."""

    service = SERVICE
    settle = 1.0

    def query(self, language: str) -> Mapping[str, str]:
        query = {
            "model_id": self.model,
            "audio_format": f"pcm_{SAMPLE_RATE}",
            "commit_strategy": "manual",
        }
        return {**query, "language_code": language.partition("-")[0]} if language else query

    def headers(self) -> Mapping[str, str]:
        return {"xi-api-key": self.key} if self.key else {}

    def audio(self, pcm: bytes) -> str:
        return _chunk(pcm, commit=False)

    def ending(self, chunks: int) -> str:  # noqa: ARG002
        return _chunk(b"", commit=True)

    def events(self, message: Mapping[str, Any]) -> Iterable[SpeechEvent]:
        kind = str(message.get("message_type", ""))
        if "error" in message and kind not in HARMLESS:
            raise RecognizerError(f"{VENDOR}: {kind}: {message['error']}", lasting=_lasts(kind))
        if kind == "partial_transcript":
            yield SpeechEvent(str(message.get("text", "")), is_final=False)
        elif kind == "committed_transcript":
            yield SpeechEvent(str(message.get("text", "")))

    def is_last(self, message: Mapping[str, Any]) -> bool:
        # A throttled commit had nothing left to commit.
        return message.get("message_type") in {"committed_transcript", *HARMLESS}


@dataclass(frozen=True, slots=True)
class ElevenLabsFiles:
    """Scribe on whole files."""

    key: str = field(repr=False)
    model: str
    url: str

    @property
    def id(self) -> str:
        return f"elevenlabs:{self.model}@{self.url}"

    async def transcribe(self, path: Path, language: str = "") -> str:
        fields = {"model_id": self.model, "tag_audio_events": "false"}
        if language:
            fields["language_code"] = language.partition("-")[0]
        headers = {"xi-api-key": self.key} if self.key else {}
        answer = await post_file(VENDOR, self.url, headers=headers, fields=fields, path=path)
        return text_of(VENDOR, answer)


def _chunk(pcm: bytes, *, commit: bool) -> str:
    return json.dumps(
        {
            "message_type": "input_audio_chunk",
            "audio_base_64": base64.b64encode(pcm).decode("ascii"),
            "commit": commit,
            "sample_rate": SAMPLE_RATE,
        }
    )


def _lasts(kind: str) -> bool:
    """A refused key, quota or request stays refused."""
    return kind not in PASSING and kind not in {"error", "session_time_limit_exceeded"}
