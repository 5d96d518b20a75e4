"""Servers on this machine that speak as the vendors' documentation has it."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from serving import QuietHandler, serving

Conversation = Callable[["Visit"], Awaitable[None]]


@dataclass
class Visit:
    """One connection, as the server sees it."""

    connection: ServerConnection
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    sound: bytearray = field(default_factory=bytearray)
    messages: list[Any] = field(default_factory=list)  # the texts received

    async def receive(self) -> str | None:
        """The next text; sound is kept, and None says that there was some."""
        message = await self.connection.recv()
        if isinstance(message, bytes):
            self.sound += message
            return None
        self.messages.append(message)
        return message

    async def send(self, **message: Any) -> None:
        await self.connection.send(json.dumps(message))

    async def close(self, code: int = 1000, reason: str = "") -> None:
        await self.connection.close(code, reason)


class Service:
    """A WebSocket server in a thread of its own."""

    def __init__(self, converse: Conversation) -> None:
        self.converse = converse
        self.visits: list[Visit] = []
        self.refusals: list[tuple[int, str, dict[str, str]]] = []  # for the next handshakes
        self.refused = 0
        self.url = ""

    async def _visit(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        parts = urlsplit(connection.request.path)
        headers = {name.lower(): value for name, value in connection.request.headers.raw_items()}
        visit = Visit(connection, parts.path, dict(parse_qsl(parts.query)), headers)
        self.visits.append(visit)
        await self.converse(visit)

    def _greet(self, connection: ServerConnection, request: Request) -> Response | None:
        if not self.refusals:
            return None
        status, body, headers = self.refusals.pop(0)
        self.refused += 1
        response = connection.respond(status, body)
        for name, value in headers.items():
            response.headers[name] = value
        return response

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        loop = asyncio.new_event_loop()
        started, stop = threading.Event(), asyncio.Event()

        async def work() -> None:
            async with serve(
                self._visit, "127.0.0.1", 0, process_request=self._greet, close_timeout=1
            ) as server:
                port = server.sockets[0].getsockname()[1]
                self.url = f"ws://127.0.0.1:{port}"
                started.set()
                await stop.wait()

        thread = threading.Thread(target=lambda: loop.run_until_complete(work()), daemon=True)
        thread.start()
        assert started.wait(10)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(10)
            loop.close()


@dataclass
class Form:
    """One upload, as the server sees it."""

    path: str
    headers: dict[str, str]
    fields: dict[str, str]
    file: bytes
    filename: str


@dataclass
class FileService:
    """An HTTP server that takes files; answers are given one after the other, the last for ever."""

    answers: list[tuple[int, str, dict[str, str]]]
    forms: list[Form] = field(default_factory=list)
    url: str = ""
    delay: threading.Event | None = None  # where set, an answer waits for it

    @contextlib.contextmanager
    def running(self) -> Iterator[FileService]:
        service = self

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.forms.append(parse(self.path, dict(self.headers.items()), body))
                if service.delay is not None:
                    service.delay.wait(20)
                answers = service.answers
                status, text, headers = answers.pop(0) if len(answers) > 1 else answers[0]
                content = text.encode()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

        with serving(Handler) as self.url:
            yield self


def parse(path: str, headers: dict[str, str], body: bytes) -> Form:
    """A form of multipart/form-data."""
    lowered = {name.lower(): value for name, value in headers.items()}
    head = f"Content-Type: {lowered['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    fields, file, filename = {}, b"", ""
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if part.get_filename():
            file, filename = content, part.get_filename()
        else:
            fields[str(name)] = content.decode()
    return Form(path, lowered, fields, file, filename)
