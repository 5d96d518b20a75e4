"""A key goes to its service's own host; to another one only if it was named for it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from trust.rude import Service, reply, serving
from trust.scenes import sounds

pytest.importorskip("pydantic_ai")

import gistmeter
from gistmeter.cli import app
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, ModelError
from gistmeter.models.env_file import MOST, filed_keys
from gistmeter.models.llm import LanguageModelSettings, load_language_model
from gistmeter.models.llm.asking import ServiceAsker
from gistmeter.speech.recognizers.benchmark import BenchmarkSettings, resolve, transcribe
from models.llm_server import anthropic_answer, as_events, gemini_answer, openai_answer
from speech.recognizers.loopback import Service as Stream
from speech.recognizers.loopback import Visit
from speech.recognizers.recognizer_doubles import clip

CANARY = "sk-canary-0123456789abcdefghij"
VARIABLES = (
    "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_ORG_ID", "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN", "OLLAMA_API_KEY", "MISTRAL_API_KEY", "DEEPGRAM_API_KEY",
    "ELEVENLABS_API_KEY", "SPEECHMATICS_API_KEY", "CARTESIA_API_KEY", "GISTMETER_LLM_KEY",
)  # fmt: skip
FACTS = {"facts": [{"subject": "it", "predicate": "rains", "object": "now", "verdict": "both"}]}
MODELS = {
    "openai": ("openai:gpt-5", "/v1"), "own": ("qwen", "/v1"), "ollama": ("ollama:qwen", "/v1"),
    "google": ("gemini-2.5-flash", ""), "anthropic": ("claude-haiku-4-5", ""),
}  # fmt: skip
FILES = {"openai": "openai:some-model@{}/v1", "elevenlabs": "elevenlabs:scribe_v2@{}"}
STREAMS = ("deepgram", "elevenlabs", "speechmatics", "cartesia")
NOWHERE = "192.0.2.7"  # of a block of addresses that nobody has
QUICK = BenchmarkSettings(pause=0.0, timeout=8.0, timeout_factor=0.0, tries=1)


class Facts(BaseModel):
    facts: list[str]


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are trusted with everything else: a key and its host are still not theirs."""
    monkeypatch.setenv("GISTMETER_TRUST", "1")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, in_folder: Path) -> None:
    """Every key is the canary, and two clips lie in the folder."""
    for name in VARIABLES:
        monkeypatch.setenv(name, CANARY)
    Path("clips.csv").write_text("file,expected,x\n1,it rains now,it rained\n2,we left,we left\n")


def answering(service: Service, connection: socket.socket) -> None:
    """A good answer, whatever was asked."""
    head, _, body = service.heard[-1].partition(b"\r\n\r\n")
    path, text = head.partition(b"\r\n")[0], json.dumps(FACTS)
    answer: dict[str, Any] = {"text": "hello"}
    if b"/messages" in path:
        asked = json.loads(body)
        answer = anthropic_answer(text, asked.get("tools") or [])
        if asked.get("stream"):
            return reply(connection, 200, as_events(answer), Content_Type="text/event-stream")
    elif b"generateContent" in path:
        answer = gemini_answer(text)
    elif b"/chat/" in path:
        answer = openai_answer(text)
    return reply(connection, 200, json.dumps(answer).encode())


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(answering, CANARY) as running:
        yield running


def speech(*arguments: str) -> int:
    return app.main(["speech", *arguments, "--language", "en", "-o", "out.csv", "-o", "folder"],
                    standalone_mode=False)  # fmt: skip


def config(**options: Any) -> str:
    lines = [f"{name} = {_toml(value)}" for name, value in options.items()]
    Path("g.toml").write_text("[speech]\n" + "\n".join(lines) + "\n")
    return "--config=g.toml"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = "{one}"' for key, one in value.items()) + "}"
    return json.dumps(value)


# Language models.


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("origin", ["file", "typed"])
def test_a_server_gets_texts_and_no_key(model: str, origin: str, service: Service) -> None:
    name, end = MODELS[model]
    given = [f"--llm={name}", f"--llm-url={service.url}{end}"]
    if origin == "file":
        given = [config(llm=name, llm_url=service.url + end)]
    assert speech("clips.csv", "--metrics=ser", *given) == 0
    assert len(service.heard) == 2 and b"it rains now" in b"".join(service.heard)
    assert CANARY.encode() not in b"".join(service.heard)
    assert gistmeter.load_run("folder")["ser"].n == 2


