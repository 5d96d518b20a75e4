"""Whatever a service answers, over real connections: a valid answer or a reason, never an error.

Messages are made of sound ones, as the services' documentation has them: values are exchanged, left
out or nested, bytes are changed, heads are odd. Language models by three vendors' interfaces, whole
files by two, streams by four.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from trust.rude import Service, reply, serving
from trust.test_trust_fuzz import bitten, in_range, revalued

pytest.importorskip("pydantic_ai")

from gistmeter import score_speech
from gistmeter.core.cache import Cache
from gistmeter.models.llm import LanguageModelSettings, load_language_model
from gistmeter.speech.recognizers.benchmark import (
    BenchmarkSettings,
    Transcript,
    resolve,
    transcribe,
)
from gistmeter.speech.recognizers.elevenlabs import ElevenLabsLive
from models.llm_server import anthropic_answer, gemini_answer, openai_answer
from speech.recognizers import loopback, vendors
from speech.recognizers.recognizer_doubles import clip

TRIES, SAMPLE = 1000, 24
TOGETHER = 8
FACTS = {
    "facts": [
        {"subject": "it", "predicate": "rains", "object": "today", "verdict": "both"},
        {"subject": "we", "predicate": "left", "object": "early", "verdict": "expected"},
    ]
}
VENDORS = {
    "openai": ("openai:gpt-4o-mini", "/v1"),
    "google": ("gemini-2.5-flash", ""),
    "anthropic": ("claude-haiku-4-5", ""),
}


def spelled(document: Any, chance: random.Random) -> bytes:
    return json.dumps(document, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")


def odd_answer(vendor: str, tools: list[dict[str, Any]], chance: random.Random) -> bytes:
    """The vendor's message about odd facts, odd itself in one of three cases."""
    kind = chance.randrange(4)
    facts = revalued(FACTS, chance) if kind < 2 else FACTS
    text = spelled(facts, chance).decode()
    if vendor == "anthropic":
        message = anthropic_answer(text, tools)
    else:
        message = (gemini_answer if vendor == "google" else openai_answer)(text)
    raw = spelled(revalued(message, chance) if kind in {1, 2} else message, chance)
    return bitten(raw, chance) if chance.random() < 0.15 else raw


HEADS: tuple[dict[str, str], ...] = (
    {}, {}, {}, {"Retry_After": "nan"}, {"Retry_After": "-1"}, {"Retry_After": "1e999"},
    {"Retry_After": "x" * 500}, {"Content_Type": "text/html"}, {"Content_Type": ""},
    {"Content_Encoding": "gzip"}, {"X_Odd": "\\xff\\x80"},
)  # fmt: skip


def odd_service(vendor: str, name: str) -> Any:
    """Each answer is another one; which, is said by the number of the question."""

    def manner(service: Service, connection: Any) -> None:
        request = service.heard[-1]
        asked = request.partition(b"day number ")[2][:5]
        times = sum(asked in one for one in service.heard)  # whoever else asks at the same time
        chance = random.Random(f"{name} {vendor} {asked.decode('ascii', 'replace')} {times}")
        body = json.loads(request.partition(b"\r\n\r\n")[2] or b"{}")
        status = chance.choice((200, 200, 200, 200, 200, 400, 418, 500, 204, 299))
        content = odd_answer(vendor, body.get("tools") or [], chance)
        reply(connection, status, content, **chance.choice(HEADS))

    return manner


@pytest.mark.parametrize("vendor", VENDORS)
def test_whatever_a_language_model_answers_is_scored_or_a_reason(vendor: str, choose: Any) -> None:
    name, end = VENDORS[vendor]
    numbers = choose(range(TRIES), SAMPLE)
    with serving(odd_service(vendor, "facts")) as service:
        settings = LanguageModelSettings(
            base_url=service.url + end, pause=0.0, timeout=10, attempts=1, give_up=10**6,
            concurrency=TOGETHER, max_tokens=500,
        )  # fmt: skip
        llm = load_language_model(name, cache=Cache(None), settings=settings, api_key="key-of-ours")
        said = [
            f"it rains today on day number {number:05d} and we left early" for number in numbers
        ]
        heard = [text.replace(" and we left early", "") for text in said]
        run = score_speech(
            said, {"x": heard}, language="en", metrics=["ser"], llm=llm, resamples=10
        )
    in_range(run)
    rows = run.measured
    assert len(rows) == len(numbers)
    values = rows.values("ser")
    scored = int((values == values).sum())
    assert 0 < scored < len(numbers), "all or nothing was scored: nothing is tested"
    for at in range(len(numbers)):
        assert values[at] == values[at] or rows.reasons["ser"][at], at


