"""What every gold word earns under each score, by the system's word that stands for it.

    lemma     weight(gold POS) · [normalised lemmas equal]     NFC, lower case, ё → е
    upos      [tags equal]
    feats     see `features`
    uas       [heads equal]
    las       [heads equal] · [relations equal]
    semslot   [slots equal]
    semclass  1 / (1 + path length in the taxonomy), 0 across trees and for a class the taxonomy
              does not know; where the gold's class is outside the taxonomy, [classes equal]

A gold word that no system word stands for earns nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.parse.formats.alignment import tree_parents
from gistmeter.parse.formats.pairs import ParsePairs, Segment
from gistmeter.parse.formats.taxonomy import NO_CLASS, Taxonomy
from gistmeter.parse.formats.treebank import Codes, Ints, Treebank, Vocabulary, compose
from gistmeter.parse.metrics.features import FeatureSets
from gistmeter.parse.metrics.weights import MUTABLE_WEIGHT, ParseWeights, lemma_weight

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SEVEN = ("lemma", "upos", "feats", "uas", "las", "semslot", "semclass")
NEEDED: Mapping[str, tuple[str, ...]] = {
    "lemma": ("LEMMA",),
    "upos": ("UPOS",),
    "feats": ("FEATS",),
    "uas": ("HEAD",),
    "las": ("HEAD", "DEPREL"),
    "semslot": ("SEMSLOT",),
    "semclass": ("SEMCLASS",),
}


def normalise_lemma(lemma: str) -> str:
    """Lemmas are compared without case, and with е for ё."""
    if lemma.isascii():
        return lemma.lower()
    lowered = unicodedata.normalize("NFC", lemma).lower()
    return unicodedata.normalize("NFC", lowered).replace("ё", "е")


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
        return self.segment.last - self.segment.first

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
        same[unequal] = _spelled_alike(
            self.pairs.gold.vocabularies[column], gold[unequal], system[unequal], spell
        )
        return self.only_matched(same)

    def missing(self, score: str) -> str:
        """Why a score cannot be given; empty where it can."""
        for column in NEEDED[score]:
            if column not in self.pairs.gold:
                return f"no column {column}"
            if column not in self.segment.match.system:
                return f"no column {column} in the system's file"
        return ""


def _spelled_alike(
    vocabulary: Vocabulary, gold: Codes, system: Codes, spell: Callable[[str], str]
) -> Bools:
    """Whether different cells are the same under a spelling; each distinct one is spelled once."""
    numbers: dict[str, int] = {}
    distinct, inverse = np.unique(np.concatenate([gold, system]), return_inverse=True)
    strings = vocabulary.strings
    spelled = [
        numbers.setdefault(spell(strings[code]) if code >= 0 else "", len(numbers))
        for code in distinct.tolist()
    ]
    classes = np.asarray(spelled, np.int64)[inverse]
    alike: Bools = classes[: len(gold)] == classes[len(gold) :]
    return alike


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
    if match.units is None:  # the same sentences: heads are places in them
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


def class_points(words: WordPairs, taxonomy: Taxonomy | None) -> Floats:
    """By the taxonomy, or by equality without one."""
    if taxonomy is None:
        return words.equal("SEMCLASS")
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
    heads = head_points(words) if {"uas", "las"} & {*wanted} else np.zeros(0)
    makers: dict[str, Callable[[], Floats]] = {
        "lemma": lambda: lemma_weights(words, weights) * words.equal("LEMMA", normalise_lemma),
        "upos": lambda: words.equal("UPOS"),
        "feats": lambda: feature_points(words, weights),
        "uas": lambda: heads,
        "las": lambda: heads * words.equal("DEPREL"),
        "semslot": lambda: words.equal("SEMSLOT"),
        "semclass": lambda: class_points(words, taxonomy),
    }
    return {score: makers[score]() for score in wanted}
