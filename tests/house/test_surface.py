"""The public names, pinned; and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gistmeter

NAMES = """
Book Cache Clip CustomMetricResult DiffReport EvaluationConfig FormatError GistmeterError InputError
Item Metric MissingDependency MissingModel ModelError Pair Parse Pool ResumeError Rows Run Score
ScoreInfo SemanticFact SemanticMetricResult SemanticUnderstandingAnalyzer Sentence SystemScores Token
UnknownName Verdict __version__ align_sentences bertscore content_fbeta entailment
evaluate_alignment evaluate_corpus lexical_cosine load_run polarity_conflict score_parses score_text
transcribe_and_diff
""".split()
HEAVY = """
torch transformers sentence_transformers onnxruntime onnx numpy scipy polars pandas altair vl_convert
matplotlib jieba opencc fugashi unidic_lite kiwipiepy simplemma lingua tokenizers pydantic_ai jinja2
""".split()


def test_the_exported_names() -> None:
    assert sorted(gistmeter.__all__) == sorted(NAMES)
    assert dir(gistmeter) == sorted(gistmeter.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(gistmeter, name) is not None


def test_a_name_that_is_not_exported() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gistmeter.nothing


@pytest.mark.parametrize(
    "code",
    [
        "import gistmeter",
        "import sys; sys.argv = ['gistmeter', '--help']; import gistmeter.cli; gistmeter.cli.main()",
        "import sys, runpy; sys.argv = ['gistmeter', '--help']; runpy.run_module('gistmeter', run_name='__main__')",
        "import sys; sys.argv = ['gistmeter', 'text', '--help']; import gistmeter.cli; gistmeter.cli.main()",
    ],
    ids=["import", "help", "module", "text"],
)
def test_light_imports(code: str) -> None:
    check = (
        "import atexit, sys\n"
        f"heavy = {HEAVY!r}\n"
        "atexit.register(lambda: print('HEAVY', [n for n in heavy if n in sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", check + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip().endswith("HEAVY []")
