"""A run's charts outside its report: in a notebook, or on a page of yours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from gistmeter.core.comparison import Findings
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.views import Opener, View
from gistmeter.report.html import asset
from gistmeter.report.html.overview import subjects
from gistmeter.report.html.pictures import Picture, pictures

if TYPE_CHECKING:
    from gistmeter.core.run import Run

FRAME = (
    "background: var(--card); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; "
    "max-width: 44rem; color-scheme: light; "
    "figure { width: auto; max-width: none; text-align: left; } "
    "figcaption { font-style: normal; text-align: left; max-width: none; } "
    "ul { list-style: none; } "
)


@dataclass(frozen=True, slots=True)
class Plot:
    """Charts that a notebook shows as the last value of a cell; `names` can be asked for singly."""

    pictures: Sequence[Picture]

    @property
    def names(self) -> list[str]:
        return [picture.name for picture in self.pictures]

    def _repr_html_(self) -> str:
        """HTML with its own style, which reaches nothing else on the page."""
        drawn = "".join(
            f"<figure><figcaption>{escape(picture.title)} "
            f'<span class="faint">{escape(picture.note)}</span></figcaption>'
            f"{picture.drawing}</figure>"
            for picture in self.pictures
        )
        return f'<div class="gistmeter-plot"><style>{_style()}</style>{drawn}</div>'

    def __repr__(self) -> str:
        return f"Plot of {', '.join(self.names)}: shown in a notebook"


def plot(run: Run, view: View, findings: Findings, name: str | None = None) -> Plot:
    """All charts of a run's report, or the one of that name."""
    (subject,) = subjects([run], [view], [findings])
    drawn = pictures(subject, Opener(run))
    if not drawn:
        raise InputError("This run has nothing to plot: none of its scores has a value")
    chosen = [picture for picture in drawn if name in (None, picture.name)]
    if not chosen:
        raise UnknownName("plot", str(name), [picture.name for picture in drawn])
    return Plot(chosen)


def _style() -> str:
    """The report's light colours and its charts' rules, for what is inside the plot only."""
    colours = re.match(r":root \{(.*?)\}", asset("report.css"), re.DOTALL)
    assert colours
    return f".gistmeter-plot {{ {colours[1]} {FRAME}{asset('charts.css')} }}"
