"""A stranger's folder in the workbench: nothing in it runs, and nothing outside is read or written.

The gate itself (host, origin, cookie) is attacked in `tests/workbench/test_gate.py`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gistmeter.core.runs.saved import load_run
from gistmeter.people.item_keys import decisions_of, labels_of
from gistmeter.people.ledger import Ledger
from gistmeter.people.records import DecisionRecord, LabelRecord
from gistmeter.report.html import trusted
from gistmeter.workbench import children
from gistmeter.workbench.result_pages import restored, sendable, to_script
from gistmeter.workbench.review_queue import findings_of
from people.made_labels import text_run
from workbench.served import finished, opened, started, visitor

SHADOWS = ("json", "numpy", "asyncio", "sitecustomize", "usercustomize", "gistmeter/__init__",
           "polars/__init__", "spacy", "wordfreq")  # fmt: skip
TABLE = "id,reference,a\n1,Cats sleep by day.,Cats sleep all day.\n2,It rains.,It snows.\n"
BOTH = "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"
FORM = {"shape": "text", "scores": "some", "metric": "f_beta"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    text_run(folder, items=12)
    return folder


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> Iterator[Any]:
    """A workbench on a folder with a run of its own, two levels below another folder."""
    shutil.copytree(made / "runs/first", tmp_path / "outer/folder/first")
    with opened(tmp_path / "outer/folder") as (bench, client):
        client.post("/who", data={"who": "Anna"})
        yield bench, client


def shadow(folder: Path, marker: Path) -> None:
    for name in SHADOWS:
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"open({str(marker)!r}, 'a').write({name!r})\nraise SystemExit(9)\n")


def test_modules_of_the_folder_never_run(tmp_path: Path) -> None:
    folder, marker = tmp_path / "cloned", tmp_path / "ran"
    shadow(folder, marker)
    (folder / "x.csv").write_text(TABLE)
    with started(folder) as (_, address), contextlib.closing(visitor(address)) as client:
        page = client.post("/files", data={"file": "x.csv"})
        assert "x.csv" in page.text
        job = client.post(f"{page.url.path}/start", data=FORM)
        assert finished(client, job.url.path)["state"] == "done"
    assert not marker.exists()


def test_a_worker_finds_modules_where_the_server_does_but_for_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), str(tmp_path / "kept")])
    assert children._modules(tmp_path) == str(tmp_path / "kept")


def test_what_people_said_above_the_folder_is_not_read(pair: Any) -> None:
    bench, client = pair
    run = load_run(bench.folder / "first")
    finding = findings_of(run)[0]
    place = {"text": "said above"}
    above = Ledger(bench.folder.parent)
    above.append(
        DecisionRecord(finding.item, finding.kind, "Eve", "dismiss", "seen above", place),
        LabelRecord(finding.item, "Eve", "scale", 1.0, scale=(1.0, 5.0)),
    )
    assert decisions_of(run) and labels_of(run)  # the command looks there: it was named a run
    for page in ("/review/first", "/review/first?show=all", "/sign-off/first"):
        assert "Eve" not in client.get(page).text
        assert "seen above" not in client.get(page).text
    client.post("/sign-off/first", data={"remark": ""})
    kept = b"".join(file.read_bytes() for file in (bench.folder / "first/details").iterdir())
    assert b"Eve" not in kept
    form = {"verdict": "undo", "undo": decisions_of(run)[0].id}
    client.post("/who", data={"who": "Eve"})
    assert client.post("/review/first", data=form).status_code == 400


def test_runs_that_lie_elsewhere_are_not_listed(pair: Any, made: Path) -> None:
    bench, client = pair
    (bench.folder / "linked").symlink_to(made / "runs/first")
    (bench.folder / "deep").symlink_to(made)
    (bench.folder / "file").mkdir()
    (bench.folder / "file/run.json").symlink_to(made / "runs/first/run.json")
    names = [line.name for line in bench.shelf.lines()]
    assert names == ["first"]
    for name in ("linked", "deep/runs/first", "file"):
        for page in ("result", "items", "review", "sign-off", "download/json", "signed/html"):
            assert client.get(f"/{page}/{name}").status_code == 400, (page, name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_pipes_and_devices_in_place_of_a_run_hang_nothing(pair: Any) -> None:
    bench, client = pair
    for name in ("pipe", "endless"):
        (bench.folder / name).mkdir()
    os.mkfifo(bench.folder / "pipe/run.json")
    (bench.folder / "endless/run.json").symlink_to("/dev/zero")
    os.mkfifo(bench.folder / "decisions.jsonl")
    assert client.get("/").status_code == 200
    assert client.get("/result/pipe").status_code == 400
    assert client.get("/review/first").status_code in (200, 400)


def test_runs_are_not_written_through_a_link(tmp_path: Path) -> None:
    folder, victim = tmp_path / "cloned", tmp_path / "victim"
    folder.mkdir()
    victim.mkdir()
    (folder / "runs").symlink_to(victim)
    (folder / "x.csv").write_text(TABLE)
    with opened(folder) as (_, client):
        page = client.post("/files", data={"file": "x.csv"})
        job = client.post(f"{page.url.path}/start", data=FORM)
        ended = finished(client, job.url.path)
    assert ended["state"] == "failed"
    assert "is a link" in ended["message"]
    assert not list(victim.iterdir())


def test_a_sign_off_is_neither_kept_nor_read_through_a_link(pair: Any, tmp_path: Path) -> None:
    bench, client = pair
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "signoff.html").write_text("a secret")
    shutil.rmtree(bench.folder / "first/details", ignore_errors=True)
    (bench.folder / "first/details").symlink_to(victim)
    assert "secret" not in client.get("/signed/html/first").text
    client.post("/sign-off/first", data={"remark": ""})
    assert {file.name: file.read_text() for file in victim.iterdir()} == {
        "signoff.html": "a secret"
    }


def test_a_name_is_never_taken_for_a_drawing_of_ours() -> None:
    hostile = {"__drawing__": "<img src=x>", "\\__drawing__": "<b>"}
    sections = [{"systems": hostile, "drawing": trusted("<svg/>")}]
    again = restored(to_script({"sections": sendable(sections)}))["sections"]
    assert again == sections
    assert not hasattr(again[0]["systems"]["__drawing__"], "__html__")
    assert hasattr(again[0]["drawing"], "__html__")


@pytest.mark.parametrize(
    "path",
    ["/jobs/99999999999999999999999", "/review/first?at=%C2%B2", "/items/first?page=" + "9" * 5000,
     "/items/first?words=f_beta%3C1.2.3", "/items/first?sort=__place__&c.x=1", "/drops/%00",
     "/items/first?words=%28%3F", "/download/exe/first", "/sound/first/run.json",
     "/result/first?by=" + "x" * 3000, "/result/first?with=../first"],
)  # fmt: skip
def test_nonsense_in_an_address_is_no_fault(pair: Any, path: str) -> None:
    assert pair[1].get(path).status_code in (200, 400, 404)


@pytest.mark.parametrize("columns", ["{", "[" * 100_000, '{"0": 3}', "9" * 5000])
def test_nonsense_in_a_form_is_no_fault(pair: Any, columns: str) -> None:
    bench, client = pair
    (bench.folder / "x.csv").write_text("id,reference,a\n1,x,y\n")
    page = client.post("/files", data={"file": "x.csv"})
    form = {"shape": "text", "columns": columns, "header-0": "²", "header-was-0": "1"}
    assert client.post(page.url.path, data=form).status_code in (200, 400)


def test_requests_that_no_browser_sends_are_refused(tmp_path: Path) -> None:
    """Smuggled, doubled and endless headers, against the server itself."""
    with started(tmp_path / "folder") as (_, address):
        with contextlib.closing(visitor(address)):
            pass
        found = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", address)
        assert found
        host = f"Host: 127.0.0.1:{found[1]}\r\n"
        for head in (
            f"GET http://evil.example/ HTTP/1.1\r\n{host}\r\n",
            f"GET / HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            f"GET / HTTP/1.1\r\n{host}X: {'a' * 200_000}\r\n\r\n",
            f"GET /../../../../etc/passwd HTTP/1.1\r\n{host}\r\n",
            f"GET /static/..%2f..%2f__init__.py HTTP/1.1\r\n{host}\r\n",
            f"POST /drops HTTP/1.1\r\n{host}{BOTH}\r\n",
        ):
            answer = "HTTP/1.1 400 hung up"
            with (
                socket.create_connection(("127.0.0.1", int(found[1])), timeout=20) as sent,
                contextlib.suppress(ConnectionError),
            ):
                sent.sendall(head.encode())
                answer = sent.recv(4096).decode("latin-1")
            assert re.match(r"HTTP/1.1 (400|403|404|431)", answer), (head[:60], answer)


def test_the_folder_is_the_same_after_it_was_looked_at(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(made / "runs/first", folder / "first")

    def state() -> str:
        listed = subprocess.run(["ls", "-laR", str(tmp_path)], capture_output=True, text=True,
                                timeout=30, check=True)  # fmt: skip
        return listed.stdout

    before = state()
    with opened(folder) as (_, client):
        for page in ("/", "/result/first", "/items/first", "/review/first", "/sign-off/first"):
            assert client.get(page).status_code == 200
    assert state() == before
