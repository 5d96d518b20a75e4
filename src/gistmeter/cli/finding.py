"""Runs by the names that people give them: a folder, a folder of runs, or `latest`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gistmeter.core.errors import InputError

ROOT = Path("runs")
LATEST = "latest"
RUN = "run.json"


def find_run(path: Path) -> Path:
    """The run that is meant by a path or by `latest`."""
    if str(path) != LATEST or path.exists():
        return path
    from gistmeter.core.runs import runs_in

    known = runs_in(ROOT) if ROOT.is_dir() else []
    if not known:
        raise InputError(f"There is no latest run: {ROOT}/ has none here. Name the run's folder")
    return known[-1]


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """All runs that are meant; a folder that is no run stands for those below it."""
    from gistmeter.core.runs import runs_in

    found: list[Path] = []
    for path in paths:
        one = find_run(path)
        within = one.is_dir() and not (one / RUN).exists() and not (one / "journal.jsonl").exists()
        below = runs_in(one) if within else []
        found += below or [one]
    return list(dict.fromkeys(found))
