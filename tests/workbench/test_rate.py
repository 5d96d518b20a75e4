"""Rating on the page: blind, in random order, kept once, and what labels say after each ten."""

from __future__ import annotations

import csv
import errno
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gistmeter.core.runs.saved import load_run
from gistmeter.people.item_keys import item_keys
from gistmeter.people.rating_sheet import sheet_of
from gistmeter.report.export import delimited
from people.made_labels import text_run
from workbench.served import BASE, opened

RATE, LABELS = "/rate/runs/first", "/labels/runs/first"
ASKED = {"kind": "scale", "low": "1", "high": "5", "question": "", "design": "active", "size": "40"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    text_run(folder, items=40)
    return folder


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> Iterator[Any]:
    shutil.copytree(made, tmp_path / "folder")
    with opened(tmp_path / "folder") as (bench, client):
        client.post("/who", data={"who": "Anna"})
        yield bench, client


def shown(page: str) -> dict[str, str]:
    """The form of the thing to rate."""
    form = page[page.index('class="decide"') :]
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))


def rated(client: Any, rating: str, place: str = RATE, **more: str) -> Any:
    return client.post(RATE, data={**shown(client.get(place).text), "rating": rating, **more})


def kept(bench: Any) -> list[dict[str, Any]]:
    file = bench.folder / "labels.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def as_rater(bench: Any, client: Any, name: str) -> None:
    client.cookies.clear()
    assert client.get(f"{RATE}?token={bench.gate.rater_token}").status_code == 200
    client.post("/who", data={"who": name})


