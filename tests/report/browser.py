"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
    "--remote-debugging-port=0", "--window-size=1280,900",
)  # fmt: skip
PATIENCE = 60


class Tab:
    """One page: what it says, what it asks for, and what it shows."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.messages: list[str] = []  # errors and warnings of the console
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer, noting the events that come before it."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)
        raise TimeoutError(method)

    def _note(self, event: dict[str, Any]) -> None:
        method, detail = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(detail["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and detail["type"] in ("error", "warning"):
            self.messages.append(json.dumps(detail["args"])[:600])
        elif method == "Log.entryAdded" and detail["entry"]["level"] in ("error", "warning"):
            self.messages.append(detail["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(detail["request"]["url"])

    def open(self, place: Path | str) -> None:
        """Go to a file or an address, and wait until it is there."""
        self.messages.clear()
        self.requests.clear()
        address = place if isinstance(place, str) else place.resolve().as_uri()
        self.ask("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while (
            self.run("document.readyState") != "complete"
            or self.run("location.href") == "about:blank"
        ):
            assert time.monotonic() < end, f"{place} does not finish loading"
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
            userGesture=True,
        )  # fmt: skip
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        codes = {
            "Enter": 13,
            "Escape": 27,
            "ArrowDown": 40,
            "ArrowRight": 39,
            "Tab": 9,
            "ArrowLeft": 37,
        }
        for kind in ("rawKeyDown", "char", "keyUp") if key == "Enter" else ("rawKeyDown", "keyUp"):
            text = {"text": "\r"} if kind == "char" else {}
            self.ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=codes[key], **text,
            )  # fmt: skip

    def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=2 if phone else 1, mobile=phone,
        )  # fmt: skip

    def prefer(self, scheme: str, media: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        answer = self.ask(
            "Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole)
        )
        path.write_bytes(base64.b64decode(answer["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {**size, "scale": 1}}


def chromium() -> str:
    """The browser's path; the test is skipped where there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    return found


@contextmanager
def start() -> Iterator[Tab]:
    """A browser with an empty profile of its own and one tab; it ends with the block."""
    path = chromium()
    with (
        TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as place,
        _started(path, Path(place)) as tab,
    ):
        yield tab


@contextmanager
def _started(path: str, profile: Path) -> Iterator[Tab]:
    command = [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port = _port(profile / "DevToolsActivePort", process)
        request = Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        with urlopen(request, timeout=PATIENCE) as answer:
            target = json.loads(answer.read())
        with connect(target["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket:
            yield Tab(socket)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if file.exists() and len(lines := file.read_text().splitlines()) > 1:
            return int(lines[0])
        assert process.poll() is None, "Chromium ended before it was ready"
        time.sleep(0.05)
    raise TimeoutError("Chromium did not become ready")
