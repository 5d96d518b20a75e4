"""The metric: points earned over points that the gold earns against itself.

    score = Σ points(system, gold) / Σ points(gold, gold)      over the words of all sentences
    total = mean of lemma, upos, feats, uas, las, semslot, semclass; of those that exist, if fewer
    semantic-only total = mean of uas, semslot, semclass

Each sentence gives a row of sums, so sentences can be resampled. Where words were aligned, words of
the system that stand for no gold word count as possible points too: the denominator is the mean of
what the gold and what the system could earn, which makes the score an F1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gistmeter.formats.conllu.pairs import Match, ParsePairs, Segment
from gistmeter.formats.conllu.treebank import Ints
from gistmeter.formats.taxonomy import Taxonomy
from gistmeter.metrics.parsing import labels
from gistmeter.metrics.parsing.breakdown import SystemPoints, documents
from gistmeter.metrics.parsing.points import (
    SEVEN,
    Comparison,
    lemma_weights,
    weights_by_tag,
    word_points,
)
from gistmeter.metrics.parsing.weights import (
    FEATS_WEIGHTS,
    LEMMA_WEIGHTS,
    MUTABLE_WEIGHT,
    Weights,
    estimate,
)
from gistmeter.rows import Floats, Pool, Rows, Value, divide
from gistmeter.types import ScoreInfo

SEMANTIC = ("uas", "semslot", "semclass")
LABELS = {"semslot": "SEMSLOT", "semclass": "SEMCLASS"}
NO_TAXONOMY = "no taxonomy (give one with --taxonomy, or compare by equality with --flat-classes)"
NO_WORDS = "no words"


def possible_column(score: str) -> str:
    return "lemma_possible" if score == "lemma" else "words"


@dataclass(frozen=True, slots=True)
class ParseAccuracy:
    """Morphology, syntax and semantics of parses, each in [0, 1], higher is better.

    Identical parses score 1. Without a taxonomy `semclass` is unscored, unless `flat_classes`
    compares classes by equality. `absent` names scores that cannot be part of the total.
    """

    lemma_weights: Mapping[str, float] = field(default_factory=lambda: dict(LEMMA_WEIGHTS))
    feats_weights: Mapping[str, float] = field(default_factory=lambda: dict(FEATS_WEIGHTS))
    taxonomy: Taxonomy | None = None
    flat_classes: bool = False
    semantic_only: bool = False
    absent: tuple[str, ...] = ()

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("total"),
        *(ScoreInfo(name) for name in SEVEN),
        *(
            ScoreInfo(f"{name}_{kind}_f1", basis=f"{name}_labels")
            for name in LABELS
            for kind in ("micro", "macro")
        ),
    )

    @property
    def parts(self) -> tuple[str, ...]:
        """What the total should be the mean of."""
        return SEMANTIC if self.semantic_only else SEVEN

    @property
    def present(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if part not in self.absent)

    @property
    def partial(self) -> Mapping[str, tuple[str, ...]]:
        missing = tuple(part for part in self.parts if part in self.absent)
        return {"total": missing} if missing else {}

    def measure(self, items: Sequence[Any]) -> Rows:
        """A row a sentence: points earned and possible, and the sentence's own scores."""
        pairs = ParsePairs.of(items)
        weights = self.weights_for(pairs)
        parts = [self._measure_segment(pairs, segment, weights) for segment in pairs.segments()]
        rows = Rows(pairs.keys(), np.arange(len(pairs), dtype=np.int64))
        names = dict.fromkeys(name for part in parts for name in part.numbers)
        rows = rows.with_numbers(
            {name: np.concatenate([part.column(name) for part in parts]) for name in names}
        )
        for segment, part in zip(pairs.segments(), parts, strict=True):
            for name, reasons in part.reasons.items():
                shifted = {segment.row + at: why for at, why in reasons.items()}
                rows = rows.with_reasons(name, shifted)
        if pairs.is_whole and pairs.item_systems is None:
            # Tables and examples describe whole treebanks: a slice has none.
            results = [
                SystemPoints(pairs, part.comparison, part.earned, part.possible, part.numbers)
                for part in parts
            ]
            rows = rows.with_details(documents(results, self.present, self.taxonomy))
        return rows

    def weights_for(self, pairs: ParsePairs) -> Weights:
        """The weights, completed from the gold for what they do not know."""
        given = Weights(self.lemma_weights, self.feats_weights)
        return given.completed(pairs.derive("estimate", lambda: estimate([pairs.gold])))

    def unscored(self, comparison: Comparison, score: str) -> str:
        """Why a score does not exist for a system; empty where it does."""
        if score == "semclass" and self.taxonomy is None and not self.flat_classes:
            return comparison.missing(score) or NO_TAXONOMY
        return comparison.missing(score)

    def points(
        self, comparison: Comparison, weights: Weights
    ) -> dict[str, npt.NDArray[np.float64]]:
        """What each gold word earns, for every score that exists."""
        wanted = [score for score in SEVEN if not self.unscored(comparison, score)]
        return word_points(comparison, wanted, weights, self.taxonomy)

    def _measure_segment(self, pairs: ParsePairs, segment: Segment, weights: Weights) -> _Part:
        comparison = Comparison.of(pairs, segment)
        size = segment.last - segment.first
        item = labels.items_of_words(pairs.gold, pairs.units, segment)
        worth = lemma_weights(comparison, weights)
        earned = self.points(comparison, weights)
        part = _Part(size, comparison, earned, worth)
        part.numbers["words"] = _sum(item, size) + _extra(pairs, segment, None)
        extra = _extra(pairs, segment, weights)
        part.numbers["lemma_possible"] = _sum(item, size, worth) + extra
        for score in SEVEN:
            if score in earned:
                points = _sum(item, size, earned[score])
                value = divide(points, part.numbers[possible_column(score)])
                part.set(f"{score}_points", points)
                part.set(score, np.broadcast_to(value, (size,)), NO_WORDS)
            else:
                nothing = np.full(size, np.nan)
                part.set(f"{score}_points", nothing)
                part.set(score, nothing, self.unscored(comparison, score))
        present = [part.numbers[name] for name in self.present]
        part.set("total", mean_of_defined(present, size), NO_WORDS)
        self._measure_labels(pairs, segment, comparison, part)
        part.leave_out(segment.match.unfit, segment.first)
        return part

    def _measure_labels(
        self, pairs: ParsePairs, segment: Segment, comparison: Comparison, part: _Part
    ) -> None:
        for name, column in LABELS.items():
            if comparison.missing(name):
                continue
            found = labels.occurrences(pairs, segment, column)
            right, both = found.by_item()
            part.set(f"{name}_right", right)
            part.set(f"{name}_labels", both)
            whole = label_counts(pairs, segment.match, column)
            part.set(f"{name}_macro_f1", found.pseudo_values(whole, pairs.size))
            part.set(f"{name}_rare", np.full(found.items, float(whole.are_rare)))

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Ratios of sums, and their mean."""
        values: dict[str, Value] = {"total": np.nan}
        for score in SEVEN:
            values[score] = rows.ratio(f"{score}_points", possible_column(score))
        values["total"] = mean_of_defined([values[name] for name in self.present])
        for name in LABELS:
            if f"{name}_labels" in rows:
                values[f"{name}_micro_f1"] = rows.ratio(f"{name}_right", f"{name}_labels")
                macro, rare = rows.mean(f"{name}_macro_f1"), rows.mean(f"{name}_rare")
                if np.ndim(macro):  # a resample: see `labels`
                    macro = np.where(np.asarray(rare) > 0, np.nan, macro)
                values[f"{name}_macro_f1"] = macro
        return values


@dataclass(frozen=True, slots=True)
class _Part:
    """The columns of one segment, while they are made."""

    size: int
    comparison: Comparison
    earned: Mapping[str, Floats]  # by word
    possible: Floats  # what each gold word's lemma is worth
    numbers: dict[str, Floats] = field(default_factory=dict)
    reasons: dict[str, dict[int, str]] = field(default_factory=dict)

    def column(self, name: str) -> Floats:
        return self.numbers.get(name, np.full(self.size, np.nan))

    def set(self, name: str, values: Floats, reason: str = "") -> None:
        """A column; a reason stands for all its undefined cells."""
        self.numbers[name] = values
        if reason:
            undefined = np.flatnonzero(np.isnan(values)).tolist()
            if undefined:
                self.reasons[name] = dict.fromkeys(undefined, reason)

    def leave_out(self, unfit: Mapping[int, str], first: int) -> None:
        """Items that cannot be scored have no numbers at all."""
        places = {at - first: why for at, why in unfit.items() if 0 <= at - first < self.size}
        for name in self.numbers if places else ():
            column = self.numbers[name].copy()
            column[list(places)] = np.nan
            self.numbers[name] = column
            self.reasons[name] = {**self.reasons.get(name, {}), **places}


def label_counts(pairs: ParsePairs, match: Match, column: str) -> labels.LabelCounts:
    """A system's labels over the whole treebank."""
    whole = Segment(match, 0, pairs.size, 0)
    return pairs.derive(
        f"labels {column} {match.name}", lambda: labels.occurrences(pairs, whole, column).counts()
    )


