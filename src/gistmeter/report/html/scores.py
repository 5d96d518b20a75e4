"""One run on the page: where its systems stand, and in which colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gistmeter.core.answer import Standing
from gistmeter.core.views import View
from gistmeter.report.drawing import Palette

if TYPE_CHECKING:
    from gistmeter.core.run import Run


@dataclass(frozen=True)
class Subject(Standing):
    """A run, how its family shows it, and the page's colours."""

    palette: Palette = field(default_factory=Palette.of)

    @classmethod
    def of(cls, run: Run, view: View) -> Subject:
        return cls(run, view, Palette.of(run.systems))


def subjects(runs: Sequence[Run], views: Sequence[View]) -> list[Subject]:
    """All runs of a page, with one palette for the systems of all of them."""
    palette = Palette.of(*(run.systems for run in runs))
    return [
        Subject(run, views[at] if at < len(views) else View(), palette)
        for at, run in enumerate(runs)
    ]
