"""How much a lemma and a grammatical category weigh.

A lemma weighs 0.3 where the part of speech does not inflect and 0.7 elsewhere; a category weighs as
many points as it has values, since more values are harder to guess. A value is what stands behind
the `=`, so `Masc,Neut` is one. The defaults were estimated on the Russian SEMarkup treebank; what
they do not know gets the weight that the estimator gives it on the gold at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gistmeter.parse.formats.treebank import EMPTY, Treebank

IMMUTABLE = frozenset(("ADP", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"))
MUTABLE = frozenset(("ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"))
IMMUTABLE_WEIGHT, MUTABLE_WEIGHT = 0.3, 0.7

LEMMA_WEIGHTS: Mapping[str, float] = {
    pos: IMMUTABLE_WEIGHT if pos in IMMUTABLE else MUTABLE_WEIGHT
    for pos in sorted(IMMUTABLE | MUTABLE)
}
FEATS_WEIGHTS: Mapping[str, float] = {
    "Animacy": 2.0, "Case": 8.0, "Gender": 3.0, "Number": 2.0, "Degree": 3.0, "Aspect": 2.0,
    "Mood": 3.0, "Tense": 3.0, "VerbForm": 4.0, "Voice": 3.0, "Person": 3.0, "PronType": 6.0,
    "Variant": 1.0, "NumType": 1.0, "Poss": 1.0, "Reflex": 1.0, "Foreign": 1.0, "Polarity": 1.0,
    "Typo": 1.0, "Abbr": 1.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParseWeights:
    """Weights of lemmas by part of speech, and of features by category."""

    lemma: Mapping[str, float] = field(default_factory=lambda: LEMMA_WEIGHTS)
    feats: Mapping[str, float] = field(default_factory=lambda: FEATS_WEIGHTS)

    def completed(self, estimated: ParseWeights) -> ParseWeights:
        """These, with what they lack taken from an estimate."""
        return ParseWeights({**estimated.lemma, **self.lemma}, {**estimated.feats, **self.feats})

    def lacking(self, estimated: ParseWeights) -> dict[str, float]:
        """What an estimate has seen and these do not know, with its estimated weight."""
        return {
            name: weight
            for known, seen in ((self.lemma, estimated.lemma), (self.feats, estimated.feats))
            for name, weight in seen.items()
            if name not in known
        }


def lemma_weight(pos: str) -> float:
    return IMMUTABLE_WEIGHT if pos in IMMUTABLE else MUTABLE_WEIGHT


def split_features(cell: str) -> dict[str, str]:
    """`Case=Nom|Number=Sing` by category; a part without `=` is a category without a value."""
    if cell in EMPTY:
        return {}
    parts = (part.partition("=") for part in cell.split("|") if part)
    return {category: value for category, _, value in parts}


def estimate(treebanks: Iterable[Treebank]) -> ParseWeights:
    """Weights of what some treebanks contain."""
    values: dict[str, set[str]] = {}
    tags: set[str] = set()
    for treebank in treebanks:
        tags.update(seen(treebank, "UPOS"))
        for cell in seen(treebank, "FEATS"):
            for category, value in split_features(cell).items():
                values.setdefault(category, set()).add(value)
    return ParseWeights(
        {pos: lemma_weight(pos) for pos in sorted(tags)},
        {category: float(len(found)) for category, found in sorted(values.items())},
    )


def seen(treebank: Treebank, column: str) -> list[str]:
    """The distinct cells of a treebank's column; none where it has no such column."""
    if column not in treebank:
        return []
    strings = treebank.vocabularies[column].strings
    return [strings[code] for code in np.unique(treebank.columns[column])]
