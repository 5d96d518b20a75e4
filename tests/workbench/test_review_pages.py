"""Review and sign-off on the page: decisions are kept at once, stand in new runs, are signed."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gistmeter.core.runs.saved import load_run
from people.made_labels import text_run
from workbench.served import finished, opened

REVIEW, SIGN = "/review/runs/first", "/sign-off/runs/first"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    text_run(folder, items=12)
    return folder


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> Iterator[Any]:
    shutil.copytree(made, tmp_path / "folder")
    with opened(tmp_path / "folder") as (bench, client):
        client.post("/who", data={"who": "Anna"})
        yield bench, client


def fields(page: str, verdict: str, **more: str) -> dict[str, str]:
    """The form of a finding as a browser sends it."""
    form = page[page.index('id="decide"') :]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return {**hidden, "verdict": verdict, **more}


def decided(client: Any, verdict: str, place: str = REVIEW, **more: str) -> Any:
    return client.post(place, data=fields(client.get(place).text, verdict, **more))


def count(page: str, state: str) -> int:
    found = re.search(rf"<b>(\d+)</b> {state}", page)
    assert found
    return int(found[1])


def kept(bench: Any) -> list[Any]:
    return list(load_run(bench.folder / "runs" / "first").decisions)


def test_nobody_decides_without_a_name(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "folder")
    with opened(tmp_path / "folder") as (bench, client):
        assert 'name="who"' in client.get(REVIEW).text
        assert client.post(REVIEW, data={"verdict": "accept", "at": "0"}).status_code == 400
        assert client.post(SIGN, data={}).status_code == 400
        assert not kept(bench)
        assert not (bench.folder / "runs/first/details/signoff.json").exists()


def test_both_texts_stand_side_by_side(pair: Any) -> None:
    bench, client = pair
    page = client.get(REVIEW).text
    rows = load_run(bench.folder / "runs" / "first").measured
    sides = re.findall(r'<section class="block side">.*?</section>', page, re.DOTALL)
    assert len(sides) >= 2
    bare = ["".join(re.sub("<[^>]+>", "", side).split()) for side in sides]
    for side, name in ((bare[0], "prediction"), (bare[1], "reference")):
        assert any("".join((text or "?").split()) in side for text in rows.texts[name])


def test_a_decision_is_kept_at_once_and_undone(pair: Any) -> None:
    bench, client = pair
    before = count(client.get(REVIEW).text, "open")
    page = decided(client, "dismiss", comment="fine <b>as it is</b>").text
    (record,) = kept(bench)
    assert (record.reviewer, record.verdict) == ("Anna", "dismiss")
    assert record.comment == "fine <b>as it is</b>"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", record.at)
    assert (count(page, "open"), count(page, "dismissed")) == (before - 1, 1)
    page = client.post(REVIEW, data=fields(page, "undo")).text
    assert not kept(bench)
    assert count(page, "open") == before
    assert len((bench.folder / "decisions.jsonl").read_text().splitlines()) == 2


def test_a_comment_decides_nothing_and_is_escaped(pair: Any) -> None:
    bench, client = pair
    before = count(client.get(REVIEW).text, "open")
    page = decided(client, "comment", comment="<script>alert(1)</script>").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert count(page, "open") == before
    assert decided(client, "comment").status_code == 400
    assert [one.verdict for one in kept(bench)] == ["comment"]


def test_reviewers_who_differ_are_told(pair: Any) -> None:
    _, client = pair
    first = fields(client.get(REVIEW).text, "accept")
    client.post(REVIEW, data=first)
    decided(client, "dismiss")
    client.post("/who", data={"who": "Boris"})
    page = client.post(REVIEW, data={**first, "verdict": "dismiss"}).text
    assert count(page, "contested") == 1
    assert "Anna (2), Boris (1)" in page
    assert first["item"] in client.get(f"{REVIEW}?show=contested").text
    stays = client.post(SIGN, data={"remark": "late"}).text
    assert "contested" in stays


def test_dismissed_stays_dismissed_in_a_new_run_of_the_same_texts(pair: Any) -> None:
    bench, client = pair
    item = fields(client.get(REVIEW).text, "dismiss")["item"]
    decided(client, "dismiss")
    shutil.copytree(bench.folder / "runs/first", bench.folder / "runs/second")
    page = client.get("/review/runs/second").text
    assert count(page, "dismissed") == 1
    assert fields(page, "accept")["item"] != item


@pytest.mark.parametrize(
    "wrong",
    [{"verdict": "destroy"}, {"at": "999999"}, {"at": "-1"}, {"at": "x"}, {"item": "0" * 64},
     {"verdict": "undo", "undo": "nothing-of-mine"}, {"comment": "x" * 10_001}],
    ids=lambda wrong: "-".join(f"{name}:{text[:12]}" for name, text in wrong.items()),
)  # fmt: skip
def test_a_form_that_fits_nothing_keeps_nothing(pair: Any, wrong: dict[str, str]) -> None:
    bench, client = pair
    sent = fields(client.get(REVIEW).text, "accept") | wrong
    answer = client.post(REVIEW, data=sent)
    assert answer.status_code == 400
    assert "Traceback" not in answer.text
    assert not (bench.folder / "decisions.jsonl").exists()


def test_nobody_takes_back_what_another_decided(pair: Any) -> None:
    bench, client = pair
    page = decided(client, "accept").text
    client.post("/who", data={"who": "Boris"})
    assert client.post(REVIEW, data=fields(page, "undo")).status_code == 400
    assert [one.reviewer for one in kept(bench)] == ["Anna"]


@pytest.mark.parametrize("place", [REVIEW, SIGN])
def test_foreign_requests_change_nothing(pair: Any, place: str) -> None:
    bench, client = pair
    sent = fields(client.get(REVIEW).text, "accept")
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"},
                    {"host": "evil.example"}, {"sec-fetch-site": "cross-site"}):  # fmt: skip
        assert client.post(place, data=sent, headers=headers).status_code in (400, 403, 421)
    client.cookies.clear()
    assert client.post(place, data=sent).status_code in (401, 403)
    assert client.get(place).status_code in (401, 403)
    assert not (bench.folder / "decisions.jsonl").exists()
    assert not (bench.folder / "runs/first/details/signoff.json").exists()


def test_the_pages_forbid_foreign_scripts_and_hold_none_inline(pair: Any) -> None:
    _, client = pair
    for place in (REVIEW, SIGN):
        answer = client.get(place)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "no-store" in answer.headers["cache-control"]
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", answer.text)


def test_decisions_never_leave_the_opened_folder(pair: Any, tmp_path: Path) -> None:
    bench, _ = pair
    (tmp_path / "decisions.jsonl").write_text("")
    shutil.copytree(bench.folder / "runs/first", tmp_path / "inner/first")
    with opened(tmp_path / "inner") as (_, client):
        client.post("/who", data={"who": "Anna"})
        decided(client, "accept", "/review/first")
    assert (tmp_path / "inner/decisions.jsonl").read_text()
    assert not (tmp_path / "decisions.jsonl").read_text()


def test_a_run_is_signed_off_and_downloaded(pair: Any) -> None:
    bench, client = pair
    assert client.get("/signed/html/runs/first").status_code == 400
    decided(client, "accept", comment="seen by two")
    page = client.post(SIGN, data={"remark": "For the <second> edition"}).text
    assert "/signed/docx/runs/first" in page
    html = client.get("/signed/html/runs/first")
    assert html.headers["content-disposition"].startswith("attachment")
    for words in ("Signed by Anna", "For the &lt;second&gt; edition", "seen by two"):
        assert words in html.text
    word = client.get("/signed/docx/runs/first")
    with zipfile.ZipFile(io.BytesIO(word.content)) as archive:
        assert "Signed by Anna" in archive.read("word/document.xml").decode()
    details = bench.folder / "runs/first/details"
    assert '"seen by two"' in (details / "signoff-basis.jsonl").read_text()
    assert client.get("/signed/json/runs/first").status_code == 400
    assert load_run(bench.folder / "runs/first").answer()


@pytest.mark.parametrize("shape", ["book", "parse", "speech"])
def test_every_shape_has_its_queue(pair: Any, shape: str) -> None:
    _, client = pair
    place = client.post("/sample", data={"shape": shape}).url.path
    job = client.post(f"{place}/start", data={"shape": shape}).url.path
    result = finished(client, job)["result"]
    review = result.replace("/result/", "/review/", 1)
    page = client.get(review).text
    assert 'id="decide"' in page
    for kind in re.findall(r'<option value="([^"]+)"[^>]*>[^<]*\(\d+\)', page):
        assert 'id="decide"' in client.get(review, params={"kind": kind}).text
    assert decided(client, "accept", review).status_code == 200
    signed = client.post(result.replace("/result/", "/sign-off/", 1), data={"remark": ""})
    assert signed.status_code == 200
    check_what_people_are_asked(client, shape, result.replace("/result/", "/labels/", 1))


def check_what_people_are_asked(client: Any, shape: str, labels: str) -> None:
    """Trees have no texts to rate; sentences of two books are not each other's alternative."""
    page = client.get(labels).text
    assert ("keeps no texts" in page, 'name="design"' in page) == (
        shape == "parse",
        shape != "parse",
    )
    asked = {"low": "1", "high": "5", "question": "", "design": "active", "size": "12"}
    scale, which = (
        client.post(labels, data={**asked, "kind": kind}) for kind in ("scale", "which")
    )
    if shape == "speech":
        assert ("by gist" in scale.text, which.status_code) == (True, 200)
    elif shape == "book":
        assert "by gist" in scale.text and "no two outputs for the same" in which.text
    else:
        assert "keeps no texts" in scale.text


def test_a_filter_by_column_still_offers_the_other_values(pair: Any) -> None:
    _, client = pair
    page = client.get("/items/runs/first", params={"c.topic": "law"}).text
    values = re.search(r'<select name="c\.topic">(.*?)</select>', page, re.DOTALL)
    assert values and "<option selected>law" in values[1] and "<option>news" in values[1]
    assert "12 of 24 rows" in page
