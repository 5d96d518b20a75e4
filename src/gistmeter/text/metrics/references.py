"""Several references for one candidate: every pair is judged, then the judgements are put together.

A candidate is compared with each of its references r_1 … r_k, and the values v_1 … v_k become one:
their maximum ("some reference agrees") or their mean ("the references agree on the whole"). Values
that a model could not give are left out; without any value the result is undefined. Where a system
was made to be compared with the whole cell of its references (`against`), that is one reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Rows
from gistmeter.core.types import Pair

Aggregate = Literal["max", "mean"]
AGGREGATES: tuple[Aggregate, ...] = ("max", "mean")
Floats = npt.NDArray[np.float64]

NO_PREDICTION = "no prediction"
NO_REFERENCE = "no reference"
COUNTED = "no prediction, counted as 0"
CELL = "cell"  # a field of pairs: their references as they stood in a table, where that differs
BETWEEN = " || "
Against = Literal["references", "cell"]  # what a candidate is compared with
Missing = Literal["unscored", "zero"]  # what a missing prediction is


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every candidate with every reference of its own, one after another."""

    candidates: list[str]
    references: list[str]
    owner: npt.NDArray[np.int64]  # the row that each comparison belongs to; never decreases
    rows: int
    reasons: Mapping[int, str]  # rows without any comparison

    @classmethod
    def of(cls, pairs: Sequence[Pair], against: Against = "references") -> Comparisons:
        candidates: list[str] = []
        references: list[str] = []
        owner: list[int] = []
        reasons: dict[int, str] = {}
        for at, pair in enumerate(pairs):
            known = [reference for reference in pair.references if reference.strip()]
            if known and against == "cell":
                known = [pair.fields.get(CELL) or BETWEEN.join(known)]
            if not (pair.candidate or "").strip():
                reasons[at] = NO_PREDICTION
            elif not known:
                reasons[at] = NO_REFERENCE
            else:
                candidates += [pair.candidate or ""] * len(known)
                references += known
                owner += [at] * len(known)
        return cls(candidates, references, np.asarray(owner, dtype=np.int64), len(pairs), reasons)

    def __len__(self) -> int:
        return len(self.candidates)

    def aggregate(self, values: npt.ArrayLike, how: Aggregate) -> Floats:
        """One value a row, NaN where no comparison of the row has one."""
        column = np.asarray(values, dtype=np.float64)
        seen = ~np.isnan(column)
        owner, column = self.owner[seen], column[seen]
        result = np.full(self.rows, np.nan)
        if how == "mean":
            counts = np.bincount(owner, minlength=self.rows)
            sums = np.bincount(owner, column, minlength=self.rows)
            np.divide(sums, counts, out=result, where=counts > 0)
        elif len(owner):
            starts = np.flatnonzero(np.diff(owner, prepend=-1))
            result[owner[starts]] = np.maximum.reduceat(column, starts)
        return result

    def best(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """For each row the comparison whose value is highest (the first of equals), or -1."""
        column = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=-np.inf)
        order = np.lexsort((-np.arange(len(column)), column, self.owner))
        found = np.full(self.rows, -1, dtype=np.int64)
        if len(order):
            ends = np.flatnonzero(np.diff(self.owner[order], append=self.rows))
            found[self.owner[order][ends]] = order[ends]
        return found

    def blame(self, failures: Mapping[int, str]) -> dict[int, str]:
        """Failures by comparison as reasons by row."""
        return {int(self.owner[at]): why for at, why in sorted(failures.items(), reverse=True)}


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


def shown(pairs: Sequence[Pair]) -> dict[str, list[str | None]]:
    """The texts that a reader wants beside the numbers."""
    return {
        "prediction": [pair.candidate for pair in pairs],
        "reference": [BETWEEN.join(pair.references) or None for pair in pairs],
    }
