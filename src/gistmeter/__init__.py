"""gistmeter: how much of the meaning survived.

The names below are the public surface; each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gistmeter.telemetry import switch_off
from gistmeter.version import __version__

switch_off()

if TYPE_CHECKING:
    from gistmeter.api import estimate_speech, score_book, score_parses, score_speech, score_text
    from gistmeter.cache import Cache
    from gistmeter.compat.book import (
        EvaluationConfig,
        align_sentences,
        evaluate_alignment,
        evaluate_corpus,
    )
    from gistmeter.compat.speech import (
        CustomMetricFn,
        CustomMetricResult,
        DiffReport,
        SemanticFact,
        SemanticMetricResult,
        SemanticUnderstandingAnalyzer,
        Verdict,
        transcribe_and_diff,
    )
    from gistmeter.errors import (
        FormatError,
        GistmeterError,
        InputError,
        MissingDependency,
        MissingModel,
        ModelError,
        ResumeError,
        ThresholdError,
        UnknownName,
    )
    from gistmeter.families.book import BookSettings
    from gistmeter.families.family import RunSettings
    from gistmeter.families.parse import ParseSettings
    from gistmeter.families.speech import SpeechSettings
    from gistmeter.families.text import TextSettings
    from gistmeter.families.text.components import (
        bertscore,
        content_fbeta,
        entailment,
        lexical_cosine,
        polarity_conflict,
        semantic_accuracy,
    )
    from gistmeter.rows import Pool, Rows
    from gistmeter.run import Run, compare, load_run
    from gistmeter.score import evaluate
    from gistmeter.types import (
        Book,
        Clip,
        Item,
        Metric,
        Pair,
        Parse,
        Score,
        ScoreInfo,
        Sentence,
        SystemScores,
        Token,
    )

_HOMES = {
    "api": ("estimate_speech", "score_book", "score_parses", "score_speech", "score_text"),
    "run": ("Run", "compare", "load_run"),
    "score": ("evaluate",),
    "types": (
        "Book", "Clip", "Item", "Metric", "Pair", "Parse", "Score", "ScoreInfo", "Sentence",
        "SystemScores", "Token",
    ),
    "families.family": ("RunSettings",),
    "families.text": ("TextSettings",),
    "families.text.components": (
        "bertscore", "content_fbeta", "entailment", "lexical_cosine", "polarity_conflict",
        "semantic_accuracy",
    ),
    "families.book": ("BookSettings",),
    "families.parse": ("ParseSettings",),
    "families.speech": ("SpeechSettings",),
    "compat.speech": (
        "CustomMetricFn", "CustomMetricResult", "DiffReport", "SemanticFact",
        "SemanticMetricResult", "SemanticUnderstandingAnalyzer", "Verdict", "transcribe_and_diff",
    ),
    "compat.book": (
        "EvaluationConfig", "align_sentences", "evaluate_alignment", "evaluate_corpus",
    ),
    "rows": ("Pool", "Rows"),
    "errors": (
        "FormatError", "GistmeterError", "InputError", "MissingDependency", "MissingModel",
        "ModelError", "ResumeError", "ThresholdError", "UnknownName",
    ),
    "cache": ("Cache",),
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
