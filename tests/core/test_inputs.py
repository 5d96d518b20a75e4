"""Files by their address: fetched once where the user names them, and nowhere else."""

from __future__ import annotations

import functools
import http.server
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter.cli import app
from gistmeter.core.errors import InputError, MissingDependency
from gistmeter.core.inputs import address_of
from serving import QuietHandler, serving

ROWS = {
    "id": ["1", "2", "3"],
    "prediction": ["light rain", "much snow", "some wind"],
    "reference": ["a light rain", "heavy snow", "a strong wind"],
}


@pytest.fixture
def memory() -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec", reason="pip install 'gistmeter[remote]'")
    system = fsspec.filesystem("memory")
    for name in ("careful", "hasty"):
        with system.open(f"/bucket/predictions/{name}.parquet", "wb") as stream:
            polars.DataFrame(ROWS).write_parquet(stream)
    yield system
    system.rm("/bucket", recursive=True)


def test_an_address_survives_being_a_path(tmp_path: Path) -> None:
    assert address_of(Path("s3://bucket/a*.csv")) == "s3://bucket/a*.csv"
    assert address_of("https://host/a.csv?x=1") == "https://host/a.csv?x=1"
    assert address_of(Path("file:///tmp/a.csv")) == "file:///tmp/a.csv"
    assert address_of(tmp_path) == address_of("a.csv") == address_of("C:/a.csv") == ""


def test_a_file_of_that_name_is_no_address(in_folder: Path) -> None:
    place = in_folder / "s3:" / "bucket"
    place.mkdir(parents=True)
    (place / "a.csv").write_text("here")
    assert address_of(Path("s3://bucket/a.csv")) == ""


def test_the_command_reads_a_pattern_and_can_resume(memory: Any, in_folder: Path) -> None:
    typed = ["text", "memory://bucket/predictions/*.parquet", "--language", "en",
             "--metrics", "s_info", "-o", "run"]  # fmt: skip
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    assert "Fetched memory://bucket/predictions/*.parquet: 2 files" in done.output
    run = gistmeter.load_run("run")
    assert list(run.systems) == ["careful", "hasty"]
    for name in run.systems:
        polars.DataFrame(ROWS).write_parquet(f"{name}.parquet")
    local = gistmeter.score_text(
        [Path("careful.parquet"), Path("hasty.parquet")], language="en", metrics=["s_info"]
    )
    assert run.to_polars().equals(local.to_polars())
    assert run.signature == local.signature
    assert run.inputs == local.inputs
    again = CliRunner().invoke(app, [*typed, "--resume"])
    assert again.exit_code == 0, again.output
    assert "3 of 3" in again.output or "6 of 6 items are done" in again.output


def test_python_takes_an_address_as_text(memory: Any) -> None:
    run = gistmeter.score_text(
        "memory://bucket/predictions/careful.parquet", language="en", metrics=["s_info"]
    )
    assert run["s_info"].n == 3


@pytest.mark.parametrize(
    ("address", "message"),
    [("memory://bucket/nothing*.csv", "no such file"), ("wrong://bucket/a.csv", "cannot be read")],
)
def test_what_is_not_there_is_said(
    memory: Any, in_folder: Path, address: str, message: str
) -> None:
    done = CliRunner().invoke(app, ["text", address, "--metrics", "s_info"])
    assert done.exit_code == 2
    assert address in done.output.replace("\n", "")
    assert message in done.output.replace("\n", " ")
    assert "Traceback" not in done.output


@pytest.mark.parametrize(("scheme", "extra"), [("s3", "s3"), ("gs", "gcs"), ("https", "remote")])
def test_the_line_to_install_is_given(
    scheme: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fsspec", "fsspec.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependency, match=rf"pip install 'gistmeter\[{extra}\]'"):
        gistmeter.score_text(f"{scheme}://bucket/a.csv", metrics=["s_info"])


def test_over_http(in_folder: Path) -> None:
    pytest.importorskip("aiohttp", reason="pip install 'gistmeter[remote]'")
    polars.DataFrame(ROWS).write_csv("answers.csv")

    class Files(QuietHandler, http.server.SimpleHTTPRequestHandler): ...

    with serving(functools.partial(Files, directory=str(in_folder))) as url:
        run = gistmeter.score_text(f"{url}/answers.csv", language="en", metrics=["s_info"])
    assert run["s_info"].n == 3


def test_nothing_inside_a_file_is_followed(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(address: str) -> Any:
        raise AssertionError(address)

    monkeypatch.setattr("gistmeter.core.inputs.open_system", refuse)
    Path("clips.csv").write_text(
        "file,expected,got,audio\nhttp://127.0.0.1/a.wav,rain,rain,http://127.0.0.1/a.wav\n"
    )
    with pytest.raises(AssertionError, match="s3://"):
        gistmeter.score_text("s3://bucket/a.csv")
    run = gistmeter.score_speech(Path("clips.csv"), language="en", metrics=["wer"])
    assert run.systems
    with pytest.raises(InputError):
        gistmeter.score_text(Path("nowhere.csv"), metrics=["s_info"])
