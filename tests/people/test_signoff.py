"""The sign-off: what it says, that it can be made again, and that it takes its grounds along."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from gistmeter.core.errors import InputError
from gistmeter.core.run import Run
from gistmeter.core.runs.saved import load_run
from gistmeter.people.designs import Design
from gistmeter.people.item_keys import item_keys, text_key
from gistmeter.people.ledger import ledger_of
from gistmeter.people.records import DecisionRecord
from gistmeter.people.signoff import OpenFinding, build_signoff, keep_signoff
from gistmeter.report.signoff_page import signoff_docx, signoff_page
from people.made_labels import labels_by_score, text_run

CUT = text_key("a chapter that was cut")
HOSTILE = "<script>alert(1)</script> \x00 \ud800 ]]> & \u202e"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = text_run(tmp_path, items=30)
    keys = [key for key in item_keys(made) if key]
    ledger = ledger_of(tmp_path / "runs" / "first")
    ledger.append(
        DecisionRecord(keys[0], "alarm", "Anna", "dismiss", at="2026-01-01T00:00:00Z"),
        DecisionRecord(keys[0], "alarm", "Bo", "dismiss", at="2026-01-01T00:00:00Z"),
        DecisionRecord(keys[2], "alarm", "Anna", "accept", "no", at="2026-01-02T00:00:00Z"),
        DecisionRecord(keys[2], "alarm", "Bo", "dismiss", at="2026-01-02T00:00:00Z"),
        DecisionRecord(CUT, "cut", "Anna", "accept", HOSTILE, at="2026-01-03T00:00:00Z"),
        *labels_by_score(made, Design("uniform", 40, score="f_beta"), ("Cyd", "Dee")),
    )
    return load_run(tmp_path / "runs" / "first")


def findings(run: Run) -> list[OpenFinding]:
    keys = [key for key in item_keys(run) if key]
    return [
        OpenFinding(keys[0], "alarm", "first"),
        OpenFinding(keys[2], "alarm", "third"),
        OpenFinding(keys[4], "alarm", HOSTILE),
        OpenFinding(CUT, "cut", "Chapter 2"),
    ]


def test_it_says_what_was_decided_and_what_is_open(run: Run) -> None:
    made = build_signoff(run, findings(run), signed_by="E. Ditor", signed_at="2026-02-01")
    verdicts = {(one.finding, one.text): one.verdict for one in made.decided}
    assert verdicts == {
        ("alarm", "first"): "dismiss",
        ("alarm", "third"): "contested",
        ("cut", "Chapter 2"): "accept",
    }
    assert [one.text for one in made.still_open] == ["third", HOSTILE]
    assert made.reviewers == (("Anna", 3), ("Bo", 2))
    assert made.reviewer_alpha == pytest.approx(1 - 0.5 / 0.5)  # by hand: 4 values, 1 accept
    assert dict(made.raters).keys() == {"Cyd", "Dee"}
    assert made.labels and made.labels.agreement
    assert made.verdict == run.answer()
    assert made.signature == run.signature


def test_it_can_be_made_again_byte_for_byte(run: Run) -> None:
    first, second = (build_signoff(load_run(str(run.path)), findings(run)) for _ in range(2))
    assert first == second
    assert signoff_page(first) == signoff_page(second)
    assert signoff_docx(first) == signoff_docx(second)
    json.dumps(first.to_dict(), allow_nan=False)


def test_it_takes_its_grounds_into_the_run(run: Run) -> None:
    made = build_signoff(run, findings(run))
    html, docx = signoff_page(made).encode("utf-8", "replace"), signoff_docx(made)
    names = keep_signoff(run, made, html=html, docx=docx)
    assert run.path
    kept = {name: (run.path / name).read_bytes() for name in names}
    assert set(kept) == {
        f"details/signoff{end}" for end in (".json", "-basis.jsonl", ".html", ".docx")
    }
    basis = [json.loads(line) for line in kept["details/signoff-basis.jsonl"].splitlines()]
    assert len(basis) == len(run.labels) + 5
    again = load_run(run.path)
    assert build_signoff(again, findings(again)).basis == made.basis


def test_nothing_in_it_runs(run: Run) -> None:
    made = replace(build_signoff(run, findings(run)), run=HOSTILE, remark=HOSTILE)
    page = signoff_page(made)
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page
    document = zipfile.ZipFile(io.BytesIO(signoff_docx(made))).read("word/document.xml").decode()
    assert "<script" not in document
    assert "&lt;script" in document


def test_word_opens_it(run: Run) -> None:
    docx = pytest.importorskip("docx", reason="python-docx reads it as Word does")
    made = build_signoff(run, findings(run), signed_by="E. Ditor", signed_at="2026-02-01")
    document = docx.Document(io.BytesIO(signoff_docx(made)))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[0] == "Sign-off: first"
    assert "Signed by E. Ditor, 2026-02-01" in texts
    assert [cell.text for cell in document.tables[1].rows[0].cells] == [
        "finding", "text", "verdict", "by", "comment"
    ]  # fmt: skip


def test_a_run_without_a_folder_cannot_be_signed(run: Run) -> None:
    with pytest.raises(InputError, match="save it first"):
        build_signoff(replace(run, path=None))
