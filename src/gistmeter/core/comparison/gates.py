"""Gates: is a system shown to be worse than a baseline, or not shown to be as good?"""

from __future__ import annotations

import math

from gistmeter.core.comparison.results import Comparison, PairedDifference
from gistmeter.core.wording import gap


def loss(comparison: Comparison, pair: PairedDifference, margin: float | None) -> str:
    """What is lost against the baseline `pair.b`; empty where the gate stays open.

    Without a margin the gate closes where the interval shows a loss. With one it closes unless the
    interval excludes a loss of more than the margin (non-inferiority).
    """
    sign = 1 if comparison.higher_is_better else -1
    low, high = sorted((sign * pair.low, sign * pair.high))
    label, unit = f"{pair.a}: {comparison.metric}", comparison.unit
    if math.isnan(low):
        return f"{label} could not be compared with {pair.b} {pair.note}".rstrip()
    if margin is None:
        least, most = gap(high, unit), gap(low, unit)
        return f"{label} is worse than {pair.b} by {least} to {most}" if high < 0 else ""
    if low >= -margin:
        return ""
    return (
        f"{label} may be worse than {pair.b} by up to {gap(low, unit)}, more than the margin of "
        f"{margin:g}"
    )
