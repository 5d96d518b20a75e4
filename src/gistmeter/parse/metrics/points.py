"""What every gold word earns under each score, by the system's word that stands for it.

    lemma     weight(gold POS) · [normalised lemmas equal]     NFC, lower case, ё → е
    upos      [tags equal]
    feats     see `weighting`
    uas       [heads equal]
    las       [heads equal] · [relations equal]
    semslot   [slots equal]
    semclass  1 / (1 + path length in the taxonomy), 0 across trees and for a class the taxonomy
              does not know; where the gold's class is outside the taxonomy, [classes equal]

A gold word that no system word stands for earns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.languages.normal_forms import normal_form
from gistmeter.parse.formats.pairs import ParsePairs, Segment
from gistmeter.parse.formats.taxonomy import NO_CLASS, Taxonomy
from gistmeter.parse.formats.treebank import Bools, Codes, Ints, Treebank, compose
from gistmeter.parse.formats.trees import tree_parents
from gistmeter.parse.metrics.weighting import (
    MUTABLE_WEIGHT,
    FeatureSets,
    ParseWeights,
    lemma_weight,
)

SEVEN = ("lemma", "upos", "feats", "uas", "las", "semslot", "semclass")
NEEDED: Mapping[str, tuple[str, ...]] = {
    "lemma": ("LEMMA",), "upos": ("UPOS",), "feats": ("FEATS",), "uas": ("HEAD",),
    "las": ("HEAD", "DEPREL"), "semslot": ("SEMSLOT",), "semclass": ("SEMCLASS",),
}  # fmt: skip


def normalise_lemma(lemma: str) -> str:
    """Lemmas are compared without case, and with е for ё."""
    if lemma.isascii():
        return lemma.lower()
    lowered = normal_form("NFC", lemma).lower()
    return normal_form("NFC", lowered).replace("ё", "е")


@dataclass(frozen=True, slots=True, eq=False)
class WordPairs:
    """The gold words of a segment beside the system words that stand for them."""

    pairs: ParsePairs
    segment: Segment
    gold: slice
    system: Ints | slice  # the system's words; where `matched` is False, any
    matched: Bools | None  # None: all

    @classmethod
    def of(cls, pairs: ParsePairs, segment: Segment) -> WordPairs:
        gold = pairs.gold_words(segment)
        if segment.match.words is None:
            return cls(pairs, segment, gold, gold, None)
        words = segment.match.words[gold]
        return cls(pairs, segment, gold, np.maximum(words, 0), words >= 0)

    @property
    def size(self) -> int:
        return int(self.gold.stop - self.gold.start)

    @property
    def items(self) -> int:
        return self.segment.size

    def codes(self, column: str) -> tuple[Codes, Codes]:
        system = self.segment.match.system
        if not system.words:
            return self.pairs.gold.columns[column][self.gold], np.full(self.size, -1, np.int32)
        return self.pairs.gold.columns[column][self.gold], system.columns[column][self.system]

    def only_matched(self, points: Floats | Bools) -> Floats:
        found = points.astype(np.float64)
        return found if self.matched is None else found * self.matched

    def equal(self, column: str, spell: Callable[[str], str] = compose) -> Floats:
        """1 where the cells are spelled the same."""
        gold, system = self.codes(column)
        same = gold == system
        unequal = np.flatnonzero(~same)
        both = np.concatenate([gold[unequal], system[unequal]])
        distinct, inverse = np.unique(both, return_inverse=True)
        strings, numbers = self.pairs.gold.vocabularies[column].strings, dict[str, int]()
        spelled = [
            numbers.setdefault(spell(strings[code]) if code >= 0 else "", len(numbers))
            for code in distinct.tolist()
        ]
        classes = np.asarray(spelled, np.int64)[inverse]
        same[unequal] = classes[: len(unequal)] == classes[len(unequal) :]
        return self.only_matched(same)

    def missing(self, score: str) -> str:
        """Why a score cannot be given; empty where it can."""
        for column in NEEDED[score]:
            if column not in self.pairs.gold:
                return f"no column {column}"
            if column not in self.segment.match.system:
                return f"no column {column} in the system's file"
        return ""


def lemma_weights(words: WordPairs, weights: ParseWeights) -> Floats:
    """What each gold word's lemma is worth."""
    gold = words.pairs.gold
    if "UPOS" not in gold:
        return np.full(words.size, MUTABLE_WEIGHT)
    return weights_by_tag(gold, weights)[gold.columns["UPOS"][words.gold]]


