"""The public names, pinned; and what importing them costs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gistmeter
from conftest import ROOT

NAMES = {
    "Book", "BookSettings", "Cache", "Clip", "CustomMetricFn", "CustomMetricResult",
    "DiffReport", "EvaluationConfig", "FormatError", "GistmeterError", "InputError", "Item",
    "Metric", "MissingDependency", "MissingModel", "ModelError", "Pair", "Parse",
    "ParseSettings", "Pool", "ResumeError", "Rows", "Run", "RunSettings", "Score", "ScoreInfo",
    "SemanticFact", "SemanticMetricResult", "SemanticUnderstandingAnalyzer", "Sentence",
    "SpeechSettings", "SystemScores", "TextSettings", "ThresholdError", "Token", "UnknownName",
    "Verdict", "__version__", "align_sentences", "bertscore", "check", "compare",
    "content_fbeta", "doctor", "drift", "entailment", "estimate_speech", "evaluate",
    "evaluate_alignment", "evaluate_corpus", "history", "lexical_cosine", "load_run",
    "polarity_conflict", "score", "score_book", "score_parses", "score_speech", "score_text",
    "semantic_accuracy",
    "transcribe_and_diff",
}  # fmt: skip
HEAVY = [
    "torch", "transformers", "sentence_transformers", "onnxruntime", "onnx", "numpy", "scipy",
    "polars", "pandas", "matplotlib", "rich", "jieba", "opencc", "fugashi",
    "unidic_lite", "kiwipiepy", "simplemma", "py3langid", "tokenizers", "pydantic_ai", "jinja2",
]  # fmt: skip
COMMANDS = [
    "text", "book", "parse", "speech", "compare", "validate", "report", "models", "demo", "doctor",
    "check", "history", "drift", "label",
]  # fmt: skip


def test_the_exported_names() -> None:
    assert set(gistmeter.__all__) == NAMES
    assert dir(gistmeter) == sorted(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(gistmeter, name) is not None


def test_a_name_that_is_not_exported() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gistmeter.nothing


def heavy_modules(code: str) -> str:
    """What of the heavy modules some code has imported when it ends."""
    check = (
        "import atexit, sys\n"
        f"heavy = {HEAVY!r}\n"
        "atexit.register(lambda: print('HEAVY', [n for n in heavy if n in sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", check + code], capture_output=True, text=True, check=True
    )
    return done.stdout.rstrip().splitlines()[-1]


def test_importing_is_light() -> None:
    assert heavy_modules("import gistmeter") == "HEAVY []"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_light(command: str) -> None:
    arguments = ["gistmeter", *command.split(), "--help"]
    code = f"sys.argv = {arguments!r}\nfrom gistmeter.cli import main\nmain()"
    assert heavy_modules(code) == "HEAVY []"


def test_help_of_the_module_is_light() -> None:
    code = "import runpy\nsys.argv = ['gistmeter', '--help']\n"
    assert heavy_modules(code + "runpy.run_module('gistmeter', run_name='__main__')") == "HEAVY []"


def test_the_list_of_commands_imports_none_of_them() -> None:
    code = (
        "import atexit, sys\n"
        "kept = ('gistmeter.cli.', 'gistmeter.families', 'importlib.metadata')\n"
        "atexit.register(lambda: print('LOADED', [n for n in sys.modules if n.startswith(kept)]))\n"
        "sys.argv = ['gistmeter', '--help']\nfrom gistmeter.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = "LOADED ['gistmeter.cli.memory', 'gistmeter.cli.console']"
    assert done.stdout.rstrip().splitlines()[-1] == loaded


def test_a_type_checker_sees_real_types(tmp_path: Path) -> None:
    """The README's Python, under mypy --strict: no public name is `Any`."""
    api = pytest.importorskip("mypy.api")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    names = "".join(f"reveal_type(gistmeter.{name})\n" for name in sorted(NAMES))
    file = tmp_path / "example.py"
    file.write_text(f"{example}\nreveal_type(run)\n{names}", encoding="utf-8")
    said, errors, code = api.run(["--strict", f"--cache-dir={tmp_path / 'cache'}", str(file)])
    assert code == 0, said + errors
    assert 'Revealed type is "gistmeter.core.run.Run"' in said
    assert 'Revealed type is "Any"' not in said


def test_nothing_that_only_tests_install_is_imported() -> None:
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in ("scipy", "onnx", "hypothesis", "typer", "altair", "lingua"):
            assert not re.search(rf"^\s*(import|from) {name}\b", text, flags=re.M), (path, name)
