"""The metric: points earned over points that the gold earns against itself.

    score = Σ points(system, gold) / Σ points(gold, gold)      over the words of all sentences
    total = mean of lemma, upos, feats, uas, las, semslot, semclass; of those that exist, if fewer
    semantic-only total = mean of uas, semslot, semclass
    complete = share of the sentences whose las is 1

Each sentence gives a row of sums, so sentences can be resampled. Where words were aligned, words of
the system that stand for no gold word count as possible points too: the denominator is the mean of
what the gold and what the system could earn, which makes the score an F1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gistmeter.core.rows import Counts, Floats, Pool, Rows, Value, divide
from gistmeter.core.types import ScoreInfo
from gistmeter.core.wiring import given, setting
from gistmeter.parse.formats.pairs import ParsePairs, Segment
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.formats.treebank import Ints
from gistmeter.parse.metrics.breakdown import (
    COUNTED,
    LABELLED,
    breakdown,
    confusions,
    count,
    macro_f1,
)
from gistmeter.parse.metrics.points import (
    SEVEN,
    WordPairs,
    lemma_weights,
    weights_by_tag,
    word_points,
)
from gistmeter.parse.metrics.weighting import (
    FEATS_WEIGHTS,
    LEMMA_WEIGHTS,
    MUTABLE_WEIGHT,
    ParseWeights,
)
from gistmeter.parse.read import (
    absent_scores,
    foreign_scores,
    named_weights,
    taxonomy_of,
    weights_of,
)
from gistmeter.parse.run_documents import describe_sentences

SEMANTIC = ("uas", "semslot", "semclass")
KEPT = 12_000  # sentences that are kept word by word
NO_TAXONOMY = "no taxonomy (give one with --taxonomy, or compare by equality with --flat-classes)"
NO_WORDS = "no words"


def possible_column(score: str) -> str:
    return "lemma_possible" if score == "lemma" else "words"


@dataclass(frozen=True, slots=True)
class ParseAccuracy:
    """Morphology, syntax and semantics of parses, each in [0, 1], higher is better.

    Identical parses score 1. Without a taxonomy `semclass` is unscored, unless `flat_classes`
    compares classes by equality. `absent` names scores that cannot be part of the total;
    of these, `foreign` are not of this kind of treebank, so the total is whole without them.
    """

    lemma_weights: Mapping[str, float] = given(
        lambda wiring: dict(wiring.once(weights_of).lemma), factory=lambda: dict(LEMMA_WEIGHTS)
    )
    feats_weights: Mapping[str, float] = given(
        lambda wiring: dict(wiring.once(weights_of).feats), factory=lambda: dict(FEATS_WEIGHTS)
    )
    weights_file: str = given(named_weights, "")
    taxonomy: Taxonomy | None = given(taxonomy_of, None, shared=True)
    flat_classes: bool = setting(False)
    semantic_only: bool = setting(False)
    absent: tuple[str, ...] = given(absent_scores, ())
    foreign: tuple[str, ...] = given(foreign_scores, ())

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("total"),
        *(ScoreInfo(name) for name in SEVEN),
        ScoreInfo("complete"),
        *(
            ScoreInfo(f"{name}_{kind}_f1", basis=f"{name}_labels")
            for name in LABELLED
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
        missing = tuple(
            part for part in self.parts if part in self.absent and part not in self.foreign
        )
        return {"total": missing} if missing else {}

    @property
    def weights(self) -> ParseWeights:
        return ParseWeights(self.lemma_weights, self.feats_weights)

    def measure(self, items: Sequence[Any]) -> Rows:
        """One row per sentence: points earned and possible, its own scores, counts by label."""
        pairs = ParsePairs.of(items)
        return Rows.concat(self._measure_segment(pairs, segment) for segment in pairs.segments())

    def documents(self, rows: Rows, items: Sequence[Any]) -> dict[str, Any]:
        """What goes beside a run: breakdowns and confusions by system, and the sentences."""
        systems = rows.by("system")
        lost = np.zeros(len(items))
        for score in self.present:
            possible = rows.values(possible_column(score))
            np.add.at(lost, rows.item, np.nan_to_num(possible - rows.values(f"{score}_points")))
        sentences = describe_sentences(
            ParsePairs.of(items),
            lambda words: (self.points(words), lemma_weights(words, self.weights)),
            lost, KEPT, self.taxonomy,
        )  # fmt: skip
        return {
            "breakdown.json": {name: breakdown(own) for name, own in systems.items()},
            "confusions.json": {name: confusions(own) for name, own in systems.items()},
            "sentences.json": {"sentences": sentences},
        }

    def unscored(self, words: WordPairs, score: str) -> str:
        """Why a score does not exist for a system; empty where it does."""
        if score == "semclass" and self.taxonomy is None and not self.flat_classes:
            return words.missing(score) or NO_TAXONOMY
        return words.missing(score)

    def points(self, words: WordPairs) -> dict[str, Floats]:
        """What each gold word earns, for every score that exists."""
        wanted = [score for score in SEVEN if not self.unscored(words, score)]
        return word_points(words, wanted, self.weights, self.taxonomy)

    def _measure_segment(self, pairs: ParsePairs, segment: Segment) -> Rows:
        words = WordPairs.of(pairs, segment)
        size = words.items
        item = pairs.gold_items(segment)
        worth = lemma_weights(words, self.weights)
        earned = self.points(words)
        part = pairs[segment.row : segment.row + size]
        rows = Rows(ParsePairs.of(part).keys(), segment.row + np.arange(size)).with_numbers(
            {
                "words": _sum(item, size) + _extra(words, None),
                "lemma_possible": _sum(item, size, worth) + _extra(words, self.weights),
            }
        )
        for score in SEVEN:
            points = _sum(item, size, earned[score]) if score in earned else np.full(size, np.nan)
            value = np.broadcast_to(divide(points, rows.values(possible_column(score))), (size,))
            rows = rows.with_numbers({f"{score}_points": points, score: value})
            rows = explained(rows, score, self.unscored(words, score) or NO_WORDS)
        total = mean_of_defined([rows.values(name) for name in self.present], size)
        complete = np.where(
            np.isnan(rows.values("las")), np.nan, rows.values("las_points") == rows.values("words")
        )
        rows = rows.with_numbers({"total": total, "complete": complete})
        rows = explained(
            explained(rows, "total", NO_WORDS), "complete", self.unscored(words, "las") or NO_WORDS
        )
        rows = rows.with_counts(count(words, earned, worth))
        for name in LABELLED:
            if f"by_{name}" in rows:
                rows = rows.with_numbers(_micro(rows.counts[f"by_{name}"], name))
        return without_unfit(rows, segment)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        """Ratios of sums, and their mean; F1 of labels."""
        values: dict[str, Value] = {"total": np.nan}
        for score in SEVEN:
            values[score] = rows.ratio(f"{score}_points", possible_column(score))
        values["total"] = mean_of_defined([values[name] for name in self.present])
        values["complete"] = rows.mean("complete")
        for name in LABELLED:
            if f"{name}_labels" in rows:
                values[f"{name}_micro_f1"] = rows.ratio(f"{name}_right", f"{name}_labels")
                values[f"{name}_macro_f1"] = macro_f1(rows.labelled(f"by_{name}"))
        return values


def _micro(table: Counts, name: str) -> dict[str, Floats]:
    """For micro F1: labels that are right, and the mean of the gold's and the system's."""
    right, gold, system = (
        _sum(table.row, len(table), table.numbers[counted]) for counted in COUNTED
    )
    return {f"{name}_right": right, f"{name}_labels": (gold + system) / 2}


def explained(rows: Rows, name: str, reason: str) -> Rows:
    """The reason for all undefined cells of a column."""
    undefined = np.flatnonzero(np.isnan(rows.values(name))).tolist()
    return rows.with_reasons(name, dict.fromkeys(undefined, reason))


def without_unfit(rows: Rows, segment: Segment) -> Rows:
    """Items that cannot be scored have no numbers at all."""
    unfit = segment.match.unfit.items()
    places = {at - segment.first: why for at, why in unfit if segment.first <= at < segment.last}
    if not places:
        return rows
    out = np.zeros(len(rows), np.bool_)
    out[list(places)] = True
    reasons = {name: {**rows.reasons.get(name, {}), **places} for name in rows.numbers}
    return replace(
        rows,
        numbers={name: np.where(out, np.nan, column) for name, column in rows.numbers.items()},
        counts={name: table.without(out) for name, table in rows.counts.items()},
        reasons=reasons,
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


def _extra(aligned: WordPairs, weights: ParseWeights | None) -> Floats:
    """Half the difference between what the system's words and the gold's could earn."""
    pairs, segment, size = aligned.pairs, aligned.segment, aligned.items
    match = segment.match
    if match.words is None or not match.aligned:
        return np.zeros(size)
    gold_item, system_item = pairs.gold_items(segment), pairs.system_items(segment)
    system_words = pairs.system_words(segment)
    words = match.words[aligned.gold]
    stands = np.zeros(match.system.words + 1, bool)
    stands[words] = words >= 0
    alone = ~stands[system_words]
    ours, theirs = np.ones(len(words)), np.ones(len(alone))
    if weights is not None:
        ours = lemma_weights(aligned, weights)
        theirs = np.full(len(alone), MUTABLE_WEIGHT)
        if "UPOS" in match.system:
            tags = match.system.columns["UPOS"][system_words]
            theirs = weights_by_tag(match.system, weights)[tags]
    surplus = np.bincount(system_item[alone], theirs[alone], minlength=size)
    lacking = np.bincount(gold_item[words < 0], ours[words < 0], minlength=size)
    return (surplus - lacking) / 2
