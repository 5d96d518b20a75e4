"""The page of a score over time: a chart and a table for each system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.files import write_atomically
from gistmeter.core.views import Lines, Point, shown
from gistmeter.report.charts import draw
from gistmeter.report.drawing import Palette
from gistmeter.report.history import conclusion, names_of, p_of, told_of
from gistmeter.report.html.embedding import policy
from gistmeter.report.html.page import environment, page_style, trusted
from gistmeter.report.terminal import interval

if TYPE_CHECKING:
    from gistmeter.tools.history import Series


def write_history(found: Sequence[Series], path: Path) -> None:
    """Write series as one HTML file."""
    style = page_style()
    page = environment().get_template("history.html.j2")
    sections = [_section(series) for series in found]
    text = page.render(
        policy=policy(style, "", audio=False), style=trusted(style), sections=sections
    )
    write_atomically(path, text)


def _section(series: Series) -> dict[str, Any]:
    points = [
        Point(series.system, one.score.value, x=float(at), low=one.score.low, high=one.score.high)
        for at, one in enumerate(series.moments, start=1)
    ]
    title = f"{series.metric} of {series.system}"
    chart = Lines(title, points, "run, oldest first", series.metric)
    return {
        "title": shown(f"{series.command}: {title}", 120),
        "answer": conclusion(series),
        "drawing": trusted(draw(chart, Palette.of([series.system]), [series.system])),
        "rows": [
            {
                "number": at, "when": one.when[:16], "run": shown(name, 200),
                "value": one.score.number(one.score.value), "interval": interval(one.score),
                "n": one.score.n, "change": told_of(one.change, one.score.unit),
                "p": p_of(one.change), "verdict": one.change.verdict if one.change else "",
            }
            for at, (one, name) in enumerate(
                zip(series.moments, names_of(series), strict=True), start=1
            )
        ],
    }  # fmt: skip
