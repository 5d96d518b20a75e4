"""What gistmeter writes fits the schemas that it publishes."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, ValidationError

from conftest import ROOT
from gistmeter import score_text
from gistmeter.cli import app

SCHEMAS = ROOT / "docs" / "schema"
COMMANDS = {
    "text": ["text", "answers.csv", "--metrics", "s_info,alarms", "--language", "en"],
    "book": ["book", "lighthouse.txt", "edition-a.txt", "edition-b.txt"],
    "parse": ["parse", "gold.conllu", "old.conllu", "new.conllu"],
    "speech": ["speech", "commands.csv", "--metrics", "wer,keywords", "--keywords", "names.txt"],
}


def schema(name: str) -> Draft202012Validator:
    document = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


def printed(*arguments: str) -> Any:
    done = CliRunner().invoke(app, [*arguments, "--format", "json"])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def data(in_folder: Path) -> Path:
    shutil.copytree(ROOT / "docs" / "data", in_folder, dirs_exist_ok=True)
    return in_folder


@pytest.mark.parametrize("name", COMMANDS)
def test_output_fits_the_schemas(data: Path, name: str) -> None:
    result = printed(*COMMANDS[name], "-o", "runs/x", "-o", "x.json")
    schema("result").validate(result)
    schema("result").validate(json.loads(Path("x.json").read_text(encoding="utf-8")))
    schema("run").validate(json.loads(Path("runs/x/run.json").read_text(encoding="utf-8")))
    schema("comparison").validate(printed("compare", "runs/x", "--resamples", "200"))
    scores = list(next(iter(result["systems"].values()))["scores"])[:2]
    several = [word for one in scores for word in ("--metric", one)]
    schema("comparison").validate(printed("compare", "runs/x", *several, "--resamples", "200"))


def test_python_gives_the_same_shape() -> None:
    run = score_text(["a b", None], ["a b", "c"], language="en", metrics=["s_info"])
    schema("result").validate(run.to_dict())


def test_the_schemas_refuse_what_does_not_fit() -> None:
    run = score_text(["a b"], ["a b"], language="en", metrics=["s_info"]).to_dict()
    score = run["systems"]["system"]["scores"]["s_info"]
    for change in ({"value": "high"}, {"n": -1}, {"n": None}, {"further": 1}):
        broken = copy.deepcopy(run)
        broken["systems"]["system"]["scores"]["s_info"] = {**score, **change}
        with pytest.raises(ValidationError):
            schema("result").validate(broken)
    with pytest.raises(ValidationError):
        schema("result").validate({**run, "signature": "unsigned"})
