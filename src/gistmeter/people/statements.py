"""What can be said after so many labels: of systems and pairs of them, of raters, of the score.

Estimates rest on labels whose items a design drew. Several raters of one item are averaged. `which`
labels give the share of items on which one system is preferred to another; all others give means.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.family import family_of
from gistmeter.core.rows import Floats, Rows
from gistmeter.core.statistics import codes
from gistmeter.core.types import SEED, defined
from gistmeter.people.corrected import (
    ENDS,
    NO_ENDS,
    CorrectedValue,
    LabelledItems,
    corrected_mean,
    more_labels,
)
from gistmeter.people.item_keys import item_keys
from gistmeter.people.misleading import FEWEST_IN_SLICE, Misleading, misleading
from gistmeter.people.records import LabelRecord, Selection
from gistmeter.people.score_shares import chosen_score, score_shares
from gistmeter.people.validation.agreement import Estimate, pearson, spearman
from gistmeter.people.validation.annotators import Annotators, agree

if TYPE_CHECKING:
    from gistmeter.core.run import Run

GOAL = 0.03  # half the width of an interval that most questions need
RESAMPLES = 300
Bearers = frozenset[tuple[str, str]]  # items that have the same texts: a label of one is of all


@dataclass(frozen=True, slots=True)
class SystemStatement:
    """What people would say of a system."""

    system: str
    corrected: CorrectedValue
    labels_alone: CorrectedValue  # with no judge
    score_alone: Estimate  # with no people: the judge's own mean, on the same scale
    more_labels: int | None  # for an interval of ± GOAL; None: all items would not do


@dataclass(frozen=True, slots=True)
class PairStatement:
    """What people would say of the difference between two systems."""

    first: str
    second: str
    corrected: CorrectedValue  # first minus second; of `which`: the share that prefers the first
    labels_alone: CorrectedValue
    kind: str = "difference"  # or "preference"


@dataclass(frozen=True, slots=True)
class LabelSummary:
    """All that can be said."""

    score: str
    confidence: float
    labels: int
    items: int  # different outputs that have a label
    raters: tuple[str, ...]
    outside: int  # labels of items that no design drew: of no use for estimates
    systems: tuple[SystemStatement, ...]
    pairs: tuple[PairStatement, ...]
    agreement: Annotators | None
    with_score: Mapping[str, Estimate]  # pearson and spearman of people with the score
    misleading: tuple[Misleading, ...]
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; undefined numbers are None."""
        document: dict[str, Any] = _plain(dataclasses.asdict(self))
        return document


