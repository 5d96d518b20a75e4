"""Why a pair has its `gist`: what the judge says of each direction, and the guard's alarms."""

from __future__ import annotations

from typing import Any

from gistmeter.core.views import Block, Row, shown

TOLD = {
    "says the same": "It says the same as the reference.",
    "leaves out": "It follows from the reference and leaves something out.",
    "says more": "It says all that the reference says, and more.",
    "contradicts": "It contradicts the reference.",
    "says something else": "It says something else than the reference.",
}


WORDS = (("unmatched", "Only in the reference", "missing"), ("added", "Only here", "extra"))


def evidence_blocks(row: Row) -> list[Block]:
    """A sentence with the judge's numbers, and the facts that differ."""
    told = row.document("evidence")
    if not isinstance(told, dict):
        return []
    numbers = (
        f"follows from the reference {_share(told, 'follows')}, says all of it"
        f" {_share(told, 'says_all')}, contradicts it {_share(told, 'contradicts')}"
    )
    sentence = TOLD.get(str(told.get("verdict")), "")
    found: list[Block] = [{"k": "note", "n": "The judge", "x": f"{sentence} ({numbers})"}]
    alarms = told.get("alarms") if "alarms" not in row.rows.numbers else None  # told already
    lines = [
        shown(f"{one.get('kind')}: {one.get('reference')} → {one.get('candidate')}", 200)
        for one in (alarms if isinstance(alarms, list) else [])
        if isinstance(one, dict)
    ]
    if lines:
        found.append({"k": "facts", "n": "Facts that differ", "g": [["Changed", "missing", lines]]})
    words = [
        [name, kind, [shown(str(word), 60) for word in told[key]]]
        for key, name, kind in WORDS
        if isinstance(told.get(key), list) and told[key]
    ]
    if words:
        found.append({"k": "facts", "n": "Words without a match", "g": words})
    return found


def _share(told: dict[str, Any], name: str) -> str:
    value = told.get(name)
    return f"{value:.0%}" if isinstance(value, int | float) else "–"
