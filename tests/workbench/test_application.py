"""The pages from a dropped file to its report, asked as a browser asks them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from starlette.testclient import TestClient

from gistmeter.core.runs.saved import load_run
from gistmeter.models.e5 import weights_fetch
from workbench.served import finished, opened, started, visitor

ROWS = [
    ("1", "Cats sleep for most of the day.", "Felines are asleep during most hours of the day.",
     "Dogs run all night.", "zoology"),
    ("2", "The meeting was moved to Friday.", "They postponed the meeting until Friday.",
     "The meeting is on Monday.", "office"),
    ("3", "She did not sign the contract.", "The contract was not signed by her.",
     "She signed the contract.", "office"),
    ("4", "Water boils at 100 degrees.", "At 100 degrees, water comes to the boil.",
     "Water freezes at 100 degrees.", "physics"),
]  # fmt: skip


def workbook() -> bytes:
    """A wide workbook in which the column `Reference` is a source, and `Editor` what is meant."""
    kept = io.BytesIO()
    book = xlsxwriter.Workbook(kept)
    sheet = book.add_worksheet("answers")
    sheet.write_row(0, 0, ["id", "Reference", "Editor", "model-a", "model-b", "topic"])
    for at, (name, expected, good, bad, topic) in enumerate(ROWS, 1):
        sheet.write_row(at, 0, [name, f"Source {name}: {bad}", expected, good, bad, topic])
    notes = book.add_worksheet("notes")
    notes.write_row(0, 0, ["what", "who"])
    notes.write_row(1, 0, ["checked", "Ada"])
    book.close()
    return kept.getvalue()


def dropped(client: Any, name: str, content: bytes) -> str:
    drop = client.post("/drops").json()["id"]
    client.post(f"/drops/{drop}/files", params={"name": name}, content=content).raise_for_status()
    return f"/drops/{drop}"


def fields_of(page: str) -> dict[str, str]:
    """The form as a browser would send it."""
    fields = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page):
        fields[unescape(name)] = unescape(value)
    for name, body in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', body)
        fields[unescape(name)] = unescape(chosen[1]) if chosen else ""
    fields |= re.findall(r'<input type="number" name="([^"]+)"[^>]* value="(\d+)"', page)
    shape = re.search(r'name="shape" value="(\w+)" checked', page)
    return {**fields, "shape": shape[1] if shape else "", "scores": "all"}


def role_of(page: str, column: str) -> str:
    columns = json.loads(fields_of(page)["columns"])
    return "role-" + next(key for key, name in columns.items() if name == column)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Any, TestClient]]:
    with opened(tmp_path / "folder") as found:
        yield found


def test_the_first_page_offers_weights_that_are_missing(
    pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = pair
    assert weights_fetch.COMMAND not in client.get("/").text
    monkeypatch.setattr("gistmeter.workbench.begin_pages.weights_path", lambda: None)
    assert weights_fetch.COMMAND in client.get("/").text


def test_a_reference_that_was_guessed_wrong_is_mended(pair: Any) -> None:
    _, client = pair
    place = dropped(client, "answers.xlsx", workbook())
    page = client.get(place).text
    fields = fields_of(page)
    assert fields["shape"] == "text"
    assert fields[role_of(page, "Reference")] == "reference"
    assert "guessed" in page
    fields |= {role_of(page, "Reference"): "", role_of(page, "Editor"): "reference"}
    mended = client.post(place, data=fields).text
    assert fields_of(mended)[role_of(mended, "Editor")] == "reference"
    assert fields_of(mended)[role_of(mended, "model-a")] == "system"
    assert "--column reference=Editor" in unescape(mended)
    assert ROWS[0][1] in unescape(mended)
    assert "8</b> items" in mended


def test_one_sheet_and_another_header_can_be_chosen(pair: Any) -> None:
    _, client = pair
    table = "Made by Ada\nin 2026\nid,reference,prediction\n1,a cat sleeps,the cat is asleep\n"
    place = dropped(client, "titled.csv", table.encode())
    page = client.get(place).text
    fields = fields_of(page)
    header = next(name for name in fields if re.fullmatch(r"header-\d+", name))
    fields[header] = "3"
    mended = client.post(place, data={**fields, "header-was-0": "1"}).text
    assert "A copy of" in mended
    assert role_of(mended, "prediction")
    place = dropped(client, "answers.xlsx", workbook())
    fields = fields_of(client.get(place).text)
    mended = client.post(place, data={**fields, "sheet-0": "notes"}).text
    assert "answers-notes" in mended
    fields = fields_of(mended)
    assert "answers-notes" not in client.post(place, data={**fields, "restore-0": "1"}).text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("broken.xlsx", b"PK\x03\x04 nothing", "broken.xlsx"),
        ("empty.csv", b"a,b\n", "has a header but no rows"),
        ("odd.csv", b"x,y\n1,2\n", "has no column"),
        ("x.conllu", b"not a tree\n", "x.conllu"),
        ("zeros.txt", b"\x00" * 4000, "zeros.txt"),
    ],
)
def test_bad_files_get_the_command_s_own_message(
    pair: Any, name: str, content: bytes, message: str
) -> None:
    _, client = pair
    place = dropped(client, name, content)
    page = client.get(place)
    assert page.status_code == 200
    assert message in unescape(page.text)
    assert "fault of gistmeter" not in page.text
    answer = client.post(f"{place}/start", data=fields_of(page.text))
    assert "/jobs/" not in str(answer.url)


def test_a_hostile_table_stays_text(pair: Any) -> None:
    _, client = pair
    evil = "<script>alert(1)</script>"
    table = f'id,reference,{evil}\n1,"{evil}","{evil}<img src=x onerror=alert(1)>"\n'
    page = client.get(dropped(client, f"{evil}.csv", table.encode())).text
    assert evil not in page
    assert "<img" not in page


def test_a_run_from_the_drop_to_every_download(tmp_path: Path) -> None:
    with opened(tmp_path / "folder") as (bench, client):
        place = dropped(client, "answers.xlsx", workbook())
        fields = fields_of(client.get(place).text)
        page = client.get(place).text
        fields |= {role_of(page, "Reference"): "", role_of(page, "Editor"): "reference",
                   "scores": "some", "metric": "alarms"}  # fmt: skip
        job = client.post(f"{place}/start", data=fields)
        assert finished(client, job.url.path)["state"] == "done"
        name = finished(client, job.url.path)["result"].removeprefix("/result/")
        run = load_run(bench.folder / name)
        assert set(run.systems) == {"model-a", "model-b"}
        result = client.get(f"/result/{name}")
        assert run.answer().split(".")[0] in unescape(result.text)
        assert f"-o {name}" in unescape(result.text)
        assert name in client.get("/").text
        sliced = client.get(f"/result/{name}", params={"by": "topic"})
        assert "office (2)" in sliced.text
        found = client.get(f"/items/{name}", params={"words": "contract", "system": "model-b"})
        assert "1 of 8 rows" in found.text
        assert "She signed the contract." in found.text
        kinds = {"xlsx": b"PK", "csv": b"\xef\xbb\xbf", "json": b"{", "md": b"model-a",
                 "html": b"<!doctype html>"}  # fmt: skip
        for kind, start in kinds.items():
            answer = client.get(f"/download/{kind}/{name}")
            assert answer.content.lstrip().startswith(start) or answer.content[:2] == b"PK", kind
            assert answer.headers["content-disposition"].startswith("attachment")
        assert client.get(f"/download/exe/{name}").status_code == 404
        shutil.rmtree(bench.folder / name)
        gone = client.get(f"/result/{name}")
        assert gone.status_code == 400
        assert "not in the folder any more" in gone.text
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    "name", ["../folder", "..%2f..", ".git", "/etc", "runs/../../x", "runs/%00"]
)
def test_runs_are_below_the_folder_alone(pair: Any, name: str) -> None:
    for page in ("result", "items", "download/json", "sound"):
        assert pair[1].get(f"/{page}/{name}").status_code in (400, 404)


def test_a_linked_run_and_linked_sound_are_refused(pair: Any, tmp_path: Path) -> None:
    bench, client = pair
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "run.json").write_text("{}")
    (tmp_path / "x.wav").write_bytes(b"RIFF")
    (bench.folder / "linked").symlink_to(tmp_path / "elsewhere")
    (bench.folder / "x.wav").symlink_to(tmp_path / "x.wav")
    assert client.get("/result/linked").status_code == 400
    assert client.get("/sound/x.wav").status_code == 400


def test_a_cancelled_run_goes_on_where_it_was(pair: Any) -> None:
    _, client = pair
    place = client.post("/sample", data={"shape": "parse"}).url.path
    jobs = [client.post(f"{place}/start", data={"shape": "parse"}).url.path for _ in range(2)]
    assert client.get(f"{jobs[1]}/progress").json()["state"] == "waiting"
    client.post(f"{jobs[1]}/cancel")
    client.post(f"{jobs[0]}/cancel")
    for job in jobs:
        assert finished(client, job)["state"] == "cancelled"
    client.post(f"{jobs[0]}/again")
    assert finished(client, jobs[0])["state"] == "done"


def test_a_run_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    with started(tmp_path / "folder") as (process, address):
        with contextlib.closing(visitor(address)) as client:
            place = client.post("/sample", data={"shape": "parse"}).url.path
            job = client.post(f"{place}/start", data={"shape": "parse"}).url.path
            while client.get(f"{job}/progress").json()["state"] != "running":
                time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with (
        started(tmp_path / "folder") as (_, address),
        contextlib.closing(visitor(address)) as client,
    ):
        assert finished(client, job)["state"] == "done"


def test_a_second_command_on_the_folder_says_so(tmp_path: Path) -> None:
    import subprocess
    import sys

    with opened(tmp_path / "folder"):
        found = subprocess.run(
            [sys.executable, "-m", "gistmeter", "open", str(tmp_path / "folder"), "--no-browser"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert found.returncode == 2
    assert "another workbench is open" in found.stderr
    assert "Traceback" not in found.stderr


def test_every_link_of_a_result_leads_to_a_page(pair: Any) -> None:
    _, client = pair
    place = client.post("/sample", data={"shape": "parse"}).url.path
    job = client.post(f"{place}/start", data={"shape": "parse"}).url.path
    page = client.get(finished(client, job)["result"]).text
    links = {unescape(link) for link in re.findall(r'<a[^>]* href="(/[^"]*)"', page)}
    assert len(links) > 5
    assert {link: code for link in links if (code := client.get(link).status_code) != 200} == {}
