"""What a prediction that is missing counts: nothing, or 0 where that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from gistmeter.core.rows import Rows

Missing = Literal["unscored", "zero"]
NO_PREDICTION, NO_REFERENCE = "no prediction", "no reference"
COUNTED = "no prediction, counted as 0"


def counted(rows: Rows, names: Sequence[str], missing: Missing) -> Rows:
    """Rows in which a missing prediction scores 0, with the reason kept, where that is asked."""
    if missing == "unscored":
        return rows
    columns, reasons = {}, {}
    for name in names:
        known = rows.reasons.get(name, {})
        absent = [at for at, why in known.items() if why == NO_PREDICTION]
        column = rows.values(name).copy()
        column[absent] = 0.0
        columns[name] = column
        reasons[name] = {**known, **dict.fromkeys(absent, COUNTED)}
    return replace(rows.with_numbers(columns), reasons={**rows.reasons, **reasons})
