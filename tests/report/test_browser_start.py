"""The browser of the tests on a bad day: it dies early, names a dead port, or another's."""

from __future__ import annotations

import stat
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from subprocess import Popen
from threading import Thread

import pytest

from report import browser

pytestmark = pytest.mark.browser
FIRST_DIES = "exit 7"
FIRST_IS_DEAF = (
    'for word; do case "$word" in --user-data-dir=*) place="${word#*=}";; esac; done\n'
    'printf "9\\n/devtools/browser/none" > "$place/DevToolsActivePort"; exec sleep 2'
)


def stumbling(path: Path, stumble: str, times: int) -> Path:
    """A browser that fails at first."""
    count = path.with_suffix(".count")
    path.write_text(
        f'#!/bin/sh\necho once >> {count}\nif [ "$(wc -l < {count})" -le {times} ]; then\n'
        f'echo "no luck" >&2\n{stumble}\nfi\nexec {browser.chromium()} "$@"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("stumble", [FIRST_DIES, FIRST_IS_DEAF])
def test_a_browser_that_fails_is_started_once_more(
    stumble: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stumbling(tmp_path / "first", stumble, times=1)
    monkeypatch.setattr(browser, "chromium", lambda: str(path))
    with browser.start() as tab:
        assert tab.run("1 + 1") == 2
    assert path.with_suffix(".count").read_text().count("once") == 2


def test_a_browser_that_fails_twice_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stumbling(tmp_path / "never", FIRST_DIES, times=9)
    monkeypatch.setattr(browser, "chromium", lambda: str(path))
    with pytest.raises(browser.NotReady, match="ended with 7: no luck"), browser.start():
        pass


class Stranger(BaseHTTPRequestHandler):
    """A browser that answers, under its own name."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"webSocketDebuggerUrl": "ws://127.0.0.1/devtools/browser/other"}')


def test_no_tab_is_taken_from_another_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "STARTS", 2)
    named, said = tmp_path / "DevToolsActivePort", tmp_path / "said.txt"
    said.write_text("")
    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        named.write_text(f"{server.server_port}\n/devtools/browser/own")
        with Popen(["sleep", "60"]) as ours:
            with pytest.raises(browser.NotReady, match="is another browser's"):
                browser._address(named, ours, said)
            ours.kill()
        server.shutdown()
