"""F1 of labels that not every word has: semantic slots and classes.

`_` is no label. With tp, gold and system the counts of a label,

    micro F1 = Σ 2·tp / Σ (gold + system)            over labels
    macro F1 = mean of 2·tp / (gold + system)        over labels that gold or system use

Micro F1 is a ratio of sums over sentences. Macro F1 is not: each sentence gets its pseudo-value of
the infinitesimal jackknife (Efron 1982), F + n·u, where u is the derivative of F by the sentence's
weight. Their mean is F exactly, and the mean over a resample is F to first order. That is close
where labels are frequent and far too steady where they are rare, so there is no interval then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.formats.conllu.pairs import ParsePairs, Segment
from gistmeter.formats.conllu.treebank import EMPTY, Treebank

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


RARE = 10  # occurrences of the median label below which macro F1 has no honest interval


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """How often each label is right, in the gold, and in the system; by spelling class."""

    right: Floats
    gold: Floats
    system: Floats

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        return self.gold + self.system > 0

    @property
    def f1(self) -> Floats:
        both = self.gold + self.system
        f1: Floats = np.divide(2 * self.right, both, out=np.zeros(len(both)), where=both > 0)
        return f1

    @property
    def are_rare(self) -> bool:
        both = (self.gold + self.system)[self.used] / 2
        return bool(len(both) and np.median(both) < RARE)

    @property
    def macro_f1(self) -> float:
        return float(self.f1[self.used].mean()) if self.used.any() else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Words that carry a label: which item they belong to, which label it is."""

    gold_item: Ints
    gold_label: Ints
    system_item: Ints
    system_label: Ints
    right_item: Ints
    right_label: Ints
    labels: int
    items: int

    def counts(self) -> LabelCounts:
        columns = (self.right_label, self.gold_label, self.system_label)
        right, gold, system = (
            np.bincount(column, minlength=self.labels).astype(np.float64) for column in columns
        )
        return LabelCounts(right, gold, system)

    def by_item(self) -> tuple[Floats, Floats]:
        """For micro F1: labels that are right, and the mean of the gold's and the system's."""
        right, gold, system = (
            np.bincount(column, minlength=self.items).astype(np.float64)
            for column in (self.right_item, self.gold_item, self.system_item)
        )
        return right, (gold + system) / 2

    def pseudo_values(self, whole: LabelCounts, n: int) -> Floats:
        """Of macro F1, for each item; `whole` and `n` are those of everything, not of a slice."""
        used = int(np.count_nonzero(whole.used))
        if not used:
            return np.full(self.items, np.nan)
        both = np.maximum(whole.gold + whole.system, 1)
        gain, loss = 2 / both / used, whole.f1 / both / used
        influence = (
            np.bincount(self.right_item, gain[self.right_label], minlength=self.items)
            - np.bincount(self.gold_item, loss[self.gold_label], minlength=self.items)
            - np.bincount(self.system_item, loss[self.system_label], minlength=self.items)
        )
        return np.asarray(whole.macro_f1 + n * influence, np.float64)


def occurrences(pairs: ParsePairs, segment: Segment, column: str) -> Occurrences:
    """The labelled words of some items."""
    spelling = pairs.spelling(column)
    empty = pairs.gold.vocabularies[column].flags(lambda label: label in EMPTY)
    gold_slice = pairs.gold_words(segment)
    gold = pairs.gold.columns[column][gold_slice]
    gold_item = items_of_words(pairs.gold, pairs.units, segment)
    match = segment.match
    units = pairs.units if match.units is None else match.units
    first, last = match.system.offsets[units[[segment.first, segment.last]]].tolist()
    system = match.system.columns[column][first:last]
    system_item = items_of_words(match.system, units, segment)
    labelled, others = ~empty[gold], ~empty[system]
    place = np.arange(gold_slice.start, gold_slice.stop) if match.words is None else (
        match.words[gold_slice]
    )  # fmt: skip
    paired = np.flatnonzero(labelled & (place >= 0))
    theirs = match.system.columns[column][place[paired]]
    right = paired[spelling[gold[paired]] == spelling[theirs]]
    return Occurrences(
        gold_item[labelled],
        spelling[gold[labelled]].astype(np.int64),
        system_item[others],
        spelling[system[others]].astype(np.int64),
        gold_item[right],
        spelling[gold[right]].astype(np.int64),
        int(spelling.max(initial=-1)) + 1,
        segment.last - segment.first,
    )


def items_of_words(treebank: Treebank, units: Ints, segment: Segment) -> Ints:
    """For each word of a segment the item it belongs to, counted from the segment's first."""
    bounds = treebank.offsets[units[segment.first : segment.last + 1]]
    return np.repeat(np.arange(segment.last - segment.first), np.diff(bounds))
