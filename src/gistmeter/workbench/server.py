"""The server: a socket on the loopback address, the pages behind the gate, and its end."""

from __future__ import annotations

import importlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gistmeter.core.errors import InputError, MissingDependency
from gistmeter.models.credentials import is_own_machine
from gistmeter.workbench.passwords import hashed, is_hash

FAMILY = (socket.AF_INET, socket.AF_INET6)
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
ELSEWHERE = ("192.0.2.1", "2001:db8::1")  # of documentation: nobody's


def address_of(host: str, port: int, *, others: bool = False) -> str:
    """Where a browser of this machine, or of others, finds a server that listens at a host."""
    bare = host.strip("[]")
    if bare in ANY:
        with socket.socket(FAMILY[":" in bare], socket.SOCK_DGRAM) as asked:
            try:  # the address this machine would send from: nothing is sent
                asked.connect((ELSEWHERE[":" in bare] if others else ANY[bare], 9))
                bare = asked.getsockname()[0]
            except OSError:  # in no network
                bare = ANY[bare]
    return f"http://[{bare}]:{port}" if ":" in bare else f"http://{bare}:{port}"


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one."""
    listening = socket.socket(FAMILY[":" in host], socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
        listening.listen()  # who comes before the pages are ready waits, and is not refused
    except OSError as error:
        listening.close()
        raise InputError(
            f"Port {port} of {host} cannot be used ({error.strerror}). Choose another with --port, "
            "or 0 for any that is free"
        ) from error
    return listening


def serve(
    folder: Path, *, host: str, port: int, password: str, ready: Callable[[Any], None]
) -> None:
    """Serve the workbench of a folder until it is interrupted.

    `ready` gets the workbench with its addresses. `password` is the password or its hash; an
    address that others can reach is refused without one.
    """
    try:
        uvicorn = importlib.import_module("uvicorn")
        pages = importlib.import_module("gistmeter.workbench.application")
    except ModuleNotFoundError as error:
        raise MissingDependency(error.name or "starlette", "workbench", "The workbench") from error
    if not is_own_machine(host) and not password:
        raise InputError(
            f"{host} can be reached by other machines: give a password at the prompt, or in the "
            "environment variable GISTMETER_OPEN_PASSWORD"
        )
    kept = password if not password or is_hash(password) else hashed(password)
    folder.mkdir(parents=True, exist_ok=True)
    listening = bind(host, port)
    try:
        bench = pages.Workbench(folder, listening.getsockname()[1], host, kept)
    except BaseException:
        listening.close()
        raise
    config = uvicorn.Config(
        bench.gate, log_level="warning", access_log=False, server_header=False, lifespan="on",
        timeout_graceful_shutdown=5, ws="none", proxy_headers=False,
        h11_max_incomplete_event_size=65536,
    )  # fmt: skip
    ready(bench)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        bench.state.close()
