"""Any server that answers `POST /v1/audio/transcriptions` as OpenAI's does.

`openai:MODEL@URL` reaches a server of one's own (vLLM, whisper.cpp, speaches, LocalAI), with the
key that was named for its host or without any; `openai` and `openai:MODEL` reach api.openai.com
with the key in OPENAI_API_KEY.
https://platform.openai.com/docs/api-reference/audio/createTranscription
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import urlsplit

from gistmeter.core.errors import InputError
from gistmeter.models.credentials import SERVICES, Service
from gistmeter.speech.recognizers.local import require
from gistmeter.speech.recognizers.services import key_of, model_and_url, post_file, text_of

VENDOR = "OpenAI"
MODEL = "whisper-1"
URL = "https://api.openai.com/v1"
ENDING = "/audio/transcriptions"


@dataclass(frozen=True, slots=True)
class OpenAITranscriptions:
    """A model behind an address."""

    model: str = MODEL
    url: str = URL
    key: str = field(default="", repr=False)
    service: ClassVar[Service] = SERVICES["openai"]
    enables: ClassVar[str] = "OpenAI's recogniser, and servers with the same interface"

    @classmethod
    def from_name(cls, argument: str, environment: Mapping[str, str]) -> Self:
        require("httpx", "openai", "Recognising speech over HTTP")
        model, url = model_and_url(argument, MODEL, URL)
        if urlsplit(url).scheme not in ("http", "https"):
            raise InputError(f"A server's address begins with http:// or https://, not '{url}'")
        return cls(model, url, key_of(cls.service, url, environment, needed=False))

    @property
    def id(self) -> str:
        return f"openai:{self.model}@{self.url}"

    @property
    def address(self) -> str:
        if self.url.endswith(ENDING):
            return self.url
        return self.url + ENDING if self.url.endswith("/v1") else f"{self.url}/v1{ENDING}"

    async def transcribe(self, path: Path, language: str = "") -> str:
        fields = {"model": self.model, "response_format": "json"}
        if language:
            fields["language"] = language.partition("-")[0]  # ISO 639-1
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        vendor = VENDOR if self.url == URL else self.url
        answer = await post_file(vendor, self.address, headers=headers, fields=fields, path=path)
        return text_of(vendor, answer)
