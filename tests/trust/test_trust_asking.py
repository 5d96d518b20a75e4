"""No text goes to a language model that nobody asked for."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("google.genai")

import gistmeter
from conftest import ROOT
from gistmeter.core.cache import Cache
from gistmeter.models.llm import KEPT_WRONG, WRONG_FORM, LanguageModelSettings, load_language_model
from gistmeter.tools.check import check
from models.llm_server import Service, serve

FACTS = {"facts": [{"subject": "it", "predicate": "rains", "object": "now", "verdict": "both"}]}
ARGUMENTS = ("speech", "clips.csv", "--language", "en", "-o", "folder", "--overwrite",
             "--resamples", "10", "--no-report")  # fmt: skip


@pytest.fixture
def google(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A server that stands for Google, by the library's own variable; and the user's key."""
    Path("clips.csv").write_text("file,expected,x\n1,it rains now,it rained\n2,we left,we left\n")
    with serve(json.dumps(FACTS)) as service:
        monkeypatch.setenv("GEMINI_API_KEY", "secret-key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", service.url)
        monkeypatch.setenv("GISTMETER_CACHE_DIR", str(in_folder / "cache"))
        monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
        monkeypatch.setenv("NO_COLOR", "1")
        yield service


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Without a terminal, as in a pipeline."""
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", *ARGUMENTS, *arguments],
        capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def on_terminal(answer: str, *arguments: str) -> str:
    """All that a terminal shows, when the question is answered so."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gistmeter", *ARGUMENTS, *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    shown, answered, end = "", False, time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is gone
                break
            shown += part.decode("utf-8", "replace")
        if "[y/N]" in shown and not answered:
            os.write(ours, answer.encode())
            answered = True
    process.wait(30)
    os.close(ours)
    assert process.returncode == 0, shown
    return shown


def test_a_key_alone_sends_nothing(google: Service) -> None:
    for metrics in ((), ("--metrics", "wer,ser")):
        done = command(*metrics)
        assert done.returncode == 0, done.stderr
        assert google.requests == []
        assert "4 texts (2 clips) were not sent to google:gemini-3-pro-preview" in done.stderr
        assert "Add --llm gemini" in done.stderr
    assert "ser" not in gistmeter.load_run("folder").systems["x"].scores


def test_where_only_facts_are_wanted_the_command_fails_and_says_what_to_type(
    google: Service,
) -> None:
    done = command("--metrics", "ser")
    assert done.returncode == 2 and google.requests == []
    assert "nothing to compute" in done.stderr and "--llm gemini" in done.stderr


@pytest.mark.parametrize("asked", ["option", "configuration", "variable"])
def test_a_named_model_is_asked(
    asked: str, google: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--metrics", "ser"]
    if asked == "option":
        arguments += ["--llm", "gemini"]
    elif asked == "configuration":
        Path("g.toml").write_text('[speech]\nllm = "gemini"\n')
        arguments += ["--config", "g.toml", "--trust"]
    else:
        monkeypatch.setenv("GISTMETER_SPEECH_LLM", "gemini")
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    assert len(google.requests) == 2
    assert all("gemini-3-pro-preview" in path for path in google.paths)


@pytest.mark.parametrize(("answer", "calls"), [("\n", 0), ("n\n", 0), ("y\n", 2)])
def test_a_terminal_is_asked_once_and_no_is_the_default(
    answer: str, calls: int, google: Service
) -> None:
    shown = on_terminal(answer, "--metrics", "wer,ser")
    assert shown.count("[y/N]") == 1
    flat = " ".join(shown.split())
    assert "Send 4 texts (2 clips) to google:gemini-3-pro-preview, 2 calls, about $0.0" in flat
    assert len(google.requests) == calls
    assert ("ser" in gistmeter.load_run("folder").systems["x"].scores) is bool(calls)


def test_answers_that_are_there_are_used_without_a_question(google: Service) -> None:
    assert command("--metrics", "ser", "--llm", "gemini").returncode == 0
    again = command("--metrics", "ser")
    assert again.returncode == 0, again.stderr
    assert len(google.requests) == 2
    assert gistmeter.load_run("folder")["ser"].n == 2


def test_an_estimate_sends_nothing(google: Service) -> None:
    done = command("--estimate")
    assert done.returncode == 0 and "Calls   2" in done.stdout and google.requests == []


def test_python_sends_nothing_unless_told(google: Service) -> None:
    run = gistmeter.score_speech(["it rains now"], ["it rained"], language="en")
    assert "ser" not in run.systems["system"].scores
    assert any('llm="gemini"' in remark for remark in run.remarks)
    assert google.requests == []
    told = gistmeter.score_speech(
        ["it rains now"], ["it rained"], language="en", metrics=["ser"], llm="gemini"
    )
    assert told["ser"].n == 1 and len(google.requests) == 1


def test_a_pipeline_sends_nothing_unless_its_file_names_a_model(google: Service) -> None:
    table = '[evaluation.x]\nshape = "speech"\ntable = "clips.csv"\nlanguage = "en"\n'
    Path("check.toml").write_text(table)
    assert check("check.toml").passed and google.requests == []
    Path("check.toml").write_text(table + 'llm = "gemini"\nmetrics = ["ser"]\n')
    assert check("check.toml", trust=True).passed and len(google.requests) == 2


def test_recognisers_wait_for_the_answer(google: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from trust.scenes import sounds

    sounds()
    listen = ("--assets", "assets", "--recognizers", "x=command:echo it rains")
    done = subprocess.run(
        [sys.executable, "-m", "gistmeter", "speech", *listen, "--language", "en",
         "--metrics", "wer,ser", "-o", "heard", "--no-report"],
        capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "6 texts (3 clips) were not sent" in done.stderr and google.requests == []


def test_an_answer_of_the_wrong_form_is_paid_for_once() -> None:
    from pydantic import BaseModel

    class Thing(BaseModel):
        name: str

    cache = Cache(None)
    with serve('{"other": 1}') as service:
        settings = LanguageModelSettings(base_url=f"{service.url}/v1", pause=0.01)

        def ask() -> object:
            model = load_language_model("qwen", cache=cache, settings=settings)
            (answer,) = model.ask(["What?"], Thing)
            return answer.value, answer.failure, answer.cached, model.known(["What?"], Thing)

        assert ask() == (None, WRONG_FORM, False, [True])
        paid = len(service.requests)
        assert ask() == (None, KEPT_WRONG, True, [True])
        assert len(service.requests) == paid > 0


def test_a_service_that_failed_is_asked_again() -> None:
    from pydantic import BaseModel

    class Thing(BaseModel):
        name: str

    cache = Cache(None)
    with serve(400, '{"name": "x"}') as service:
        settings = LanguageModelSettings(base_url=f"{service.url}/v1", pause=0.01)
        model = load_language_model("qwen", cache=cache, settings=settings)
        assert model.ask(["What?"], Thing)[0].failure
        assert model.ask(["What?"], Thing)[0].value == Thing(name="x")
