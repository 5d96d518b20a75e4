"""From a score to a yes or no: AUC, and the threshold that decides best.

AUC is the probability that a "yes" item scores above a "no" item (ties as halves). The threshold
maximises Youden's J = sensitivity + specificity - 1 for the rule "yes where the score is at least
the threshold" (at most, for a score that is better when lower); it lies half-way between the two
neighbouring scores, and is what `--fail-under` can be given with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats, divide
from gistmeter.core.validation.agreement import Estimate


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
