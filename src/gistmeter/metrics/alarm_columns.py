"""Alarms: facts that a text states differently from its reference, found by the guard.

    alarms = items with an alarm / items,   alarm_<kind> = items with an alarm of that kind / items

Kinds are number, date, unit, name, negation, quantity and comparative. With several references an
item is held against the one that it differs from least: a fact that some reference states as the
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
    parts: tuple[int, ...] = ()  # the part of the item that each alarm is in, if it has several
    size: int = 1  # parts of the item

    def share(self, kind: str = "") -> float:
        """The share of its parts with an alarm, or one of a kind; of a single part 0 or 1."""
        parts = self.parts or (0,) * len(self.alarms)
        hit = {
            part
            for alarm, part in zip(self.alarms, parts, strict=True)
            if not kind or alarm.kind == kind
        }
        return len(hit) / self.size

    def to_json(self) -> str | None:
        """None where there is no alarm."""
        if not self.alarms:
            return None
        listed = [
            [
                alarm.kind,
                alarm.reference_words,
                alarm.candidate_words,
                list(alarm.reference_span) if self.placed else None,
                list(alarm.candidate_span) if self.placed else None,
            ]
            for alarm in self.alarms
        ]
        kept = {"reference": self.reference, "alarms": listed}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def columns(items: Sequence[ItemAlarms | None]) -> tuple[dict[str, np.ndarray], list[str | None]]:
    """Numbers by name and the column of words; NaN and None where nothing was compared."""
    compared = [math.nan if item is None else 0.0 for item in items]
    numbers = {name: np.asarray(compared) for name in NAMES}
    for at, item in enumerate(items):
        if item is not None and item.alarms:
            numbers["alarms"][at] = item.share()
            for kind in item.alarms.kinds:
                numbers[f"alarm_{kind}"][at] = item.share(kind)
    return numbers, [item.to_json() if item else None for item in items]


def table(rows: Rows, items: Sequence[ItemAlarms | None], reasons: Mapping[int, str]) -> Rows:
    numbers, words = columns(items)
    rows = rows.with_numbers(numbers).with_texts({WORDS: words})
    for name in NAMES:
        rows = rows.with_reasons(name, reasons)
    return rows


def shares(rows: Pool) -> dict[str, Value]:
    return {name: rows.mean(name) for name in NAMES}
