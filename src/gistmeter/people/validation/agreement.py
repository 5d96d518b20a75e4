"""How well a score agrees with people: correlations and pairwise accuracy, with intervals.

Pearson's r, Spearman's rho, Kendall's tau-b, and pairwise accuracy with ties (Deutsch, Foster and
Freitag 2023): the share of pairs of items that score and people put in the same order, a tie being
right where people see one; a score that is never equal gets ties by the tolerance that serves it
best, which is given with the result.

Intervals are percentile bootstraps over clusters. A resample is a row of weights, so that all of
them are computed at once: ranks as cumulative sums of weights along the sorted values, and pair
statistics as quadratic forms  w' S w  with S the matrix of signs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats, divide
from gistmeter.core.statistics import percentile_interval
from gistmeter.people.corrected import NO_ENDS, LabelledItems, corrected_mean

FEWEST_DRAWN = 20  # resamples below which there is no interval
MOST_PAIRED = 4000  # items in statistics of pairs; a seeded sample of more
ROWS = 256  # of a matrix of pairs at once


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def of(cls, values: Floats, confidence: float) -> Estimate:
        """From an array whose first entry is the data and the others its resamples."""
        value = float(values[0])
        if not math.isfinite(value):
            return cls(value)
        return cls(value, *percentile_interval(values[1:], confidence, least=FEWEST_DRAWN))


def pearson(x: Floats, y: Floats, weight: npt.NDArray[np.float32]) -> Floats:
    """Weighted correlation, one for each row of weights; x and y may differ by row."""
    total = weight.sum(axis=1, dtype=np.float64)[:, None]
    x, y = np.atleast_2d(x), np.atleast_2d(y)
    x = x - (weight * x).sum(axis=1, keepdims=True) / total
    y = y - (weight * y).sum(axis=1, keepdims=True) / total
    covariance = (weight * x * y).sum(axis=1)
    spread = np.sqrt((weight * x * x).sum(axis=1) * (weight * y * y).sum(axis=1))
    tiny = 1e-12 * total[:, 0]
    quotient: Floats = divide(covariance, np.where(spread > tiny, spread, 0.0))
    return np.atleast_1d(quotient)


def ranks(values: Floats, weight: npt.NDArray[np.float32]) -> Floats:
    """Mean ranks within each resample, an item drawn twice counting twice."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    inside = np.add.reduceat(weight[:, order], starts, axis=1, dtype=np.float64)
    middle = np.cumsum(inside, axis=1) - inside / 2 + 0.5
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(values)]))
    found = np.empty((len(weight), len(values)))
    found[:, order] = middle[:, group]
    return found


