"""A service on the loopback that speaks as three vendors' do, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from serving import QuietHandler, serving


@dataclass
class Service:
    """What was asked, and what is to be answered: a status code, a delay or a text each time."""

    script: list[int | float | str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # what came as Authorization
    together: int = 0  # most requests under way at once
    under_way: int = 0
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> int | float | str:
        with self.lock:
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def openai_answer(text: str) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": {"prompt_tokens": 70, "completion_tokens": 50, "total_tokens": 120},
    }


def gemini_answer(text: str) -> dict[str, Any]:
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {
            "promptTokenCount": 70,
            "candidatesTokenCount": 50,
            "totalTokenCount": 120,
        },
        "modelVersion": "gemini-2.5-flash",
    }


def anthropic_answer(text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """By a call of the one tool, where the model is asked to answer through it."""
    said: dict[str, Any] = {"type": "text", "text": text}
    if tools:
        said = {"type": "tool_use", "id": "t", "name": tools[0]["name"], "input": json.loads(text)}
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [said],
        "stop_reason": "tool_use" if tools else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 70, "output_tokens": 50},
    }


def as_events(message: dict[str, Any]) -> bytes:
    """The same message as Anthropic streams it."""
    (block,) = message["content"]
    begun = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {**block, "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": block["text"]},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": message["usage"]["output_tokens"]},
        },
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


@contextmanager
def serve(*script: int | float | str) -> Iterator[Service]:
    """The service while the block runs."""
    service = Service(list(script))

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with service.lock:
                service.requests.append(body)
                service.paths.append(self.path)
                service.keys.append(self.headers.get("authorization", ""))
                service.under_way += 1
                service.together = max(service.together, service.under_way)
            try:
                self.answer(service.next(), body)
            finally:
                with service.lock:
                    service.under_way -= 1

        def answer(self, step: int | float | str, body: dict[str, Any]) -> None:
            if isinstance(step, float):
                time.sleep(step)
                step = "{}"
            if isinstance(step, int):
                message = {"error": {"message": "no: key secret-key-123", "code": step}}
                return self.send(step, message)
            if "messages" in self.path:
                message = anthropic_answer(step, body.get("tools") or [])
                if body.get("stream"):
                    return self.send_raw(200, as_events(message), "text/event-stream")
                return self.send(200, message)
            shape = gemini_answer if "generateContent" in self.path else openai_answer
            return self.send(200, shape(step))

        def send(self, status: int, content: dict[str, Any]) -> None:
            self.send_raw(status, json.dumps(content).encode(), "application/json")

        def send_raw(self, status: int, raw: bytes, kind: str) -> None:
            try:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except OSError:  # the other side did not wait
                self.close_connection = True

    with serving(Handler) as service.url:
        yield service
