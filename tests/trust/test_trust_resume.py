"""`--resume` of a finished run: nothing is measured, and not a byte changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gistmeter import score_text
from gistmeter.core.statistics import bootstrap
from trust.scenes import SCENES, Scene, set_up

KEPT = [scene for scene in SCENES if scene.name != "listen"]  # transcripts are scored again
WORDS = ("it rains", "the dog sleeps", "nobody came", "all is well", "he left early")


@pytest.fixture(autouse=True)
def inputs(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_up(monkeypatch)
    return in_folder


def snapshot(folder: str = "folder") -> dict[str, bytes]:
    files = [file for file in sorted(Path(folder).rglob("*")) if file.is_file()]
    return {str(file): file.read_bytes() for file in files}


@pytest.mark.parametrize("scene", KEPT, ids=lambda scene: scene.name)
def test_a_finished_run_keeps_its_bytes(scene: Scene) -> None:
    assert scene.run() == 0
    expected = snapshot()
    assert scene.run("--resume") == 0
    assert snapshot() == expected


def test_a_finished_large_run_keeps_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was pooled from its shards, which are gone: pooled from rows, last digits would differ."""
    monkeypatch.setattr(bootstrap, "LARGE", 100)
    lines = [
        f"{at},{system},{WORDS[at % 5]} {'now' * (at % 3)},{WORDS[at % 5]} today"
        for system in "ab"
        for at in range(300)
    ]
    Path("large.csv").write_text("id,system,prediction,reference\n" + "\n".join(lines) + "\n")

    def score(**more: bool) -> float:
        run = score_text(
            "large.csv", language="en", metrics=["lexical_cosine"], output="large", resamples=200,
            **more,
        )  # fmt: skip
        return run.systems["a"]["lexical_cosine"].value

    first, expected = score(), snapshot("large")
    assert score(resume=True) == first
    assert snapshot("large") == expected


def test_a_finished_run_without_its_report_gets_one() -> None:
    scene = KEPT[0]
    assert scene.run() == 0
    expected = snapshot()
    Path("folder/report.html").unlink()
    assert scene.run("--resume") == 0
    found = snapshot()
    assert found.keys() == expected.keys()
    assert found.pop("folder/report.html").endswith(b"</html>")
    assert found == {name: expected[name] for name in found}


def test_a_document_that_is_gone_is_made_again() -> None:
    book = next(scene for scene in SCENES if scene.name == "book")
    assert book.run() == 0
    details = sorted(Path("folder/details").glob("*.json"))
    expected = {file.name: file.read_bytes() for file in details}
    details[0].unlink()
    assert book.run("--resume") == 0
    assert {file.name: file.read_bytes() for file in details} == expected
