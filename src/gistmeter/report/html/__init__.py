"""The report: one HTML file that works from disk, with no network and no server.

It shows runs and what was found out about them; it never computes a score. Comparisons come in as
plain data (what `Comparison.to_dict` gives).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.files import write_atomically
from gistmeter.core.views import View

if TYPE_CHECKING:
    from gistmeter.core.run import Run


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    views: Sequence[View] = (),
    comparisons: Sequence[Mapping[str, Any]] = (),
    answers: Sequence[str] = (),
    title: str = "",
    everything: bool = False,
) -> None:
    """Write the report of some runs.

    `views` has what the family of each run shows; without it a run shows all its columns.
    `comparisons` has an entry for each run: `{"comparisons": [...]}`, the headline's first;
    `answers` the sentence that each begins with. With `everything`, all items
    go in, however large the page becomes.
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
