"""The report: one HTML file that works from disk, with no network and no server.

It shows runs and what was found out about them; it never computes a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gistmeter.core.files import write_atomically
from gistmeter.core.views import View

if TYPE_CHECKING:
    from gistmeter.core.comparison import Findings
    from gistmeter.core.run import Run


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    views: Sequence[View] = (),
    comparisons: Sequence[Findings] = (),
    answers: Sequence[str] = (),
    title: str = "",
    everything: bool = False,
) -> None:
    """Write the report of some runs.

    `views` has what the family of each run shows; without it a run shows all its columns.
    `comparisons` has the findings of each run, `answers` the sentence that each begins with. With
    `everything`, all items go in, however large the page becomes.
    """
    from gistmeter.report.html.page import build_page

    text = build_page(
        runs,
        views=views,
        findings=comparisons,
        answers=answers,
        page=path,
        title=title,
        everything=everything,
    )
    write_atomically(path, text)


__all__ = ["write_report"]
