"""A run of somebody else that is scored again does no more than show numbers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter import load_run, score_speech, score_text
from gistmeter.cli import app
from gistmeter.core.errors import UntrustedError
from gistmeter.core.signature import seal
from gistmeter.core.trust import trust
from gistmeter.tools.drift import drift
from gistmeter.tools.rescore import rescore
from gistmeter.tools.selftest import selftest

OWNED = "Path('owned').write_text('x')"


@pytest.fixture
def forged(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A run with other settings, sealed anew, and a module beside it that they may name."""
    module = f"from pathlib import Path\n{OWNED}\ndef score(*_): return 1.0\n"
    (in_folder / "evil.py").write_text(module, "utf-8")
    monkeypatch.delitem(sys.modules, "evil", raising=False)

    def forge(command: str, **settings: Any) -> Path:
        given: dict[str, Any] = {"language": "en", "resamples": 0, "overwrite": True}
        given["output"] = ["run"]
        if command == "speech":
            score_speech(
                ["it rains", "we left"], ["it rained", "we left"], metrics=["wer"], **given
            )
        else:
            score_text(["it rains"], [["it rained"]], metrics=["s_info"], **given)
        file = in_folder / "run" / "run.json"
        document = json.loads(file.read_text("utf-8"))
        document.pop("sha256")
        document["settings"].update(settings)
        file.write_text(json.dumps(seal(document)), "utf-8")
        return file.parent

    return forge


REACHING = [
    ("speech", {"custom_metric": "evil:score", "metrics": ["wer", "custom_metric"]}),
    ("speech", {"llm_url": "http://192.0.2.1/v1", "llm": "openai:x", "metrics": ["ser"]}),
    ("speech", {"recognizers": ["command:touch owned"], "metrics": ["wer"]}),
    ("text", {"embedder": "someone/model", "metrics": ["s_acc"]}),
    ("text", {"profile": "seed", "metrics": ["s_acc"]}),
    ("text", {"stopwords": "/etc/passwd"}),
]


@pytest.mark.parametrize(("command", "settings"), REACHING)
@pytest.mark.parametrize("again", [rescore, selftest])
def test_a_forged_run_is_not_scored_as_it_likes(
    command: str, settings: dict[str, Any], again: Any, forged: Callable[..., Path]
) -> None:
    folder = forged(command, **settings)
    with pytest.raises(UntrustedError, match="is refused"):
        again(folder)
    with pytest.raises(UntrustedError, match="is refused"):
        again(load_run(folder))
    assert not Path("owned").exists()


def test_the_command_says_how_to_trust_it(forged: Callable[..., Path]) -> None:
    folder = str(forged("speech", **REACHING[0][1]))
    refused = CliRunner().invoke(app, ["rescore", folder])
    assert refused.exit_code == 2 and "gistmeter trust" in refused.output
    assert not Path("owned").exists() and not Path("run-rescored").exists()
    CliRunner().invoke(app, ["rescore", folder, "--trust"])
    assert Path("owned").exists()


@pytest.mark.parametrize("words", ["report -o x.html", "compare", "history", "runs", "validate"])
def test_other_commands_import_nothing_for_a_run(words: str, forged: Callable[..., Path]) -> None:
    folder = forged("speech", **REACHING[0][1])
    command, *further = words.split()
    CliRunner().invoke(app, [command, str(folder), *further])
    assert not Path("owned").exists()


def test_drift_asks_the_user_for_an_address_and_imports_nothing(
    forged: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = forged("speech", custom_metric="evil:score")
    run = load_run(folder)
    monkeypatch.setattr("gistmeter.tools.drift.METRIC", next(iter(run.metrics)))
    monkeypatch.setattr("gistmeter.tools.drift.anchors_of", lambda *_: [0])
    with pytest.raises(UntrustedError, match="custom_metric"):
        drift(run)
    assert not Path("owned").exists()


def test_a_run_of_ones_own_is_scored_again(forged: Callable[..., Path]) -> None:
    assert rescore(forged("text")).systems["system"]["s_info"].value == 0.5
    folder = forged("text", stopwords="stop.txt")
    Path("stop.txt").write_text("it\n", "utf-8")
    assert rescore(folder).systems
    outside = forged("speech", **REACHING[0][1])
    trust(outside / "run.json")
    rescore(outside)
    assert Path("owned").exists()
