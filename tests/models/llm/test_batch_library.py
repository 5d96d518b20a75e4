"""Questions in batches of Anthropic and Gemini, over HTTP against servers that speak as they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pydantic = pytest.importorskip("pydantic")
pytest.importorskip("pydantic_ai.models.batch")

from gistmeter.core.cache import Cache  # noqa: E402
from gistmeter.core.errors import ModelError  # noqa: E402
from gistmeter.models.llm import (  # noqa: E402
    CachedLanguageModel,
    LanguageModelSettings,
    load_language_model,
)
from serving import QuietHandler, serving  # noqa: E402

KEY = "sk-canary-123456"
NAMES = {"anthropic": "anthropic:claude-haiku-4-5", "google": "google:gemini-2.5-flash"}
TIME = "2026-11-16T12:00:00Z"


class Verdict(pydantic.BaseModel):  # type: ignore[name-defined, misc]
    same: bool


@dataclass
class Server:
    """Batches in memory; one is done after it was looked at `looks` times."""

    provider: str
    looks: int = 1
    reply: str = '{"same": true}'
    lost: bool = False  # batches end without any result
    failing: set[str] = field(default_factory=set)  # prompts that the service fails on
    refuse: int = 0  # the next so many requests get 503
    batches: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    url: str = ""

    def create(self, questions: list[dict[str, Any]]) -> str:
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name], self.seen[name] = questions, 0
        return name

    def look(self, name: str) -> bool:
        """Whether the batch is done."""
        self.seen[name] += 1
        return self.seen[name] > self.looks

    # As Anthropic speaks

    def message_batch(self, name: str, done: bool) -> dict[str, Any]:
        count = len(self.batches[name])
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["succeeded" if done else "processing"] = count
        return {
            "id": name, "type": "message_batch", "request_counts": counts, "created_at": TIME,
            "processing_status": "ended" if done else "in_progress", "expires_at": TIME,
            "ended_at": TIME if done else None, "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if done else None,
        }  # fmt: skip

    def message_result(self, question: dict[str, Any]) -> dict[str, Any]:
        body = question["params"]
        assert body["temperature"] == 0 and body["max_tokens"] > 0
        told = json.dumps(body["messages"])
        result: dict[str, Any] = {"type": "expired"}
        if any(prompt in told for prompt in self.failing):
            error = {"type": "api_error", "message": f"no, {KEY}"}
            result = {"type": "errored", "error": {"type": "error", "error": error}}
        elif not self.lost:
            message = {
                "id": "m", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
                "content": [{"type": "text", "text": self.reply}], "stop_reason": "end_turn",
                "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 10},
            }  # fmt: skip
            result = {"type": "succeeded", "message": message}
        return {"custom_id": question["custom_id"], "result": result}

    # As Gemini speaks

    def operation(self, name: str, done: bool) -> dict[str, Any]:
        state = "PENDING" if not done else "EXPIRED" if self.lost else "SUCCEEDED"
        metadata: dict[str, Any] = {"state": f"BATCH_STATE_{state}", "createTime": TIME}
        found: dict[str, Any] = {"name": f"batches/{name}", "metadata": metadata, "done": done}
        if state == "SUCCEEDED":
            lines = [self.generated(one) for one in reversed(self.batches[name])]
            self.files[f"out_{name}"] = "\n".join(map(json.dumps, lines)).encode()
            metadata["output"] = found["response"] = {"responsesFile": f"files/out_{name}"}
        return found

    def generated(self, question: dict[str, Any]) -> dict[str, Any]:
        assert question["request"]["generationConfig"]["temperature"] == 0
        if any(one in json.dumps(question["request"]["contents"]) for one in self.failing):
            return {"key": question["key"], "error": {"code": 13, "message": f"no, {KEY}"}}
        part = {"content": {"role": "model", "parts": [{"text": self.reply}]},
                "finishReason": "STOP"}  # fmt: skip
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
        response = {"candidates": [part], "usageMetadata": usage}
        return {"key": question["key"], "response": response}


class Handler(QuietHandler):
    held: Server

    def do_POST(self) -> None:
        held = self.held
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self._refused(held):
            return
        path = self.path.partition("?")[0].replace("v1beta", "v1")
        if path == "/v1/messages/batches":
            self._send(held.message_batch(held.create(json.loads(content)["requests"]), False))
        elif path == "/upload/v1/files":
            self._send({}, headers={"X-Goog-Upload-URL": f"{held.url}/taken"})
        elif path == "/taken":
            name = f"in_{len(held.files) + 1}"
            held.files[name] = content
            told = {"file": {"name": f"files/{name}", "uri": "", "mimeType": "application/jsonl"}}
            self._send(told, headers={"X-Goog-Upload-Status": "final"})
        else:
            assert path == "/v1/models/gemini-2.5-flash:batchGenerateContent"
            source = json.loads(content)["batch"]["inputConfig"]["fileName"].split("/")[1]
            questions = [json.loads(line) for line in held.files[source].splitlines()]
            self._send(held.operation(held.create(questions), False))

    def do_GET(self) -> None:
        held = self.held
        if self._refused(held):
            return
        parts = self.path.partition("?")[0].replace("v1beta", "v1").strip("/").split("/")
        if parts[-1] == "results":
            lines = (held.message_result(one) for one in reversed(held.batches[parts[3]]))
            self._send("".join(json.dumps(line) + "\n" for line in lines).encode())
        elif "batches" in parts and parts[-1] not in held.batches:
            self._send({"error": {"code": 404, "message": "no such batch"}}, 404)
        elif parts[:3] == ["v1", "messages", "batches"]:
            self._send(held.message_batch(parts[3], held.look(parts[3])))
        elif parts[:2] == ["v1", "batches"]:
            self._send(held.operation(parts[2], held.look(parts[2])))
        else:
            self._send(held.files[parts[-1].partition(":")[0]])

    def do_DELETE(self) -> None:
        self._send({})

    def _refused(self, held: Server) -> bool:
        if self.path != "/taken":  # the address of an upload is its own permission
            told = self.headers["x-goog-api-key"] or self.headers["x-api-key"]
            held.keys.add(told or self.headers["Authorization"].removeprefix("Bearer "))
        if held.refuse:
            held.refuse -= 1
            self._send({"error": {"code": 503, "message": f"busy, {KEY}"}}, 503)
            return True
        return False

    def _send(self, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture(params=list(NAMES))
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("KEY_OF_MINE", KEY)
    held = Server(request.param)
    with serving(type("Holding", (Handler,), {"held": held})) as held.url:
        yield held


def model(server: Server, cache: Cache) -> CachedLanguageModel:
    settings = LanguageModelSettings(
        base_url=server.url, key_env="KEY_OF_MINE", batch=True, poll=0.01, pause=0.01, attempts=3
    )
    return load_language_model(NAMES[server.provider], cache=cache, settings=settings)


def test_questions_go_in_one_batch_and_answers_find_their_way(server: Server) -> None:
    server.failing = {"two"}
    asked = model(server, Cache(None))
    answers = asked.ask(["one", "two", "three"], Verdict, instructions="Judge well.")
    assert server.keys == {KEY}
    assert [len(questions) for questions in server.batches.values()] == [3]
    assert all("Judge well." in json.dumps(one) for one in server.batches["batch_1"])
    assert answers[0].value == answers[2].value == Verdict(same=True)
    assert answers[1].value is None and answers[1].failure and KEY not in answers[1].failure
    assert (asked.usage.calls, asked.usage.failed, asked.usage.input_tokens) == (3, 1, 200)
    server.failing = set()
    again = asked.ask(["one", "two", "three"], Verdict, instructions="Judge well.")
    assert again[0].cached and again[1].value == Verdict(same=True)
    assert len(server.batches["batch_2"]) == 1  # only what failed is asked again


def test_a_stopped_run_waits_for_the_same_batch(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("gistmeter.models.llm.batch_library.time.sleep", stop)
        model(server, Cache(tmp_path / "c.sqlite")).ask(["one", "two"], Verdict)
    answers = model(server, Cache(tmp_path / "c.sqlite")).ask(["one", "two", "new"], Verdict)
    assert all(answer.value == Verdict(same=True) for answer in answers)
    assert [len(questions) for questions in server.batches.values()] == [2, 1]


def test_a_batch_that_ends_without_answers_is_asked_anew(server: Server) -> None:
    server.lost = True
    cache = Cache(None)
    (answer,) = model(server, cache).ask(["one"], Verdict)
    assert answer.value is None and answer.failure
    server.lost = False
    assert model(server, cache).ask(["one"], Verdict)[0].value == Verdict(same=True)


def test_a_batch_that_the_service_forgot_is_asked_anew(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(None)

    def forget(_: float) -> None:
        server.batches.clear()

    with monkeypatch.context() as patched:
        patched.setattr("gistmeter.models.llm.batch_library.time.sleep", forget)
        (answer,) = model(server, cache).ask(["one"], Verdict)
    assert "HTTP 404" in answer.failure
    assert model(server, cache).ask(["one"], Verdict)[0].value == Verdict(same=True)


def test_an_answer_of_another_form_is_a_failure(server: Server) -> None:
    server.reply = '{"other": 1}'
    (answer,) = model(server, Cache(None)).ask(["one"], Verdict)
    assert answer.failure == "the answer was not of the form asked for" and answer.raw


def test_a_batch_is_not_created_twice_and_lasting_trouble_is_told(server: Server) -> None:
    server.refuse = 99
    with pytest.raises(ModelError, match="HTTP 503") as told:
        model(server, Cache(None)).ask(["one"], Verdict)
    assert KEY not in str(told.value) and not server.batches
