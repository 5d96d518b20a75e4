"""The items to look at first: the worst, and those on which systems differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gistmeter.core.answer import Standing
from gistmeter.core.rows import Rows


@dataclass(frozen=True, slots=True)
class Highlight:
    """One item with the values that some systems have on it, and a text to know it by."""

    name: str
    values: Mapping[str, float] = field(default_factory=dict)
    text: str = ""


def judged_by(standing: Standing) -> str:
    """The score that items are ordered by: the headline, else the first that items have."""
    rows = standing.run.rows
    if rows is None:
        return ""
    known = (name for name in standing.shown_scores if name in rows.numbers)
    return next((name for name in known if np.isfinite(rows.values(name)).any()), "")


def worst(standing: Standing, most: int = 3) -> list[Highlight]:
    """The items with the worst values; those that are perfect are not among them."""
    rows, name = standing.run.rows, judged_by(standing)
    if rows is None or not name:
        return []
    score = standing.score(name)
    values = rows.values(name)
    order = np.argsort(values if score.higher_is_better else -values, kind="stable")
    best = (np.nanmax if score.higher_is_better else np.nanmin)(values)
    chosen: dict[str, int] = {}  # an item that several systems fail is named once
    for at in order.tolist():
        if math.isfinite(values[at]) and values[at] != best and len(chosen) < most:
            chosen.setdefault(rows.keys["id"][at], at)
    return [
        Highlight(
            _name(rows, at), {rows.keys["system"][at]: float(values[at])}, _text(standing, rows, at)
        )
        for at in chosen.values()
    ]


def apart(standing: Standing, most: int = 3) -> list[Highlight]:
    """The items on which the systems' values lie furthest apart."""
    rows, name = standing.run.rows, judged_by(standing)
    if rows is None or not name or len(standing.run.systems) < 2 or standing.has_parts:
        return []
    values = rows.values(name)
    places: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(rows.keys["id"], rows.keys["group"], strict=True)):
        if math.isfinite(values[at]):
            places.setdefault(key, []).append(at)
    gaps = [(float(np.ptp(values[own])), own) for own in places.values() if len(own) > 1]
    gaps = sorted((gap for gap in gaps if gap[0] > 0), key=lambda gap: -gap[0])
    return [
        Highlight(
            _name(rows, own[0]),
            {rows.keys["system"][at]: float(values[at]) for at in _ranked(standing, rows, own)},
            _reference(standing, rows, own[0]),
        )
        for own in _once(rows, gaps)[:most]
    ]


def _once(rows: Rows, gaps: Sequence[tuple[float, list[int]]]) -> list[list[int]]:
    """The places of each item once: in the group where it differs most."""
    kept: dict[str, list[int]] = {}
    for _, own in gaps:
        kept.setdefault(rows.keys["id"][own[0]], own)
    return list(kept.values())


def _ranked(standing: Standing, rows: Rows, places: Sequence[int]) -> list[int]:
    order = standing.ordered
    return sorted(places, key=lambda at: order.index(rows.keys["system"][at]))


def _name(rows: Rows, at: int) -> str:
    name, group = rows.keys["id"][at], rows.keys["group"][at]
    return f"{name} ({group})" if group and group not in name else name


def _text(standing: Standing, rows: Rows, at: int) -> str:
    named = (*standing.view.texts, *rows.texts)
    column = next((name for name in named if name in rows.texts), "")
    return (rows.texts[column][at] or "") if column else ""


def _reference(standing: Standing, rows: Rows, at: int) -> str:
    column = rows.texts.get(standing.view.reference)
    return (column[at] or "") if column is not None else ""
