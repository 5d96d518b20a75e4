"""How much a lemma and a grammatical category weigh.

A lemma weighs 0.3 where the part of speech does not inflect and 0.7 elsewhere; a category weighs as
many points as it has values, since more values are harder to guess. A value is what stands behind
the `=`, so `Masc,Neut` is one. The defaults were estimated on the Russian SEMarkup treebank; what
they do not know gets the weight that the estimator gives it on the gold at hand.

Two sets of grammatical features are as similar as their weights say, for all pairs of a file at
once:

    score = penalty · Σ weight(category) [same value in both] / Σ weight(category),  over the gold's
    penalty = 1 / (1 + extra), extra = categories the system has more than the gold (at least 0)

A gold without features scores 1 if the system has none either, else 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.parse.formats.treebank import EMPTY, Bools, Ints, Treebank

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


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The gold's features of some pairs, one after another, and whether the system has each."""

    pair: Ints
    atom: Ints
    hit: Bools


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSets:
    """Distinct FEATS cells as sets of atoms (`Case=Nom`), laid end to end."""

    atoms: Ints  # of all sets, sorted within each
    offsets: Ints
    categories: Sequence[str]
    category: Ints  # of each atom

    @classmethod
    def of(cls, cells: Sequence[str]) -> FeatureSets:
        known: dict[tuple[str, str], int] = {}
        sets = [
            sorted(known.setdefault(atom, len(known)) for atom in split_features(cell).items())
            for cell in cells
        ]
        numbers: dict[str, int] = {}
        category = [numbers.setdefault(name, len(numbers)) for name, _ in known]
        sizes = [len(one) for one in sets]
        return cls(
            np.asarray([atom for one in sets for atom in one], np.int64),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)]),
            list(numbers),
            np.asarray(category, np.int64),
        )

    @property
    def sizes(self) -> Ints:
        return np.diff(self.offsets)

    def members(self, sets: Ints) -> tuple[Ints, Ints]:
        """The atoms of some sets, one after another, and the place of the set of each."""
        counts = self.sizes[sets]
        owner = np.repeat(np.arange(len(sets)), counts)
        first = self.offsets[sets] - (np.cumsum(counts) - counts)
        return owner, self.atoms[np.arange(len(owner)) + np.repeat(first, counts)]

    def hits(self, gold: Ints, system: Ints) -> Hits:
        """Look every feature of the gold's sets up in the system's."""
        pair, atom = self.members(gold)
        width = max(1, len(self.category))
        # Sets in order, atoms sorted within them: one sorted list of all memberships.
        members = np.repeat(np.arange(len(self.sizes)), self.sizes) * width + self.atoms
        wanted = system[pair] * width + atom
        place = np.minimum(np.searchsorted(members, wanted), max(0, len(members) - 1))
        return Hits(pair, atom, members[place] == wanted if len(members) else wanted < 0)

    def similarity(self, gold: Ints, system: Ints, weights: Mapping[str, float]) -> Floats:
        """The score of each pair of sets, in [0, 1]."""
        # A category that only the system has is in no sum: its weight does not matter.
        weight = np.asarray([weights.get(name, 1.0) for name in self.categories], np.float64)
        found = self.hits(gold, system)
        atoms = weight[self.category[found.atom]] if len(weight) else np.zeros(0)
        earned = np.bincount(found.pair, atoms * found.hit, minlength=len(gold))
        possible = np.bincount(found.pair, atoms, minlength=len(gold))
        ours, theirs = self.sizes[gold], self.sizes[system]
        penalty = 1 / (1 + np.maximum(0, theirs - ours))
        share = np.divide(earned, possible, out=np.zeros(len(gold)), where=possible > 0)
        score: Floats = np.where(ours == 0, (theirs == 0).astype(np.float64), penalty * share)
        return score
