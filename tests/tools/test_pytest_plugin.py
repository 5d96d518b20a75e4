"""The pytest plug-in, in sessions of its own: checks, tables of cases, one report, xdist."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gistmeter
from conftest import ROOT
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.tools.checker import Checker, Condition, mark

HEAVY = ["numpy", "polars", "onnxruntime", "tokenizers", "rich", "jinja2", "click"]
PLUGIN = ("-p", "gistmeter.tools.pytest_plugin", "-p", "no:cacheprovider")
CHECKS = """
import pytest

def test_same(gist_check):
    assert gist_check("We open early.", "We open early.", gist=">=0.8", language="en")["gist"] > 0.9

def test_changed(gist_check):
    gist_check("Take 50 mg a day.", ["Take 5 mg a day."], gist=">=0.8", language="en")

@pytest.mark.gist_cases("cases.csv", gist=">=0.99")
def test_table(gist_case):
    gist_case.check()

@pytest.mark.gist_cases([{"id": "one", "reference": "He came.", "question": "Did he come?"}])
def test_code(gist_case):
    assert gist_case.fields["question"] == "Did he come?"
    gist_case.check("He came.", gist=">0.5", language="en")
"""
CASES = "id,reference,candidate,language,gist\nlow,Dogs bark.||Dogs are loud.,Dogs bark.,en,>=0.5\n"
CASES += "high,Dogs bark.,Cats never bark.,en,\n"


def session(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT / "src"),
        "PYTHONWARNINGS": "error",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, *arguments], cwd=folder, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_checks.py").write_text(CHECKS)
    (tmp_path / "cases.csv").write_text(CASES)
    return tmp_path


def test_checks_tables_evidence_and_one_report(project: Path) -> None:
    done = session(project)
    assert "2 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "expected >=0.8\n" in done.stdout
    assert "reference: Take [-5-] mg a day." in done.stdout
    assert "candidate: Take {+50+} mg a day." in done.stdout
    assert "Facts that differ: number: 5 mg → 50 mg" in done.stdout
    assert "The judge: " in done.stdout
    assert "checks.py" not in done.stdout.replace("test_checks.py", "")  # no frames of our own
    assert "test_table[high]" in done.stdout and "expected >=0.99" in done.stdout
    run = gistmeter.load_run(project / "runs" / "pytest")
    assert run["gist"].n == 5
    assert set(run.measured.keys["id"]) == {
        f"test_checks.py::test_{name}"
        for name in ("same", "changed", "code[one]", "table[low]", "table[high]")
    }
    assert f"gist {run['gist'].spelled()} over 5 checks" in done.stdout
    assert (project / "runs" / "pytest" / "report.html").is_file()


def test_under_xdist_all_workers_make_one_run(project: Path) -> None:
    pytest.importorskip("xdist")
    (project / "c.toml").write_text("seed = 5\n[text]\nlanguage = 'en'\n")
    done = session(project, "-p", "xdist.plugin", "-n", "2", "--gist-output", "all",
                   "--gist-config", "c.toml")  # fmt: skip
    assert "2 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    run = gistmeter.load_run(project / "all")
    assert run["gist"].n == 5 and run.seed == 5
    assert f"gist {run['gist'].spelled()} over 5 checks" in done.stdout
    assert not (project / "runs").exists()


def test_a_session_without_checks_pays_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        f"import sys\ndef test_light():\n"
        f"    ours = [n for n in sys.modules if n.startswith('gistmeter')]\n"
        f"    assert sorted(ours) == ['gistmeter', 'gistmeter.core', 'gistmeter.core.telemetry',\n"
        f"                            'gistmeter.tools', 'gistmeter.tools.pytest_plugin',\n"
        f"                            'gistmeter.version']\n"
        f"    assert not [n for n in {HEAVY!r} if n in sys.modules]\n"
    )
    done = session(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gistmeter" not in done.stdout
    assert [file.name for file in tmp_path.iterdir() if file.name != "__pycache__"] == [
        "test_plain.py"
    ]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("@pytest.mark.gist_cases('nowhere.csv')\ndef test_a(gist_case): ...", "nowhere.csv"),
        ("@pytest.mark.gist_cases([{}])\ndef test_a(): ...", "must take gist_case"),
        ("def test_a(gist_case): ...", "needs the marker"),
        ("def test_a(gist_check): gist_check('a', 'b')", "There is no condition to check"),
        ("def test_a(gist_check): gist_check('a', 'b', gist=0.8)", "such as '>=0.8'"),
        (
            "def test_a(gist_check): gist_check('a', 'b', gits='>0', language='en')",
            "Did you mean 'gist'",
        ),
    ],
)
def test_mistakes_are_told(code: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text(f"import pytest\n{code}\n")
    done = session(tmp_path)
    assert done.returncode != 0
    assert told in done.stdout


def test_models_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from gistmeter.models import judge, loading

    loaded: list[str] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        loaded.append("judge")
        return original(*arguments, **options)

    original = loading.load_judge
    monkeypatch.setattr(loading, "load_judge", counted)
    checker = Checker(cache=Cache(None))
    texts = ["Dogs bark.", "Cats bark.", "Nobody barks."]
    found = [checker.check(one, "Dogs bark.", {"gist": ">0"}, name=one, language="en")
             for one in texts]  # fmt: skip
    assert len(loaded) == 1
    assert len({judge.VERSION, *(one["gist"] for one in found)}) == 4  # each was really scored


def test_the_difference_is_that_to_the_best_reference() -> None:
    checker, said = Checker(), "Take 50 mg a day."
    told = ["Rest.", "Take 5 mg a day."]
    alone = {one: checker.check(said, one, {"gist": ">=0"}, language="en")["gist"] for one in told}
    found = checker.check(said, told, {"gist": ">=0.8"}, language="en")
    best = max(alone, key=lambda one: alone[one])
    assert found["gist"] == alone[best]
    assert f"reference: {mark(best, said)[0]}" in found.message


def test_an_undefined_score_never_holds() -> None:
    assert not Condition.of("gist", ">=0").holds(float("nan"))
    with pytest.raises(InputError, match=r"such as '>=0\.8'"):
        Condition.of("gist", "0.8")
    with pytest.raises(UnknownName):
        Checker().check("a", "b", {"nothing": ">0"}, language="en")
    with pytest.raises(InputError, match="no reference"):
        Checker().check("a", [" "], {"gist": ">0"}, language="en")


def test_the_difference_is_marked_by_word_or_character() -> None:
    assert mark("It is not true.", "It is true.") == ("It is [-not -]true.", "It is true.")
    assert mark("他喜欢猫", "他不喜欢猫") == ("他喜欢猫", "他{+不+}喜欢猫")
    assert mark("", "new") == ("", "{+new+}")
