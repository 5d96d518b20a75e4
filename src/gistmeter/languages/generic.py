"""Any other language: Unicode words, sentences by punctuation, no lists and no polarity."""

from __future__ import annotations

from gistmeter.languages.language import Language
from gistmeter.languages.sentences import Splitter

UNSPACED = frozenset(("th", "lo", "km", "my", "bo", "dz", "yue", "wuu"))


def language(code: str) -> Language:
    """The generic pack under the code of a language."""
    spaced = code.lower().partition("-")[0] not in UNSPACED
    return Language(code, spaced=spaced, splitter=Splitter("generic"))
