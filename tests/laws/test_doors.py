"""Everyone comes in the same way: a run made in Python is the run that the command makes."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import gistmeter
from conftest import ROOT
from gistmeter.cli import app
from gistmeter.cli.scoring import ScoreDisplay, scoring_command
from gistmeter.core import registry
from gistmeter.core.errors import GistmeterError
from gistmeter.core.family import family_of
from gistmeter.core.options import RunSettings
from gistmeter.core.run import Run
from gistmeter.core.settings import Option, options_of, split

SAMPLES = ROOT / "src" / "gistmeter" / "samples"
FAMILIES = sorted(registry.TABLES["gistmeter.families"])
TABLE = "file,expected,careful,hasty\n" + "".join(
    f"clip{at},turn on light {at},turn on light {at},turn {'on' if at % 3 else 'in'} light {at}\n"
    for at in range(8)
)


def text(**more: Any) -> Run:
    return gistmeter.score_text(
        SAMPLES / "text" / "korean", SAMPLES / "text" / "korean_explanations.csv",
        metrics=["s_info", "lexical_cosine"], **more,
    )  # fmt: skip


def book(**more: Any) -> Run:
    return gistmeter.score_book(
        SAMPLES / "book" / "originals.json", SAMPLES / "book" / "faithful.json", **more
    )


def parse(**more: Any) -> Run:
    folder = SAMPLES / "parse"
    return gistmeter.score_parses(
        folder / "cs-gold.conllu", [folder / "cs-careful.conllu", folder / "cs-hasty.conllu"],
        taxonomy=folder / "taxonomy.csv", **more,
    )  # fmt: skip


def speech(**more: Any) -> Run:
    return gistmeter.score_speech("clips.csv", metrics=["wer", "cer"], language="en", **more)


PYTHON: Mapping[str, Callable[..., Run]] = {
    "text": text, "book": book, "parse": parse, "speech": speech,
}  # fmt: skip
COMMANDS = {
    "text": [SAMPLES / "text" / "korean", "--references", SAMPLES / "text/korean_explanations.csv",
             "--metrics", "s_info,lexical_cosine"],
    "book": ["--source-path", SAMPLES / "book/originals.json",
             "--summary-path", SAMPLES / "book/faithful.json"],
    "parse": [SAMPLES / "parse/cs-gold.conllu", SAMPLES / "parse/cs-careful.conllu",
              SAMPLES / "parse/cs-hasty.conllu", "--taxonomy", SAMPLES / "parse/taxonomy.csv"],
    "speech": ["clips.csv", "--metrics", "wer,cer", "--language", "en"],
}  # fmt: skip


def test_no_family_is_forgotten() -> None:
    assert sorted(PYTHON) == sorted(COMMANDS) == FAMILIES


@pytest.mark.parametrize("name", FAMILIES)
def test_python_and_the_command_make_the_same_run(name: str, in_folder: Path) -> None:
    Path("clips.csv").write_text(TABLE)
    typed = [name, *map(str, COMMANDS[name]), "-o", "typed"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    run = PYTHON[name](output="called")
    assert run.command == name
    assert Path("typed/items.parquet").read_bytes() == Path("called/items.parquet").read_bytes()
    assert documents("typed") == documents("called")
    assert kept("typed") == kept("called")
    assert page("typed") == page("called")


def documents(folder: str) -> dict[str, str]:
    """What a run says of itself, but for its place and times."""
    found = json.loads(Path(folder, "run.json").read_text())
    return {key: value for key, value in found.items() if key not in ("run", "timings", "sha256")}


def kept(folder: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(folder).glob("details/*")}


def page(folder: str) -> str:
    """The report, but for the run's name and times."""
    text = Path(folder, "report.html").read_text().replace(folder, "run")
    text = re.sub(r'<p class="faint date">.*?</p>', "", text)
    return re.sub(r"(measure|statistics) seconds\W.*?\d+\.\d+", "", text, flags=re.S)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_run_in_memory_is_whole(name: str, in_folder: Path) -> None:
    Path("clips.csv").write_text(TABLE)
    run = PYTHON[name]()
    assert run.path is None
    saved = run.save("kept")
    loaded = gistmeter.load_run("kept")
    assert loaded.to_dict() == saved.to_dict()
    assert loaded.to_polars().equals(run.to_polars())
    assert Path("kept/report.html").stat().st_size > 10_000
    for suffix in (".csv", ".xlsx", ".json", ".md", ".html"):
        written = {file.name for file in run.write(Path(f"x{suffix}"))}
        assert f"x{suffix}" in written
        again = {file.name for file in loaded.write(Path(f"y{suffix}"))}
        assert len(again) == len(written)
    assert len(repr(run).splitlines()) <= 20
    if len(run.systems) > 1:
        found = run.compare()
        assert found.to_dict() == loaded.compare().to_dict()
        assert found.pairs[0].test != "none"


def declared(name: str) -> dict[str, Option]:
    return scoring_command(name).declared


@pytest.mark.parametrize("name", FAMILIES)
def test_whatever_a_command_can_set_python_can_set(name: str) -> None:
    shown = set(options_of(ScoreDisplay))
    for option, held in declared(name).items():
        if option not in shown:
            made = split({option: held.default}, family_of(name).Settings, RunSettings)
            assert [getattr(one, option) for one in made if hasattr(one, option)], option


WRONG: Mapping[str, str] = {
    "int": "many", "float": "lots", "choice": "nonsense", "flag": "perhaps", "numbers": "a,b",
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_a_wrong_value_gets_the_same_message(name: str, in_folder: Path) -> None:
    Path("clips.csv").write_text(TABLE)
    shown = set(options_of(ScoreDisplay))
    tried = 0
    for option, held in declared(name).items():
        if held.kind not in WRONG or held.kind == "flag" or option in shown:
            continue
        value = WRONG[held.kind]
        flag = held.flag or f"--{option.replace('_', '-')}"
        done = CliRunner().invoke(app, [name, flag, value])
        assert done.exit_code == 2, option
        with pytest.raises(GistmeterError) as raised:
            PYTHON[name](**{option: value})
        assert done.stderr.strip() == f"Error: {raised.value}", option
        tried += 1
    assert tried


@pytest.mark.parametrize("name", FAMILIES)
def test_a_wrong_name_gets_the_same_message(name: str, in_folder: Path) -> None:
    Path("clips.csv").write_text(TABLE)
    done = CliRunner().invoke(app, [name, "--sede", "7"])
    assert done.exit_code == 2
    assert "Did you mean 'seed'" in done.stderr
    with pytest.raises(GistmeterError, match="Did you mean 'seed'"):
        PYTHON[name](sede=7)


def test_exit_codes_are_decided_in_one_place() -> None:
    """No module but the command line's own, and the one that watches over it, ends a program."""
    for path in sorted((ROOT / "src" / "gistmeter").rglob("*.py")):
        if path.parts[-2:] in (("cli", "__init__.py"), ("cli", "memory.py")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = getattr(node, "func", None)
            name = getattr(called, "attr", "") or getattr(called, "id", "")
            assert name not in ("Exit", "_exit") and not (
                name == "exit" and getattr(getattr(called, "value", None), "id", "") == "sys"
            ), f"{path}:{node.lineno}"  # type: ignore[attr-defined]
