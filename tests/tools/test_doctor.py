"""`gistmeter doctor`: says what is here, what is not and how to get it, and never shows a key."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import gistmeter
from conftest import ROOT
from gistmeter.cli import app
from gistmeter.core import registry
from gistmeter.core.errors import GistmeterError
from gistmeter.models.credentials import SERVICES
from gistmeter.speech.recognizers import MissingKey
from gistmeter.tools import doctor as health

WELL = ["numpy>=2", "click>=8.2", "jieba>=0.42; extra == 'zh'", "nothing-such>=1; extra == 'th'"]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that needs what every environment of the tests has."""
    monkeypatch.setattr(health, "requirements", lambda: WELL)
    for name in health.KEYS:
        monkeypatch.delenv(name, raising=False)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", "--quick", *arguments])


def found(part: str, name: str, **options: Any) -> health.Finding:
    held = gistmeter.doctor(quick=True, **options).findings
    (one,) = (one for one in held if (one.part, one.name) == (part, name))
    return one


def test_every_extra_says_what_it_enables() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(extras) == {*health.ENABLES, *health.OURS} & set(extras)
    assert set(health.ENABLES) <= set(extras)


def test_no_key_is_forgotten() -> None:
    needed = {name for own in SERVICES.values() for name in own.variables}
    for name in ("deepgram", "elevenlabs", "speechmatics", "cartesia", "openai"):
        with pytest.raises(MissingKey) as missing:
            registry.find("gistmeter.recognizers", name).from_name("", {})
        needed.add(missing.value.variable)
    assert needed <= set(health.KEYS)


def test_all_is_well_where_only_optional_things_are_missing() -> None:
    done = call()
    assert done.exit_code == 0, done.output
    assert "All is well" in done.output
    assert "get it with: pip install 'gistmeter[th]'" in done.output
    assert "gistmeter models pull paper" in done.output


@pytest.mark.parametrize(
    ("line", "told"),
    [("nothing-such>=1", "is not installed"), ("numpy>=999", "and >=999 is needed")],
)
def test_a_core_package_that_is_missing_or_old(
    line: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "requirements", lambda: [*WELL, line])
    done = call()
    assert done.exit_code == 1
    assert told in done.output and "fix it with: pip install --upgrade gistmeter" in done.output


def test_a_key_is_found_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "canary-5a1f")
    for shape in ("table", "json"):
        done = call("--format", shape)
        assert "GEMINI_API_KEY" in done.output and "canary" not in done.output
    assert found("key", "GEMINI_API_KEY").state == "here"


def test_what_is_needed_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("--need", "zh").exit_code == 0
    done = call("--need", "zh,OPENAI_API_KEY,paper")
    assert done.exit_code == 1
    assert "export OPENAI_API_KEY=" in done.output
    monkeypatch.setenv("OPENAI_API_KEY", "one")
    assert call("--need", "OPENAI_API_KEY").exit_code == 0
    wrong = call("--need", "OPENAI_KEY")
    assert wrong.exit_code == 2 and "Did you mean 'OPENAI_API_KEY'" in wrong.output


def test_caches_with_place_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-home"))
    (tmp_path / "hub-home" / "hub").mkdir(parents=True)
    (tmp_path / "hub-home" / "hub" / "weights").write_bytes(b"x" * 2_000_000)
    assert found("cache", "hub").detail.endswith("2.0 MB")
    assert str(tmp_path / "answers.sqlite") in found("cache", "answers").detail


def test_a_damaged_cache_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path))
    (tmp_path / "answers.sqlite").write_bytes(b"no database" * 999)
    done = call()
    assert done.exit_code == 1
    assert "fix it with: gistmeter cache clear" in done.output


def test_json_has_all_findings() -> None:
    told = json.loads(call("--format", "json").output)
    assert told["well"] is True
    assert {one["part"] for one in told["findings"]} == {
        "python", "package", "extra", "model", "profile", "key", "cache",
    }  # fmt: skip


def test_damaged_weights_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "judge.safetensors"
    file.write_bytes(b"broken")
    monkeypatch.setattr("gistmeter.models.judge.judge_weights.FILE", file)
    done = call()
    assert done.exit_code == 1 and "install gistmeter again" in done.output


def test_a_pair_is_scored_as_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = gistmeter.doctor().findings[-1]
    assert (trial.part, trial.state) == ("score", "here"), trial

    def fail(*_: Any, **__: Any) -> None:
        raise GistmeterError("the model cannot be read")

    monkeypatch.setattr("gistmeter.text.api.score_text", fail)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1 and "the model cannot be read" in done.output


def test_the_judge_is_listed_as_ready() -> None:
    done = CliRunner().invoke(app, ["models", "list", "--profile", "embedded"])
    assert "missing" not in done.output and "gistmeter-judge-small" in done.output
