"""What a report shows of the guard's alarms, and why a pair has its `gist`.

What is read here was written to disk by a run and may be broken: whatever is not as it should be is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gistmeter.core.views import Block, Row, shown

COLUMN = "alarm_words"
CHANGED, JUDGED = "Changed facts", "The judge"  # titles of the notes that say why
NAMES = {
    "alarms": "changed facts", "alarm_number": "other numbers", "alarm_date": "other dates",
    "alarm_unit": "other units", "alarm_name": "other names", "alarm_negation": "denied or not",
    "alarm_quantity": "other quantity words", "alarm_comparative": "other comparisons",
    "alarm_word": "other words",
}  # fmt: skip
NOTHING = "(nothing)"
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
        return [{"k": "note", "n": CHANGED, "x": shown("; ".join(self.lines), 1000)}]

    def add(self, alarm: Any) -> None:
        if not (isinstance(alarm, list) and len(alarm) == 5):
            return
        kind, before, after, expected, said = alarm
        self.lines.append(f"{kind}: {before or NOTHING} → {after or NOTHING}")
        for marks, span in ((self.expected, expected), (self.said, said)):
            if isinstance(span, list) and len(span) == 2:
                marks.append([*span, "alarm"])


def shown_alarms(row: Row) -> ShownAlarms:
    """The alarms of a row, which claims its columns."""
    row.used |= NAMES.keys()
    document = row.document(COLUMN)
    made = ShownAlarms()
    if isinstance(document, dict):
        at, alarms = document.get("reference"), document.get("alarms")
        made.reference = at if isinstance(at, int) else 0
        for alarm in alarms if isinstance(alarms, list) else []:
            made.add(alarm)
    return made


VERDICTS = {
    "says the same": "It says the same as the reference.",
    "leaves out": "It follows from the reference and leaves something out.",
    "says more": "It says all that the reference says, and more.",
    "contradicts": "It contradicts the reference.",
    "says something else": "It says something else than the reference.",
    "says nothing": "It says nothing of what was said.",
}
BESIDE_SOURCE = {  # of a candidate beside a reference that is much longer
    "says the same": "Its source, which is much longer, supports it.",
    "contradicts": "It contradicts its source, which is much longer.",
    "leaves out": "Its source, which is much longer, may support it.",
}
NOT_IN_SOURCE = "Its source, which is much longer, does not support it."
WORDS = (("unmatched", "Only in the reference", "missing"), ("added", "Only here", "extra"))


def evidence_blocks(row: Row) -> list[Block]:
    """A sentence with the judge's numbers, and the facts that differ."""
    evidence = row.document("evidence")
    if not isinstance(evidence, dict):
        return []
    named = str(evidence.get("verdict"))
    beside_source = evidence.get("source") is True
    sentence = VERDICTS.get(named, "")
    if beside_source:
        sentence = BESIDE_SOURCE.get(named, NOT_IN_SOURCE)
        if isinstance(least := evidence.get("sentence"), str):
            sentence += f" Of its sentences the least supported: “{shown(least, 200)}”"
    if "follows" not in evidence:
        return [{"k": "note", "n": JUDGED, "x": sentence}]
    numbers = (
        f"follows from the reference {_share(evidence, 'follows')}, says all of it"
        f" {_share(evidence, 'says_all')}, contradicts it {_share(evidence, 'contradicts')}"
    )
    blocks: list[Block] = [{"k": "note", "n": JUDGED, "x": f"{sentence} ({numbers})"}]
    alarms = (
        evidence.get("alarms") if "alarms" not in row.rows.numbers else None
    )  # shown by themselves
    lines = [
        shown(f"{alarm.get('kind')}: {alarm.get('reference')} → {alarm.get('candidate')}", 200)
        for alarm in (alarms if isinstance(alarms, list) else [])
        if isinstance(alarm, dict)
    ]
    if lines:
        blocks.append(
            {"k": "facts", "n": "Facts that differ", "g": [["Changed", "missing", lines]]}
        )
    words = [
        [name, kind, [shown(str(word), 60) for word in evidence[key]]]
        for key, name, kind in WORDS
        if isinstance(evidence.get(key), list) and evidence[key]
    ]
    if words:
        blocks.append({"k": "facts", "n": "Words without a match", "g": words})
    return blocks


def _share(evidence: dict[str, Any], name: str) -> str:
    value = evidence.get(name)
    return f"{value:.0%}" if isinstance(value, int | float) else "–"
