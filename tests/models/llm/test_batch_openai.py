"""Questions in batches, over real HTTP against a server that speaks OpenAI's batch interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pydantic = pytest.importorskip("pydantic")
pytest.importorskip("httpx")

from gistmeter.core.cache import Cache  # noqa: E402
from gistmeter.core.errors import InputError, ModelError  # noqa: E402
from gistmeter.models.llm import (  # noqa: E402
    Budget,
    CachedLanguageModel,
    LanguageModelSettings,
    load_language_model,
)

KEY = "sk-canary-123456"


class Verdict(pydantic.BaseModel):  # type: ignore[name-defined, misc]
    same: bool


@dataclass
class BatchServer:
    """Files and batches in memory; a batch is done after it was looked at `looks` times."""

    looks: int = 1
    status: str = "completed"
    reply: str = '{"same": true}'
    failing: set[str] = field(default_factory=set)  # prompts that the service fails on
    refuse: int = 0  # the next so many requests get 503
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    url: str = ""

    def create(self, given: dict[str, Any]) -> dict[str, Any]:
        assert given["endpoint"] == "/v1/chat/completions" and given["completion_window"] == "24h"
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name] = {"id": name, "status": "in_progress", "seen": 0,
                              "input_file_id": given["input_file_id"]}  # fmt: skip
        return self.batches[name]

    def look(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        batch["seen"] += 1
        if batch["seen"] > self.looks and batch["status"] == "in_progress":
            batch["status"] = self.status
            if self.status == "completed":
                batch["output_file_id"] = f"out_{name}"
                self.files[f"out_{name}"] = "".join(
                    json.dumps(self.line(json.loads(line))) + "\n"
                    for line in reversed(self.files[batch["input_file_id"]].splitlines())
                )
        return batch

    def line(self, question: dict[str, Any]) -> dict[str, Any]:
        body = question["body"]
        assert body["response_format"]["type"] == "json_schema" and body["temperature"] == 0
        if body["messages"][-1]["content"] in self.failing:
            return {"custom_id": question["custom_id"], "error": {"code": "server_error"},
                    "response": None}  # fmt: skip
        answer = {"choices": [{"message": {"content": self.reply}}],
                  "usage": {"prompt_tokens": 100, "completion_tokens": 10}}  # fmt: skip
        return {
            "custom_id": question["custom_id"],
            "response": {"status_code": 200, "body": answer},
        }


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self) -> None:
        held: BatchServer = self.server.held
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self._refused(held):
            return
        if self.path == "/v1/files":
            assert b'name="purpose"\r\n\r\nbatch' in content
            body = content.split(b"\r\n\r\n")[-1].rsplit(b"\r\n--", 1)[0].strip().decode()
            name = f"file_{len(held.files) + 1}"
            held.files[name] = body
            self._send({"id": name})
        else:
            assert self.path == "/v1/batches"
            self._send(held.create(json.loads(content)))

    def do_GET(self) -> None:
        held: BatchServer = self.server.held
        if self._refused(held):
            return
        parts = self.path.split("/")
        if parts[2] == "batches" and parts[3] not in held.batches:
            self._send({"error": "no such batch"}, 404)
        elif parts[2] == "batches":
            self._send(held.look(parts[3]))
        else:
            self._send(held.files[parts[3]])

    def _refused(self, held: BatchServer) -> bool:
        held.keys.add(str(self.headers["Authorization"]))
        if held.refuse:
            held.refuse -= 1
            self._send({"error": f"busy, {KEY}"}, 503)
            return True
        return False

    def _send(self, content: Any, status: int = 200) -> None:
        raw = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setenv("KEY_OF_MINE", KEY)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held = BatchServer(url=f"http://127.0.0.1:{running.server_port}/v1")
    running.held = held  # type: ignore[attr-defined]
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield held
    running.shutdown()
    running.server_close()


def model(server: BatchServer, cache: Cache, **more: Any) -> CachedLanguageModel:
    settings = LanguageModelSettings(
        base_url=server.url, key_env="KEY_OF_MINE", batch=True, poll=0.01, pause=0.01, attempts=3,
        **more,
    )  # fmt: skip
    return load_language_model("openai:judge", cache=cache, settings=settings)


def test_all_questions_go_in_one_batch_and_answers_find_their_way(server: BatchServer) -> None:
    server.failing = {"two"}
    asked = model(server, Cache(None))
    answers = asked.ask(["one", "two", "three"], Verdict, instructions="Judge.")
    assert len(server.batches) == 1 and server.keys == {f"Bearer {KEY}"}
    lines = [json.loads(line) for line in server.files["file_1"].splitlines()]
    assert [line["body"]["messages"][1]["content"] for line in lines] == ["one", "two", "three"]
    assert lines[0]["body"]["messages"][0] == {"role": "system", "content": "Judge."}
    assert answers[0].value == answers[2].value == Verdict(same=True)
    assert "server_error" in answers[1].failure
    assert (asked.usage.calls, asked.usage.failed, asked.usage.input_tokens) == (3, 1, 200)
    again = asked.ask(["one", "two", "three"], Verdict, instructions="Judge.")
    assert again[0].cached and len(server.batches) == 2  # only what failed is asked again


def test_answers_are_shared_with_those_asked_one_by_one(server: BatchServer) -> None:
    cache = Cache(None)
    model(server, cache).ask(["one"], Verdict)
    settings = LanguageModelSettings(base_url=server.url)
    plain = load_language_model("openai:judge", cache=cache, settings=settings)
    assert plain.known(["one", "two"], Verdict) == [True, False]


def test_a_stopped_run_waits_for_the_same_batch(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    server.looks = 2
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(
            "gistmeter.models.llm.batch_openai.time.sleep", lambda s: stop(s) if s else None
        )
        model(server, Cache(tmp_path / "c.sqlite")).ask(["one", "two"], Verdict)
    assert len(server.batches) == 1
    answers = model(server, Cache(tmp_path / "c.sqlite")).ask(["one", "two", "new"], Verdict)
    assert all(answer.value == Verdict(same=True) for answer in answers)
    assert len(server.batches) == 2  # the second holds what is new, and nothing else
    sizes = [
        len(server.files[one["input_file_id"]].splitlines()) for one in server.batches.values()
    ]
    assert sizes == [2, 1]


@pytest.mark.parametrize("status", ["expired", "failed", "cancelled"])
def test_a_batch_that_ends_without_answers(server: BatchServer, status: str) -> None:
    server.status = status
    cache = Cache(None)
    (answer,) = model(server, cache).ask(["one"], Verdict)
    assert answer.value is None and f"ended without an answer ({status})" in answer.failure
    server.status = "completed"
    assert model(server, cache).ask(["one"], Verdict)[0].value == Verdict(same=True)


def test_a_batch_that_the_service_forgot_is_asked_anew(
    server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(None)
    made = BatchServer.create
    with monkeypatch.context() as patched:
        patched.setattr(BatchServer, "create", lambda *given: dict(made(*given), id="gone"))
        (answer,) = model(server, cache).ask(["one"], Verdict)
    assert "HTTP 404" in answer.failure
    assert model(server, cache).ask(["one"], Verdict)[0].value == Verdict(same=True)


def test_an_answer_of_another_form_is_a_failure(server: BatchServer) -> None:
    server.reply = '{"other": 1}'
    (answer,) = model(server, Cache(None)).ask(["one"], Verdict)
    assert answer.failure == "the answer was not of the form asked for" and answer.raw


@pytest.mark.parametrize("broken", ["null", "[]", "text", '{"choices": "x"}', '{"choices": [1]}'])
def test_nonsense_of_a_service_is_a_failure(
    server: BatchServer, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def line(_: BatchServer, question: dict[str, Any]) -> dict[str, Any]:
        body = json.loads(broken) if broken != "text" else None
        return {"custom_id": question["custom_id"], "response": {"status_code": 200, "body": body}}

    monkeypatch.setattr(BatchServer, "line", line)
    (answer,) = model(server, Cache(None)).ask(["one"], Verdict)
    assert answer.value is None and answer.failure


def test_passing_trouble_is_waited_out_and_lasting_is_told(server: BatchServer) -> None:
    server.refuse = 2
    assert model(server, Cache(None)).ask(["one"], Verdict)[0].value == Verdict(same=True)
    server.refuse = 99
    with pytest.raises(ModelError, match="HTTP 503") as told:
        model(server, Cache(None)).ask(["two"], Verdict)
    assert KEY not in str(told.value) and "[key]" in str(told.value)


def test_the_budget_is_kept(server: BatchServer) -> None:
    asked = model(server, Cache(None))
    asked.asker.budget = Budget(limit=0.025, a_call=0.01)  # type: ignore[attr-defined]
    answers = asked.ask(["one", "two", "three"], Verdict)
    assert [bool(answer.failure) for answer in answers] == [False, False, True]
    assert "not asked" in answers[2].failure


def test_half_the_price(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gistmeter.models.llm.batch_openai.OPENAI", server.url)
    monkeypatch.setattr("gistmeter.models.llm.service.estimate_cost", lambda *_: 0.4)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other-key")
    settings = LanguageModelSettings(batch=True, poll=0.01)
    asked = load_language_model("openai:gpt-5", cache=Cache(None), settings=settings)
    assert asked.ask(["one"], Verdict)[0].cost == pytest.approx(0.2)
    assert server.keys == {"Bearer sk-other-key"}


def test_providers_without_one_are_told() -> None:
    with pytest.raises(InputError, match="no batch interface that is known here"):
        load_language_model("mistral:large", cache=Cache(None),
                            settings=LanguageModelSettings(batch=True))  # fmt: skip
