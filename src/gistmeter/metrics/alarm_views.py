"""The guard's alarms as texts and speech show them: words marked in both texts, and a line of each.

What is read here was written to disk by a run and may be broken: whatever is not as it should be is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gistmeter.core.views import Block, Row, shown

COLUMN = "alarm_words"
NAMES = {
    "alarms": "facts told otherwise", "alarm_number": "other numbers", "alarm_date": "other dates",
    "alarm_unit": "other units", "alarm_name": "other names", "alarm_negation": "denied or not",
    "alarm_quantity": "other quantity words", "alarm_comparative": "other comparisons",
}  # fmt: skip
Marks = list[list[Any]]  # start, end, "alarm"


@dataclass(slots=True)
class ShownAlarms:
    """The marks of an item's texts, and the alarms in words."""

    reference: int = 0  # which of the references
    expected: Marks = field(default_factory=list)
    said: Marks = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def blocks(self) -> list[Block]:
        """A note of all alarms; nothing where there are none."""
        if not self.lines:
            return []
        return [{"k": "note", "n": "Changed facts", "x": shown("; ".join(self.lines), 1000)}]

    def add(self, alarm: Any) -> None:
        if not (isinstance(alarm, list) and len(alarm) == 5):
            return
        kind, before, after, expected, said = alarm
        self.lines.append(f"{kind}: {before} → {after}")
        for marks, span in ((self.expected, expected), (self.said, said)):
            if isinstance(span, list) and len(span) == 2:
                marks.append([*span, "alarm"])


def shown_alarms(row: Row) -> ShownAlarms:
    """The alarms of a row, which claims its columns."""
    row.used |= NAMES.keys()
    found = row.document(COLUMN)
    made = ShownAlarms()
    if isinstance(found, dict):
        at, alarms = found.get("reference"), found.get("alarms")
        made.reference = at if isinstance(at, int) else 0
        for alarm in alarms if isinstance(alarms, list) else []:
            made.add(alarm)
    return made
