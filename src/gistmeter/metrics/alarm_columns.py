"""Alarms: facts that a text tells otherwise than its reference, found by the guard.

    alarms = items with an alarm / items,   alarm_<kind> = items with an alarm of that kind / items

Kinds are number, date, unit, name, negation, quantity and comparative. With several references an
item is held against the one that it differs from least: a fact that some reference tells as the
text does is not wrong. What was found stands in the column `alarm_words`, as JSON:

    {"reference": 0, "alarms": [["number", "3", "13", [10, 11], [10, 12]]]}

with the words of reference and text, and where they stand; places are null in segments of a clip,
whose words are those of the alignment.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import ScoreInfo
from gistmeter.languages.guard import KINDS, Alarms

WORDS = "alarm_words"
NAMES = ("alarms", *(f"alarm_{kind}" for kind in KINDS))
SCORES = tuple(ScoreInfo(name, False) for name in NAMES)


@dataclass(frozen=True, slots=True)
class ItemAlarms:
    """The alarms of an item against the reference that it differs from least."""

    reference: int
    alarms: Alarms
    placed: bool = True  # whether the places are those of the texts

    def to_json(self) -> str | None:
        """None where there is nothing to tell."""
        if not self.alarms:
            return None
        listed = [
            [
                one.kind,
                one.reference_words,
                one.candidate_words,
                list(one.reference_span) if self.placed else None,
                list(one.candidate_span) if self.placed else None,
            ]
            for one in self.alarms
        ]
        kept = {"reference": self.reference, "alarms": listed}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def columns(found: Sequence[ItemAlarms | None]) -> tuple[dict[str, np.ndarray], list[str | None]]:
    """Numbers by name and the column of words; NaN and None where nothing was compared."""
    compared = [math.nan if one is None else 0.0 for one in found]
    numbers = {name: np.asarray(compared) for name in NAMES}
    for at, one in enumerate(found):
        if one is not None and one.alarms:
            numbers["alarms"][at] = 1.0
            for kind in one.alarms.kinds:
                numbers[f"alarm_{kind}"][at] = 1.0
    return numbers, [one.to_json() if one else None for one in found]


def table(rows: Rows, found: Sequence[ItemAlarms | None], reasons: Mapping[int, str]) -> Rows:
    numbers, words = columns(found)
    rows = rows.with_numbers(numbers).with_texts({WORDS: words})
    for name in NAMES:
        rows = rows.with_reasons(name, reasons)
    return rows


def shares(rows: Pool) -> dict[str, Value]:
    return {name: rows.mean(name) for name in NAMES}
