"""The language of texts, found offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Detection:
    """A language code and how sure we are, in [0, 1]."""

    code: str
    confidence: float


def detect(texts: Sequence[str]) -> Detection:
    from lingua import LanguageDetectorBuilder

    text = " ".join(texts[:200])[:5000]
    if any("\u3041" <= character <= "\u30fa" for character in text):
        return Detection("ja", 1.0)
    detector = LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode().build()
    values = detector.compute_language_confidence_values(text) if text.strip() else []
    if not values:
        return Detection("generic", 0.0)
    return Detection(values[0].language.iso_code_639_1.name.lower(), values[0].value)
