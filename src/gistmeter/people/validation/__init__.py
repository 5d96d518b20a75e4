"""Does a score agree with people? Correlations, decisions, calibration, and refitted weights.

Every score of the run and every component with the same kind of values is set against people's
judgements, on the items that have both. Intervals are by bootstrap over clusters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.rows import Floats, Rows
from gistmeter.core.statistics import codes, item_weights
from gistmeter.core.types import SEED, defined
from gistmeter.people.validation.agreement import (
    MOST_PAIRED,
    Corrected,
    Decision,
    Estimate,
    best_tolerance,
    correct,
    decide,
    kendall,
    pairwise_accuracy,
    pearson,
    spearman,
)
from gistmeter.people.validation.annotators import Annotators, agree
from gistmeter.people.validation.labels import Labels, read_labels
from gistmeter.people.validation.refit import Refit, refit

if TYPE_CHECKING:
    from gistmeter.core.run import Run

SEED_WEIGHTS = {"cross_encoder": 0.5, "representation": 0.3, "f_beta": 0.2}
FEWEST = 5  # items below which nothing is said of agreement
BINS = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """One score against people."""

    name: str
    n: int
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    accuracy: Estimate  # pairwise, with ties
    tolerance: float  # score differences up to this were counted as ties
    higher_is_better: bool = True
    decision: Decision | None = None  # for yes/no labels


@dataclass(frozen=True, slots=True)
class Bin:
    """People's mean judgement among items of similar score."""

    score: float
    human: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Validation:
    """All that was found out."""

    agreements: Mapping[str, Agreement]
    calibration: Mapping[str, tuple[Bin, ...]]
    weights: Refit | None
    labels: Labels
    confidence: float
    resamples: int
    notes: tuple[str, ...] = field(default=())
    annotators: Annotators | None = None  # people among each other
    corrected: tuple[Corrected, ...] = ()  # what people would say of all items

    def to_dict(self) -> dict[str, Any]:
        """The shape of `validate --format json`."""
        known = int(np.count_nonzero(~np.isnan(self.labels.values)))
        return {
            "labelled": known,
            "unmatched": self.labels.unmatched,
            "repeated": self.labels.repeated,
            "binary": self.labels.binary,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "scores": _plain(self.agreements),
            "calibration": _plain(self.calibration),
            "weights": _plain(self.weights),
            "annotators": _plain(self.annotators),
            "corrected": _plain(self.corrected),
            "notes": list(self.notes),
        }


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        value = {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return defined(value) if isinstance(value, float) else value


def validate(
    run: Run,
    labels: Labels,
    *,
    columns: Sequence[str] = (),
    components: Mapping[str, float] | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = SEED,
) -> Validation:
    """Set a run's scores and components against people's judgements.

    `columns` names those to look at (all by default); `components` gives the weights in use of a
    weighted score, the seed's for S_Acc where its components are there.
    """
    rows = run.measured
    judged = _judged(labels)
    scores = {name: score for held in run.systems.values() for name, score in held.scores.items()}
    known = [*(name for name in scores if name in rows), *rows.names]  # scores first
    chosen = list(columns) or list(dict.fromkeys(known))
    for name in chosen:
        if name not in rows:
            raise UnknownName("score or component", name, rows.names)
    notes: list[str] = []
    agreements, calibration = {}, {}
    for name in chosen:
        values = rows.values(name)
        both = judged[~np.isnan(values[judged])]
        if len(both) < FEWEST or not np.ptp(values[both]) > 0:
            notes.append(f"{name}: too few different values beside labels, left out")
            continue
        cluster = _codes(rows, both)
        weight = item_weights(cluster, resamples, seed)
        agreements[name] = _agreement(
            name, values[both], labels.values[both], weight, notes,
            binary=labels.binary, higher=name not in scores or scores[name].higher_is_better,
            confidence=confidence, seed=seed,
        )  # fmt: skip
        calibration[name] = _calibration(values[both], labels.values[both], weight, confidence)
    refitted = _refit(
        rows, judged, labels.values, components or SEED_WEIGHTS, seed=seed, confidence=confidence
    )
    return Validation(
        agreements,
        calibration,
        refitted,
        labels,
        confidence,
        resamples,
        tuple(dict.fromkeys(notes)),
        agree(
            labels.annotators, binary=labels.binary, named=labels.named, resamples=resamples,
            confidence=confidence, seed=seed,
        ),
        _corrected(rows, labels, next(iter(agreements), ""), confidence),
    )  # fmt: skip


def _judged(labels: Labels) -> npt.NDArray[np.int64]:
    """Where the items stand that have a label; too few, or labels that are equal, are an error."""
    judged = np.flatnonzero(~np.isnan(labels.values))
    if len(judged) < FEWEST:
        raise InputError(f"Only {len(judged)} items have a label: {FEWEST} are needed at least")
    if not np.ptp(labels.values[judged]) > 0:
        raise InputError("All labels are equal: agreement with them cannot be measured")
    return judged


def _corrected(rows: Rows, labels: Labels, name: str, confidence: float) -> tuple[Corrected, ...]:
    """Every system's mean judgement, from its labels and the score of its other items."""
    if not name:
        return ()
    whole = codes(rows.keys["cluster"])
    systems = np.asarray(rows.keys["system"])
    found = []
    for system in dict.fromkeys(rows.keys["system"]):
        own = np.flatnonzero(systems == system)
        one = correct(
            rows.values(name)[own], labels.values[own], whole[own],
            confidence=confidence, system=system, score=name,
        )  # fmt: skip
        found += [one] if one else []
    return tuple(found)


def _codes(rows: Rows, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    labels = rows.keys["cluster"]
    return codes([labels[at] for at in places.tolist()])


def _agreement(
    name: str,
    values: Floats,
    human: Floats,
    weight: npt.NDArray[np.float32],
    notes: list[str],
    *,
    binary: bool,
    higher: bool,
    confidence: float,
    seed: int,
) -> Agreement:
    paired = np.arange(len(values))
    if len(paired) > MOST_PAIRED:
        drawn = np.random.default_rng(seed).choice(len(values), MOST_PAIRED, replace=False)
        paired = np.sort(drawn)
        notes.append(f"Kendall and pairwise accuracy on a sample of {MOST_PAIRED:,} items")
    x, y, part = values[paired], human[paired], weight[:, paired]
    ordered = x if higher else -x
    tolerance = best_tolerance(ordered, y)
    return Agreement(
        name,
        len(values),
        Estimate.of(pearson(values, human, weight), confidence),
        Estimate.of(spearman(values, human, weight), confidence),
        Estimate.of(kendall(x, y, part), confidence),
        Estimate.of(pairwise_accuracy(ordered, y, part, tolerance), confidence),
        tolerance,
        higher,
        decide(values, human, weight, confidence=confidence, higher=higher) if binary else None,
    )


def _calibration(
    values: Floats, human: Floats, weight: npt.NDArray[np.float32], confidence: float
) -> tuple[Bin, ...]:
    """Items in bins of equal number by score, with people's mean in each."""
    found = []
    order = np.argsort(values, kind="stable")
    for part in np.array_split(order, min(BINS, max(2, len(values) // FEWEST))):
        drawn = weight[:, part].astype(np.float64)
        total = drawn.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (drawn @ human[part]) / total
        estimate = Estimate.of(means, confidence)
        low = estimate.low if math.isfinite(estimate.low) else estimate.value
        high = estimate.high if math.isfinite(estimate.high) else estimate.value
        found.append(Bin(float(values[part].mean()), estimate.value, low, high, len(part)))
    return tuple(found)


def _refit(
    rows: Rows,
    judged: npt.NDArray[np.int64],
    human: Floats,
    given: Mapping[str, float],
    *,
    seed: int,
    confidence: float,
) -> Refit | None:
    names = [name for name in given if name in rows and np.isfinite(rows.values(name)).any()]
    if len(names) < 2:
        return None
    table = np.column_stack([rows.values(name) for name in names])
    both = judged[np.isfinite(table[judged]).all(axis=1)]
    columns = {name: rows.values(name)[both] for name in names}
    return refit(columns, human[both], _codes(rows, both), given, seed=seed, confidence=confidence)


__all__ = ["Agreement", "Labels", "Validation", "read_labels", "validate"]
