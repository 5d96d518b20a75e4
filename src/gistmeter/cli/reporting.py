"""The report of runs: what it shows is computed here, and drawn by `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gistmeter.types import Metric, Run


def write_run_report(runs: Sequence[Run], path: Path, *, everything: bool = False) -> None:
    """Write one HTML page over runs, with their comparisons.

    Runs of the same items measured in the same way share a section, so that their systems are
    compared with each other.
    """
    from gistmeter.comparison import findings, gather
    from gistmeter.report.html import write_report

    loaded = gather([_with_metrics(run) for run in runs])
    write_report(
        [run for run, _ in loaded],
        path,
        comparisons=[findings(one) for one in loaded],
        everything=everything,
    )


def _with_metrics(run: Run) -> tuple[Run, Mapping[str, Metric]]:
    """A run with what pools its rows; a metric that cannot be found again is shown untested."""
    from gistmeter.errors import InputError
    from gistmeter.runs import load_run

    try:
        return load_run(run.path) if run.path else (run, {})
    except InputError:
        return run, {}
