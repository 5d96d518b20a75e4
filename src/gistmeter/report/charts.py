"""Pictures: Altair describes them, vl-convert renders them, the page carries them as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gistmeter.errors import MissingDependency
from gistmeter.report.drawing import BETTER, EVEN, INK, PALETTE, WORSE, image, render

SHAPES = (
    "circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
WIDTH = 440
SHADES = 8


def _altair() -> Any:
    try:
        import altair
    except ImportError as error:
        raise MissingDependency("altair", "report", "Drawing a report's pictures") from error
    return altair


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _rows(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Data for Altair: plain values, in which NaN has become null."""
    alt = _altair()
    plain = [
        {key: value if isinstance(value, str) else _number(value) for key, value in row.items()}
        for row in rows
    ]
    return alt.Data(values=plain)


def _systems(alt: Any, names: Sequence[str], *, legend: bool = True) -> tuple[Any, Any]:
    """Colour and shape of the systems, the same in every picture of a section."""
    scale = [PALETTE[at % len(PALETTE)] for at in range(len(names))]
    shapes = [SHAPES[at % len(SHAPES)] for at in range(len(names))]
    shown = alt.Legend(title=None, orient="top", columns=3) if legend and len(names) > 1 else None
    domain = list(names)
    return (
        alt.Color("system:N", scale=alt.Scale(domain=domain, range=scale), legend=shown),
        alt.Shape("system:N", scale=alt.Scale(domain=domain, range=shapes), legend=shown),
    )


def _padded(values: Sequence[float | None], *, share: float = 0.08) -> list[float]:
    """The extent of some numbers with a little room on either side."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return [0.0, 1.0]
    low, high = min(known), max(known)
    room = (high - low) * share or abs(high) * share or 0.05
    return [low - room, high + room]


def intervals(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], title: str) -> str:
    """Each system's score as a point on its interval. Rows: system, value, low, high."""
    alt = _altair()
    colour, shape = _systems(alt, systems, legend=False)
    extent = _padded([_number(row[key]) for row in rows for key in ("value", "low", "high")])
    base = alt.Chart(_rows(rows)).encode(
        y=alt.Y("system:N", sort=list(systems), title=None, axis=alt.Axis(labelLimit=170))
    )
    bar = base.mark_rule(strokeWidth=4, opacity=0.45, strokeCap="round").encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(domain=extent, nice=False)),
        x2="high:Q",
        color=colour,
    )
    point = base.mark_point(filled=True, size=95, opacity=1).encode(
        x="value:Q", color=colour, shape=shape
    )
    return render((bar + point).properties(width=WIDTH - 120, height=alt.Step(34)))


