"""Where the variance of a judged score comes from: the items, or the judge.

Each item is judged several times. In the one-way random model (Searle, Casella and McCulloch 1992)
the rate of answer k on item i is  mean + item_i + judge_ik, and

    judge's variance  = mean over items of the variance of an item's answers
    items' variance   = variance of the items' means − mean over items of (its variance / answers)

What the mean over n items owes to each is the standard error that would be left without the other.
The items' variance is a system's: how differently it does on different items. More items make both
errors smaller; more repeats only the judge's.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Components:
    """Two variances, the judge's share of them, and what each adds to the error of the mean."""

    items: float
    judge: float
    judge_share: float
    error_of_items: float
    error_of_judge: float
    n: int

    def to_dict(self) -> dict[str, float | int]:
        return asdict(self)


def variance_components(means: Floats, variances: Floats, answers: Floats) -> Components | None:
    """Of items with two answers or more; None where fewer than two items have them.

    A variance of the items below zero, which chance can give, is zero.
    """
    there = np.isfinite(variances) & np.isfinite(means) & (answers > 1)
    n = int(there.sum())
    if n < 2:
        return None
    judge = float(variances[there].mean())
    noise = float((variances[there] / answers[there]).mean())
    items = max(0.0, float(means[there].var(ddof=1)) - noise)
    total = items + judge
    return Components(
        items, judge, judge / total if total else 0.0,
        math.sqrt(items / n), math.sqrt(noise / n), n,
    )  # fmt: skip
