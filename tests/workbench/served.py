"""A workbench to ask in tests: in this process, or as the command that people start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from conftest import ROOT
from gistmeter.workbench.application import Workbench

PORT = 8600  # named in requests only; nothing listens there
PATIENCE = 90  # seconds, on a machine that does much else
BASE = f"http://127.0.0.1:{PORT}"


@contextmanager
def opened(folder: Path, **options: Any) -> Iterator[tuple[Workbench, TestClient]]:
    """A workbench and a browser that has come by its address."""
    folder.mkdir(exist_ok=True)
    bench = Workbench(folder, PORT, **options)
    try:
        with TestClient(bench.gate, base_url=BASE, headers={"origin": BASE}) as client:
            assert client.get(f"/?token={bench.gate.token}").status_code == 200
            yield bench, client
    finally:
        bench.state.close()


@contextmanager
def started(folder: Path, *options: str, **environment: str) -> Iterator[tuple[Any, str]]:
    """The command in a process of its own; its address with the token."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gistmeter", "open", str(folder), "--no-browser", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        found = (re.search(r"http://\S+\?token=\S+", line) for line in process.stdout)
        address = next((match[0] for match in found if match), "")
        assert address, process.communicate()[1]
        yield process, address
    finally:
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def visitor(address: str) -> httpx.Client:
    """A browser that has come by the printed address."""
    base = address.split("/?", maxsplit=1)[0]
    client = httpx.Client(
        base_url=base, headers={"origin": base}, follow_redirects=True, timeout=120,
        trust_env=False,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while True:
        try:
            client.get(address.removeprefix(base)).raise_for_status()
            return client
        except httpx.ConnectError:
            assert time.monotonic() < end
            time.sleep(0.1)


def finished(client: Any, job: str) -> dict[str, Any]:
    """What a job came to."""
    end = time.monotonic() + 240
    while time.monotonic() < end:
        now: dict[str, Any] = client.get(f"{job}/progress").json()
        if now["state"] not in ("waiting", "running"):
            return now
        time.sleep(0.1)
    raise TimeoutError(job)
