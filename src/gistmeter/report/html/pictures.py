"""What goes into a section's pictures: counted, sampled and labelled here, drawn by `charts`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.report import charts, drawing
from gistmeter.report.html.overview import shown_scores
from gistmeter.report.html.scores import Comparison, headline, ordered
from gistmeter.report.html.wording import signed
from gistmeter.rows import Floats

if TYPE_CHECKING:
    from gistmeter.run import Run

MOST_SYSTEMS, MOST_GROUPS, MOST_POINTS, BINS = 12, 24, 600, 24
TEXT_COLUMNS = ("prediction", "got", "candidate", "text", "sentence", "expected", "reference")


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished picture."""

    title: str
    svg: str
    note: str = ""


def pictures(run: Run, comparison: Comparison | None) -> list[Picture]:
    """The pictures of a section; one that has nothing to show is left out."""
    name = headline(run)
    systems = ordered(run, name)[:MOST_SYSTEMS] if name else []
    if not name:
        return []
    labels = drawing.unique_labels(list(run.systems))
    drawn = (
        _intervals(run, name, systems, labels),
        _pairwise(comparison, systems, labels),
        _distributions(run, name, systems, labels),
        _by_group(run, name, systems, labels),
        _components(run, name, systems, labels),
        _lengths(run, name, systems, labels),
        _two_scores(run, systems, labels),
    )
    return [picture for picture in drawn if picture is not None]


