"""Services over a WebSocket, against servers that follow their documentation."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError
from gistmeter.speech.recognizers import Recognizer, benchmark
from gistmeter.speech.recognizers.benchmark import Transcript, resolve, transcribe
from gistmeter.speech.recognizers.elevenlabs import ElevenLabsLive
from speech.recognizers import vendors
from speech.recognizers.loopback import Conversation, Service, Visit
from speech.recognizers.recognizer_doubles import QUICK, clip

KEY = "a-very-secret-key"


@dataclass(frozen=True)
class Vendor:
    name: str
    variable: str
    converse: Conversation
    address: str  # what is written after the server's place
    path: str  # what the server must be asked for
    header: tuple[str, str]
    query: dict[str, str]
    refusal: dict[str, object]  # the message that says the key is wrong
    trouble: dict[str, object]  # one that says to try again


VENDORS = [
    Vendor(
        "deepgram",
        "DEEPGRAM_API_KEY",
        vendors.deepgram,
        "/v1/listen",
        "/v1/listen",
        ("authorization", f"Token {KEY}"),
        {
            "model": "some-model",
            "encoding": "linear16",
            "sample_rate": "16000",
            "channels": "1",
            "interim_results": "true",
            "punctuate": "true",
            "language": "en-GB",
        },
        {},
        {"type": "Error", "description": "try again"},
    ),
    Vendor(
        "elevenlabs",
        "ELEVENLABS_API_KEY",
        vendors.elevenlabs,
        "",
        "/v1/speech-to-text/realtime",
        ("xi-api-key", KEY),
        {
            "model_id": "some-model-realtime",
            "audio_format": "pcm_16000",
            "commit_strategy": "manual",
            "language_code": "en",
        },
        {"message_type": "auth_error", "error": "invalid key"},
        {"message_type": "rate_limited", "error": "try again"},
    ),
    Vendor(
        "speechmatics",
        "SPEECHMATICS_API_KEY",
        vendors.speechmatics,
        "/v2",
        "/v2",
        ("authorization", f"Bearer {KEY}"),
        {},
        {"message": "Error", "type": "not_authorised", "reason": "invalid key"},
        {"message": "Error", "type": "quota_exceeded", "reason": "try again"},
    ),
    Vendor(
        "cartesia",
        "CARTESIA_API_KEY",
        vendors.cartesia,
        "/stt/websocket",
        "/stt/websocket",
        ("authorization", f"Bearer {KEY}"),
        {"model": "some-model", "encoding": "pcm_s16le", "sample_rate": "16000", "language": "en"},
        {"type": "error", "status_code": 401, "message": "invalid key"},
        {"type": "error", "status_code": 429, "message": "try again"},
    ),
]


@pytest.fixture(autouse=True)
def short_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """ElevenLabs sends no farewell; on this machine a shorter quiet is as sure."""
    monkeypatch.setattr(ElevenLabsLive, "settle", 0.3)


@pytest.fixture(params=VENDORS, ids=lambda vendor: vendor.name)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param


@pytest.fixture
def service(vendor: Vendor) -> Iterator[Service]:
    with Service(vendor.converse).running() as running:
        yield running


def recognizer(vendor: Vendor, service: Service) -> Recognizer:
    model = "some-model-realtime" if vendor.name == "elevenlabs" else "some-model"
    name = f"{vendor.name}:{model}@{service.url}{vendor.address}"
    found = resolve([name], {"MINE": KEY}, {"127.0.0.1": "MINE"})
    assert found.skipped == {}
    return found.recognizers[name]


def hear(vendor: Vendor, service: Service, folder: Path, **settings: float) -> Transcript:
    audio = clip(folder, seconds=0.5, language="en-GB")
    changed = dataclasses.replace(QUICK, silence_after=0.1, **settings)
    return asyncio.run(
        transcribe(recognizer(vendor, service), audio.audio or "", changed, audio.language)
    )


def test_the_whole_conversation(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    transcript = hear(vendor, service, tmp_path)
    assert transcript.error == ""
    assert transcript.text == "hello world"
    assert (transcript.partials, transcript.tries, len(transcript.segments)) == (1, 1, 2)
    assert 0 < transcript.latency_first <= transcript.elapsed
    [visit] = service.visits
    assert visit.path == vendor.path
    assert visit.query == vendor.query
    assert visit.headers[vendor.header[0]] == vendor.header[1]
    assert len(visit.sound) == 0.6 * 32_000
    assert visit.sound[: 32_000 // 2] == (tmp_path / "a.wav").read_bytes()[44:]


def test_a_new_connection_for_each_clip(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    assert hear(vendor, service, tmp_path).text == "hello world"
    assert hear(vendor, service, tmp_path).text == "hello world"
    assert len(service.visits) == 2


def test_a_refused_key_is_tried_once(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    service.refusals = [(401, "invalid credentials", {})] * 3
    transcript = hear(vendor, service, tmp_path)
    assert (transcript.tries, service.refused) == (1, 1)
    assert "401" in transcript.error and "invalid credentials" in transcript.error
    assert KEY not in transcript.error


def test_too_many_requests_are_tried_again(
    vendor: Vendor, service: Service, tmp_path: Path, monkeypatch
) -> None:
    pauses = watch_pauses(monkeypatch)
    service.refusals = [(429, "slow down", {"Retry-After": "7"}), (429, "slow down", {})]
    transcript = hear(vendor, service, tmp_path)
    assert (transcript.text, transcript.tries) == ("hello world", 3)
    assert pauses == [7.0, 0.0]


def watch_pauses(monkeypatch) -> list[float]:
    """Between tries nobody waits in a test."""
    pauses: list[float] = []

    async def rest(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(benchmark, "_rest", rest)
    return pauses


def test_a_service_that_is_down_all_the_time(
    vendor: Vendor, service: Service, tmp_path: Path
) -> None:
    service.refusals = [(503, "maintenance", {})] * 3
    transcript = hear(vendor, service, tmp_path)
    assert (transcript.tries, service.refused) == (3, 3)
    assert "503: maintenance" in transcript.error


def test_nobody_at_that_address(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    service.url = "ws://127.0.0.1:1"
    transcript = hear(vendor, service, tmp_path)
    assert transcript.tries == 3
    assert "cannot be reached" in transcript.error


def before_the_end(vendor: Vendor, say: dict[str, object], code: int = 1000) -> Conversation:
    """Let the client in, hear some sound, say something, and hang up."""

    async def converse(visit: Visit) -> None:
        if vendor.name == "speechmatics":
            await visit.receive()
            await visit.send(message="RecognitionStarted", id="j")
        await visit.receive()
        if say:
            await visit.send(**say)
        await visit.close(code, "enough")

    return converse


@pytest.mark.parametrize("code", [1000, 1011])
def test_closed_early(vendor: Vendor, service: Service, tmp_path: Path, code: int) -> None:
    service.converse = before_the_end(vendor, {}, code)
    transcript = hear(vendor, service, tmp_path, realtime_factor=0.2)
    assert transcript.tries == 3
    assert f"closed the connection before the audio had ended ({code} enough)" in transcript.error
    assert transcript.text == ""


def test_a_connection_that_breaks(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    async def vanish(visit: Visit) -> None:
        visit.connection.transport.abort()

    service.converse = vanish
    transcript = hear(vendor, service, tmp_path, realtime_factor=0.2)
    assert transcript.tries == 3
    assert "closed the connection before the audio had ended abruptly" in transcript.error


@pytest.mark.parametrize(
    "vendor",
    [vendor for vendor in VENDORS if vendor.refusal],  # Deepgram refuses at the handshake only
    ids=lambda vendor: vendor.name,
    indirect=True,
)
def test_a_message_of_refusal(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    service.converse = before_the_end(vendor, vendor.refusal, 1008)
    transcript = hear(vendor, service, tmp_path)
    assert transcript.tries == 1
    assert "invalid key" in transcript.error


def test_a_message_of_passing_trouble(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    good = service.converse
    bad = before_the_end(vendor, vendor.trouble)

    async def converse(visit: Visit) -> None:
        await (bad if len(service.visits) == 1 else good)(visit)

    service.converse = converse
    transcript = hear(vendor, service, tmp_path)
    assert (transcript.text, transcript.tries) == ("hello world", 2)


def test_all_tries_in_trouble_name_it(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    service.converse = before_the_end(vendor, vendor.trouble)
    transcript = hear(vendor, service, tmp_path)
    assert transcript.tries == 3
    assert "try again" in transcript.error


def test_a_slow_service_is_left_when_its_time_is_up(
    vendor: Vendor, service: Service, tmp_path: Path
) -> None:
    async def silent(visit: Visit) -> None:
        await visit.connection.wait_closed()

    service.converse = silent
    transcript = hear(vendor, service, tmp_path, timeout=0.3, timeout_factor=0, tries=1)
    assert "no complete answer" in transcript.error


def test_what_is_no_json(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    async def babble(visit: Visit) -> None:
        await visit.connection.send("<html>")
        await visit.connection.wait_closed()

    service.converse = babble
    transcript = hear(vendor, service, tmp_path, tries=1)
    assert "not JSON" in transcript.error


def test_unknown_messages_are_passed_over(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    good = service.converse

    async def chatty(visit: Visit) -> None:
        if vendor.name != "speechmatics":  # there the client speaks first
            await visit.send(type="News", message_type="news", message="News")
        await good(visit)

    service.converse = chatty
    assert hear(vendor, service, tmp_path).text == "hello world"


def test_without_a_key_it_is_left_out(vendor: Vendor) -> None:
    found = resolve([vendor.name], {})
    assert found.recognizers == {}
    assert vendor.variable in found.skipped[vendor.name]
    assert resolve([vendor.name], {vendor.variable: "  "}).recognizers == {}


def test_an_address_must_be_one_to_stream_to(vendor: Vendor) -> None:
    with pytest.raises(InputError, match="wss:// for a stream"):
        resolve([f"{vendor.name}:some-realtime@ftp://host"], {vendor.variable: KEY})


def test_the_key_appears_nowhere(
    vendor: Vendor, service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "gistmeter")
    service.refusals = [(503, "no", {})]
    made = recognizer(vendor, service)
    transcript = hear(vendor, service, tmp_path)
    assert KEY not in repr(made) + made.id + repr(transcript) + caplog.text


def test_speakers_are_passed_on(vendor: Vendor, service: Service, tmp_path: Path) -> None:
    speakers = [event.speaker for event in hear(vendor, service, tmp_path).segments]
    expected = {"deepgram": ["0", "1"], "speechmatics": ["S1", ""]}
    assert speakers == expected.get(vendor.name, ["", ""])


def test_deepgram_without_a_farewell(tmp_path: Path) -> None:
    """A normal close after ours says the same."""

    async def converse(visit: Visit) -> None:
        while await visit.receive() is None:
            pass
        await visit.send(**vendors.results("hello world", final=True))
        await visit.close()

    with Service(converse).running() as service:
        assert hear(VENDORS[0], service, tmp_path).text == "hello world"


def test_the_others_must_say_that_all_has_been_said(tmp_path: Path) -> None:
    async def converse(visit: Visit) -> None:
        while await visit.receive() is None:
            pass
        await visit.send(type="transcript", is_final=True, text="hello")
        await visit.close()

    with Service(converse).running() as service:
        transcript = hear(VENDORS[3], service, tmp_path, tries=1)
    assert "before the transcript was complete" in transcript.error


def test_speechmatics_must_be_told_a_language(tmp_path: Path) -> None:
    with Service(vendors.speechmatics).running() as service:
        made = recognizer(VENDORS[2], service)
        path = clip(tmp_path).audio or ""
        assert asyncio.run(transcribe(made, path, QUICK)).text == "hello world"
        assert asyncio.run(transcribe(made, path, QUICK, "cs")).text == "hello world"
    starts = [json.loads(visit.messages[0]) for visit in service.visits]
    assert [start["transcription_config"]["language"] for start in starts] == ["en", "cs"]
    assert starts[0]["audio_format"] == {
        "type": "raw",
        "encoding": "pcm_s16le",
        "sample_rate": 16_000,
    }


def test_elevenlabs_with_nothing_left_to_commit(tmp_path: Path) -> None:
    async def converse(visit: Visit) -> None:
        while not json.loads(await visit.receive() or "null")["commit"]:
            pass
        await visit.send(message_type="committed_transcript", text="all of it")
        await visit.send(message_type="commit_throttled", error="only 0.02s of uncommitted audio")
        await visit.connection.wait_closed()

    with Service(converse).running() as service:
        transcript = hear(VENDORS[1], service, tmp_path)
    assert (transcript.text, transcript.error) == ("all of it", "")
