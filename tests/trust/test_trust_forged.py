"""A run that was forged is refused with the file's name, or can be used: never a traceback."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gistmeter import load_run
from gistmeter.cli import app
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.core.signature import seal
from trust.forging import Forger, mutate
from trust.scenes import SCENES, Scene, set_up

FORGED, USED, RESUMED = 1200, 150, 300  # of each scene; a sample of them in the short form
KEPT = [scene for scene in SCENES if scene.name != "listen"]


@pytest.fixture(autouse=True)
def inputs(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_up(monkeypatch)
    return in_folder


def refused(work: Callable[[], Any], what: str) -> str:
    """The error that names the folder's file, or nothing where it could be used."""
    try:
        work()
    except InputError as error:
        assert "forged" in str(error), (what, error)
        assert error.exit_code == 2
        return str(error)
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error
    return ""


@pytest.mark.parametrize("scene", KEPT, ids=lambda scene: scene.name)
def test_a_forged_run_is_loaded_or_refused(scene: Scene, choose: Any) -> None:
    assert scene.run("--no-report") == 0
    forger = Forger(Path("folder"), Path("forged"))
    expected = load_run("folder").to_dict()["systems"]
    outcomes: Counter[str] = Counter()
    for number in choose(range(FORGED), 100):
        what = forger.forge(number)
        said = refused(lambda: load_run("forged"), what)
        outcomes["refused" if said else "loaded"] += 1
        if not said:
            systems = load_run("forged").to_dict()["systems"]
            outcomes["same" if systems == expected else "other"] += 1
    assert min(outcomes["refused"], outcomes["loaded"], outcomes["same"]) > 5, outcomes


@pytest.mark.parametrize("scene", KEPT, ids=lambda scene: scene.name)
def test_what_is_made_of_a_forged_run_is_made_or_refused(
    scene: Scene, choose: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports, tables, comparisons: exit code 0 or 2, and an error in the place of a traceback."""
    assert scene.run("--no-report") == 0
    forger = Forger(Path("folder"), Path("forged"))
    commands = (
        ("report", "forged", "-o", "x.html", "-q"),
        ("compare", "forged", "folder", "--resamples", "100"),
        ("runs", "."),
        ("history", "folder", "forged"),
    )
    codes: Counter[int] = Counter()
    for number in choose(range(USED), 12):
        what = forger.forge(number)
        for command in commands:
            try:
                code = app.main(list(command), standalone_mode=False)
            except Exception as error:
                raise AssertionError(f"{what}, {command}: {error!r}") from error
            said = capsys.readouterr().err
            assert code in {0, 2} and "Traceback" not in said, (what, command, said)
            codes[code] += 1
    assert codes[0] and codes[2], codes


def test_a_forged_journal_is_resumed_or_refused(
    choose: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = next(scene for scene in SCENES if scene.name == "book")
    assert scene.run("--no-report") == 0
    expected = Path("folder/items.parquet").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("gistmeter.core.runs.RunFolder.finish", _interrupt)
        assert scene.run("--overwrite", "--no-report") == 130
    journal = Path("folder/journal.jsonl")
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    kept = {file: file.read_bytes() for file in Path("folder").rglob("*") if file.is_file()}
    for number in choose(range(RESUMED), 12):
        draw = random.Random(number)
        for file in [file for file in Path("folder").rglob("*") if file.is_file()]:
            file.unlink()
        for file, content in kept.items():
            file.write_bytes(content)
        at = draw.randrange(len(lines))
        forged = mutate(lines[at], draw)
        forged.pop("sha256", None)
        try:
            forged = seal(json.loads(json.dumps(forged)))
        except ValueError:
            continue
        told = [*lines[:at], forged, *lines[at + 1 :]]
        journal.write_text("".join(json.dumps(line) + "\n" for line in told))
        try:
            code = scene.run("--resume", "--no-report")
        except Exception as error:
            raise AssertionError(f"{number}, line {at}: {error!r}") from error
        assert code in {0, 2}, capsys.readouterr().err
        if code == 0:
            assert Path("folder/items.parquet").read_bytes() == expected, number


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_run_without_its_digest_is_not_believed() -> None:
    scene = KEPT[3]
    assert scene.run("--no-report") == 0
    document = json.loads(Path("folder/run.json").read_text())
    del document["sha256"]
    document["systems"]["x"]["scores"]["wer"]["value"] = 0.0
    Path("folder/run.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"run\.json: .*has no digest \(sha256\)"):
        load_run("folder")
    assert app.main(["report", "folder", "-o", "x.html"], standalone_mode=False) == 2
    assert not Path("x.html").exists()


@pytest.mark.parametrize(
    ("way", "value", "expected"),
    [
        ("systems.x.scores.wer.value", "abc", "x.scores.wer.value: is text, expected a number"),
        ("systems.x.scores.wer.n", -1, "n: is a number, expected a whole number from 0 on"),
        ("systems.x.scores.wer.n", 10**400, "n: is a number out of range"),
        ("systems.x.scores", [1], "systems.x.scores: is an array, expected an object"),
        ("systems", {}, "systems: is empty"),
        ("seed", None, "seed: is null, expected a whole number"),
        ("confidence", 1.5, "confidence: is not between 0 and 1"),
        ("metrics", {}, "metrics and signatures: are of different metrics"),
        ("extra", 1, "extra: is unknown"),
    ],
)  # fmt: skip
def test_an_error_says_where_and_what_was_expected(way: str, value: Any, expected: str) -> None:
    assert KEPT[3].run("--no-report") == 0
    document = json.loads(Path("folder/run.json").read_text())
    del document["sha256"]
    *above, last = way.split(".")
    held = document
    for step in above:
        held = held[step]
    held[last] = value
    Path("folder/run.json").write_text(json.dumps(seal(document)))
    with pytest.raises(GistmeterError) as refused:
        load_run("folder")
    assert "run.json: is not a run of gistmeter: " in str(refused.value)
    assert expected in str(refused.value)