def test_what_is_rated_is_blind_and_every_rater_has_an_order_of_their_own(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    orders = []
    for name in ("Bo", "王", "Cy"):
        as_rater(bench, client, name)
        page = client.get(RATE).text
        assert not re.search(r"\bs[01]\b|f_beta|active", page)
        orders.append([shown(client.get(f"{RATE}?at={at}").text)["item"] for at in range(40)])
    assert sorted(orders[0]) == sorted(orders[1]) and len({str(one) for one in orders}) == 3


def test_a_label_is_kept_with_its_probability_and_once(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    form = {**shown(client.get(RATE).text), "rating": "4", "comment": "<b>hm</b>"}
    assert client.post(RATE, data=form).status_code == 200
    assert client.post(RATE, data=form).status_code == 200  # sent twice
    (label,) = kept(bench)
    assert (label["rater"], label["value"], label["comment"]) == ("Anna", 4.0, "<b>hm</b>")
    assert 0 < label["selection"]["probability"] <= 1
    run = load_run(bench.folder / "runs" / "first")
    assert label["item"] in item_keys(run) and len(run.labels) == 1
    at = next(at for at in range(40)
              if shown(client.get(f"{RATE}?at={at}").text)["item"] == label["item"])  # fmt: skip
    assert 'aria-pressed="true"' in client.get(f"{RATE}?at={at}").text
    rated(client, "2", f"{RATE}?at={at}")  # another mind
    assert [one.value for one in load_run(bench.folder / "runs" / "first").labels] == [2.0]
    assert "1 of 40" in client.get(RATE).text


def test_after_ten_labels_the_page_says_what_they_say(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    places = [rated(client, str(1 + at % 5)).url.path for at in range(20)]
    assert [at for at, place in enumerate(places, 1) if place == LABELS] == [10, 20]
    page = client.get(LABELS).text
    for words in ("20 labels", "with no judge", "with no people", "± 0.03", "Pearson"):
        assert words in page
    assert page.count('<circle class="people"') == 2
    assert 'class="people" x1=' in page
    as_rater(bench, client, "Bo")
    assert all(rated(client, "3").url.path == RATE for _ in range(10))


@pytest.mark.parametrize(("kind", "rating"), [("yes_no", "yes"), ("which", "=")])
def test_other_questions_and_instructions_of_ones_own(pair: Any, kind: str, rating: str) -> None:
    bench, client = pair
    said = "<i>Same?</i>"
    answer = client.post(LABELS, data={**ASKED, "kind": kind, "question": said, "size": "20"})
    assert "&lt;i&gt;Same?&lt;/i&gt;" in answer.text and said not in answer.text
    rated(client, rating)
    (label,) = kept(bench)
    assert (label["kind"], label["question"]) == (kind, said)
    assert ("other" in label) == (kind == "which")
    for _ in range(30):
        if "All done" not in client.get(RATE).text:
            rated(client, rating)
    assert "All done" in client.get(RATE).text
    assert client.get(LABELS).status_code == 200


def test_what_is_asked_can_be_taken_elsewhere(pair: Any) -> None:
    _, client = pair
    client.post(LABELS, data=ASKED)
    page = client.get("/rating/html/runs/first")
    assert "attachment" in page.headers["content-disposition"] and "Rating" in page.text
    assert client.get("/rating/xlsx/runs/first").content[:2] == b"PK"
    assert client.get("/rating/exe/runs/first").status_code == 400


def test_what_fits_nothing_is_refused_and_not_kept(pair: Any) -> None:
    bench, client = pair
    assert client.get(RATE).status_code == 400  # nobody asked yet
    for bad in ({"size": "1"}, {"size": "x"}, {"kind": "all"}, {"low": "5", "high": "1"},
                {"low": "nan"}, {"design": "best"}, {"question": "x" * 10_001}):  # fmt: skip
        assert client.post(LABELS, data={**ASKED, **bad}).status_code == 400, bad
    client.post(LABELS, data=ASKED)
    form = shown(client.get(RATE).text)
    for bad in ({"rating": "6"}, {"rating": "nan"}, {"rating": ""}, {"item": "0" * 64},
                {"round": "99"}):  # fmt: skip
        assert client.post(RATE, data={**form, "rating": "3", **bad}).status_code == 400, bad
    client.post("/who", data={"who": " "})
    assert client.post(RATE, data={**form, "rating": "3"}).status_code == 400
    assert not kept(bench)


def test_a_rater_rates_and_sees_nothing_else(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    as_rater(bench, client, "Bo")
    assert client.get("/rate").status_code == 200
    for path in (LABELS, "/rating/xlsx/runs/first", "/review/runs/first", "/sign-off/runs/first"):
        assert client.get(path).status_code == 403, path
        assert client.post(path, data=ASKED).status_code == 403, path
    form = {**shown(client.get(RATE).text), "rating": "3"}
    foreign = {"origin": "http://evil.example"}
    assert client.post(RATE, data=form, headers=foreign).status_code == 403
    assert not kept(bench)
    assert client.post(RATE, data=form, headers={"origin": BASE}).status_code == 200


def test_labels_of_others_are_seen_as_they_come_and_after_a_restart(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    for _ in range(3):
        rated(client, "3")
    file = bench.folder / "labels.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + "{half a line")  # somebody goes back by git
    assert "2 of 40" in client.get(RATE).text
    rated(client, "4")
    assert "3 of 40" in client.get(RATE).text
    bench.state.close()
    with opened(bench.folder) as (_, again):
        again.post("/who", data={"who": "Anna"})
        assert "3 of 40" in again.get(RATE).text


def test_a_full_disk_is_said_and_nothing_acknowledged(
    pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    rated(client, "3")
    form = {**shown(client.get(RATE).text), "rating": "4"}

    def full(handle: int, content: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("gistmeter.people.ledger.os.write", full)
        answer = client.post(RATE, data=form)
    assert answer.status_code == 400 and "No space left" in answer.text
    assert len(kept(bench)) == 1
    assert client.post(RATE, data=form).status_code == 200  # once there is room
    assert len(kept(bench)) == 2


def test_a_run_that_vanished_is_said_and_labels_stay(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    form = {**shown(client.get(RATE).text), "rating": "4"}
    client.post(RATE, data=form)
    (bench.folder / "runs" / "first").rename(bench.folder / "runs" / "second")
    for answer in (client.get(RATE), client.post(RATE, data=form), client.get(LABELS)):
        assert answer.status_code == 400 and "not in the folder any more" in answer.text
    assert len(load_run(bench.folder / "runs" / "second").labels) == 1


def test_what_raters_send_back_is_checked_and_kept(pair: Any) -> None:
    bench, client = pair
    client.post(LABELS, data=ASKED)
    lines = csv.DictReader(io.StringIO(delimited(sheet(bench), ",").decode("utf-8-sig")))
    rows = [{**line, "rating": "4"} for line in lines]

    def send(rater: str) -> Any:
        kept_file = io.StringIO()
        writer = csv.DictWriter(kept_file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        asked = {"name": "../rating.csv", "rater": rater}
        return client.post("/rated/runs/first", params=asked, content=kept_file.getvalue())

    assert send("Cy").json()["said"].startswith("40 new labels kept; 0 known")
    assert send("Cy").json()["said"].startswith("0 new labels kept; 40 known")
    assert {one["rater"] for one in kept(bench)} == {"Cy"} and len(kept(bench)) == 40
    rows[3]["got"] += " changed"
    answer = send("Di")
    assert answer.status_code == 400 and "was changed" in answer.text
    as_rater(bench, client, "Bo")
    assert send("Bo").status_code == 403
    assert len(kept(bench)) == 40


def sheet(bench: Any) -> Any:
    """The sample as a table, as it is given out."""
    run, asked = bench.shelf.load("runs/first"), bench.state.rounds()["runs/first"]
    return sheet_of(run, asked.sheet, asked.question).sheet()
