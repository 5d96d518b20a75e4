"""Where the score misleads: slices in which it differs from people more than elsewhere.

Slices are systems, groups, languages, values of the input's further columns, and kinds of alarms.
The gap is the mean of score minus people among the labelled items inside, less that outside; its
interval is Welch's, with the level divided by the number of slices looked at (Bonferroni). Only
slices whose interval leaves out 0 are given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gistmeter.core.item_columns import columns_of
from gistmeter.core.rows import Floats
from gistmeter.core.statistics.interval import student
from gistmeter.people.validation.agreement import Estimate

if TYPE_CHECKING:
    from gistmeter.core.run import Run

FEWEST_IN_SLICE = 5  # labels of a slice of which something is said
MOST_VALUES = 40  # of a column that is a slice, and no text
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Misleading:
    """A slice of the items in which the score says something else than people."""

    column: str
    value: str
    labelled: int
    gap: Estimate  # score minus people, less the same elsewhere: above 0 the score is too mild
    score: float
    human: float


def misleading(
    run: Run, human: Floats, shares: Floats, confidence: float = 0.95
) -> list[Misleading]:
    """The slices that mislead, the largest gap first; `human` and `shares` are by row."""
    known = np.isfinite(human) & np.isfinite(shares)
    enough = [
        (column, value, known & inside)
        for column, value, inside in _slices(run)
        if min((known & inside).sum(), (known & ~inside).sum()) >= FEWEST_IN_SLICE
    ]
    level = 1 - (1 - confidence) / max(1, len(enough))
    found = [
        Misleading(
            column,
            value,
            int(inside.sum()),
            _gap((shares - human)[inside], (shares - human)[known & ~inside], level),
            float(shares[inside].mean()),
            float(human[inside].mean()),
        )
        for column, value, inside in enough
    ]
    sure = [one for one in found if one.gap.low > 0 or one.gap.high < 0]
    return sorted(sure, key=lambda one: -abs(one.gap.value))


def _gap(inside: Floats, outside: Floats, level: float) -> Estimate:
    """Welch's interval of a difference of means."""
    centre = float(inside.mean() - outside.mean())
    parts = [float(np.var(values, ddof=1)) / len(values) for values in (inside, outside)]
    variance = sum(parts)
    if variance <= 0:
        return Estimate(centre)
    ratio = sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (inside, outside), strict=True)
    )
    reach = student(level, variance**2 / ratio) * math.sqrt(variance)
    return Estimate(centre, centre - reach, centre + reach)


def _slices(run: Run) -> Iterable[tuple[str, str, Mask]]:
    """Columns with few values, and kinds of alarms, each with the rows inside."""
    rows = run.measured
    columns: dict[str, Sequence[str | None]] = {n: rows.keys[n] for n in ("system", "group")}
    further = [name for name in (*columns_of(run.notes), "language") if name in rows.texts]
    columns |= {name: rows.texts[name] for name in further}
    for name, cells in columns.items():
        values = sorted({cell for cell in cells if cell})
        if 1 < len(values) <= MOST_VALUES:
            for value in values:
                yield name, value, np.array([cell == value for cell in cells])
    for name, column in rows.numbers.items():
        if name.startswith("alarm_"):
            yield "alarm", name.removeprefix("alarm_"), np.nan_to_num(column) > 0