def components(
    rows: Sequence[Mapping[str, Any]], systems: Sequence[str], scores: Sequence[str]
) -> str:
    """All scores of one scale, systems side by side. Rows: score, system, value, low, high."""
    alt = _altair()
    colour, shape = _systems(alt, systems)
    base = alt.Chart(_rows(rows)).encode(
        y=alt.Y("score:N", sort=list(scores), title=None, axis=alt.Axis(labelLimit=170, grid=True)),
        yOffset=alt.YOffset("system:N", sort=list(systems)),
    )
    bar = base.mark_rule(strokeWidth=3, opacity=0.45, strokeCap="round").encode(
        x=alt.X("low:Q", title=None), x2="high:Q", color=colour
    )
    point = base.mark_point(filled=True, size=55, opacity=1).encode(
        x="value:Q", color=colour, shape=shape
    )
    step = alt.Step(max(9, min(16, 40 // max(1, len(systems)))))
    return render((bar + point).properties(width=WIDTH - 130, height=step))


def distributions(bins: Sequence[Mapping[str, Any]], systems: Sequence[str], title: str) -> str:
    """How the items' values spread, a row a system. Rows: system, start, end, count."""
    alt = _altair()
    colour, _ = _systems(alt, systems, legend=False)
    height = 130 if len(systems) == 1 else max(34, min(64, 300 // len(systems)))
    chart = (
        alt.Chart(_rows(bins))
        .mark_bar(opacity=0.85, binSpacing=1)
        .encode(
            x=alt.X("start:Q", bin="binned", title=title),
            x2="end:Q",
            y=alt.Y(
                "count:Q",
                title=None,
                stack=None,
                axis=alt.Axis(labels=False, ticks=False, grid=False),
            ),
            color=colour,
        )
        .properties(width=WIDTH - 140 if len(systems) > 1 else WIDTH - 50, height=height)
    )
    if len(systems) > 1:
        header = alt.Header(
            title=None, labelAngle=0, labelAlign="left", labelLimit=110, labelColor=INK
        )
        chart = chart.facet(row=alt.Row("system:N", sort=list(systems), header=header), spacing=6)
    return render(chart)


def pairwise(cells: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> str:
    """Who beats whom. Cells: row, column, text, verdict (better, worse, even)."""
    alt = _altair()
    side = max(44, min(92, (WIDTH - 120) // max(1, len(systems))))
    base = alt.Chart(_rows(cells)).encode(
        x=alt.X(
            "column:N", sort=list(systems), title=None,
            axis=alt.Axis(orient="top", labelAngle=-20, labelLimit=110, domain=False, ticks=False),
        ),
        y=alt.Y(
            "row:N", sort=list(systems), title=None,
            axis=alt.Axis(labelLimit=120, domain=False, ticks=False),
        ),
    )  # fmt: skip
    verdicts = alt.Scale(domain=["better", "worse", "even"], range=[BETTER, WORSE, EVEN])
    box = base.mark_rect(cornerRadius=4).encode(
        color=alt.Color("verdict:N", scale=verdicts, legend=None)
    )
    text = base.mark_text(fontSize=11, color=INK).encode(text="text:N")
    return render((box + text).properties(width=alt.Step(side), height=alt.Step(min(side, 46))))


def against_length(
    points: Sequence[Mapping[str, Any]],
    trend: Sequence[Mapping[str, Any]],
    systems: Sequence[str],
    title: str,
) -> str:
    """Value against length. Points: system, length, value; trend: the same, medians of bins."""
    alt = _altair()
    colour, shape = _systems(alt, systems)
    lengths = [value for row in points if (value := _number(row["length"])) is not None]
    wide = max(lengths, default=1) > 20 * max(1.0, min(lengths, default=1))
    scale = alt.Scale(type="log" if wide else "linear", zero=False, nice=False)
    x = alt.X("length:Q", title="characters", scale=scale, axis=alt.Axis(tickCount=6, format="~s"))
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=False))
    dots = (
        alt.Chart(_rows(points))
        .mark_point(filled=True, size=22, opacity=0.35)
        .encode(x=x, y=y, color=colour, shape=shape)
    )
    line = alt.Chart(_rows(trend)).mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour)
    return render((dots + line).properties(width=WIDTH - 60, height=200))


def by_group(
    rows: Sequence[Mapping[str, Any]],
    systems: Sequence[str],
    groups: Sequence[str],
    title: str,
) -> str:
    """A score in each group. Rows: group, system, value."""
    alt = _altair()
    colour, shape = _systems(alt, systems)
    extent = _padded([_number(row["value"]) for row in rows])
    chart = (
        alt.Chart(_rows(rows))
        .mark_point(filled=True, size=75, opacity=0.9)
        .encode(
            x=alt.X("value:Q", title=title, scale=alt.Scale(domain=extent, nice=False)),
            y=alt.Y(
                "group:N", sort=list(groups), title=None, axis=alt.Axis(labelLimit=160, grid=True)
            ),
            color=colour,
            shape=shape,
        )
        .properties(width=WIDTH - 130, height=alt.Step(20))
    )
    return render(chart)


def scatter(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], x: str, y: str) -> str:
    """Two scores of the systems against each other. Rows: system, x, y."""
    alt = _altair()
    colour, shape = _systems(alt, systems)
    chart = (
        alt.Chart(_rows(rows))
        .mark_point(filled=True, size=130, opacity=1)
        .encode(
            x=alt.X("x:Q", title=x, scale=alt.Scale(zero=False, padding=20)),
            y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False, padding=20)),
            color=colour,
            shape=shape,
        )
        .properties(width=WIDTH - 60, height=190)
    )
    return render(chart)


def heat_map(
    cells: Sequence[Sequence[float]],
    path: Sequence[tuple[float, float]],
    sizes: tuple[int, int],
    names: tuple[str, str],
) -> str:
    """A book's similarities, source across and summary down, with the alignment on top."""
    alt = _altair()
    squares = _squares(cells, sizes)
    x = alt.X("x:Q", title=names[1], scale=alt.Scale(domain=[0, sizes[1]], nice=False))
    y = alt.Y("y:Q", title=names[0], scale=alt.Scale(domain=[sizes[0], 0], nice=False))
    legend = alt.Legend(gradientLength=110, title="similarity", format=".2f")
    colour = alt.Color("similarity:Q", scale=alt.Scale(scheme="viridis"), legend=legend)
    heat = (
        alt.Chart(_rows(squares)).mark_rect().encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour)
    )
    dots = [{"x": column + 0.5, "y": row + 0.5} for row, column in path]
    step = max(1, len(dots) // 150)
    size = 90 if len(dots) < 30 else 22
    line = (
        alt.Chart(_rows(dots[::step]))
        .mark_point(shape="circle", filled=True, size=size, color="#ff5a36", opacity=1)
        .encode(x=x, y=y)
    )
    return image((heat + line).properties(width=520, height=240))


def _squares(cells: Sequence[Sequence[float]], sizes: tuple[int, int]) -> list[dict[str, float]]:
    """Cells in a few shades, neighbours of one shade in one: a small picture of a large table."""
    known = [value for line in cells for value in line if _number(value) is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    width = (high - low) / SHADES or 1.0
    across = max((len(line) for line in cells), default=1)
    right, down = sizes[1] / max(1, across), sizes[0] / max(1, len(cells))
    found: list[dict[str, float]] = []
    for row, line in enumerate(cells):
        start = 0
        shades = [
            min(SHADES - 1, int((value - low) / width)) if _number(value) is not None else -1
            for value in line
        ]
        for at in range(1, len(shades) + 1):
            if at == len(shades) or shades[at] != shades[start]:
                if shades[start] >= 0:
                    found.append(
                        {
                            "x": start * right, "x2": at * right,
                            "y": row * down, "y2": (row + 1) * down,
                            "similarity": low + (shades[start] + 0.5) * width,
                        }
                    )  # fmt: skip
                start = at
    return found


def along(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], title: str) -> str:
    """A share along a book, in tenths. Rows: system, tenth (1 to 10), value."""
    alt = _altair()
    colour, shape = _systems(alt, systems)
    base = alt.Chart(_rows(rows)).encode(
        x=alt.X(
            "tenth:Q",
            title="tenth of the book",
            scale=alt.Scale(domain=[1, 10]),
            axis=alt.Axis(values=list(range(1, 11)), format="d", grid=False),
        ),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, 1])),
        color=colour,
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape)
    return render((base.mark_line(strokeWidth=2) + dots).properties(width=WIDTH - 60, height=180))


def calibration(points: Sequence[Mapping[str, Any]], x_title: str, y_title: str) -> str:
    """People's judgement in bins of the score. Points: x, y, low, high, n."""
    alt = _altair()
    base = alt.Chart(_rows(points)).encode(
        x=alt.X("x:Q", title=x_title, scale=alt.Scale(zero=False))
    )
    spread = base.mark_rule(strokeWidth=2, color=PALETTE[0], opacity=0.5).encode(
        y=alt.Y("low:Q", title=y_title, scale=alt.Scale(zero=False)), y2="high:Q"
    )
    dots = base.mark_point(filled=True, size=80, color=PALETTE[0], opacity=1).encode(y="y:Q")
    line = base.mark_line(color=PALETTE[0]).encode(y="y:Q")
    return render((spread + line + dots).properties(width=WIDTH - 60, height=220))