def weights_by_tag(treebank: Treebank, weights: ParseWeights) -> Floats:
    tags = treebank.vocabularies["UPOS"].strings
    return np.asarray([weights.lemma.get(tag, lemma_weight(tag)) for tag in tags], np.float64)


def feature_points(words: WordPairs, weights: ParseWeights) -> Floats:
    gold, system = words.codes("FEATS")
    sets = feature_sets(words.pairs)
    return words.only_matched(
        by_distinct_pair(gold, system, lambda g, s: sets.similarity(g, s, weights.feats))
    )


def feature_sets(pairs: ParsePairs) -> FeatureSets:
    cells = pairs.gold.vocabularies["FEATS"].strings
    return pairs.derive(f"feature sets {len(cells)}", lambda: FeatureSets.of(cells))


def by_distinct_pair(gold: Codes, system: Codes, score: Callable[[Ints, Ints], Floats]) -> Floats:
    """1 where the cells are equal, else `score` of the two, asked once for each distinct pair."""
    points = np.ones(len(gold))
    unequal = np.flatnonzero(gold != system)
    width = int(max(gold.max(initial=0), system.max(initial=0))) + 1
    key = gold[unequal].astype(np.int64) * width + np.maximum(system[unequal], 0)
    distinct, inverse = np.unique(key, return_inverse=True)
    points[unequal] = score(distinct // width, distinct % width)[inverse]
    return points


def head_points(words: WordPairs) -> Floats:
    pairs, match = words.pairs, words.segment.match
    if not match.aligned:  # the same sentences: heads are places in them
        numbers = pairs.derive(
            f"heads {len(pairs.gold.vocabularies['HEAD'])}", pairs.gold.head_numbers
        )
        gold, system = words.codes("HEAD")
        return words.only_matched(numbers[gold] == numbers[system])
    assert match.words is not None
    ours = pairs.derive("gold parents", lambda: tree_parents(pairs.gold))[words.gold]
    theirs = pairs.derive(f"parents of {match.name}", lambda: tree_parents(match.system))
    if not len(theirs):
        return np.zeros(words.size)
    expected = np.where(ours < 0, -1, match.words[ours])
    # A gold head that no system word stands for is matched by no head.
    expected[(ours >= 0) & (expected < 0)] = -2
    return words.only_matched(expected == theirs[words.system])


def class_points(words: WordPairs, taxonomy: Taxonomy) -> Floats:
    """By the distance in the taxonomy."""
    pairs = words.pairs
    vocabulary = pairs.gold.vocabularies["SEMCLASS"]
    key = f"nodes {len(vocabulary)} {taxonomy.id}"
    nodes = pairs.derive(key, lambda: taxonomy.find(vocabulary.strings))
    spelling = pairs.spelling("SEMCLASS")

    def score(gold: Ints, system: Ints) -> Floats:
        points: Floats = (spelling[gold] == spelling[system]).astype(np.float64)
        inside = nodes[gold] != NO_CLASS
        points[inside & (nodes[system] == NO_CLASS)] = 0.0
        both = np.flatnonzero(inside & (nodes[system] != NO_CLASS))
        points[both] = 1 / (1 + taxonomy.distances(nodes[gold[both]], nodes[system[both]]))
        return points

    return words.only_matched(by_distinct_pair(*words.codes("SEMCLASS"), score))


def word_points(
    words: WordPairs, wanted: Sequence[str], weights: ParseWeights, taxonomy: Taxonomy | None
) -> dict[str, Floats]:
    """What each gold word of the segment earns under each wanted score."""
    points: dict[str, Floats] = {}
    if {"uas", "las"} & {*wanted}:
        points["uas"] = head_points(words)
    for score in wanted:
        if score == "lemma":
            worth = lemma_weights(words, weights)
            points[score] = worth * words.equal("LEMMA", normalise_lemma)
        elif score == "feats":
            points[score] = feature_points(words, weights)
        elif score == "las":
            points[score] = points["uas"] * words.equal("DEPREL")
        elif score == "semclass" and taxonomy is not None:
            points[score] = class_points(words, taxonomy)
        elif score != "uas":
            points[score] = words.equal(NEEDED[score][0])
    return {score: points[score] for score in wanted}
