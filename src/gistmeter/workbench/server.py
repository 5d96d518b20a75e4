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


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
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
