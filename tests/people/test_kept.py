"""What people said outlives runs: no command removes it, new runs of the same texts find it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gistmeter import score_text
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.core.runs.saved import load_run
from gistmeter.people.designs import Design, draw_sample
from gistmeter.people.item_keys import item_keys
from gistmeter.people.ledger import DECISIONS, LABELS, Ledger
from gistmeter.people.rating_sheet import RatingQuestion, rating_sheet
from gistmeter.people.records import DecisionRecord
from gistmeter.people.statements import summarise_labels
from gistmeter.tools.rescore import rescore
from people.made_labels import labels_by_score, text_run

PLAN = Design("uniform", 40, score="f_beta")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in (LABELS, DECISIONS)}


@pytest.mark.parametrize("inside", [False, True])
def test_overwriting_and_resuming_keep_them(tmp_path: Path, inside: bool) -> None:
    """Beside the runs, and also where the run's own folder is the opened one."""
    run = text_run(tmp_path, items=30)
    place = run.path
    assert place
    folder = place if inside else tmp_path
    key = item_keys(run)[0]
    assert key
    Ledger(folder).append(*labels_by_score(run, PLAN), DecisionRecord(key, "worst", "A", "dismiss"))
    before = snapshot(folder)
    table, how = tmp_path / "table.csv", {"metrics": ["f_beta"], "language": "en"}
    again = score_text(table, output=place, overwrite=True, **how)
    assert snapshot(folder) == before
    assert len(again.labels) == 40 and len(again.decisions) == 1
    score_text(table, output=place, resume=True, **how)
    assert snapshot(folder) == before
    shutil.rmtree(tmp_path / "runs" / "other", ignore_errors=True)
    other = score_text(table, output=tmp_path / "runs" / "other", **how)
    assert len(other.labels) == (0 if inside else 40)


def test_a_run_may_begin_in_a_folder_that_has_labels_only(tmp_path: Path) -> None:
    run = text_run(tmp_path, items=30)
    Ledger(tmp_path / "runs").append(*labels_by_score(run, PLAN))
    (tmp_path / "runs" / LABELS).rename(tmp_path / "fresh.jsonl")
    place = tmp_path / "new"
    place.mkdir()
    (tmp_path / "fresh.jsonl").rename(place / LABELS)
    again = score_text(tmp_path / "table.csv", output=place, metrics=["f_beta"], language="en")
    assert len(again.labels) == 40


def test_changed_texts_lose_their_labels_and_no_others(tmp_path: Path) -> None:
    run = text_run(tmp_path, items=30)
    Ledger(tmp_path).append(*labels_by_score(run, Design("uniform", 60, score="f_beta")))
    table = tmp_path / "table.csv"
    lines = table.read_text().splitlines()
    lines[1] = lines[1].replace(",news", " now,news") if ",news" in lines[1] else lines[1]
    head, *cells = lines[1].split(",")
    lines[1] = ",".join([head, cells[0], cells[1], "something else", cells[3]])
    table.write_text("\n".join(lines) + "\n")
    again = score_text(table, output=tmp_path / "runs" / "b", metrics=["f_beta"], language="en")
    assert len(again.labels) == 59


def test_rescoring_takes_them_along(tmp_path: Path) -> None:
    run = text_run(tmp_path / "a", items=30)
    Ledger(tmp_path / "a").append(*labels_by_score(run, PLAN))
    new = rescore(load_run(str(run.path)), tmp_path / "b" / "runs" / "new")
    assert len(new.labels) == 40
    assert (tmp_path / "b" / LABELS).exists()
    beside = rescore(load_run(str(run.path)), tmp_path / "a" / "runs" / "new")
    assert len(beside.labels) == 40
    assert len((tmp_path / "a" / LABELS).read_text().splitlines()) == 40  # not twice


def test_validate_sees_them(tmp_path: Path) -> None:
    run = text_run(tmp_path, items=30)
    place = str(run.path)
    missing = CliRunner().invoke(app, ["validate", place])
    assert missing.exit_code == 2 and "gistmeter label RUN" in missing.output
    with pytest.raises(InputError, match="No label"):
        run.validate()
    Ledger(tmp_path).append(*labels_by_score(run, PLAN, ("A", "B")))
    with (tmp_path / LABELS).open("a") as stream:
        stream.write("half a li")
    done = CliRunner().invoke(app, ["validate", place, "--score", "f_beta"])
    assert done.exit_code == 0, done.output
    assert "Krippendorff" in done.output
    found = run.validate(columns=["f_beta"], resamples=100)
    assert found.agreements["f_beta"].n == 40
    assert found.agreements["f_beta"].pearson.value > 0.6


def test_a_summary_says_what_the_parts_say(tmp_path: Path) -> None:
    run = text_run(tmp_path, items=60)
    labels = labels_by_score(run, Design("stratified", 60, score="f_beta"), ("A", "B"))
    summary = summarise_labels(run, labels, score="f_beta")
    assert summary.labels == 120 and summary.raters == ("A", "B") and summary.outside == 0
    assert [one.system for one in summary.systems] == ["s0", "s1"]
    for one in summary.systems:
        assert one.corrected.low <= one.corrected.value <= one.corrected.high
        assert one.corrected.half_width < one.labels_alone.half_width
    (pair,) = summary.pairs
    gap = summary.systems[0].labels_alone.value - summary.systems[1].labels_alone.value
    assert pair.labels_alone.value == pytest.approx(gap, abs=1e-9)
    assert summary.agreement and summary.agreement.alpha.value > 0.3
    assert summary.with_score["pearson"].value > 0.6
    undrawn = [type(label)(label.item, label.rater, "yes_no", 1.0) for label in labels[:10]]
    assert summarise_labels(run, undrawn, score="f_beta").outside == 10
    assert not summarise_labels(run, undrawn, score="f_beta").systems
    assert summarise_labels(run, []).labels == 0


def test_a_slice_where_the_score_misleads_is_named(tmp_path: Path) -> None:
    run = text_run(tmp_path, items=80)
    topics = dict(zip(item_keys(run), run.measured.texts["topic"], strict=True))
    labels = labels_by_score(run, Design("uniform", 120, score="f_beta"))
    worse = [
        type(one)(one.item, one.rater, "scale", max(1.0, one.value - 2), scale=one.scale,
                  selection=one.selection)
        if topics[one.item] == "law" else one
        for one in labels
    ]  # fmt: skip
    found = summarise_labels(run, worse, score="f_beta").misleading
    assert {(one.column, one.value) for one in found} == {("topic", "law"), ("topic", "news")}
    gap = next(one.gap.value for one in found if one.value == "law")
    assert 0.2 < gap < 0.6 and np.isfinite(gap)
    assert not summarise_labels(run, labels, score="f_beta").misleading


def test_only_items_of_which_the_same_was_expected_are_compared(tmp_path: Path) -> None:
    """Two systems have items of the same names; half of them were to say something else."""
    lines = ["id,system,reference,prediction"]
    for at in range(40):
        asked = f"item {at}" if at % 2 else f"another thing {at}"
        lines += [f"{at},a,item {at},item {at} red", f"{at},b,{asked},item {at} blue"]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    run = score_text(tmp_path / "table.csv", metrics=["f_beta"], language="en", resamples=0)
    sample = draw_sample(run, Design("uniform", 80, score="f_beta"))
    asked_which = rating_sheet(run, sample, RatingQuestion("which"))
    assert len(asked_which.rows) == 20
    (pair,) = summarise_labels(run, labels_by_score(run, Design("uniform", 80))).pairs
    assert pair.corrected.population == 20
