"""The report: one HTML file that works from disk, with no network and no server.

It shows runs and what was found out about them; it never computes a score. Comparisons come in as
plain data (what `Comparison.to_dict` gives).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.files import write_atomically

if TYPE_CHECKING:
    from gistmeter.run import Run


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    comparisons: Sequence[Mapping[str, Any]] | None = None,
    everything: bool = False,
) -> None:
    """Write the report of some runs.

    `comparisons` has an entry for each run: `{"comparisons": [...]}`, the headline's first. With
    `everything`, all items go in, however large the page becomes.
    """
    from gistmeter.report.html.page import build_page

    text = build_page(runs, findings=comparisons or (), page=path, everything=everything)
    write_atomically(path, text)


__all__ = ["write_report"]
