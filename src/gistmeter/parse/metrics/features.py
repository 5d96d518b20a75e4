"""How similar two sets of grammatical features are, for all pairs of a file at once.

    score = penalty · Σ weight(category) [same value in both] / Σ weight(category),  over the gold's
    penalty = 1 / (1 + extra), extra = categories the system has more than the gold (at least 0)

A gold without features scores 1 if the system has none either, else 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.parse.metrics.weights import split_features

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The gold's features of some pairs, one after another, and whether the system has each."""

    pair: Ints
    atom: Ints
    hit: npt.NDArray[np.bool_]


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
