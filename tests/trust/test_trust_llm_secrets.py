"""A language model's key is sent to its service and stands nowhere else, however that fails."""

from __future__ import annotations

import json
import logging
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trust.rude import ENDLESS, MANNERS, Service, bad_certificate, packed, reply, serving

pytest.importorskip("pydantic_ai")

from gistmeter import load_run
from gistmeter.cli import app
from gistmeter.models.llm.asking import ServiceAsker
from models.llm_server import anthropic_answer, as_events, gemini_answer, openai_answer

CANARY = "sk-canary-0123456789abcdefghij"
PART = CANARY[:14]
SAMPLE = 6
PROVIDERS = {
    "openai": ("openai:gpt-5", "OPENAI_API_KEY", "/v1"),
    "own": ("qwen", "KEY_OF_MINE", "/v1"),
    "google": ("gemini-2.5-flash", "GEMINI_API_KEY", ""),
    "anthropic": ("claude-haiku-4-5", "ANTHROPIC_API_KEY", ""),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience of a second, and no keys but the canary."""
    begin = ServiceAsker.__post_init__

    def quickly(self: ServiceAsker) -> None:
        self.settings = replace(self.settings, pause=0.001, timeout=1.0, attempts=2)
        begin(self)

    monkeypatch.setattr(ServiceAsker, "__post_init__", quickly)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


def ask(provider: str, url: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """`gistmeter speech` with the semantic error rate, into a folder and two tables."""
    name, variable, end = PROVIDERS[provider]
    monkeypatch.setenv(variable, CANARY)
    Path("clips.csv").write_text("file,expected,x\n1,it rains today,it rained\n2,we left,we left\n")
    return app.main(
        ["--verbose", "speech", "clips.csv", "--metrics", "ser", "--language", "en",
         "--llm", name, "--llm-url", url + end, "--llm-key-env", variable, "--resamples", "10",
         "-o", "folder", "--overwrite", "-o", "x.csv", "-o", "x.xlsx"],
        standalone_mode=False,
    )  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_failure_of_a_language_model_tells_its_key(
    provider: str,
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    choose: Any,
) -> None:
    watch(caplog, monkeypatch)
    packed()  # once, before anybody waits for it
    for manner in choose(list(MANNERS), SAMPLE):
        caplog.clear()
        with serving(MANNERS[manner], CANARY) as service:
            start = time.monotonic()
            code = ask(provider, service.url, monkeypatch)
            took = time.monotonic() - start
        own = [one for one in service.heard if not one.startswith(b"ELSEWHERE")]
        assert own and all(CANARY.encode() in one for one in own), manner  # the key was sent
        assert service.heard == own, f"{manner}: a redirect was followed"
        search(capfd, caplog)
        assert code == 0, manner
        assert service.sent < ENDLESS * 2**20 / 2, f"{manner}: an endless answer was read"
        assert took < 60, f"{manner}: was waited for"
        score = load_run("folder")["ser"]
        assert score.n == 0 and score.unscored == 2 and score.reasons, (manner, score)


def watch(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that --verbose shows, of every library; the cache in a place that is searched too."""
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="gistmeter")
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(Path("cache").absolute()))


def search(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """All output, all log lines and all files, for the key and for most of it."""
    shown = capfd.readouterr()
    assert shown.out + shown.err
    assert "Traceback" not in shown.err
    for text in (shown.out, shown.err, caplog.text):
        assert PART not in text, text
    files = [file for file in Path().rglob("*") if file.is_file()]
    assert any(file.name == "run.json" for file in files)
    for file in files:
        assert PART.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("provider", PROVIDERS)
def test_bad_certificates_and_absent_services_tell_no_key(
    provider: str,
    in_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    watch(caplog, monkeypatch)
    certificate = bad_certificate(tmp_path_factory.getbasetemp())
    with serving(MANNERS["401 echoes"], CANARY, tls=certificate) as service:
        assert ask(provider, service.url, monkeypatch) == 0
    assert service.heard == []  # not a word to whom nobody vouches for
    gone = service.url
    for url in (gone, gone.replace("https", "http")):
        assert ask(provider, url, monkeypatch) == 0
    search(capfd, caplog)


def answering(service: Service, connection: Any) -> None:
    """A good answer that repeats the key as a fact."""
    request = service.heard[-1]
    fact = {"subject": service.canary, "predicate": "is", "object": "rains", "verdict": "both"}
    text = json.dumps({"facts": [fact]})
    if b"/messages" in request.partition(b"\r\n")[0]:
        tools = json.loads(request.partition(b"\r\n\r\n")[2]).get("tools") or []
        message = anthropic_answer(text, tools)
        if b'"stream": true' in request or b'"stream":true' in request:
            return reply(connection, 200, as_events(message), Content_Type="text/event-stream")
        return reply(connection, 200, json.dumps(message).encode())
    shape = gemini_answer if b"generateContent" in request else openai_answer
    return reply(connection, 200, json.dumps(shape(text)).encode())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_good_answer_that_repeats_the_key_is_kept_without_it(
    provider: str,
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    watch(caplog, monkeypatch)
    with serving(answering, CANARY) as service:
        assert ask(provider, service.url, monkeypatch) == 0
    search(capfd, caplog)
    assert load_run("folder")["ser"].n == 2
    assert "[key]" in Path("folder/details").glob("facts-*").__next__().read_text()


def test_a_password_in_the_address_is_hidden_also_as_it_is_sent(
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    import base64

    basic = base64.b64encode(f"me:{CANARY}".encode()).decode()
    watch(caplog, monkeypatch)
    for manner in ("500", "200 no JSON"):
        with serving(MANNERS[manner], basic) as service:
            url = service.url.replace("//", f"//me:{CANARY}@")
            assert ask("own", url, monkeypatch) == 0
        assert any(basic.encode() in one for one in service.heard)
        for file in (file for file in Path().rglob("*") if file.is_file()):
            assert basic[:14].encode() not in file.read_bytes(), file
    assert basic[:14] not in caplog.text
    search(capfd, caplog)
