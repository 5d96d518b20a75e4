"""What is worth marking in a prediction and its references, for those who look at one item.

One compact JSON object an item: the content words that prediction and references share, and the
polar words and negations of each text as `[start, end, kind]`, kind being "positive", "negative",
"negation", with "not " before a polar word that is turned round.

    {"shared": ["努力"], "prediction": [[2, 4, "positive"]], "references": [[[0, 1, "negation"]]]}
"""

from __future__ import annotations

import json
from typing import Any

from gistmeter.core.types import Pair
from gistmeter.text.metrics.lexical import content_counts
from gistmeter.text.metrics.reader import TextReader

ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def marks(pair: Pair, language: TextReader) -> str | None:
    """The marks of a pair, or None where there is nothing to compare."""
    if not pair.candidate or not pair.references:
        return None
    said = content_counts(language, pair.candidate)
    expected = {word for one in pair.references for word in content_counts(language, one)}
    found: dict[str, Any] = {
        "shared": [word for word in said if word in expected],
        "prediction": _spans(language, pair.candidate),
        "references": [_spans(language, reference) for reference in pair.references],
    }
    return ENCODE(found)


def _spans(language: TextReader, text: str) -> list[tuple[int, int, str]]:
    return [
        (word.start, word.end, f"not {word.kind}" if word.negated else word.kind)
        for word in language.polarity(text).words
    ]
