"""What two texts share in content words.

*Lexical cosine*: the cosine between the counts of content words, Σ a_w·b_w / (‖a‖·‖b‖).

*F-beta* (van Rijsbergen 1979) over the sets of content words C and R of candidate and reference,
with precision P = |C ∩ R| / |C| and recall Q = |C ∩ R| / |R|:

    F_β = (1 + β²)·P·Q / (β²·P + Q)

β = 2 weighs recall four times as much as precision, so that saying more than the reference costs
little and leaving something out costs much.

Content words come from a language's own analyser: lemmas or normalised forms without stop words.
A text that is all stop words is compared by all its words instead. Negations are content words,
since leaving one out changes what is said; but two texts that share nothing else do not agree in
content because both say "not", so what they share is then counted as nothing.

For those who look at one item, `marks` says what to mark: the content words that prediction and
references share, and the polar words and negations of each text as `[start, end, kind]`, kind being
"positive", "negative", "negation", with "not " before a polar word that is turned round.

    {"shared": ["努力"], "prediction": [[2, 4, "positive"]], "references": [[[0, 1, "negation"]]]}
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from gistmeter.core.types import Pair
from gistmeter.languages import lexicons
from gistmeter.text.metrics.comparisons import TextReader, normal_words

ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def count_cosine(candidate: Mapping[str, int], reference: Mapping[str, int]) -> float:
    """Cosine of word counts. Range [0, 1], symmetric; NaN where either has no words."""
    if not candidate or not reference:
        return math.nan
    dot = sum(count * reference.get(word, 0) for word, count in candidate.items())
    if not dot:
        return 0.0
    squares = _squares(candidate) * _squares(reference)
    return min(1.0, dot / math.sqrt(squares))


def _squares(counts: Mapping[str, int]) -> int:
    return sum(count * count for count in counts.values())


def set_f_beta(candidate: Iterable[str], reference: Iterable[str], beta: float = 2.0) -> float:
    """F-beta over sets of words. Range [0, 1]; 0 where nothing is shared; NaN without words."""
    said, expected = frozenset(candidate), frozenset(reference)
    if not said or not expected:
        return math.nan
    shared = len(said & expected)
    # P = shared/|C| and Q = shared/|R| put in and common factors cancelled: no 0/0 at shared = 0.
    return min(1.0, (1 + beta * beta) * shared / (beta * beta * len(expected) + len(said)))


def compare_counts(
    candidate: Mapping[str, int],
    reference: Mapping[str, int],
    beta: float,
    negations: frozenset[str] = frozenset(),
) -> tuple[float, float]:
    """Lexical cosine and F-beta of two texts; 0 where they share negations alone."""
    shared = candidate.keys() & reference.keys()
    if candidate and reference and shared <= negations and shared != candidate.keys():
        return 0.0, 0.0
    return count_cosine(candidate, reference), set_f_beta(candidate, reference, beta)


def negations_of(language: TextReader) -> frozenset[str]:
    """The negations of a language; none where its words are taken as the analyser cuts them."""
    return frozenset() if language.plain else lexicons.words(language.lists, "negations")


def content_counts(language: TextReader, text: str) -> Counter[str]:
    """How often each content word occurs; all words of a text that has no content word.

    A reader that remembers gives the counts it has; they are not to be changed.
    """
    remembered: Callable[[str], Counter[str]] | None = getattr(language, "content_counts", None)
    if remembered is not None:
        return remembered(text)
    return Counter(language.content_words(text) or normal_words(language, text))


def marks(pair: Pair, language: TextReader) -> str | None:
    """The marks of a pair as JSON, or None where there is nothing to compare."""
    if not pair.candidate or not pair.references:
        return None
    expected = {word for text in pair.references for word in content_counts(language, text)}
    said = content_counts(language, pair.candidate)
    return ENCODE(
        {
            "shared": [word for word in said if word in expected],
            "prediction": _spans(language, pair.candidate),
            "references": [_spans(language, reference) for reference in pair.references],
        }
    )


def _spans(language: TextReader, text: str) -> list[tuple[int, int, str]]:
    return [
        (word.start, word.end, f"not {word.kind}" if word.negated else word.kind)
        for word in language.polarity(text).words
    ]
