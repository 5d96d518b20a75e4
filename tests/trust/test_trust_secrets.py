"""A key is sent to its service and stands nowhere else, however the service fails."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT
from gistmeter.core.errors import InputError, hide
from gistmeter.speech.recognizers.benchmark import BenchmarkSettings, resolve, transcribe
from speech.recognizers.loopback import FileService, Service, Visit
from speech.recognizers.recognizer_doubles import clip
from trust.rude import ENDLESS, MANNERS, packed, serving
from trust.scenes import sounds

CANARY = "sk-canary-0123456789abcdefghij"
Answer = tuple[int, str, dict[str, str]]
NAMES = {"openai": "openai:some-model@{}/v1", "elevenlabs": "elevenlabs:scribe_v2@{}"}
HERE = {"127.0.0.1": "MINE"}  # the key that was named for the loopback
LONG = "x" * 190 + CANARY + "y" * 4000


def told(words: object, status: int) -> Answer:
    return status, words if isinstance(words, str) else json.dumps(words), {}


FAILURES: dict[str, Callable[[], Answer]] = {
    "401 echoes": lambda: told({"error": {"message": f"Incorrect API key: {CANARY}"}}, 401),
    "401 as text": lambda: told(f"Bearer {CANARY} is refused", 401),
    "403 cut off": lambda: told({"detail": LONG}, 403),
    "400 as a list": lambda: told([CANARY], 400),
    "500": lambda: told({"message": f"{CANARY} crashed"}, 500),
    "503 page": lambda: told(f"<html>{CANARY}</html>", 503),
    "429": lambda: (429, CANARY, {"Retry-After": "0"}),
    "redirect": lambda: (307, CANARY, {"Location": f"http://127.0.0.2:9/{CANARY}"}),
    "no text": lambda: told({"said": CANARY}, 200),
    "no JSON": lambda: told(CANARY, 200),
    "nested": lambda: told("[" * 100_000, 200),
    "nested 500": lambda: told("[" * 100_000, 500),
}


@pytest.mark.parametrize("vendor", NAMES)
@pytest.mark.parametrize("failure", FAILURES)
def test_no_failure_of_a_recogniser_tells_its_key(
    failure: str, vendor: str, in_folder: Path
) -> None:
    sounds()
    with FileService([FAILURES[failure]()]).running() as service:
        name = f"x={NAMES[vendor].format(service.url)}"
        done = speech(name)
        assert service.forms, done.stderr
        sent = service.forms[0].headers
    assert any(CANARY in value for value in sent.values())
    search(done)


def speech(recognizer: str) -> subprocess.CompletedProcess[str]:
    arguments = ["speech", "--assets", "assets", "--recognizers", recognizer, "--metrics", "wer"]
    further = ["--language", "en", "--tries", "1", "--timeout", "5"]
    further += ["--recognizer-key-env", "127.0.0.1=OPENAI_API_KEY"]
    further += ["-o", "folder", "-o", "x.csv", "-o", "x.xlsx"]
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", "--verbose", *arguments, *further],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENAI_API_KEY": CANARY,
             "ELEVENLABS_API_KEY": CANARY, "GISTMETER_CACHE_DIR": "cache"},
    )  # fmt: skip


def search(done: subprocess.CompletedProcess[str]) -> None:
    """All output and all files, for the key and for most of it."""
    assert "Traceback" not in done.stderr, done.stderr
    part = CANARY[:14]
    assert part not in done.stdout + done.stderr
    files = [file for file in Path().rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert part.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("vendor", NAMES)
def test_nobody_there(vendor: str, in_folder: Path) -> None:
    sounds()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        for scheme in ("http", "https"):
            done = speech(f"x={NAMES[vendor].format(f'{scheme}://127.0.0.1:{port}')}")
            assert done.returncode == 0, done.stderr
            heard = Path("folder/details/transcripts.jsonl").read_text("utf-8").splitlines()[1:]
            assert len(heard) == 3
            assert all("cannot be reached" in json.loads(one)["error"] for one in heard)
            search(done)
            Path("folder.transcripts.jsonl").unlink(missing_ok=True)
            for file in sorted(Path("folder").rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(InputError, match="must not hold a user or a password") as refused:
        resolve(["openai:m@https://me:secret@host/v1"], {"OPENAI_API_KEY": CANARY})
    assert "secret" not in str(refused.value)


def test_a_secret_is_hidden_also_where_it_was_cut_off() -> None:
    for length in range(len(LONG) - 4000 + 1):
        assert CANARY[:7] not in hide(LONG[:length], [CANARY])
    assert hide("nothing", [""]) == "nothing"


def test_keys_stand_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    keys = dict.fromkeys(("OPENAI_API_KEY", "ELEVENLABS_API_KEY"), CANARY)
    found = resolve(["openai", "elevenlabs"], keys)
    assert CANARY not in repr(found) + caplog.text


PATIENCE = BenchmarkSettings(pause=0.0, timeout=8.0, timeout_factor=0.0, tries=1)


@pytest.mark.parametrize("vendor", NAMES)
@pytest.mark.parametrize("manner", ["307", "endless", "bomb", "drip", "half", "nonsense"])
def test_rude_services_of_files_get_the_key_once_and_end(
    manner: str, vendor: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    packed()
    with serving(MANNERS[manner], CANARY) as service:
        name = f"x={NAMES[vendor].format(service.url)}"
        found = resolve([name], {"MINE": CANARY}, HERE).recognizers["x"]
        heard = asyncio.run(transcribe(found, str(clip(tmp_path).audio), PATIENCE))
    assert heard.error and not heard.text
    assert CANARY[:14] not in heard.error + caplog.text
    assert len(service.heard) == 1 and CANARY.encode() in service.heard[0]  # and nobody elsewhere
    assert service.sent < ENDLESS * 2**20 / 2


@pytest.mark.parametrize("vendor", ["deepgram", "elevenlabs", "speechmatics", "cartesia"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_stream_follows_a_redirect_with_its_key(
    vendor: str, status: int, tmp_path: Path
) -> None:
    async def nobody(visit: Visit) -> None:
        raise AssertionError("somebody came")

    with Service(nobody).running() as elsewhere, Service(nobody).running() as service:
        service.refusals = [(status, CANARY, {"Location": elsewhere.url})]
        name = f"x={vendor}:some-realtime@{service.url}"
        found = resolve([name], {"MINE": CANARY}, HERE).recognizers["x"]
        heard = asyncio.run(transcribe(found, str(clip(tmp_path).audio), PATIENCE))
    assert service.refused == 1
    assert elsewhere.visits == []
    assert str(status) in heard.error and CANARY[:14] not in heard.error


def test_a_text_that_repeats_the_key_is_kept_without_it(tmp_path: Path) -> None:
    with FileService([told({"text": f"it is {CANARY}, none other"}, 200)]).running() as service:
        name = f"x={NAMES['openai'].format(service.url)}"
        for key, text in (
            (CANARY, "it is [key], none other"),
            ("none", f"it is {CANARY}, none other"),
        ):
            found = resolve([name], {"MINE": key}, HERE).recognizers["x"]
            assert asyncio.run(transcribe(found, str(clip(tmp_path).audio), PATIENCE)).text == text
