"""gistmeter: how much of the meaning survived.

The names below are the public surface; each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from gistmeter.telemetry import switch_off
from gistmeter.version import __version__

switch_off()  # before anything else can be imported through us

_HOMES = {
    "types": (
        "Book", "Clip", "Item", "Metric", "Pair", "Parse", "Run", "Score", "ScoreInfo", "Sentence",
        "SystemScores", "Token",
    ),
    "rows": ("Pool", "Rows"),
    "errors": (
        "FormatError", "GistmeterError", "InputError", "MissingDependency", "MissingModel",
        "ModelError", "ResumeError", "UnknownName",
    ),
    "cache": ("Cache",),
    "runs": ("load_run",),
    "texts": (
        "bertscore", "content_fbeta", "entailment", "lexical_cosine", "polarity_conflict",
        "score_text", "semantic_accuracy",
    ),
    "books": ("EvaluationConfig", "align_sentences", "evaluate_alignment", "evaluate_corpus"),
    "parses": ("score_parses",),
    "speech": (
        "CustomMetricResult", "DiffReport", "SemanticFact", "SemanticMetricResult",
        "SemanticUnderstandingAnalyzer", "Verdict", "score_speech", "transcribe_and_diff",
    ),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gistmeter' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"gistmeter.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
