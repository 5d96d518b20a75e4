"""Charts as HTML and SVG of our own, without a drawing library.

Places across are percentages and everything else is in pixels, so a chart fills the width it is
given while its letters and marks keep their size, on a phone as on a desk.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from gistmeter.core.views import Chart, Dots, Lines, Point
from gistmeter.report.drawing import UNSAFE, Axis, Palette, tag, unique_labels

NEAR = 4.0  # per cent of the width within which two marks would cover each other
LANE = 12  # pixels between marks that stand above each other


def draw(chart: Chart, palette: Palette, systems: Sequence[str]) -> str:
    """A chart for the page; systems in the order of its legend."""
    return (
        dots(chart, palette, systems) if isinstance(chart, Dots) else lines(chart, palette, systems)
    )


def dots(chart: Dots, palette: Palette, systems: Sequence[str]) -> str:
    """A row for each label; marks that would cover each other stand above each other."""
    points = [point for point in chart.points if math.isfinite(point.value)]
    numbers = [number for point in points for number in (point.value, point.low, point.high)]
    scale = Axis.around(numbers)
    rows: dict[str, list[Point]] = {}
    for point in points:
        rows.setdefault(point.label or point.system, []).append(point)
    names = unique_labels(rows)
    drawn = []
    for name, row in rows.items():
        row.sort(key=lambda point: systems.index(point.system))
        drawn += [_name(names[name], name), _dots_row(row, scale, palette)]
    legend = "" if all(not point.label for point in points) else palette.legend(systems)
    grid = tag("div", {"class": "rows"}, *drawn, *_foot(scale, chart.axis))
    return _figure(chart.title, points, legend + grid)


def _name(short: str, whole: str) -> str:
    title = UNSAFE.sub("\ufffd", whole)[:300]
    kind = "label words" if " (" in short else "label"  # a score in plain words may take two lines
    return tag("span", {"class": kind, "dir": "auto", "title": title}, escape(short))


def _dots_row(points: Sequence[Point], scale: Axis, palette: Palette) -> str:
    lanes = _lanes(points, scale)
    height = 24 + LANE * max(lanes)
    inside = [_grid(scale)]
    for point, lane in zip(points, lanes, strict=True):
        y = 12 + LANE * lane
        if math.isfinite(point.low) and math.isfinite(point.high):
            ends = {"x1": f"{scale.place(point.low)}%", "x2": f"{scale.place(point.high)}%"}
            colour = f"span s{palette.colour(point.system)}"
            inside.append(tag("line", {**ends, "y1": y, "y2": y, "class": colour}))
        inside.append(_mark(point, f"{scale.place(point.value)}%", y, palette))
    return tag("svg", {"class": "row", "height": height}, *inside)


def _lanes(points: Sequence[Point], scale: Axis) -> list[int]:
    """Each point's lane: the first in which it covers no other."""
    ends: list[list[tuple[float, float]]] = []
    lanes = []
    for point in points:
        known = [number for number in (point.value, point.low, point.high) if math.isfinite(number)]
        low, high = scale.place(min(known)) - NEAR / 2, scale.place(max(known)) + NEAR / 2
        lane = next(
            (at for at, taken in enumerate(ends) if all(high <= a or low >= b for a, b in taken)),
            len(ends),
        )
        ends += [[]] if lane == len(ends) else []
        ends[lane].append((low, high))
        lanes.append(lane)
    return lanes


def _mark(point: Point, x: str, y: object, palette: Palette) -> str:
    title = escape(f"{palette.labels.get(point.system, '')} {spelled(point)}".strip())
    shape = {"d": palette.mark(point.system), "class": "mark"}
    path = tag("path", shape, f"<title>{title}</title>")
    return tag("svg", {"x": x, "y": y, "class": f"at s{palette.colour(point.system)}"}, path)


