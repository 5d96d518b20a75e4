"""What goes into a section's pictures: counted, sampled and labelled here, drawn by `charts`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.core.types import Score
from gistmeter.core.views import Chart, Dots, Lines, Opener, Point
from gistmeter.core.wording import signed
from gistmeter.report import charts
from gistmeter.report.html.items import text_column
from gistmeter.report.html.overview import Subject

MOST_SYSTEMS, MOST_GROUPS, MOST_SCORES, MOST_POINTS, BINS = 12, 24, 10, 600, 24
FITTING = 5  # systems whose matrix fits beside another picture
FEW_VALUES = 5  # yes and no have no spread
LINES = 4  # systems: medians of more would hide each other


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished picture, with the name it is asked for by."""

    name: str
    title: str
    drawing: str
    note: str = ""
    spread: bool = False  # over the whole width


def pictures(subject: Subject, opener: Opener) -> list[Picture]:
    """The pictures of a section; one that has nothing to show is left out."""
    name = subject.headline
    if not name:
        return []
    everyone = subject.ordered
    systems, spread = everyone[:MOST_SYSTEMS], _spread_score(subject)
    charts_of: dict[str, Chart | Picture | None] = {
        "intervals": _intervals(subject, name, everyone),
        "differences": _pairwise(subject, everyone),
        "distribution": _distributions(subject, spread, systems),
        "groups": _by_group(subject, name, systems),
        "scores": _components(subject, name, systems),
        "length": _lengths(subject, spread, systems),
        "against": _two_scores(subject, everyone),
    }
    charts_of |= {_slug(chart.title): chart for chart in subject.view.charts(opener)}
    return [_drawn(name, one, subject) for name, one in charts_of.items() if one is not None]


def _slug(title: str) -> str:
    """A title as a name: "Recall by tenth" is recall_by_tenth."""
    return re.sub(r"\W+", "_", title.lower()).strip("_")


def _drawn(name: str, chart: Chart | Picture, subject: Subject) -> Picture:
    """A chart as a picture; where it has room for some systems only, its note says so."""
    if isinstance(chart, Picture):
        return chart
    drawn = {point.system for point in chart.points}
    shown = [system for system in subject.ordered if system in drawn]
    note = _noted(chart.note, subject) if len(shown) == MOST_SYSTEMS else chart.note
    return Picture(name, chart.title, charts.draw(chart, subject.palette, shown), note)


def _noted(note: str, subject: Subject) -> str:
    many = len(subject.run.systems)
    cut = f"the first {MOST_SYSTEMS} of {many} systems" if many > MOST_SYSTEMS else ""
    return "; ".join(filter(None, (note, cut)))


def _point(system: str, score: Score, label: str = "") -> Point:
    return Point(system, score.value, label, low=score.low, high=score.high)


def _known(subject: Subject, name: str, systems: Sequence[str]) -> list[tuple[str, Score]]:
    scores = subject.held(name)
    return [
        (system, scores[system])
        for system in systems
        if system in scores and math.isfinite(scores[system].value)
    ]


def _intervals(subject: Subject, name: str, systems: Sequence[str]) -> Chart | None:
    points = [_point(*one) for one in _known(subject, name, systems)]
    title = f"{subject.called(name)} with its interval"
    return Dots(title, points, subject.way(name)) if points else None


def _components(subject: Subject, name: str, systems: Sequence[str]) -> Chart | None:
    """The scores that share the headline's scale."""
    unit = subject.score(name).unit
    alike = [other for other in subject.shown_scores if _shares_scale(subject, other, unit)]
    points = [
        _point(system, score, subject.called(other))
        for other in alike[:MOST_SCORES]
        for system, score in _known(subject, other, systems)
    ]
    note = "↓: lower is better"
    lower = [subject.called(other) for other in alike if not subject.score(other).higher_is_better]
    if lower and len(lower) < len(alike):
        points = [
            replace(point, label=f"{point.label} ↓") if point.label in lower else point
            for point in points
        ]
    else:
        note = "lower is better" if lower else "higher is better"
    return (
        Dots("All scores", points, f"in {unit}" if unit else "", note) if len(alike) > 1 else None
    )


def _shares_scale(subject: Subject, name: str, unit: str) -> bool:
    known = [score for score in subject.held(name).values() if math.isfinite(score.value)]
    return all(score.unit == unit and (unit != "" or abs(score.value) <= 1.5) for score in known)


def _columns(subject: Subject, name: str, systems: Sequence[str]) -> dict[str, Floats]:
    """The items' values by system, where the run has them."""
    rows = subject.run.rows
    if rows is None or name not in rows:
        return {}
    owner = np.asarray(rows.keys["system"])
    by_system = {system: rows.values(name)[owner == system] for system in systems}
    return {system: column for system, column in by_system.items() if np.isfinite(column).any()}


def _distributions(subject: Subject, name: str, systems: Sequence[str]) -> Picture | None:
    columns = _columns(subject, name, systems)
    everything = np.concatenate(list(columns.values())) if columns else np.zeros(0)
    everything = everything[np.isfinite(everything)]
    if len(everything) < FEW_VALUES:
        return None
    low, high = np.quantile(everything, [0.0, 0.995]).tolist()
    if low >= high:
        return None
    if low >= 0 and high <= 1 and high - low > 0.3:
        low, high = 0.0, 1.0
    edges = np.linspace(low, high, BINS + 1)
    counts = {}
    for system, column in columns.items():
        known = np.clip(column[np.isfinite(column)], low, high)
        counts[system] = np.histogram(known, bins=edges)[0].tolist()
    title = f"How {subject.called(name)} spreads"
    drawing = charts.spread(title, counts, edges.tolist(), subject.palette, subject.way(name))
    cut = float(everything.max()) > high
    note = f"last bar: {high:.3g} and more" if cut else ""
    return Picture("distribution", title, drawing, _noted(note, subject))