KEYS = {"127.0.0.1": "MINE"}  # the variable of the key, by host
UPLOADS = {"openai": "openai:some-model@{}/v1", "elevenlabs": "elevenlabs:scribe_v2@{}"}
HEARD = {"text": "it rains", "language_code": "en", "words": [{"text": "it", "start": 0.1}]}
HASTY = BenchmarkSettings(pause=0.0, timeout=15.0, timeout_factor=0.0, tries=1)


def is_sound(heard: Transcript) -> bool:
    """A text or a reason, never both or neither; bounded."""
    assert isinstance(heard.text, str) and isinstance(heard.error, str)
    assert not (heard.error and heard.text) and len(heard.error) < 2000
    return not heard.failed


@pytest.mark.parametrize("vendor", UPLOADS)
def test_whatever_a_service_of_files_answers_is_a_text_or_a_reason(
    vendor: str, tmp_path: Path, choose: Any
) -> None:
    def manner(service: Service, connection: Any) -> None:
        chance = random.Random(f"{vendor} {len(service.heard)}")
        status = chance.choice((200, 200, 200, 200, 400, 500, 204))
        raw = spelled(revalued(HEARD, chance), chance)
        raw = bitten(raw, chance) if chance.random() < 0.2 else raw
        reply(connection, status, raw, **chance.choice(HEADS))

    sound = clip(tmp_path)
    tries = choose(range(TRIES // 2), SAMPLE)
    with serving(manner) as service:
        environment = {"MINE": "key-of-ours"}
        name = f"x={UPLOADS[vendor].format(service.url)}"
        recognizer = resolve([name], environment, KEYS).recognizers["x"]
        found = asyncio.run(together(len(tries), recognizer, sound.audio))
    good = sum(map(is_sound, found))
    assert good < len(tries), "all was heard: nothing is tested"
    assert good or len(tries) <= SAMPLE, "nothing was heard: nothing is tested"


async def together(tries: int, recognizer: Any, path: Any) -> list[Transcript]:
    """All tries, a few at once."""
    gate = asyncio.Semaphore(TOGETHER)

    async def one() -> Transcript:
        async with gate:
            return await transcribe(recognizer, path, HASTY)

    return await asyncio.gather(*(one() for _ in range(tries)))


STREAMS = {
    "deepgram": (vendors.deepgram, "/v1/listen"),
    "elevenlabs": (vendors.elevenlabs, ""),
    "speechmatics": (vendors.speechmatics, "/v2"),
    "cartesia": (vendors.cartesia, "/stt/websocket"),
}


@pytest.mark.parametrize("vendor", STREAMS)
def test_whatever_a_stream_says_is_a_text_or_a_reason(
    vendor: str, tmp_path: Path, choose: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ElevenLabsLive, "settle", 0.1)
    converse, address = STREAMS[vendor]
    chance = random.Random(f"stream {vendor}")

    class Odd(loopback.Visit):
        async def send(self, **message: Any) -> None:
            kind = chance.randrange(8)
            if kind == 0:
                await self.connection.send(
                    chance.choice(("", "[]", "null", "{", "[" * 20_000, b"\xff"))
                )
            elif kind < 4:
                await self.connection.send(spelled(revalued(message, chance), chance).decode())
            else:
                await super().send(**message)

    async def hold(visit: loopback.Visit) -> None:
        with contextlib.suppress(Exception):  # the other side has left
            await converse(visit)

    monkeypatch.setattr(loopback, "Visit", Odd)
    sound = clip(tmp_path, seconds=0.1)
    tries = choose(range(TRIES // 4), SAMPLE)
    with loopback.Service(hold).running() as service:
        name = f"x={vendor}:some-realtime@{service.url}{address}"
        recognizer = resolve([name], {"MINE": "key-of-ours"}, KEYS).recognizers["x"]
        found = asyncio.run(together(len(tries), recognizer, sound.audio))
    good = sum(map(is_sound, found))
    assert good < len(tries), "all was heard: nothing is tested"
    assert good or len(tries) <= SAMPLE, "nothing was heard: nothing is tested"
