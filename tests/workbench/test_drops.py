"""Files that come in: names made safe, limits held, nothing read outside of the folder."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from gistmeter.core.errors import InputError
from gistmeter.workbench import drops
from gistmeter.workbench.drops import files_below, inside, safe_name
from gistmeter.workbench.shapes import SHAPES, options_for
from workbench.served import opened


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Any, TestClient]]:
    with opened(tmp_path / "folder") as found:
        yield found


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("table.csv", "table.csv"),
        ("../../etc/cron.d/evil.csv", "evil.csv"),
        ("..\\..\\evil.csv", "evil.csv"),
        ("C:\\temp\\data.xlsx", "data.xlsx"),
        ("nul.txt", "_nul.txt"),
        ("a\x00b\nc.csv", "a_b_c.csv"),
        ("\u202evsc.exe.csv", "_vsc.exe.csv"),
        (".hidden.csv", "hidden.csv"),
        ("e\u0301.csv", "\xe9.csv"),
        ('we<ir>d:"|?*.csv', "we_ir_d_____.csv"),
    ],
)
def test_names_stay_in_their_folder(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_a_long_name_keeps_its_suffix() -> None:
    name = safe_name("文" * 300 + ".csv")
    assert name.endswith(".csv")
    assert len(name.encode()) <= drops.LONGEST


@pytest.mark.parametrize(
    "given", ["gistmeter.toml", "model.onnx", "run.sh", "x.py", "", ".csv", "..", "x.pkl", "a.svg"]
)
def test_what_could_do_more_than_be_read_is_not_taken_in(pair: Any, given: str) -> None:
    bench, client = pair
    drop = client.post("/drops").json()["id"]
    answer = client.post(f"/drops/{drop}/files", params={"name": given}, content=b"x")
    assert answer.status_code == 400
    assert "not a kind of file that is read" in answer.text
    assert not list((bench.folder / "dropped" / drop).iterdir())


def test_files_arrive_whole_and_names_are_never_taken_twice(pair: Any) -> None:
    bench, client = pair
    drop = client.post("/drops").json()["id"]
    paths = [
        client.post(f"/drops/{drop}/files", params={"name": "a.csv"}, content=body).json()["path"]
        for body in (b"one", b"two")
    ]
    assert [(bench.folder / path).read_bytes() for path in paths] == [b"one", b"two"]
    assert len(set(paths)) == 2


def test_sizes_and_numbers_are_limited(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, client = pair
    monkeypatch.setattr(drops, "LARGEST", 100)
    monkeypatch.setattr(drops, "MOST_FILES", 2)
    drop = client.post("/drops").json()["id"]

    def send(content: bytes) -> Any:
        return client.post(
            f"/drops/{drop}/files", params={"name": "a.csv"}, content=content,
            headers={"accept": "application/json"},
        )  # fmt: skip

    assert "larger than 100 bytes" in send(b"x" * 101).json()["error"]
    assert "is empty" in send(b"").json()["error"]
    assert not list((bench.folder / "dropped" / drop).iterdir())
    assert send(b"x").status_code == send(b"y").status_code == 200
    assert "More than 2 files" in send(b"z").json()["error"]


def test_a_full_disk_is_said_and_leaves_nothing(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, client = pair
    drop = client.post("/drops").json()["id"]
    monkeypatch.setattr(drops, "SPARE", 10**18)
    answer = client.post(f"/drops/{drop}/files", params={"name": "a.csv"}, content=b"x")
    assert answer.status_code == 400
    assert "disk" in answer.text
    assert not list((bench.folder / "dropped" / drop).iterdir())


def test_a_sample_on_a_full_disk_is_no_fault(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, client = pair

    def full(*_: Any, **__: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    answer = client.post("/sample", data={"shape": "text"})
    assert answer.status_code == 400 and "fault" not in answer.text
    assert f"{bench.folder}: No space left on device" in answer.text


@pytest.mark.parametrize("drop", ["..", "../..", "%2e%2e", "zzzzzzzzzzzz", "a" * 12])
def test_a_drop_that_is_none_takes_nothing_in(pair: Any, drop: str) -> None:
    answer = pair[1].post(f"/drops/{drop}/files", params={"name": "a.csv"}, content=b"x")
    assert answer.status_code in (400, 404, 405)


def test_files_are_read_below_the_folder_alone(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.csv"
    folder.mkdir()
    outside.write_text("a,b\n1,2\n")
    (folder / "link.csv").symlink_to(outside)
    (folder / "way").symlink_to(tmp_path)
    (folder / ".hidden.csv").write_text("x")
    (folder / "own.csv").write_text("x")
    assert inside(folder, "own.csv") == folder / "own.csv"
    for name in ("../secret.csv", str(outside), "link.csv", "way/secret.csv", ".hidden.csv", "",
                 "own.csv/../../secret.csv", "none.csv", ".", "own"):  # fmt: skip
        with pytest.raises(InputError):
            inside(folder, name)
    assert files_below(folder) == ["own.csv"]


def test_a_form_cannot_name_files_elsewhere(pair: Any) -> None:
    answer = pair[1].post("/files", data={"file": "../../etc/passwd"})
    assert answer.status_code == 400
    assert "not below the opened folder" in answer.text


def test_only_the_options_of_the_page_are_set() -> None:
    evil = {
        "profile": "/models/evil", "embedder": "/evil", "llm": "openai:x", "config": "x.toml",
        "recognizers": ["command:rm"], "custom_metric": "os:system", "output": "/etc",
        "trust": True, "language": "en",
    }  # fmt: skip
    for shape in SHAPES:
        options = options_for(shape, {"a.csv": "dropped/x/a.csv"}, {}, evil)
        assert set(options) <= {"language"}


def test_forms_are_limited(pair: Any) -> None:
    answer = pair[1].post("/files", content=b"file=x&" * 400_000)
    assert answer.status_code == 400
    assert "larger than any" in answer.text
