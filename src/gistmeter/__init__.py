"""gistmeter: how much of the meaning survived.

The names below are the public surface; each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gistmeter.version import __version__

if TYPE_CHECKING:
    from gistmeter.api import (
        score_book as score_book,
        score_parses as score_parses,
        score_speech as score_speech,
        score_text as score_text,
    )

_HOMES = {
    "api": ("score_text",),
    "run": ("Run", "compare", "load_run"),
    "score": ("evaluate",),
    "types": (
        "Book", "Clip", "Item", "Metric", "Pair", "Parse", "Score", "ScoreInfo", "Sentence",
        "SystemScores", "Token",
    ),
    "families.text": ("TextSettings",),
    "families.text.components": (
        "bertscore", "content_fbeta", "entailment", "lexical_cosine", "polarity_conflict",
        "semantic_accuracy",
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
