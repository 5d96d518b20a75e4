"""Services that take whole files over HTTP, against servers on this machine."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError
from gistmeter.speech.recognizers import benchmark
from gistmeter.speech.recognizers.benchmark import Transcript, resolve, transcribe
from gistmeter.speech.recognizers.services import retry_after
from speech.recognizers.loopback import FileService
from speech.recognizers.recognizer_doubles import QUICK, clip

KEY = "a-very-secret-key"
HEARD = (200, json.dumps({"text": " hello world "}), {"Content-Type": "application/json"})
NAMES = {"openai": "openai:some-model@{}/v1", "elevenlabs": "elevenlabs:scribe_v2@{}"}
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "ELEVENLABS_API_KEY": KEY}


@pytest.fixture(params=NAMES)
def vendor(request: pytest.FixtureRequest) -> str:
    return request.param


def hear(name: str, folder: Path, environment: dict = ENVIRONMENT, **settings: float) -> Transcript:
    named = {"127.0.0.1": "OPENAI_API_KEY"} if environment else {}
    found = resolve([name], environment, named)
    audio = clip(folder, seconds=0.5).audio or ""
    changed = dataclasses.replace(QUICK, **settings)
    return asyncio.run(transcribe(found.recognizers[name], audio, changed, "en-GB"))


def test_a_file_goes_out_and_a_text_comes_back(vendor: str, tmp_path: Path) -> None:
    with FileService([HEARD]).running() as service:
        transcript = hear(NAMES[vendor].format(service.url), tmp_path, realtime_factor=1.0)
    assert (transcript.text, transcript.error, transcript.tries) == ("hello world", "", 1)
    [form] = service.forms
    # The clip alone, without silence around it, and not at the pace of speech.
    assert form.file == (tmp_path / "a.wav").read_bytes()
    assert form.filename == "clip.wav"
    if vendor == "openai":
        assert form.path == "/v1/audio/transcriptions"
        assert form.headers["authorization"] == f"Bearer {KEY}"
        fields = {"model": "some-model", "response_format": "json", "language": "en"}
    else:
        assert form.path == "/v1/speech-to-text"
        assert form.headers["xi-api-key"] == KEY
        fields = {"model_id": "scribe_v2", "tag_audio_events": "false", "language_code": "en"}
    assert form.fields == fields


def failure(status: int, **headers: str) -> tuple[int, str, dict[str, str]]:
    return status, json.dumps({"error": {"message": "that did not work"}}), headers


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_tried_once(vendor: str, tmp_path: Path, status: int) -> None:
    with FileService([failure(status)]).running() as service:
        transcript = hear(NAMES[vendor].format(service.url), tmp_path)
    assert (transcript.tries, len(service.forms)) == (1, 1)
    assert f"answered {status}: that did not work" in transcript.error
    assert KEY not in transcript.error


def test_too_many_requests_are_tried_again(vendor: str, tmp_path: Path, monkeypatch) -> None:
    pauses: list[float] = []

    async def rest(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(benchmark, "_rest", rest)
    answers = [failure(429, **{"Retry-After": "4"}), failure(500), HEARD]
    with FileService(answers).running() as service:
        transcript = hear(NAMES[vendor].format(service.url), tmp_path)
    assert (transcript.text, transcript.tries) == ("hello world", 3)
    assert pauses == [4.0, 0.0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("<html>", "not JSON"),
        ("[1]", "answered with list"),
        ('{"words": []}', "without a text"),
        ('{"text": 3}', "without a text"),
    ],
)
def test_answers_that_hold_no_text(vendor: str, tmp_path: Path, answer: str, reason: str) -> None:
    with FileService([(200, answer, {})]).running() as service:
        transcript = hear(NAMES[vendor].format(service.url), tmp_path)
    assert reason in transcript.error
    assert transcript.tries == 3


def test_a_slow_service_is_left_when_its_time_is_up(vendor: str, tmp_path: Path) -> None:
    release = threading.Event()
    with FileService([HEARD], delay=release).running() as service:
        name = NAMES[vendor].format(service.url)
        transcript = hear(name, tmp_path, timeout=0.3, timeout_factor=0, tries=1)
        release.set()
    assert "no complete answer" in transcript.error


def test_nobody_at_that_address(vendor: str, tmp_path: Path) -> None:
    transcript = hear(NAMES[vendor].format("http://127.0.0.1:1"), tmp_path)
    assert (transcript.tries, "cannot be reached" in transcript.error) == (3, True)


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    with FileService([HEARD]).running() as service:
        transcript = hear(f"openai:m@{service.url}", tmp_path, {})
    assert transcript.text == "hello world"
    assert "authorization" not in service.forms[0].headers
    assert service.forms[0].path == "/v1/audio/transcriptions"


def test_openai_itself_needs_one() -> None:
    found = resolve(["openai", "openai:whisper-1"], {})
    assert found.recognizers == {}
    assert all("OPENAI_API_KEY" in reason for reason in found.skipped.values())
    assert resolve(["openai"], ENVIRONMENT).recognizers["openai"].id == (
        "openai:whisper-1@https://api.openai.com/v1"
    )


def test_an_address_must_be_one() -> None:
    with pytest.raises(InputError, match="begins with http"):
        resolve(["openai:m@file:///etc/passwd"], ENVIRONMENT)


def test_the_full_address_is_taken_as_it_is(tmp_path: Path) -> None:
    with FileService([HEARD]).running() as service:
        hear(f"openai:m@{service.url}/proxy/audio/transcriptions", tmp_path)
    assert service.forms[0].path == "/proxy/audio/transcriptions"


def test_a_language_that_is_not_known_is_not_sent(tmp_path: Path) -> None:
    with FileService([HEARD]).running() as service:
        name = f"openai:m@{service.url}"
        found = resolve([name], {})
        asyncio.run(transcribe(found.recognizers[name], clip(tmp_path).audio or "", QUICK))
    assert "language" not in service.forms[0].fields


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after("2.5") == 2.5
    assert retry_after("-1") == 0.0
    assert retry_after(None) == retry_after("soon") == 0.0
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    future = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 1000))
    assert retry_after(past) == 0.0
    assert 900 < retry_after(future) <= 1000
