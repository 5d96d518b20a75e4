"""Slices, and several answers to an item, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gistmeter.core.repeats import CLOSE, LARGEST, Repeats
from gistmeter.core.types import Score, Sheet

if TYPE_CHECKING:
    from gistmeter.core.slices import Slices

TOLD = 4  # systems whose repeated answers get a sentence; the table has all


def slices_sheet(slices: Slices) -> Sheet:
    """Systems by slices: the score to judge by."""
    labels, scores = list(slices.parts), slices.scores
    rows: list[list[object]] = [
        [system, *(scores[label].get(system, Score("", math.nan)).value for label in labels)]
        for system in slices.systems
    ]
    return Sheet(f"{slices.score} by {slices.column}", ["system", *labels], rows)


def repeats_sheet(repeats: Sequence[Repeats]) -> Sheet:
    """The repeated answers of all systems as a table."""
    columns = [
        "system", "k", "mean", "best of k", "worst of k", "sd items", "sd samples", "stability",
        "worth",
    ]  # fmt: skip
    rows = [
        [one.system, f"{one.samples:g}", one.mean.value, one.best.value, one.worst.value,
         math.sqrt(one.between_items), math.sqrt(one.between_samples), one.stability, one.worth]
        for one in repeats
    ]  # fmt: skip
    note = (
        "k: answers to an item. sd: standard deviations of the score between items, and between "
        "answers to one item. Worth: answers from which on the standard error is within "
        f"{CLOSE:.0%} of what endless samples would leave; {LARGEST} stands for this many or more."
    )
    name = f"Repeated answers, by {repeats[0].score}" if repeats else "Repeated answers"
    return Sheet(name, columns, rows, note=note)