def _spread_score(subject: Subject) -> str:
    """The first score whose items take more than a few values."""
    rows = subject.run.rows
    known = [name for name in subject.shown_scores if rows is not None and name in rows]
    return next(
        (name for name in known if rows and len(np.unique(rows.values(name)[:500])) > FEW_VALUES),
        subject.headline,
    )


def _pairwise(subject: Subject, systems: Sequence[str]) -> Picture | None:
    """Every pair; of two systems the answer has said it all."""
    comparison = subject.lead
    if len(systems) < 3:
        return None
    cells: dict[tuple[str, str], tuple[str, str]] = {}
    for pair in comparison.pairs:
        a, b, gap = pair.a, pair.b, pair.difference
        if a not in systems or b not in systems or not math.isfinite(gap):
            continue
        for row, column, value in ((a, b, gap), (b, a, -gap)):
            better = "better" if (value > 0) == comparison.higher_is_better else "worse"
            text = signed(value, comparison.unit) + (" ●" if pair.is_real else "")
            cells[row, column] = text, better if pair.is_real else "even"
    if not cells:
        return None
    note = f"row − column; ● real after correction ({comparison.correction})"
    title = f"Differences in {subject.called(comparison.metric)}"
    drawing = charts.matrix(cells, systems, subject.palette)
    return Picture("differences", title, drawing, note, spread=len(systems) > FITTING)


def _lengths(subject: Subject, name: str, systems: Sequence[str]) -> Chart | None:
    """Values against the length of the text, with the medians of parts of equal number."""
    lengths, rows = _text_lengths(subject), subject.run.rows
    if lengths is None or rows is None or name not in rows:
        return None
    values, owner = rows.values(name), np.asarray(rows.keys["system"])
    cloud: list[Point] = []
    trend: list[Point] = []
    for system in systems:
        places = np.flatnonzero((owner == system) & np.isfinite(values) & (lengths > 0))
        if len(places) < 8:
            continue
        step = max(1, len(places) * len(systems) // MOST_POINTS)
        cloud += [
            Point(system, float(values[at]), x=float(lengths[at])) for at in places[::step].tolist()
        ]
        if system in systems[:LINES]:
            trend += _trend(system, lengths[places], values[places])
    if len({point.x for point in cloud}) < 4:
        return None
    title = f"{subject.called(name)} against length"
    note = "line: median of texts of like length"
    note += f", of the first {LINES} systems" if len(systems) > LINES else ""
    return Lines(title, trend, "characters", subject.way(name), note, cloud=cloud)


def _trend(system: str, lengths: Floats, values: Floats) -> list[Point]:
    """Medians of parts that do not overlap in length, so that the line never turns back."""
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, min(8, len(lengths) // 4) + 1)))
    part = np.searchsorted(edges[1:-1], lengths, side="right")
    return [
        Point(system, float(np.median(values[part == at])), x=float(np.median(lengths[part == at])))
        for at in np.unique(part).tolist()
    ]


def _text_lengths(subject: Subject) -> Floats | None:
    name = text_column(subject)
    if not name or subject.run.rows is None:
        return None
    column = subject.run.rows.texts[name]
    return np.asarray([len(cell) if cell else 0 for cell in column], dtype=np.float64)


def _by_group(subject: Subject, name: str, systems: Sequence[str]) -> Chart | None:
    by_group = {system: subject.run.systems[system].groups for system in systems}
    groups = sorted({name for values in by_group.values() for name in values}, key=_natural)
    points = {
        group: [
            Point(system, value, group or "(none)")
            for system, values in by_group.items()
            if math.isfinite(value := values.get(group, {}).get(name, math.nan))
        ]
        for group in groups
    }
    known = [group for group in groups if points[group]]
    if len(known) < 2:
        return None
    note = f"{MOST_GROUPS} of {len(known)} groups" if len(known) > MOST_GROUPS else ""
    chosen = [point for group in _spread_out(known) for point in points[group]]
    return Dots(f"{subject.called(name)} by group", chosen, subject.way(name), note)


def _spread_out(groups: list[str]) -> list[str]:
    if len(groups) <= MOST_GROUPS:
        return groups
    places = np.linspace(0, len(groups) - 1, MOST_GROUPS).round().astype(int)
    return [groups[at] for at in places.tolist()]


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Numbers in names sort as numbers: arrangement2 before arrangement10."""
    parts = re.split(r"(\d{1,12})", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _two_scores(subject: Subject, systems: Sequence[str]) -> Chart | None:
    """Two readings of the same thing against each other, where the family names such."""
    for x, y in subject.view.against:
        across, up = subject.held(x), subject.held(y)
        points = [
            Point(system, up[system].value, x=across[system].value)
            for system in systems
            if system in across and system in up
            if math.isfinite(up[system].value + across[system].value)
        ]
        if len(points) > 2:
            title = f"{subject.called(y)} against {subject.called(x)}"
            below, beside = (f"{subject.called(one)}, {subject.way(one)}" for one in (x, y))
            return Lines(title, points, below, beside, joined=False)
    return None
