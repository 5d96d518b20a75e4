"""What the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# Time is not a property of the code: these machines are noisy.
settings.register_profile("gistmeter", deadline=None, print_blob=True)
settings.load_profile("gistmeter")

pytest_plugins = ("trust_table",)  # the option --everything, and the table of tests/trust

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def shared_path(name: str) -> Path:
    """A file or folder of the shared test data, which is not part of the project."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared test data '{name}' is not here")
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's answers.

    The folder is one for the whole session, so that a model is converted only once.
    """
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("GISTMETER_CACHE_DIR", str(folder))


@pytest.fixture(autouse=True)
def own_trust(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test knows the folders that the user trusts: every test begins with none."""
    monkeypatch.setenv("GISTMETER_STATE_DIR", str(tmp_path_factory.mktemp("state") / "gistmeter"))
    monkeypatch.delenv("GISTMETER_TRUST", raising=False)


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
