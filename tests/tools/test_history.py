"""`gistmeter history`: a score over time, with the changes that are real."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import gistmeter
from gistmeter.cli import app
from gistmeter.core.errors import InputError
from gistmeter.report.html import asset
from gistmeter.tools.history import when

TRUTH = [f"turn on light number {at} now please" for at in range(60)]


def keep(folder: Path, wrong: int, **options: object) -> None:
    """A run whose first clips are heard wrongly."""
    heard = [one.replace("light", "fight") if at < wrong else one for at, one in enumerate(TRUTH)]
    run = gistmeter.score_speech(TRUTH, heard, language="en", metrics=["wer"], **options)
    run.save(folder, report=False)


@pytest.fixture
def runs(in_folder: Path) -> Path:
    for name, wrong in (("20260101-120000", 30), ("20260102-120000", 29), ("20260103-120000", 5)):
        keep(Path("runs") / f"speech-{name}", wrong)
    return Path("runs")


def call(*arguments: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, ["history", *map(str, arguments)], env={"COLUMNS": "120"})
    assert done.exit_code == code, done.output
    return done


def test_only_real_changes_are_marked(runs: Path) -> None:
    (series,) = gistmeter.history(runs)
    assert (series.command, series.system, series.metric) == ("speech", "system", "wer")
    assert [one.when[:10] for one in series.moments] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    first, second, third = (one.change for one in series.moments)
    assert first is None
    assert second is not None and second.verdict == "" and second.difference < 0
    assert third is not None and third.verdict == "better" and third.p < 0.05
    assert series.overall is not None and series.overall.verdict == "better"
    assert third.difference == pytest.approx(100 * -24 / (60 * 7))


def test_the_terminal_and_the_page_show_the_same(runs: Path) -> None:
    done = call("runs", "-o", "h.html", "-o", "h.json")
    assert "1 of 2 changes are real" in done.output
    assert done.output.count("▲ ") == 2 and "▼ −" not in done.output  # one line and the legend
    page = Path("h.html").read_text()
    assert 'class="number better">▲ −' in page and "<svg" in page
    assert asset("charts.css") in page  # without it a line is a black shape
    assert "<code>speech-20260101" in page  # below the folder that holds them all
    assert not re.search(r"(src|href)=.http", page)
    (told,) = json.loads(Path("h.json").read_text())
    assert told == json.loads(call("runs", "--format", "json").output)[0]


def test_a_loss_is_marked_as_one(runs: Path) -> None:
    keep(runs / "speech-20260104-120000", 40)
    (series,) = gistmeter.history(runs)
    change = series.moments[-1].change
    assert change is not None and change.verdict == "worse" and change.difference > 0


def test_other_rulers_and_other_items_are_not_compared(runs: Path) -> None:
    keep(runs / "speech-20260104-120000", 40, seed=3)
    run = gistmeter.score_speech(["good day"], ["good day"], ids=["other"], language="en",
                                 metrics=["wer"], seed=3)  # fmt: skip
    run.save(runs / "speech-20260105-120000", report=False)
    (series,) = gistmeter.history(runs)
    remarks = [one.change.remark for one in series.moments[3:] if one.change]
    assert remarks == ["measured differently", "no item in common"]
    output = " ".join(call("runs").output.split())
    assert "measured differently" in output
    assert "gistmeter rescore RUN" in output


def test_mistakes(in_folder: Path, runs: Path) -> None:
    assert "is not a folder" in call("nowhere", code=2).output
    assert "There is no history" in call("runs", "--metric", "nothing", code=2).output
    assert "There is no history" in call("runs", "--system", "another", code=2).output
    with pytest.raises(InputError, match="There is no history"):
        gistmeter.history(runs / "speech-20260101-120000")
    (runs / "speech-20260102-120000" / "run.json").write_text("{}")
    (series,) = gistmeter.history(runs)  # a damaged run is left out
    assert len(series.moments) == 2


def test_the_time_of_a_run(runs: Path) -> None:
    place = runs / "speech-20260101-120000"
    assert when(gistmeter.load_run(place)) == "2026-01-01 12:00:00"
    moved = place.rename(runs / "plain")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", when(gistmeter.load_run(moved)))
    dated = moved.rename(runs / "nightly-2025-12-31")
    assert when(gistmeter.load_run(dated)) == "2025-12-31 00:00:00"