@pytest.mark.parametrize("model", MODELS)
def test_a_server_gets_the_key_that_is_named_and_no_other(
    model: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "key-of-mine")
    name, end = MODELS[model]
    address = f"--llm-url={service.url}{end}"
    given = ["--metrics=ser", f"--llm={name}", address, "--llm-key-env=MINE"]
    assert speech("clips.csv", *given) == 0
    assert len(service.heard) == 2 and all(b"key-of-mine" in one for one in service.heard)
    assert CANARY.encode() not in b"".join(service.heard)


@pytest.mark.parametrize("model", ["openai:gpt-5", "anthropic:claude-haiku-4-5"])
def test_a_batch_gets_no_key_either(model: str, service: Service) -> None:
    settings = LanguageModelSettings(base_url=service.url, batch=True, attempts=1)
    asked = load_language_model(model, cache=Cache(None), settings=settings)
    with pytest.raises(ModelError):  # the service understands no batches
        asked.ask(["What?"], Facts)
    assert service.heard and CANARY.encode() not in b"".join(service.heard)


def test_a_provider_whose_library_would_send_its_own_key_stays_at_home(
    service: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    given = ["--metrics=ser", "--llm=mistral:large", f"--llm-url={service.url}/v1"]
    assert speech("clips.csv", *given) == 2
    assert "openai:large" in capfd.readouterr().err and service.heard == []


def test_a_service_that_asks_for_a_key_says_how_to_name_one() -> None:
    def refuse(_: Service, connection: socket.socket) -> None:
        reply(connection, 401, b"{}")

    with serving(refuse, CANARY) as service:
        assert speech("clips.csv", "--metrics=ser", "--llm=qwen", f"--llm-url={service.url}") == 0
    (reason,) = gistmeter.load_run("folder")["ser"].reasons
    assert "--llm-key-env NAME" in reason


REFUSED = {
    "another host": (
        {"llm": "openai:gpt-5", "llm_url": f"https://{NOWHERE}/v1"},
        [], f"--llm-url https://{NOWHERE}/v1, and --llm-key-env NAME",
    ),
    "another host, its key typed": (
        {"llm": "openai:gpt-5", "llm_url": f"https://{NOWHERE}/v1"},
        ["--llm-key-env=OPENAI_API_KEY"], "type --llm-url",
    ),
    "this machine, its key typed": (
        {"llm": "openai:gpt-5", "llm_url": "http://127.0.0.1:9/v1"},
        ["--llm-key-env=OPENAI_API_KEY"], "type --llm-url",
    ),
    "a host that begins like its own": (
        {"llm": "openai:gpt-5", "llm_url": "https://api.openai.com.example.org/v1"},
        [], "leads to api.openai.com.example.org",
    ),
    "a host behind a user's name": (
        {"llm": "openai:gpt-5", "llm_url": f"https://api.openai.com:{CANARY}@{NOWHERE}/v1?key={CANARY}"},
        [], f"leads to {NOWHERE}",
    ),
    "its own host unencrypted": (
        {"llm": "openai:gpt-5", "llm_url": "http://api.openai.com/v1"}, [], "type --llm-url",
    ),
    "a host of another service": (
        {"llm": "openai:gpt-5", "llm_url": "https://api.deepgram.com/v1"}, [], "not OpenAI's own",
    ),
    "no model": ({"llm_url": f"https://{NOWHERE}"}, [], "not Google's own"),
    "the variable of a key": (
        {"llm": "openai:gpt-5", "llm_key_env": "HOME"}, [], "type --llm-key-env NAME",
    ),
    "the variable of a recogniser's key": (
        {"recognizer_key_env": {NOWHERE: "HOME"}}, [], "type --recognizer-key-env HOST=NAME",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_configuration_file_alone_moves_no_key(
    case: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServiceAsker, "answer", None)  # nothing is asked
    options, typed, advice = REFUSED[case]
    assert speech("clips.csv", config(**options), *typed) == 2
    told = capfd.readouterr().err
    assert advice in told and "Traceback" not in told and CANARY not in told
    assert not Path("folder").exists() and not Path("out.csv").exists()
    with pytest.raises(InputError, match="configuration file"):
        gistmeter.score_speech(
            ["a"], ["b"], config="g.toml",
            **{part[2:].partition("=")[0].replace("-", "_"): part.partition("=")[2]
               for part in typed},
        )  # fmt: skip


@pytest.mark.parametrize("case", [case for case, held in REFUSED.items() if not held[1]])
def test_nor_does_a_file_of_evaluations(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ServiceAsker, "answer", None)  # nothing is asked
    options = REFUSED[case][0]
    lines = [f"{name} = {_toml(value)}" for name, value in options.items()]
    table = '[evaluation.calls]\nshape = "speech"\ntable = "clips.csv"\n'
    Path("check.toml").write_text(table + "\n".join(lines))
    with pytest.raises(InputError, match=r"evaluation.calls\]: .*configuration file"):
        gistmeter.check("check.toml")


def test_a_file_of_evaluations_takes_an_address_and_a_key_that_are_typed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "key-of-mine")
    Path("check.toml").write_text(
        '[evaluation.calls]\nshape = "speech"\ntable = "clips.csv"\nmetrics = ["ser"]\n'
        f'language = "en"\nllm = "openai:qwen"\nllm_url = "https://{NOWHERE}/v1"\n'
    )
    done = gistmeter.check("check.toml", llm_url=f"{service.url}/v1", llm_key_env="MINE")
    assert done.passed and len(service.heard) == 2
    assert all(b"key-of-mine" in one for one in service.heard)


def test_no_key_and_no_password_travels_unencrypted(capfd: pytest.CaptureFixture[str]) -> None:
    for given in (
        [f"--llm-url=http://{NOWHERE}/v1", "--llm-key-env=OPENAI_API_KEY"],
        [f"--llm-url=http://me:secret@{NOWHERE}/v1"],
    ):
        assert speech("clips.csv", "--metrics=ser", "--llm=qwen", *given) == 2
        told = capfd.readouterr().err
        assert "unencrypted" in told and "secret" not in told
    with pytest.raises(InputError, match="unencrypted"):
        resolve([f"openai:m@http://{NOWHERE}/v1"], {"MINE": CANARY}, {NOWHERE: "MINE"})
    with pytest.raises(InputError, match="unencrypted"):
        resolve([f"deepgram:m@ws://{NOWHERE}/v1"], {"MINE": CANARY}, {NOWHERE: "MINE"})


def test_a_variable_that_is_not_set_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    given = ["--llm=qwen", "--llm-url=http://127.0.0.1:9/v1", "--llm-key-env=NO_SUCH_KEY"]
    assert speech("clips.csv", "--metrics=ser", *given) == 2
    assert "NO_SUCH_KEY, named for a key, is not set" in capfd.readouterr().err
    with pytest.raises(InputError, match="NO_SUCH_KEY"):
        resolve(["openai:m@http://127.0.0.1:9"], os.environ, {"127.0.0.1": "NO_SUCH_KEY"})


def test_what_is_for_this_machine_goes_through_no_proxy(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def nothing(visit: Visit) -> None:
        await visit.close()

    def refuse(_: Service, connection: socket.socket) -> None:
        reply(connection, 403, b"")

    name, typed = "openai:qwen", ["--llm-key-env=OPENAI_API_KEY", "--metrics=ser"]
    with serving(refuse, CANARY) as proxy, Stream(nothing).running() as stream:
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, proxy.url)
        for variable in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(variable, raising=False)
        assert speech("clips.csv", f"--llm={name}", f"--llm-url={service.url}/v1", *typed) == 0
        for address in (f"openai:m@{service.url}", f"deepgram:m@{stream.url}"):
            found = resolve([f"x={address}"], {"MINE": CANARY}, {"127.0.0.1": "MINE"})
            asyncio.run(transcribe(found.recognizers["x"], str(clip(tmp_path).audio), QUICK))
    assert proxy.heard == []
    assert len(service.heard) == 3 and len(stream.visits) == 1


# Recognisers.


@pytest.mark.parametrize("vendor", FILES)
@pytest.mark.parametrize("origin", ["file", "typed"])
def test_a_server_gets_sound_and_no_key(vendor: str, origin: str, service: Service) -> None:
    sounds()
    name = f"x={FILES[vendor].format(service.url)}"
    given = config(recognizers=[name]) if origin == "file" else f"--recognizers={name}"
    assert speech("--assets=assets", "--metrics=wer", "--tries=1", given) == 0
    assert len(service.heard) == 3 and all(b"RIFF" in one for one in service.heard)
    assert CANARY.encode() not in b"".join(service.heard)


@pytest.mark.parametrize("vendor", STREAMS)
def test_a_stream_on_this_machine_gets_no_key(vendor: str, tmp_path: Path) -> None:
    async def nothing(visit: Visit) -> None:
        await visit.close()

    with Stream(nothing).running() as stream:
        found = resolve([f"x={vendor}:some-realtime@{stream.url}"], dict(os.environ))
        asyncio.run(transcribe(found.recognizers["x"], str(clip(tmp_path).audio), QUICK))
    (visit,) = stream.visits
    assert not any(CANARY in value for value in visit.headers.values())


@pytest.mark.parametrize("vendor", [*STREAMS, "openai"])
def test_a_recogniser_elsewhere_gets_no_key_of_its_vendor(vendor: str) -> None:
    scheme = "https" if vendor == "openai" else "wss"
    found = resolve([f"x={vendor}:some-realtime@{scheme}://{NOWHERE}/v1"], dict(os.environ))
    if vendor == "openai":  # such a server may need none
        assert found.recognizers["x"].key == ""  # type: ignore[attr-defined]
    else:
        assert f"--recognizer-key-env {NOWHERE}=NAME" in found.skipped["x"]
    named = resolve(
        [f"x={vendor}:some-realtime@{scheme}://{NOWHERE}/v1"], {"MINE": "key-of-mine"},
        {NOWHERE: "MINE"},
    )  # fmt: skip
    assert named.recognizers["x"].key == "key-of-mine"  # type: ignore[attr-defined]


def test_a_recogniser_of_a_file_needs_the_users_word(
    service: Service, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sounds()
    given = config(recognizers=[f"x=openai:whisper-1@http://{NOWHERE}"])
    assert speech("--assets=assets", given) == 2
    assert f"type --recognizer-key-env {NOWHERE}=NAME" in capfd.readouterr().err
    assert not Path("folder").exists()
    monkeypatch.setenv("MINE", "key-of-mine")
    here = config(recognizers=[f"x=openai:whisper-1@{service.url}"])
    typed = ["--recognizer-key-env=127.0.0.1=MINE", "--metrics=wer", "--tries=1"]
    assert speech("--assets=assets", here, *typed) == 0
    assert len(service.heard) == 3 and all(b"Bearer key-of-mine" in one for one in service.heard)


def test_addresses_that_can_be_read_in_two_ways_are_refused() -> None:
    for url in (
        "https://api.openai.com\\.example.org/v1", "https://api.openai.com\t.example.org",
        "https://example.org%2f.api.openai.com/v1", "https://example.org%23.api.openai.com",
    ):  # fmt: skip
        with pytest.raises(InputError, match="must be of the form"):
            resolve([f"openai:m@{url}"], dict(os.environ))


# Clusters.


def test_a_file_alone_sends_no_texts_to_a_cluster(capfd: pytest.CaptureFixture[str]) -> None:
    Path("g.toml").write_text(f'engine = "ray"\naddress = "ray://{NOWHERE}:10001"\n')
    assert speech("clips.csv", "--config=g.toml", "--metrics=wer") == 2
    assert "Type --address" in capfd.readouterr().err


# The file of keys in a folder, perhaps a stranger's


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("OPENAI_API_KEY=abc", "abc"),
        (" export  OPENAI_API_KEY = 'a b' # mine", None),
        ('export OPENAI_API_KEY="abc"  # mine', "abc"),
        ("OPENAI_API_KEY=abc # mine", "abc"),
        ("OPENAI_API_KEY=abc\x1b[2J", None),
        ("OPENAI_API_KEY=\u043a\u043b\u044e\u0447", None),
        ("OPENAI_API_KEY=" + "a" * 5000, None),
        ("x export OPENAI_API_KEY=abc", None),
        ("OPENAI_API_KEY=a" + " " * 60_000 + "b", None),
        ("X=1\n" * (MOST // 4) + "OPENAI_API_KEY=abc", None),
    ],
)
def test_a_filed_key_is_one_that_a_header_carries(line: str, key: str | None) -> None:
    Path(".env").write_text(line, "utf-8")
    assert filed_keys(["OPENAI_API_KEY"]).get("OPENAI_API_KEY") == key


def test_links_pipes_and_devices_hold_no_keys(caplog: pytest.LogCaptureFixture) -> None:
    Path("elsewhere").write_text("OPENAI_API_KEY=abc")
    for make in (
        lambda: Path(".env").symlink_to("elsewhere"),
        lambda: Path(".env").symlink_to("/dev/zero"),
        lambda: os.mkfifo(".env"),
    ):
        make()
        assert filed_keys(["OPENAI_API_KEY"]) == {}
        Path(".env").unlink()
    assert caplog.text.count("No key is taken") == 3
    Path(".env").mkdir()
    assert filed_keys(["OPENAI_API_KEY"]) == {}