def summarise_labels(
    run: Run,
    labels: Sequence[LabelRecord] | None = None,
    *,
    score: str = "",
    confidence: float = 0.95,
    seed: int = SEED,
) -> LabelSummary:
    """What a run's labels say, those in its folders or those given; of no labels, nothing."""
    labels = run.labels if labels is None else labels
    rows, keys = run.measured, item_keys(run)
    name = chosen_score(run, score)
    shares = score_shares(run, name)
    single = [label for label in labels if label.kind != "which"]
    human, drawn, notes = _means(single, keys)
    asked = family_of(run.command).view().rated[:1]
    expected = next((rows.texts[one] for one in asked if one in rows.texts), [None] * len(rows))
    judged = _Judged(rows, keys, shares, human, drawn, _bearers(rows, keys), expected)
    names = list(dict.fromkeys(rows.keys["system"]))
    means = [_of_system(judged, system, confidence, notes) for system in names]
    gaps = [_of_pair(judged, *pair, confidence) for pair in itertools.combinations(names, 2)]
    which = [label for label in labels if label.kind == "which"]
    return LabelSummary(
        score=name,
        confidence=confidence,
        labels=len(labels),
        items=len({label.item for label in labels}),
        raters=tuple(sorted({label.rater for label in labels})),
        outside=sum(label.selection is None for label in labels),
        systems=tuple(mean for mean in means if mean),
        pairs=(*(gap for gap in gaps if gap), *_preferences(judged, which, confidence)),
        agreement=rater_agreement(labels, confidence=confidence, seed=seed),
        with_score=_with_score(judged, confidence, seed),
        misleading=tuple(misleading(run, judged.once, shares, confidence)),
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """Rows with what people and judge say of each."""

    rows: Rows
    keys: Sequence[str | None]
    shares: Floats
    human: Floats  # of each row; NaN: nobody said anything
    drawn: Mapping[str, Selection]  # by digest
    bearers: Mapping[str, Bearers]  # by digest
    expected: Sequence[str | None]  # what should have been, of each row

    @property
    def once(self) -> Floats:
        """What people say of each row, without rows whose texts the system had before."""
        _, first = np.unique(
            [
                f"{key} {owner}"
                for key, owner in zip(self.keys, self.rows.keys["system"], strict=True)
            ],
            return_index=True,
        )
        seen = np.full(len(self.human), math.nan)
        seen[first] = self.human[first]
        return seen

    def places(self, system: str) -> dict[tuple[str, str], int]:
        """The rows of a system that have a score and can be rated, by group and id."""
        keys = self.rows.keys
        return {
            (keys["group"][at], keys["id"][at]): at
            for at, owner in enumerate(keys["system"])
            if owner == system and self.keys[at] and math.isfinite(self.shares[at])
        }

    def both(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """The rows of the items that two systems have and of which the same was expected."""
        one, other = self.places(first), self.places(second)
        names = [name for name in one if name in other
                 and self.expected[one[name]] == self.expected[other[name]]]  # fmt: skip
        return [one[name] for name in names], [other[name] for name in names]

    def selection(self, at: int) -> Selection | None:
        return self.drawn.get(self.keys[at] or "")

    def borne(self, places: Sequence[int]) -> list[Bearers]:
        return [self.bearers[self.keys[at] or ""] for at in places]


def _bearers(rows: Rows, keys: Sequence[str | None]) -> dict[str, Bearers]:
    found: dict[str, set[tuple[str, str]]] = {}
    for key, group, name in zip(keys, rows.keys["group"], rows.keys["id"], strict=True):
        found.setdefault(key or "", set()).add((group, name))
    return {key: frozenset(items) for key, items in found.items()}


def _means(
    labels: Iterable[LabelRecord], keys: Sequence[str | None]
) -> tuple[Floats, dict[str, Selection], list[str]]:
    """People's mean of every row, and how each labelled item was drawn: first come, first kept."""
    said: dict[str, list[float]] = {}
    drawn: dict[str, Selection] = {}
    kinds = set()
    for label in labels:
        said.setdefault(label.item, []).append(label.share)
        kinds.add((label.kind, label.scale, label.question))
        if label.selection:
            drawn.setdefault(label.item, label.selection)
    means = {item: float(np.mean(values)) for item, values in said.items()}
    mixed = ["Labels of several kinds, scales or questions are taken together"]
    human = np.array([means.get(key or "", math.nan) for key in keys])
    return human, drawn, mixed if len(kinds) > 1 else []


def _labelled(
    judged: _Judged, human: Floats, shares: Floats, places: Sequence[int],
    reached: Sequence[tuple[Bearers, Bearers]], *, ends: tuple[float, float] = ENDS,
) -> LabelledItems | None:  # fmt: skip
    """The labelled items among some rows; None where fewer than two were drawn and labelled.

    `human`, `shares` and `reached` belong to the places: a draw that reaches an item of each of the
    two sets brings the label. Items with the same label are one cluster. A stratum with fewer than
    two labels joins the next.
    """
    known = [
        at for at, place in enumerate(places)
        if math.isfinite(human[at]) and judged.selection(place) is not None
    ]  # fmt: skip
    if len(known) < 2:
        return None
    chosen = [judged.selection(places[at]) for at in known]
    groups = [_group(selection) for selection in chosen if selection]
    weights = np.array(
        [s.size / (s.population * s.probability) for s in chosen if s]
    )  # fmt: skip
    again = np.array([_again(s.probability, *reached[at])
                      for s, at in zip(chosen, known, strict=True) if s])  # fmt: skip
    stratum, share = _strata(groups, [s.stratum_share or 1.0 for s in chosen if s])
    left = np.ones(len(places), bool)
    left[known] = False
    whole = codes(judged.rows.keys["cluster"])
    first: dict[tuple[Bearers, Bearers], int] = {}
    heads = [places[first.setdefault(reached[at], at)] for at in known]
    at = np.asarray(known)
    return LabelledItems(
        human[at], shares[at], shares[left], _normed(weights, stratum) * again, stratum, share,
        whole[heads], ends, len(first),
    )  # fmt: skip


def _again(p: float, one: Bearers, two: Bearers) -> float:
    """An item's probability beside that of drawing any item of each set; 1: there is one item."""
    if len(one | two) == 1:
        return 1.0
    miss = 1 - p
    return p / (1 - miss ** len(one) - miss ** len(two) + miss ** len(one | two))


def _group(selection: Selection) -> tuple[str, int]:
    """Labels of one group are weighed against each other: uniform draws are all one."""
    if selection.design == "uniform":
        return "uniform", 0
    return selection.draw, selection.stratum or 0


def _normed(weights: Floats, stratum: Any) -> Floats:
    """Weights, exactly 1 where all of a stratum are alike."""
    found = weights.copy()
    for one in np.unique(stratum):
        inside = stratum == one
        if np.allclose(weights[inside], weights[inside][0], rtol=1e-9):
            found[inside] = 1.0
    return found


def _strata(groups: Sequence[tuple[str, int]], shares: Sequence[float]) -> tuple[Any, Floats]:
    """Numbers of strata, and the share of each; a draw weighs by its labels."""
    count = len(groups)
    draws: dict[str, int] = {}
    for draw, _ in groups:
        draws[draw] = draws.get(draw, 0) + 1
    whole = dict(zip(groups, shares, strict=True))
    joined: list[list[tuple[str, int]]] = []
    for draw in draws:
        own: list[list[tuple[str, int]]] = []
        for group in sorted(one for one in whole if one[0] == draw):
            if own and sum(groups.count(member) for member in own[-1]) < 2:
                own[-1].append(group)
            else:
                own.append([group])
        if len(own) > 1 and sum(groups.count(member) for member in own[-1]) < 2:
            own[-2] += own.pop()
        joined += own
    number = {group: at for at, members in enumerate(joined) for group in members}
    totals = {draw: sum(s for g, s in whole.items() if g[0] == draw) for draw in draws}
    part = [
        draws[members[0][0]] / count * sum(whole[g] for g in members) / totals[members[0][0]]
        for members in joined
    ]
    return np.array([number[group] for group in groups], np.int64), np.array(part)


def _of_system(
    judged: _Judged, system: str, confidence: float, notes: list[str]
) -> SystemStatement | None:
    places = list(judged.places(system).values())
    borne = judged.borne(places)
    data = _labelled(judged, judged.human[places], judged.shares[places], places,
                     list(zip(borne, borne, strict=True)))  # fmt: skip
    if data is None:
        return None
    found = corrected_mean(data, confidence=confidence)
    alone = corrected_mean(data, confidence=confidence, judge_weight=0.0)
    if not math.isfinite(found.low):
        notes.append(f"{system}: {found.labelled} labelled items are too few for an interval")
    scores = LabelledItems.uniform(data.every, data.every, np.zeros(0))
    bare = corrected_mean(scores, confidence=confidence, judge_weight=0.0)
    return SystemStatement(
        system, found, alone, Estimate(bare.value, bare.low, bare.high),
        more_labels(found, GOAL, confidence),
    )  # fmt: skip


def _of_pair(judged: _Judged, first: str, second: str, confidence: float) -> PairStatement | None:
    """The difference on the items that both systems have."""
    a, b = judged.both(first, second)
    if not a:
        return None
    human, shares = judged.human[a] - judged.human[b], judged.shares[a] - judged.shares[b]
    reached = list(zip(judged.borne(a), judged.borne(b), strict=True))
    data = _labelled(judged, human, shares, a, reached, ends=NO_ENDS)
    if data is None:
        return None
    return PairStatement(
        first,
        second,
        corrected_mean(data, confidence=confidence),
        corrected_mean(data, confidence=confidence, judge_weight=0.0),
    )


def _preferences(
    judged: _Judged, labels: Sequence[LabelRecord], confidence: float
) -> list[PairStatement]:
    """How often one system is preferred to another, ties counting half."""
    said: dict[tuple[str, str], list[float]] = {}
    drawn: dict[str, Selection] = dict(judged.drawn)
    for label in labels:
        said.setdefault((label.item, label.other), []).append(label.value)
        said.setdefault((label.other, label.item), []).append(1 - label.value)
        if label.selection:
            drawn.setdefault(label.item, label.selection)
            drawn.setdefault(label.other, label.selection)
    judged = dataclasses.replace(judged, drawn=drawn)
    systems = list(dict.fromkeys(judged.rows.keys["system"]))
    found = []
    for first, second in itertools.combinations(systems, 2):
        a, b = judged.both(first, second)
        values = [
            said.get((judged.keys[one] or "", judged.keys[other] or ""))
            for one, other in zip(a, b, strict=True)
        ]
        human = np.array([math.nan if v is None else float(np.mean(v)) for v in values])
        shares = 0.5 + (judged.shares[a] - judged.shares[b]) / 2
        shared = [x & y for x, y in zip(judged.borne(a), judged.borne(b), strict=True)]
        reached = list(zip(shared, shared, strict=True))
        data = _labelled(judged, human, shares, a, reached) if a else None
        if data is not None:
            alone = corrected_mean(data, confidence=confidence, judge_weight=0.0)
            value = corrected_mean(data, confidence=confidence)
            found.append(PairStatement(first, second, value, alone, "preference"))
    return found


def rater_agreement(
    labels: Sequence[LabelRecord], *, confidence: float = 0.95, seed: int = SEED
) -> Annotators | None:
    """Krippendorff's alpha and its like among raters; None where nobody rated the same item."""
    subjects = {(label.item, label.other, label.kind, label.question): 0 for label in labels}
    places = {subject: at for at, subject in enumerate(subjects)}
    table: dict[str, Floats] = {}
    for label in labels:
        row = table.setdefault(label.rater, np.full(len(places), math.nan))
        row[places[label.item, label.other, label.kind, label.question]] = label.share
    return agree(
        table, binary=all(label.kind == "yes_no" for label in labels), named=True,
        resamples=RESAMPLES, confidence=confidence, seed=seed,
    )  # fmt: skip


def _with_score(judged: _Judged, confidence: float, seed: int) -> dict[str, Estimate]:
    """How people and score go together over the labelled items."""
    human = judged.once
    both = np.flatnonzero(np.isfinite(human) & np.isfinite(judged.shares))
    x, y = judged.shares[both], human[both]
    if len(both) < FEWEST_IN_SLICE or not (np.ptp(x) > 0 and np.ptp(y) > 0):
        return {}
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(both), np.full(len(both), 1 / len(both)), RESAMPLES)
    weight = np.vstack([np.ones(len(both)), drawn]).astype(np.float32)
    return {
        "pearson": Estimate.of(pearson(x, y, weight), confidence),
        "spearman": Estimate.of(spearman(x, y, weight), confidence),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return defined(value) if isinstance(value, float) else value
