"""A partial S_Acc says what it is worth beside its parts: there only, and with measured figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gistmeter import score_text
from gistmeter.cli import app
from gistmeter.core.run import Run
from gistmeter.core.views import Opener, Row
from gistmeter.text.views import MEASURED, VIEW

SAID = ["the dog sleeps in the house", "a cat sits on the mat"]
MEANT = ["the dog is asleep indoors", "there is a cat on the mat"]


def run(**settings: Any) -> Run:
    return score_text(SAID, MEANT, metrics=["s_acc"], resamples=0, **settings)


def test_it_is_said_of_a_partial_score_in_a_measured_language() -> None:
    (told,) = VIEW.cautions(run(language="en", no_judge=True))
    found = MEASURED["en"]
    assert f"on {found.pairs:,} English sentence pairs rho was {found.whole:.3f}" in told
    assert f"{found.part:.3f} of {found.name}. Look at {found.name} too." in told


def test_every_measured_figure_bears_the_claim_out() -> None:
    assert MEASURED
    assert all(found.whole < found.part for found in MEASURED.values())
    document = (Path(__file__).parents[2] / "docs/statistics.md").read_text("utf-8")
    for code, found in MEASURED.items():
        assert f"| {code} | {found.pairs:,} | {found.whole:.3f} | {found.part:.3f} |" in document


def test_another_language_says_that_it_was_not_measured() -> None:
    (told,) = VIEW.cautions(run(language="cs", no_judge=True))
    assert "was not measured in this language" in told
    assert "rho" not in told


@pytest.mark.parametrize(
    "settings",
    [{}, {"no_judge": True, "weights": (0.0, 0.6, 0.4)}],
    ids=["with the judge", "no cross-encoder is wanted"],
)
def test_a_whole_score_says_nothing(settings: dict[str, Any]) -> None:
    assert VIEW.cautions(run(language="en", **settings)) == []


def test_the_terminal_and_the_report_say_it_where_the_score_is(in_folder: Any) -> None:
    (in_folder / "t.csv").write_text(
        "id,reference,prediction\n1,the dog sleeps,a dog is asleep\n2,a cat,one cat\n"
    )
    line = ["text", "t.csv", "--language", "en", "--metrics", "s_acc", "-o", "r"]
    partial = CliRunner().invoke(app, [*line, "--no-judge"])
    told = "S_Acc* without its cross-encoder agreed with people less"
    assert told in " ".join(partial.stdout.split())
    assert told in (in_folder / "r/report.html").read_text("utf-8")
    whole = CliRunner().invoke(app, [*line, "--overwrite"])
    assert whole.exit_code == 0
    assert told not in " ".join(whole.stdout.split())
    assert told not in (in_folder / "r/report.html").read_text("utf-8")


def test_a_reference_that_contains_the_separator_is_shown_as_one() -> None:
    run = score_text(["use a"], [["use a || b", "use c"]], language="en", metrics=["s_info"])
    assert run.measured.texts["reference"] == ["use a || b || use c"]
    blocks = VIEW.blocks(Row(run.measured, 0), Opener(run))
    texts = {
        block["n"]: "".join(words for words, _ in block["s"]) for block in blocks if "s" in block
    }
    assert texts == {"Prediction": "use a", "Reference 1": "use a || b", "Reference 2": "use c"}