def mean_of_defined(values: Sequence[Any], size: int = 0) -> Any:
    """The mean of numbers or of arrays, element by element, over those that are not NaN."""
    if not values:
        return np.full(size, np.nan) if size else float("nan")
    stacked = np.stack([np.asarray(value, np.float64) for value in np.broadcast_arrays(*values)])
    defined = ~np.isnan(stacked)
    return divide(np.where(defined, stacked, 0).sum(axis=0), defined.sum(axis=0))


def _sum(item: Ints, size: int, weights: Floats | None = None) -> Floats:
    """Sums by item, in the order of the words, so that slices give the same bits."""
    return np.bincount(item, weights, minlength=size).astype(np.float64)


def _extra(pairs: ParsePairs, segment: Segment, weights: Weights | None) -> Floats:
    """Half the difference between what the system's words and the gold's could earn."""
    match, size = segment.match, segment.last - segment.first
    if match.words is None or match.units is None:
        return np.zeros(size)
    gold_item = labels.items_of_words(pairs.gold, pairs.units, segment)
    system_item = labels.items_of_words(match.system, match.units, segment)
    first, last = match.system.offsets[match.units[[segment.first, segment.last]]].tolist()
    words = match.words[pairs.gold_words(segment)]
    stands = np.zeros(match.system.words + 1, bool)
    stands[words] = words >= 0
    alone = ~stands[first:last]
    ours, theirs = np.ones(len(words)), np.ones(last - first)
    if weights is not None:
        ours = lemma_weights(Comparison.of(pairs, segment), weights)
        theirs = _system_weights(match, slice(first, last), weights)
    surplus = np.bincount(system_item[alone], theirs[alone], minlength=size)
    lacking = np.bincount(gold_item[words < 0], ours[words < 0], minlength=size)
    return (surplus - lacking) / 2


def _system_weights(match: Match, words: slice, weights: Weights) -> Floats:
    if "UPOS" not in match.system:
        return np.full(words.stop - words.start, MUTABLE_WEIGHT)
    return weights_by_tag(match.system, weights)[match.system.columns["UPOS"][words]]
