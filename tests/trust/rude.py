"""A service that fails in every way: what it is told, and a second one that redirects lead to."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ENDLESS = 200  # MB: what an endless answer sends until nobody listens any more
Manner = Callable[["Service", socket.socket], None]


@dataclass
class Service:
    """One port of the loopback; each request is answered in its manner, and kept."""

    manner: Manner
    canary: str = ""
    elsewhere: str = ""  # where a redirect leads
    heard: list[bytes] = field(default_factory=list)  # requests as they came
    sent: int = 0  # bytes of the longest answer
    url: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)

    def answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), connection:
            connection.settimeout(20)
            if request := read_request(connection):
                self.heard.append(request)
            self.manner(self, connection)


def read_request(connection: socket.socket) -> bytes:
    """Head and body of one request."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        part = connection.recv(65536)
        if not part:
            return raw
        raw += part
    head, _, body = raw.partition(b"\r\n\r\n")
    length = next(
        (
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ),
        0,
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def reply(connection: socket.socket, status: int, content: bytes, **headers: str | int) -> None:
    named = {"Content-Type": "application/json", "Content-Length": len(content), **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
    head = "\r\n".join([f"HTTP/1.1 {status} X", *lines, "Connection: close", "", ""])
    connection.sendall(head.encode() + content)


def says(status: int, words: Callable[[str], Any], **headers: str) -> Manner:
    """An answer in which the canary stands."""

    def manner(service: Service, connection: socket.socket) -> None:
        content = words(service.canary)
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        given = {name: value.replace("CANARY", service.canary) for name, value in headers.items()}
        reply(connection, status, raw, **given)

    return manner


def redirect(status: int) -> Manner:
    def manner(service: Service, connection: socket.socket) -> None:
        reply(connection, status, b"", Location=f"{service.elsewhere}/v1/{service.canary}")

    return manner


def endless(service: Service, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n{")
    for _ in range(ENDLESS):
        connection.sendall(b" " * 2**20)
        service.sent += 2**20


@cache
def packed() -> bytes:
    return gzip.compress(b" " * (ENDLESS * 2**20), 1)


def bomb(service: Service, connection: socket.socket) -> None:
    reply(connection, 200, packed(), Content_Encoding="gzip")


def drip(service: Service, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n")
    _drip(service, connection)


def drip_head(service: Service, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nX-Long: ")
    _drip(service, connection)


def _drip(service: Service, connection: socket.socket) -> None:
    for _ in range(600):
        connection.sendall(b" ")
        if service.stopped.wait(0.1):
            return


def half(service: Service, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n{" + service.canary.encode())


def nothing(service: Service, connection: socket.socket) -> None: ...


def nonsense(service: Service, connection: socket.socket) -> None:
    connection.sendall(b"\x00\xff" + service.canary.encode() + b"\r\n\r\n")


MANNERS: dict[str, Manner] = {
    "401 echoes": says(401, lambda key: {"error": {"message": f"Incorrect key: {key}"}}),
    "401 as text": says(401, lambda key: f"Bearer {key} is refused".encode()),
    "401 in a header": says(401, lambda key: {}, WWW_Authenticate="Bearer CANARY"),
    "403 long": says(403, lambda key: {"detail": "x" * 150 + key + "y" * 4000}),
    "400 list": says(400, lambda key: [{"error": {"message": key, "status": key, "code": 400}}]),
    "404": says(404, lambda key: {"error": {"message": f"no model for {key}"}}),
    "429": says(429, lambda key: {"error": key}, Retry_After="0"),
    "429 nonsense": says(429, lambda key: {"error": key}, Retry_After="nan"),
    "500": says(500, lambda key: {"error": {"message": f"{key} crashed", "code": 500}}),
    "503 page": says(503, lambda key: f"<html>{key}</html>".encode()),
    "302": redirect(302),
    "307": redirect(307),
    "308": redirect(308),
    "200 no JSON": says(200, lambda key: f"it is {key}".encode()),
    "200 of another form": says(200, lambda key: {"said": key, "error": key}),
    "200 nested": says(200, lambda key: b"[" * 100_000 + key.encode()),
    "endless": endless,
    "bomb": bomb,
    "drip": drip,
    "drip of the head": drip_head,
    "half": half,
    "nothing": nothing,
    "nonsense": nonsense,
}


@contextlib.contextmanager
def serving(manner: Manner, canary: str = "", *, tls: Path | None = None) -> Iterator[Service]:
    """A service, and another one at another host's address that only listens."""
    elsewhere = Service(says(200, lambda _: {}))
    service = Service(manner, canary)
    with _listening(elsewhere, "127.0.0.2"):
        service.elsewhere = elsewhere.url
        with _listening(service, "127.0.0.1", tls):
            yield service
    service.heard += [b"ELSEWHERE " + one for one in elsewhere.heard]


@contextlib.contextmanager
def _listening(service: Service, host: str, tls: Path | None = None) -> Iterator[None]:
    server = socket.create_server((host, 0))
    server.settimeout(0.1)
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)

    def accept() -> None:
        while not service.stopped.is_set():
            try:
                connection, _ = server.accept()
                if context is not None:
                    connection = context.wrap_socket(connection, server_side=True)
            except OSError:  # nobody came, or somebody did not like the certificate
                continue
            threading.Thread(target=service.answer, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    service.url = f"{'https' if tls else 'http'}://{host}:{server.getsockname()[1]}"
    try:
        yield
    finally:
        service.stopped.set()
        thread.join()
        server.close()


@cache
def bad_certificate(folder: Path) -> Path:
    """Key and certificate that nobody vouches for."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.fromtimestamp(time.time(), datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    path = folder / "bad.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path
