"""Texts from Python: `score_text`, and the components of S_Acc and S_Logic by themselves."""

from gistmeter.texts.choice import TextSettings
from gistmeter.texts.pieces import (
    bertscore,
    content_fbeta,
    entailment,
    lexical_cosine,
    polarity_conflict,
    semantic_accuracy,
)
from gistmeter.texts.scoring import score_text

__all__ = [
    "TextSettings",
    "bertscore",
    "content_fbeta",
    "entailment",
    "lexical_cosine",
    "polarity_conflict",
    "score_text",
    "semantic_accuracy",
]
