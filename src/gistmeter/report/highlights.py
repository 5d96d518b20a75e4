"""The items to look at first: the worst, and those on which systems differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from gistmeter.core.comparison.answer import Standing
from gistmeter.core.rows import Floats, Rows


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
    means = {own[0]: _means(standing, rows, values, own) for own in places.values()}
    gaps = {first: max(held.values()) - min(held.values()) for first, held in means.items()}
    order = sorted((first for first in means if gaps[first] > 0), key=lambda first: -gaps[first])
    return [
        Highlight(_name(rows, first), means[first], _reference(standing, rows, first))
        for first in _once(rows, order)[:most]
    ]


def _means(
    standing: Standing, rows: Rows, values: Floats, places: Sequence[int]
) -> dict[str, float]:
    """Each system's value on one item, the best system first; of several answers the mean."""
    by_system: dict[str, list[float]] = {}
    for at in places:
        by_system.setdefault(rows.keys["system"][at], []).append(float(values[at]))
    order = standing.ordered
    return {system: fmean(by_system[system]) for system in sorted(by_system, key=order.index)}


def _once(rows: Rows, places: Sequence[int]) -> list[int]:
    """A place of each item once: in the group where it differs most."""
    kept: dict[str, int] = {}
    for at in places:
        kept.setdefault(rows.keys["id"][at], at)
    return list(kept.values())


def _name(rows: Rows, at: int) -> str:
    name, group = rows.keys["id"][at], rows.keys["group"][at]
    return f"{name} ({group})" if group and group not in name else name


def _text(standing: Standing, rows: Rows, at: int) -> str:
    cells = (
        rows.texts[name][at] for name in (*standing.view.texts, *rows.texts) if name in rows.texts
    )
    return next(filter(None, cells), "")


def _reference(standing: Standing, rows: Rows, at: int) -> str:
    column = rows.texts.get(standing.view.reference)
    return (column[at] or "") if column is not None else ""