def spelled(point: Point) -> str:
    bounds = math.isfinite(point.low) and math.isfinite(point.high) and point.low < point.high
    value = f"{point.value:.4g}"
    return f"{value} ({point.low:.4g} – {point.high:.4g})" if bounds else value


def _grid(scale: Axis) -> str:
    return "".join(
        tag("line", {"x1": f"{place}%", "x2": f"{place}%", "y1": 0, "y2": "100%", "class": "grid"})
        for place in map(scale.place, scale.ticks())
    )


def _foot(scale: Axis, title: str) -> list[str]:
    """The last rows: the numbers, and what they are."""
    numbers = tag("svg", {"class": "row", "height": 18}, _numbers(scale, 14))
    return ["<span></span>", numbers, "<span></span>", _axis(title)]


def _numbers(scale: Axis, y: object) -> str:
    return "".join(
        tag("text", {"x": f"{scale.place(value)}%", "y": y, "class": "tick"}, _short(value))
        for value in scale.ticks()
    )


def _axis(title: str) -> str:
    return tag("p", {"class": "axis"}, escape(title)) if title else "<span></span>"


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}"


def _figure(title: str, points: Sequence[Point], inside: str) -> str:
    """A chart with its values as text, for those who do not see it."""
    values = []
    for point in points[:24]:
        place = point.label or (f"at {point.x:g}" if math.isfinite(point.x) else "")
        values.append(f"{place} {point.system} {spelled(point)}".strip())
    spoken = UNSAFE.sub("\ufffd", f"{title}: {'; '.join(values)}")[:1500]
    return tag("div", {"class": "chart", "role": "img", "aria-label": spoken}, inside)


def lines(chart: Lines, palette: Palette, systems: Sequence[str]) -> str:
    """Values against x, with a line for each system unless the points stand alone."""
    points = [point for point in chart.points if math.isfinite(point.x + point.value)]
    everything = [*points, *chart.cloud]
    xs = [point.x for point in everything]
    wide = bool(chart.cloud) and max(xs) > 20 * max(1.0, min(xs))
    across = Axis(max(1.0, min(xs)), max(xs), log=True) if wide else Axis.around(xs, share=0.04)
    bounds = [other for point in everything for other in (point.value, point.low, point.high)]
    up = Axis(*chart.extent) if chart.extent else Axis.around(bounds)
    inside = [_grid(across), _shelves(up)]
    for point in chart.cloud:
        place = {"cx": f"{across.place(point.x)}%", "cy": f"{100 - up.place(point.value):.1f}%"}
        colour = f"cloud s{palette.colour(point.system)}"
        inside.append(tag("circle", {**place, "r": 2.5, "class": colour}))
    alone = chart.cloud or not chart.joined
    aside = [0.0] * (len(systems) + 1) if alone else _aside(len(systems), across)
    for system, shift in zip([*systems, ""], aside, strict=False):
        placed = [replace(other, x=other.x + shift) for other in points if other.system == system]
        inside += [_line(placed, across, up, palette.colour(system))] if chart.joined else []
        for point in placed:
            inside.append(_upright(point, across, up, palette))
            y = f"{100 - up.place(point.value):.2f}%"
            inside.append(_mark(point, f"{across.place(point.x)}%", y, palette))
    height = 190
    inside.append(_numbers(across, height + 16))
    plot = tag("svg", {"class": "plot", "height": height}, *inside)
    shown = [system for system in systems if any(point.system == system for point in everything)]
    over = tag("p", {"class": "axis over"}, escape(chart.y))
    return _figure(chart.title, points, palette.legend(shown) + over + plot + _axis(chart.x))


def _aside(systems: int, across: Axis) -> list[float]:
    """How far each system stands beside its place, so that equal values are all seen."""
    step = 0.012 * (across.high - across.low)
    return [step * (at - (systems - 1) / 2) for at in range(systems)] or [0.0]


