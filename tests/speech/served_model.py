"""A language model behind a loopback service, and no key in the environment."""

from __future__ import annotations

from typing import Any

import pytest

from gistmeter.core.cache import Cache
from gistmeter.models.llm import LanguageModelSettings, load_language_model
from gistmeter.speech.consent import DEFAULT_MODEL
from speech.loopback import Service
from speech.speech_doubles import sentence_facts, texts_of

NAMES = {"gemini": DEFAULT_MODEL, "openai": "openai:local"}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def answer(prompt: str) -> Any:
    return sentence_facts(*texts_of(prompt)[:2])


def model(service: Service, cache: Cache | None = None, **settings: Any) -> Any:
    url = service.url + ("/v1" if service.shape == "openai" else "")
    options = {"temperature": 0.2, "pause": 0.0, "attempts": 2, **settings}
    return load_language_model(
        NAMES[service.shape],
        cache=cache or Cache(None),
        settings=LanguageModelSettings(base_url=url, **options),
        api_key="secret-key",
    )
