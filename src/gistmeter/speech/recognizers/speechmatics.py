"""Speechmatics' real-time transcription.

https://docs.speechmatics.com/api-ref/realtime-transcription-websocket: `StartRecognition` is
answered by `RecognitionStarted`; sound goes out as binary messages; `AddPartialTranscript` and
`AddTranscript` come back, whose `metadata.transcript` carries its own spaces; `EndOfStream` with
the number of chunks is answered by `EndOfTranscript`. Failures are messages named `Error`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gistmeter.models.credentials import Service
from gistmeter.speech.formats.audio import SAMPLE_RATE
from gistmeter.speech.recognizers import RecognizerError, SpeechEvent
from gistmeter.speech.recognizers.websocket import Dialect

# Worth another try, as the reference says; everything else is refused again.
PASSING = frozenset({"quota_exceeded", "job_error", "internal_error", "timelimit_exceeded"})
UNKNOWN_SPEAKER = "UU"


class Speechmatics(Dialect):
    """The model is what the service calls an operating point: enhanced or standard."""

    service = Service("Speechmatics", ("SPEECHMATICS_API_KEY",), ("rt.speechmatics.com",))
    enables = "Speechmatics' recogniser"
    usual_model = "enhanced"
    usual_url = "wss://eu.rt.speechmatics.com/v2"

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def opening(self, language: str) -> str:
        audio = {"type": "raw", "encoding": "pcm_s16le", "sample_rate": SAMPLE_RATE}
        config = {
            "language": language.partition("-")[0] or "en",  # the service does not guess
            "operating_point": self.model,
            "enable_partials": True,
        }
        start = {"message": "StartRecognition", "audio_format": audio}
        return json.dumps({**start, "transcription_config": config})

    def is_ready(self, message: Mapping[str, Any]) -> bool:
        return message.get("message") == "RecognitionStarted"

    def ending(self, chunks: int) -> str:
        return json.dumps({"message": "EndOfStream", "last_seq_no": chunks})

    def events(self, message: Mapping[str, Any]) -> Iterable[SpeechEvent]:
        kind = message.get("message")
        if kind == "Error":
            reason = f"{message.get('type')}: {message.get('reason')}"
            raise RecognizerError(
                f"{self.vendor}: {reason}", lasting=message.get("type") not in PASSING
            )
        if kind not in ("AddTranscript", "AddPartialTranscript"):
            return
        try:
            text = str(message["metadata"]["transcript"])
        except (KeyError, TypeError) as error:
            raise RecognizerError(f"{self.vendor} sent {kind} without a transcript") from error
        final = kind == "AddTranscript"
        yield SpeechEvent(text, final, _speaker(message.get("results") or ()), verbatim=True)

    def is_last(self, message: Mapping[str, Any]) -> bool:
        return message.get("message") == "EndOfTranscript"


def _speaker(results: Iterable[Mapping[str, Any]]) -> str:
    for result in results:
        for alternative in (result.get("alternatives") or ())[:1]:
            speaker = alternative.get("speaker")
            if speaker and speaker != UNKNOWN_SPEAKER:
                return str(speaker)
    return ""
