"""A service on the loopback that speaks as OpenAI's and Gemini's do, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Service:
    """What was asked, and what is to be answered: a status code, a delay or a text each time."""

    script: list[int | float | str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
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
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
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


@contextmanager
def serve(*script: int | float | str) -> Iterator[Service]:
    """The service while the block runs."""
    service = Service(list(script))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with service.lock:
                service.requests.append(body)
                service.paths.append(self.path)
                service.under_way += 1
                service.together = max(service.together, service.under_way)
            try:
                self.answer(service.next())
            finally:
                with service.lock:
                    service.under_way -= 1

        def answer(self, step: int | float | str) -> None:
            if isinstance(step, float):
                time.sleep(step)
                step = "{}"
            if isinstance(step, int):
                message = {"error": {"message": "no: key secret-key-123", "code": step}}
                return self.send(step, message)
            shape = gemini_answer if "generateContent" in self.path else openai_answer
            return self.send(200, shape(step))

        def send(self, status: int, content: dict[str, Any]) -> None:
            raw = json.dumps(content).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except OSError:  # the other side did not wait
                self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None: ...

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
