"""Samples for raters elsewhere: blind, the same each time, and checked when they come back."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gistmeter.cli import app
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.run import Run
from gistmeter.people.designs import (
    DESIGNS,
    Design,
    draw_sample,
    probabilities,
    sample_of,
    select,
)
from gistmeter.people.item_keys import item_keys
from gistmeter.people.ledger import Ledger
from gistmeter.people.rating_sheet import RatingQuestion, rating_sheet, read_sheet
from gistmeter.report.export import delimited, workbook
from gistmeter.report.rating_page import rating_page
from people.made_labels import text_run

Row = dict[str, str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return text_run(tmp_path_factory.mktemp("study"), items=40)


def sheet_file(run: Run, path: Path, fill: Callable[[int, Row], None], **asked: object) -> Path:
    """A spreadsheet that somebody filled in."""
    sample = draw_sample(run, Design("active", 20, score="f_beta"))
    sheet = rating_sheet(run, sample, RatingQuestion(**asked)).sheet()  # type: ignore[arg-type]
    path.write_bytes(delimited(sheet, ","))
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    for at, row in enumerate(rows):
        fill(at, row)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, sheet.columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def rate(at: int, row: Row) -> None:
    row["rating"] = str(1 + at % 5)


@pytest.mark.parametrize("design", DESIGNS)
def test_items_are_drawn_as_often_as_their_probability_says(design: str) -> None:
    random = np.random.default_rng(0)
    values, size, trials = random.beta(2, 1, 60), 12, 4000
    inclusion = probabilities(Design(design, size), values, size)
    assert inclusion.probability.sum() == pytest.approx(size)
    drawn: Counter[int] = Counter()
    for _ in range(trials):
        found = select(inclusion, size, random).tolist()
        assert len(set(found)) == size
        drawn.update(found)
    shares = np.array([drawn[at] / trials for at in range(60)])
    assert np.abs(shares - inclusion.probability).max() < 4 * np.sqrt(0.25 / trials)


def test_a_sample_is_the_same_each_time_and_another_by_another_seed(run: Run) -> None:
    plan = Design("active", 20, score="f_beta")
    first, second = draw_sample(run, plan), draw_sample(run, plan)
    assert first == second == sample_of(run, first.token)
    other = draw_sample(run, replace(plan, seed=7))
    assert {pick.item for pick in other.picks} != {pick.item for pick in first.picks}
    made = rating_sheet(run, first, RatingQuestion())
    assert made.order_for("Anna") == made.order_for("Anna") != made.order_for("Bo")
    assert sorted(map(str, made.order_for("Bo"))) == sorted(map(str, made.rows))


def test_unknown_designs_and_tiny_samples_are_refused(run: Run) -> None:
    with pytest.raises(UnknownName, match="design 'random'"):
        Design("random")
    with pytest.raises(InputError, match="too small"):
        draw_sample(run, Design("uniform", 3))


@pytest.mark.parametrize("kind", ["scale", "yes_no", "which"])
def test_raters_see_neither_systems_nor_scores(run: Run, kind: str) -> None:
    sample = draw_sample(run, Design("active", 20, score="f_beta"))
    made = rating_sheet(run, sample, RatingQuestion(kind))
    page, table = rating_page(made), delimited(made.sheet(), ",").decode()
    for text in (page, table):
        assert "s0" not in text.replace("-", " ").split() and '"s1"' not in text
        assert "probability" not in text
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src" in page


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_what_is_filled_in_becomes_labels(run: Run, tmp_path: Path, suffix: str) -> None:
    path = sheet_file(run, tmp_path / "filled.csv", rate)
    if suffix == "xlsx":
        from gistmeter.core.table import read_table
        from gistmeter.core.types import Sheet

        table = read_table(path)
        path = tmp_path / "filled.xlsx"
        path.write_bytes(workbook([Sheet("rating", table.columns, table.rows)]))
    found = read_sheet(run, path, "Anna")
    assert len(found.labels) == 20
    assert {label.rater for label in found.labels} == {"Anna"}
    assert {label.item for label in found.labels} <= set(item_keys(run))
    assert {label.value for label in found.labels} == {1, 2, 3, 4, 5}
    for label in found.labels:
        assert label.selection and 0 < label.selection.probability < 1
        assert label.selection.population == 40


def test_which_of_two_is_turned_the_right_way(run: Run, tmp_path: Path) -> None:
    """Who prefers the output of s0 says so, whichever of the two it is shown as."""
    keys, rows = item_keys(run), run.measured
    first = {key for key, system in zip(keys, rows.keys["system"], strict=True) if system == "s0"}

    def prefer(at: int, row: Row) -> None:
        row["rating"] = "1" if row["item"] in first else "2"

    path = sheet_file(run, tmp_path / "filled.csv", prefer, kind="which")
    labels = read_sheet(run, path, "Anna").labels
    assert {label.value for label in labels} == {0.0, 1.0}
    from gistmeter.people.statements import summarise_labels

    summary = summarise_labels(run, labels, score="f_beta")
    (pair,) = summary.pairs
    assert (pair.first, pair.second, pair.kind) == ("s0", "s1", "preference")
    assert pair.labels_alone.value == 1.0


def mistake(name: str, value: str) -> Callable[[int, Row], None]:
    def fill(at: int, row: Row) -> None:
        rate(at, row)
        if at == 3:
            row[name] = value

    return fill


@pytest.mark.parametrize(
    ("fill", "asked", "says"),
    [
        (mistake("rating", "6"), {}, "line 5: 6 is not on the scale from 1 to 5"),
        (mistake("rating", "good"), {}, "line 5: 'good' is not a number"),
        (mistake("rating", "nan"), {}, "line 5"),
        (mistake("rating", "3"), {"kind": "yes_no"}, "neither yes nor no"),
        (mistake("got", "another text"), {}, "line 5: the text in 'got' was changed"),
        (mistake("item", "0" * 64), {}, "line 5: the item '0000000000000000' is not in this"),
        (mistake("sample", "scale:1:5|x"), {}, "has rows of 2 samples"),
        (lambda at, row: row.update(rating="3", sample="what"), {}, "does not say what was asked"),
        (lambda at, row: row.update(rating="3", sample="scale:1:5|a/b"), {}, "names no sample"),
    ],
)
def test_mistakes_are_told_and_nothing_is_kept(
    run: Run, tmp_path: Path, fill: Callable[[int, Row], None], asked: dict[str, object], says: str
) -> None:
    path = sheet_file(run, tmp_path / "filled.csv", fill, **asked)
    with pytest.raises(InputError) as error:
        read_sheet(run, path, "Anna")
    assert says in str(error.value)


def test_nobody_rates_an_item_twice_and_somebody_must(run: Run, tmp_path: Path) -> None:
    path = sheet_file(run, tmp_path / "filled.csv", rate)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[4]]) + "\n")
    with pytest.raises(InputError, match="line 22: Anna rates this item a second time"):
        read_sheet(run, path, "Anna")
    with pytest.raises(InputError, match="the name of the person is empty"):
        read_sheet(run, sheet_file(run, tmp_path / "again.csv", rate))


def test_a_file_of_another_run_is_refused(run: Run, tmp_path: Path) -> None:
    path = sheet_file(run, tmp_path / "filled.csv", rate)
    other = text_run(tmp_path / "other", items=40, seed=9)
    with pytest.raises(InputError, match="is not of this run"):
        read_sheet(other, path, "Anna")


def test_the_command_draws_reads_and_reads_again(tmp_path: Path, in_folder: Path) -> None:
    run = text_run(tmp_path, items=40)
    place, table = str(run.path), tmp_path / "rating.csv"

    def call(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["label", place, *arguments])
        return done.exit_code, done.output

    code, said = call("--sample", "40", "--score", "f_beta", "-o", str(table))
    assert (code, "40 to rate, of 20 of 40 items" in said) == (0, True), said
    code, said = call("--sample", "40", "-o", str(table))
    assert code == 2 and "is there already" in said
    assert call("-o", "rating.doc")[0] == call("--scale", "5-1")[0] == 2
    sheet_file(run, table, rate)
    code, said = call("--read", str(table), "--rater", "Anna", "--format", "json")
    assert code == 0, said
    assert json.loads(said[said.index("{") :])["labels"] == 20
    assert call("--read", str(table), "--rater", "Anna")[0] == 0
    content = Ledger(tmp_path).read()
    assert len(content.labels) == 20
    assert len((tmp_path / "labels.jsonl").read_text().splitlines()) == 20  # not twice
    sheet_file(run, table, mistake("rating", "7"))
    assert call("--read", str(table), "--rater", "Bo")[0] == 2
    assert len(Ledger(tmp_path).read().labels) == 20


def test_a_table_of_another_kind_is_told_what_was_expected(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("id,human\n1,4\n")
    with pytest.raises(InputError, match=r"no column 'item', 'sample', 'rating'.*validate") as told:
        read_sheet(run, path, "Anna")
    assert "--column" not in str(told.value)
