"""The report of runs: what it shows is computed here, and drawn by `report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gistmeter.types import Run


def write_run_report(runs: Sequence[Run], path: Path) -> None:
    """Write one HTML page over runs, with their comparisons."""
