"""A run on disk: one folder that can be resumed, loaded, compared and reported.

    run.json        command, settings, signatures, scores with intervals, timings, versions
    items.parquet   one row per item, all statistics, in input order
    details/        what a family adds
    report.html     the report

While a run works, `journal.jsonl` holds the plan on its first line and then one line per chunk of
items; Parquet cannot be appended to, so `items.parquet` is written once, at the end, and the
journal goes. A folder that has one is unfinished. Every line of the journal carries a digest, and
`run.json` one of itself and of the files beside it: what is damaged is measured again or refused.
Both list the files that the run wrote (`manifest`): no other is ever removed or replaced, and
nothing is written through a link (`folders`).
One process at a time writes (`.lock`).
"""

import warnings
from typing import Any

from gistmeter.core.family import DETAILS
from gistmeter.core.runs.folder import RunFolder, choose_folder, open_folder, save_run
from gistmeter.core.runs.journal import Plan
from gistmeter.core.runs.layout import ITEMS, JOURNAL, REPORT, RUN, SHARDS, runs_in, to_json
from gistmeter.core.runs.manifest import claim, hold, write_beside
from gistmeter.core.runs.shards import Shard

__all__ = [
    "DETAILS", "ITEMS", "JOURNAL", "REPORT", "RUN", "SHARDS", "Plan", "RunFolder", "Shard",
    "choose_folder", "claim", "hold", "open_folder", "runs_in", "save_run", "to_json",
    "write_beside",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """`load_run` once stood here; it still comes, with a warning."""
    if name != "load_run":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from gistmeter.core.runs.saved import load_run

    warnings.warn("load_run is now gistmeter.load_run", DeprecationWarning, stacklevel=2)
    return load_run