def _intervals(
    run: Run, name: str, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    rows = [
        {
            "system": labels[system],
            "value": score.value,
            "low": score.low if math.isfinite(score.low) else score.value,
            "high": score.high if math.isfinite(score.high) else score.value,
        }
        for system in systems
        if (score := run.systems[system].scores.get(name)) and math.isfinite(score.value)
    ]
    if not rows:
        return None
    svg = charts.intervals(rows, _shown(labels, systems), name)
    return Picture(f"{name} with its interval", svg)


def _shown(labels: Mapping[str, str], systems: Sequence[str]) -> list[str]:
    return [labels[system] for system in systems]


def _components(
    run: Run, name: str, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    """The scores that share the headline's scale."""
    first = next(iter(run.systems.values())).scores[name]
    alike = [
        other
        for other in shown_scores(run)
        if all(
            held.scores[other].unit == first.unit and abs(held.scores[other].value) <= 1.5
            if first.unit == ""
            else held.scores[other].unit == first.unit
            for held in run.systems.values()
            if other in held.scores and math.isfinite(held.scores[other].value)
        )
    ]
    rows = [
        {
            "score": drawing.label(other),
            "system": labels[system],
            "value": score.value,
            "low": score.low if math.isfinite(score.low) else score.value,
            "high": score.high if math.isfinite(score.high) else score.value,
        }
        for other in alike[:10]
        for system in systems
        if (score := run.systems[system].scores.get(other)) and math.isfinite(score.value)
    ]
    if len(alike) < 2:
        return None
    names = [drawing.label(other) for other in alike[:10]]
    return Picture("All scores", charts.components(rows, _shown(labels, systems), names))


def _columns(run: Run, name: str, systems: Sequence[str]) -> dict[str, Floats]:
    """The items' values by system, where the run has them."""
    if run.rows is None or name not in run.rows:
        return {}
    owner = np.asarray(run.rows.keys["system"])
    values = run.rows.values(name)
    found = {system: values[owner == system] for system in systems}
    return {system: column for system, column in found.items() if np.isfinite(column).any()}


def _distributions(
    run: Run, name: str, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    name = _spread_score(run, name)
    columns = _columns(run, name, systems)
    everything = np.concatenate(list(columns.values())) if columns else np.zeros(0)
    everything = everything[np.isfinite(everything)]
    if len(everything) < 5:
        return None
    low, high = np.quantile(everything, [0.0, 0.995])
    if low >= high:
        return None
    if low >= 0 and high <= 1 and high - low > 0.3:
        low, high = 0.0, 1.0
    edges = np.linspace(low, high, BINS + 1)
    rows = []
    for system, column in columns.items():
        kept = np.clip(column[np.isfinite(column)], low, high)
        counts, _ = np.histogram(kept, bins=edges)
        rows += [
            {"system": labels[system], "start": start, "end": end, "count": int(number)}
            for start, end, number in zip(
                edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True
            )
        ]
    svg = charts.distributions(rows, _shown(labels, list(columns)), name)
    cut = float(everything.max()) > high
    return Picture(f"How {name} spreads", svg, f"last bar: {high:.3g} and more" if cut else "")


def _spread_score(run: Run, name: str) -> str:
    """The first score whose items take more than a few values: yes and no have no spread."""
    rows = run.rows
    for other in [name, *shown_scores(run)]:
        if rows is not None and other in rows and len(np.unique(rows.values(other)[:500])) > 5:
            return other
    return name


def _pairwise(
    comparison: Comparison | None, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    if not comparison or len(systems) < 2 or not comparison.get("pairs"):
        return None
    unit, higher = str(comparison.get("unit") or ""), bool(comparison.get("higher_is_better"))
    cells = []
    for pair in comparison["pairs"]:
        a, b, gap = str(pair["a"]), str(pair["b"]), pair["difference"]
        if a not in systems or b not in systems or gap is None:
            continue
        p = pair.get("p_corrected")
        real = p is not None and p < 0.05
        for row, column, value in ((a, b, gap), (b, a, -gap)):
            better = "better" if (value > 0) == higher else "worse"
            cells.append(
                {
                    "row": labels[row],
                    "column": labels[column],
                    "text": signed(value, unit) + (" ●" if real else ""),
                    "verdict": better if real else "even",
                }
            )
    if not cells:
        return None
    svg = charts.pairwise(cells, _shown(labels, systems))
    note = f"row − column; ● real after correction ({comparison.get('correction', '')})"
    return Picture(f"Differences in {comparison['metric']}", svg, note)


def _lengths(
    run: Run, name: str, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    name = _spread_score(run, name)
    lengths = _length_column(run)
    if lengths is None or run.rows is None or name not in run.rows:
        return None
    values, owner = run.rows.values(name), np.asarray(run.rows.keys["system"])
    points: list[dict[str, Any]] = []
    trend: list[dict[str, Any]] = []
    for system in systems:
        own = np.flatnonzero((owner == system) & np.isfinite(values) & (lengths > 0))
        if len(own) < 8:
            continue
        step = max(1, len(own) * len(systems) // MOST_POINTS)
        points += [
            {"system": labels[system], "length": float(lengths[at]), "value": float(values[at])}
            for at in own[::step].tolist()
        ]
        parts = np.array_split(own[np.argsort(lengths[own], kind="stable")], min(8, len(own) // 4))
        trend += [
            {
                "system": labels[system],
                "length": float(np.median(lengths[part])),
                "value": float(np.median(values[part])),
            }
            for part in parts
        ]
    if not points or len({point["length"] for point in points}) < 4:
        return None
    svg = charts.against_length(points, trend, _shown(labels, systems), name)
    return Picture(f"{name} against length", svg, "line: median of eighths")


def _length_column(run: Run) -> Floats | None:
    texts = run.rows.texts if run.rows is not None else {}
    column = next((texts[name] for name in TEXT_COLUMNS if name in texts), None)
    if column is None:
        return None
    return np.asarray([len(cell) if cell else 0 for cell in column], dtype=np.float64)


def _by_group(
    run: Run, name: str, systems: Sequence[str], labels: Mapping[str, str]
) -> Picture | None:
    groups = sorted({group for held in run.systems.values() for group in held.groups}, key=_natural)
    known = [
        group
        for group in groups
        if any(
            math.isfinite(run.systems[system].groups.get(group, {}).get(name, math.nan))
            for system in systems
        )
    ]
    if len(known) < 2:
        return None
    note = f"{MOST_GROUPS} of {len(known)} groups" if len(known) > MOST_GROUPS else ""
    known = _spread_out(known)
    named = drawing.unique_labels(known)
    rows = [
        {
            "group": named[group],
            "system": labels[system],
            "value": run.systems[system].groups.get(group, {}).get(name, math.nan),
        }
        for group in known
        for system in systems
    ]
    svg = charts.by_group(rows, _shown(labels, systems), list(named.values()), name)
    return Picture(f"{name} by group", svg, note)


def _spread_out(groups: list[str]) -> list[str]:
    if len(groups) <= MOST_GROUPS:
        return groups
    places = np.linspace(0, len(groups) - 1, MOST_GROUPS).round().astype(int)
    return [groups[at] for at in places.tolist()]


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Numbers in names sort as numbers: arrangement2 before arrangement10."""
    parts = re.split(r"(\d{1,12})", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _two_scores(run: Run, systems: Sequence[str], labels: Mapping[str, str]) -> Picture | None:
    """Two readings of the same thing against each other, where a family has two."""
    for x, y in (("wer", "ser"), ("wer", "sem_dist"), ("s_acc", "s_logic")):
        rows = [
            {"system": labels[system], "x": one.value, "y": two.value}
            for system in systems
            if (one := run.systems[system].scores.get(x))
            and (two := run.systems[system].scores.get(y))
            and math.isfinite(one.value + two.value)
        ]
        if len(rows) > 1:
            return Picture(f"{y} against {x}", charts.scatter(rows, _shown(labels, systems), x, y))
    return None
