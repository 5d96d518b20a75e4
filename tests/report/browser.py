"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import base64
import json
import logging
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

logger = logging.getLogger(__name__)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
    "--remote-debugging-port=0", "--window-size=1280,900",
)  # fmt: skip
PATIENCE, STARTS, WAIT = 90, 90, 240  # seconds, on a machine that does much else
POLL = 10  # seconds: what is asked of a page that is just being left may never be answered


class Refused(AssertionError):
    """A command that the browser answers with an error, or a script that ends with one."""


class NotReady(Exception):
    """A browser that ended early, or whose port does not answer."""


class Tab:
    """One page: what it says, what it asks for, and what it shows."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.messages: list[str] = []  # errors and warnings of the console
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, *, patience: float = PATIENCE, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer, noting the events that come before it."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        end = time.monotonic() + patience
        while (left := end - time.monotonic()) > 0:
            message = json.loads(self._socket.recv(timeout=left))
            if message.get("id") == self._number:
                if "error" in message:
                    raise Refused(f"{method}: {message['error']}")
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
        self.until("location.href !== 'about:blank'")

    def until(self, condition: str) -> None:
        """Wait until the page is whole and a condition holds; it may be left meanwhile."""
        whole = f"document.readyState === 'complete' && !!({condition})"
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            with suppress(Refused, TimeoutError):  # the page is just being left
                if self.run(whole, patience=POLL):
                    return
            time.sleep(0.05)
        raise TimeoutError(f"{condition} on {self.run('document.body.innerText')[:600]}")

    def run(self, script: str, *, patience: float = PATIENCE) -> Any:
        """The value of an expression in the page."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
            userGesture=True, patience=patience,
        )  # fmt: skip
        if "exceptionDetails" in answer:
            raise Refused(answer)
        return answer["result"].get("value")

    def rest(self, milliseconds: int) -> None:
        """Wait as long by the page's own clock, so that what it began before has had its turn."""
        self.run(
            "new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)),"
            f" {milliseconds}))"
        )

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
            text: dict[str, Any] = {"text": "\r"} if kind == "char" else {}
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
    """A browser with a profile and a port of its own and one tab; it ends with the block.

    One that ends early, or does not answer in time, is started once more, with new ones.
    """
    path = chromium()
    with ExitStack() as stack:
        try:
            tab = stack.enter_context(_started(path))
        except (OSError, WebSocketException, HTTPException, NotReady) as error:
            logger.warning("Chromium is started once more: %s", error)
            tab = stack.enter_context(_started(path))
        yield tab


@contextmanager
def _started(path: str) -> Iterator[Tab]:
    with TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as place:
        said = Path(place) / "said.txt"
        command = [path, *FLAGS, f"--user-data-dir={place}", "about:blank"]
        with said.open("wb") as stream:
            process = subprocess.Popen(command, stdout=stream, stderr=stream)
        try:
            base = _address(Path(place) / "DevToolsActivePort", process, said)
            request = Request(f"{base}/json/new?about:blank", method="PUT")
            with urlopen(request, timeout=PATIENCE) as answer:
                target = json.loads(answer.read())
            page = connect(target["webSocketDebuggerUrl"], max_size=None, proxy=None,
                           open_timeout=PATIENCE, ping_interval=None)  # fmt: skip
            with page as socket:
                yield Tab(socket)
        finally:
            _end(process)


def _address(file: Path, process: subprocess.Popen[bytes], said: Path) -> str:
    """Where this browser answers: it names its port in its profile, and itself at the port."""
    end = time.monotonic() + STARTS
    why = "it names no port"
    while time.monotonic() < end:
        if process.poll() is not None:
            raise NotReady(f"Chromium ended with {process.returncode}: {_tail(said)}")
        lines = file.read_text().split() if file.exists() else []
        if len(lines) == 2:
            base = f"http://127.0.0.1:{lines[0]}"
            try:
                with urlopen(f"{base}/json/version", timeout=STARTS) as answer:
                    name = json.loads(answer.read())["webSocketDebuggerUrl"]
                if name.endswith(lines[1]):
                    return base
                why = f"port {lines[0]} is another browser's"
            except (OSError, HTTPException, ValueError) as error:
                why = f"port {lines[0]}: {error}"
        time.sleep(0.05)
    raise NotReady(f"Chromium is not ready after {STARTS} seconds ({why}): {_tail(said)}")


def _tail(said: Path) -> str:
    return said.read_text(errors="replace")[-600:]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