def _upright(point: Point, across: Axis, up: Axis, palette: Palette) -> str:
    if not (math.isfinite(point.low) and math.isfinite(point.high)):
        return ""
    x = f"{across.place(point.x)}%"
    ends = {"y1": f"{100 - up.place(point.low)}%", "y2": f"{100 - up.place(point.high)}%"}
    return tag("line", {"x1": x, "x2": x, **ends, "class": f"span s{palette.colour(point.system)}"})


def _shelves(scale: Axis) -> str:
    drawn = []
    for value in scale.ticks():
        y = f"{100 - scale.place(value)}%"
        drawn.append(tag("line", {"x1": 0, "x2": "100%", "y1": y, "y2": y, "class": "grid"}))
        drawn.append(tag("text", {"x": -8, "y": y, "dy": 4, "class": "tick end"}, _short(value)))
    return "".join(drawn)


def _line(points: Sequence[Point], across: Axis, up: Axis, colour: int) -> str:
    """A line in a box of its own that stretches; its width does not."""
    if len(points) < 2:
        return ""
    ordered = sorted(points, key=lambda point: point.x)
    way = "L".join(f"{across.place(p.x)},{100 - up.place(p.value):.2f}" for p in ordered)
    box = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none"}
    box |= {"width": "100%", "height": "100%"}
    shape = {"d": f"M{way}", "class": f"line s{colour}", "vector-effect": "non-scaling-stroke"}
    return tag("svg", box, tag("path", shape))


def spread(
    title: str, counts: Mapping[str, Sequence[int]], edges: Sequence[float], palette: Palette,
    axis: str = "",
) -> str:  # fmt: skip
    """How many items have which value, a row for each system."""
    scale = Axis(edges[0], edges[-1])
    most = max(map(max, counts.values()), default=1) or 1
    height = 120 if len(counts) == 1 else max(34, min(64, 300 // len(counts)))
    drawn = []
    for system, bins in counts.items():
        bars = [_grid(scale)]
        for at, count in enumerate(bins):
            if count:
                left, right = scale.place(edges[at]), scale.place(edges[at + 1])
                tall = round((height - 6) * count / most, 1)
                shape = {"x": f"{left}%", "width": f"{max(0.5, right - left - 0.4):.2f}%"}
                shape |= {"y": f"{height - tall:.1f}", "height": f"{tall}"}
                shape |= {"class": f"bar s{palette.colour(system)}"}
                title_of_bar = f"{edges[at]:.3g} to {edges[at + 1]:.3g}: {count:,}"
                bars.append(tag("rect", shape, f"<title>{title_of_bar}</title>"))
        sign = palette.sign(system) if len(counts) > 1 else ""
        short = palette.labels[system]
        drawn.append(tag("span", {"class": "label", "dir": "auto"}, sign, escape(short)))
        drawn.append(tag("svg", {"class": "row floor", "height": height}, *bars))
    grid = tag("div", {"class": "rows"}, *drawn, *_foot(scale, axis))
    return _figure(title, [], grid)


def matrix(
    cells: Mapping[tuple[str, str], tuple[str, str]], systems: Sequence[str], palette: Palette
) -> str:
    """Who beats whom, as a table: the text and the verdict (better, worse, even) of each pair."""
    # The columns are the rows again: their marks are enough, and leave room for the numbers.
    heads = "".join(
        tag("th", {"scope": "col", "title": palette.labels[one], "aria-label": palette.labels[one]},
            palette.sign(one))
        for one in systems
    )  # fmt: skip
    body = ""
    for row in systems:
        body += f'<tr><th scope="row">{palette.sign(row)}{escape(palette.labels[row])}</th>'
        for column in systems:
            text, verdict = cells.get((row, column), ("", "none"))
            body += tag("td", {"class": f"number {verdict}"}, escape(text))
        body += "</tr>"
    table = f"<thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody>"
    scroll = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "Differences"}
    return tag("div", scroll, tag("table", {"class": "matrix"}, table))
