"""Languages that another distribution brings: one folder each, and not a line of ours changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from made_languages import install, write_about

ASKED = """
import json
from gistmeter import languages
from gistmeter.core.types import Clip
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates

def wer(code, expected, got):
    metric = ErrorRates(Normalisation(languages.get(code)))
    return metric.pool(metric.measure([Clip("1", expected, got)]))["wer"]

chosen = languages.choose("", ["Toki Pona", None, None, None], ["", "m_runish.csv", "a", "b"],
                          ["x", "y", "ᚠᚢᚦᚨᚱᚲ", "mi moku e kili. ona li pona tawa mi."])
print(json.dumps({
    "codes": languages.codes_with_packs(),
    "resolved": [languages.resolve(one) for one in ("TOK", "tokipona", "toki_pona", "runish")],
    "chosen": chosen.codes,
    "found": chosen.found,
    "named": languages.of_name("m_Toki_Pona"),
    "asked": languages.name_of("qru"),
    "wer": [wer("qru", "ᚠᚢᚦᚨ", "ᚠᚢᚦᚱ"), wer("tok", "ona li wawa.", "ona li vava")],
    "digits": Normalisation(languages.get("tok"), "default").read("tu").words,
    "ids": [Normalisation(languages.get(code)).id for code in ("tok", "qru")],
    "ours": languages.detect(["Success and failure depend on the same person."]).code,
}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site"))


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def told(site: Path) -> dict[str, Any]:
    done = run(site, "-W", "error", "-c", ASKED)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_packs_are_found_by_codes_names_files_and_texts(told: dict[str, Any]) -> None:
    assert {"tok", "qru", "zh", "generic"} <= set(told["codes"])
    assert told["resolved"] == ["tok", "tok", "tok", "qru"]
    assert told["chosen"] == ["tok", "qru", "qru", "tok"]
    assert told["found"] == ["column", "name", "texts", "texts"]
    assert (told["named"], told["asked"]) == ("tok", "Runish")
    assert told["ours"] == "en"


def test_transcription_asks_the_pack(told: dict[str, Any]) -> None:
    assert told["wer"] == [25.0, 0.0]
    assert told["digits"] == ["2"]
    assert told["ids"][0] == "tok/seed"
    assert told["ids"][1].startswith("qru(runes-1,lists-")


def test_our_tests_of_packs_run_over_theirs(site: Path) -> None:
    tests = str(Path(__file__).with_name("test_packs.py"))
    arguments = ["-m", "pytest", tests, "-q", "-p", "no:cacheprovider", "-k", "tok or qru"]
    done = run(site, *arguments)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("json:dumps", "is not a gistmeter.languages.Language"),
        ("no_such_module:LANGUAGE", "cannot be loaded: No module named 'no_such_module'"),
        ("json:LANGUAGE", "cannot be loaded: module 'json' has no attribute 'LANGUAGE'"),
    ],
)
def test_what_is_no_language_is_said_by_name(point: str, said: str, tmp_path: Path) -> None:
    write_about(tmp_path, f"tok = {point}\n")
    done = run(tmp_path, "-c", "from gistmeter import languages; languages.get('tok')")
    assert f"InputError: The language pack 'tok' {said}" in done.stderr
