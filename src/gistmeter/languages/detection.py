"""The language of texts, found offline and said with a confidence.

Packs that can tell their language by its script or words say so first (`hints`). The rest is for
py3langid (https://github.com/adbar/py3langid, BSD), a naive Bayes model over byte n-grams, 4.5 MB.
A short text has few of them, so there the candidates are restricted to languages of many readers.
Its probabilities are honest: of guesses from `SOUND` on, 97 of 100 are right for two words, 99 for
five, 999 of 1000 for a sentence (`benchmarks/languages.py`). Languages that share the Cyrillic
script are told apart by letters that they do not have.

Of many texts a deterministic sample is read: up to 400, evenly spread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gistmeter.languages import generic, lexicons
from gistmeter.languages.analysers import well_formed
from gistmeter.languages.codes import packs
from gistmeter.languages.hints import LETTER

SOUND = 0.6  # the confidence from which on a guess may be acted upon
TEXTS, CHARACTERS = 400, 20_000  # the sample
SHORT = 200  # letters
PIECE = 1000  # characters that are looked at together; a sample has the mean of its pieces
COMMON = frozenset((
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it",
    "nl", "no", "pl", "pt", "ro", "ru", "sk", "sr", "sv", "th", "tr", "uk", "vi",
))  # fmt: skip
CYRILLIC = "\u0400", "\u04ff"
FOREIGN = 0.02  # letters of other languages that a text may have


@dataclass(frozen=True, slots=True)
class Detection:
    """A language code and how sure we are of it, in [0, 1]; "generic" and 0 where unknown."""

    code: str
    confidence: float


def detect(texts: Iterable[str]) -> Detection:
    """The language that most of the texts are in."""
    text = sample(texts if isinstance(texts, Sequence) else list(texts))
    letters = len(LETTER.findall(text))
    if not letters:
        return Detection(generic.CODE, 0.0)
    code, sure = max(hinted(text).items(), key=lambda hint: hint[1])
    return Detection(code, sure) if sure else _by_letters(well_formed(text), letters < SHORT)


def sample(texts: str | Sequence[str]) -> str:
    """Up to 400 different texts, evenly spread, and no more of each than its share."""
    if isinstance(texts, str):
        return texts[:CHARACTERS]
    texts = list(dict.fromkeys(texts))  # what is said twice tells no more
    step = max(1, -(-len(texts) // TEXTS))
    chosen = texts[::step]
    share = max(40, CHARACTERS // max(1, len(chosen)))
    return "\n".join(text[:share] for text in chosen)


def hinted(text: str) -> Mapping[str, float]:
    """How sure each language is that can tell by itself."""
    hints = {code: pack.hint for code, pack in packs().items() if pack.hint is not None}
    return {code: hint(text) for code, hint in {**generic.HINTS, **hints}.items()}


def _by_letters(text: str, short: bool) -> Detection:
    values: dict[str, float] = defaultdict(float)
    for start in range(0, len(text), PIECE):
        for code, value in _identifier().rank(text[start : start + PIECE]):
            if code != "zxx" and (code in COMMON or not short):  # zxx: no language
                values[code] += float(value)
    letters = [letter for letter in text.lower() if CYRILLIC[0] <= letter <= CYRILLIC[1]]
    for code, alphabet in lexicons.pairs(generic.__name__, "alphabets").items():
        foreign = sum(letter not in alphabet for letter in letters)
        if code in values and foreign > FOREIGN * len(letters):
            values[code] = 0.0
    total = sum(values.values())
    code = max(values, key=lambda code: values[code])
    return Detection(code, values[code] / total) if total else Detection(generic.CODE, 0.0)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
