"""Language model services on the loopback interface, which speak as the vendors document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from serving import QuietHandler, serving

Reply = Callable[[str], Any]  # the user's prompt -> an answer, or (status, body)


@dataclass
class Service:
    """What was asked of it, and where it is."""

    reply: Reply
    shape: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serve(reply: Reply, shape: str = "gemini") -> Iterator[Service]:
    """A service that answers with what `reply` gives for a prompt."""
    service = Service(reply, shape)

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(size))
            service.requests.append(body)
            service.paths.append(self.path)
            key = self.headers.get("x-goog-api-key") or self.headers.get("authorization", "")
            service.keys.append(key)
            given = service.reply(prompt_of(body, shape))
            status, document = given if isinstance(given, tuple) else (200, None)
            if document is None:
                raw = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
                document = envelope(raw, shape)
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with serving(Handler) as service.url:
        yield service


def prompt_of(body: dict[str, Any], shape: str) -> str:
    if shape == "gemini":
        return "".join(part.get("text", "") for part in body["contents"][0]["parts"])
    user = [message for message in body["messages"] if message["role"] == "user"]
    content = user[0]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def envelope(raw: str, shape: str) -> dict[str, Any]:
    if shape == "gemini":
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": raw}]},
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": 400, "candidatesTokenCount": 50, "totalTokenCount": 450,
            },
            "modelVersion": "gemini-3-pro-preview",
            "responseId": "x",
        }  # fmt: skip
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "local",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": raw}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 50, "total_tokens": 450},
    }