def spearman(x: Floats, y: Floats, weight: npt.NDArray[np.float32]) -> Floats:
    """Pearson's correlation of the ranks, in blocks of resamples."""
    step = max(1, 4_000_000 // max(1, len(x)))
    parts = [
        pearson(ranks(x, block), ranks(y, block), block)
        for block in (weight[at : at + step] for at in range(0, len(weight), step))
    ]
    return np.concatenate(parts)


def kendall(x: Floats, y: Floats, weight: npt.NDArray[np.float32]) -> Floats:
    """Kendall's tau-b."""
    agreed, in_x, in_y = (np.zeros(len(weight)) for _ in range(3))
    for rows in _blocks(len(x)):
        signs_x, signs_y = _signs(x, rows), _signs(y, rows)
        agreed += _form(weight, rows, signs_x * signs_y)
        in_x += _form(weight, rows, np.abs(signs_x))
        in_y += _form(weight, rows, np.abs(signs_y))
    tau: Floats = divide(agreed, np.sqrt(in_x * in_y))
    return np.atleast_1d(tau)


def pairwise_accuracy(
    x: Floats, y: Floats, weight: npt.NDArray[np.float32], tolerance: float
) -> Floats:
    """Share of pairs in the right order, score differences up to the tolerance being ties."""
    right = np.zeros(len(weight))
    for rows in _blocks(len(x)):
        gaps = x[rows, None] - x[None, :]
        guessed = np.sign(np.where(np.abs(gaps) <= tolerance, 0.0, gaps))
        correct = (guessed == _signs(y, rows)).astype(np.float32)
        correct[np.arange(len(gaps)), np.arange(len(x))[rows]] = 0  # an item with itself is no pair
        right += _form(weight, rows, correct)
    total = weight.sum(axis=1, dtype=np.float64)
    pairs = total**2 - (weight.astype(np.float64) ** 2).sum(axis=1)
    share: Floats = divide(right, pairs)
    return np.atleast_1d(share)


def best_tolerance(x: Floats, y: Floats) -> float:
    """The tolerance that makes pairwise accuracy highest; 0 where people see no ties."""
    first, second = np.triu_indices(len(x), k=1)
    gaps, truth = x[first] - x[second], np.sign(y[first] - y[second])
    if not np.any(truth == 0):
        return 0.0
    order = np.argsort(np.abs(gaps), kind="stable")
    size = np.abs(gaps)[order]
    tied = truth[order] == 0
    ordered_right = np.sign(gaps[order]) == truth[order]
    # Pairs up to a place count as ties, the others by their order.
    right = np.cumsum(tied) + (ordered_right & ~tied).sum() - np.cumsum(ordered_right & ~tied)
    last_of_size = np.r_[size[1:] != size[:-1], True]
    best = int(np.argmax(np.where(last_of_size, right, -1)))
    as_it_is = int(np.count_nonzero(ordered_right))
    return float(size[best]) if right[best] > as_it_is else 0.0


def _blocks(size: int) -> Iterator[slice]:
    for start in range(0, size, ROWS):
        yield slice(start, min(start + ROWS, size))


def _signs(values: Floats, rows: slice) -> npt.NDArray[np.float32]:
    return np.sign(values[rows, None] - values[None, :]).astype(np.float32)


def _form(weight: npt.NDArray[np.float32], rows: slice, matrix: npt.NDArray[np.float32]) -> Floats:
    """These rows' part of w' M w, for every w."""
    product = weight @ matrix.T
    return np.asarray((product * weight[:, rows]).sum(axis=1, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Decision:
    """How well a score decides."""

    auc: Estimate
    threshold: Estimate
    sensitivity: float  # share of "yes" items that the threshold lets through
    specificity: float  # share of "no" items that it keeps out


def decide(
    scores: Floats,
    labels: Floats,
    weight: npt.NDArray[np.float32],
    *,
    confidence: float,
    higher: bool = True,
) -> Decision:
    """AUC and best threshold with intervals; labels are 0 and 1."""
    sign = 1.0 if higher else -1.0
    order = np.argsort(sign * scores, kind="stable")
    values = (sign * scores)[order]
    yes = (labels[order] > 0.5).astype(np.float32)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    above = _grouped(weight[:, order] * yes, starts)
    below = _grouped(weight[:, order] * (1 - yes), starts)
    all_yes, all_no = above.sum(axis=1), below.sum(axis=1)
    lost_yes, kept_out = np.cumsum(above, axis=1), np.cumsum(below, axis=1)
    wins = (above * (kept_out - below / 2)).sum(axis=1)
    auc: Floats = np.atleast_1d(divide(wins, all_yes * all_no))
    # A cut lies above each distinct value but the last.
    gain = divide(kept_out, all_no[:, None]) - divide(lost_yes, all_yes[:, None])
    cuts = (values[starts][:-1] + values[starts][1:]) / 2
    if not len(cuts):
        return Decision(Estimate.of(auc, confidence), Estimate(float("nan")), 1.0, 0.0)
    best = np.argmax(np.nan_to_num(np.atleast_2d(gain)[:, :-1], nan=-1.0), axis=1)
    return Decision(
        Estimate.of(auc, confidence),
        Estimate.of(sign * cuts[best], confidence),
        float(1 - divide(lost_yes[0, best[0]], all_yes[0])),
        float(divide(kept_out[0, best[0]], all_no[0])),
    )


def _grouped(columns: npt.NDArray[np.float32], starts: npt.NDArray[np.intp]) -> Floats:
    return np.asarray(np.add.reduceat(columns, starts, axis=1, dtype=np.float64))


Codes = npt.NDArray[np.int64]
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Corrected:
    """What people would say of a system's items on the average."""

    system: str
    score: str  # that stands in for people
    estimate: Estimate
    labels_alone: Estimate
    labelled: int
    unlabelled: int
    weight: float  # of the score, lambda


def correct(
    values: Floats, human: Floats, clusters: Codes, *, confidence: float, system: str, score: str
) -> Corrected | None:
    """The corrected mean of one system; None where nothing is left to predict.

    The score is first given the labels' spread and direction, for they may have another scale.
    """
    scored = ~np.isnan(values)
    judged = scored & ~np.isnan(human)
    rest = scored & ~judged
    n, size = int(judged.sum()), int(rest.sum())
    if n < FEWEST or not size:
        return None
    y, f = human[judged], values[judged]
    spread = float(np.std(values[scored]))
    sign = -1.0 if float(((y - y.mean()) * (f - f.mean())).sum()) < 0 else 1.0
    scale = sign * (float(np.std(y)) / spread if spread > 0 else 0.0)
    uniform = LabelledItems.uniform(y, scale * f, scale * values[rest], ends=NO_ENDS)
    data = replace(uniform, cluster=clusters[judged])
    found, alone = (corrected_mean(data, confidence=confidence, judge_weight=w) for w in (None, 0))
    return Corrected(
        system,
        score,
        Estimate(found.value, found.low, found.high),
        Estimate(alone.value, alone.low, alone.high),
        n,
        size,
        found.judge_weight * scale,
    )
