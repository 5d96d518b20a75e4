"""One weighted pool, and what stands on it: intervals, summaries, tests, agreement."""

from gistmeter.core.statistics.bootstrap import (
    bootstrap_weights,
    bounds_of,
    intervals,
    item_weights,
    percentile_interval,
    resampled,
)  # fmt: skip
from gistmeter.core.statistics.pool import Clustered, NeedsValues, Resample, codes
from gistmeter.core.statistics.summary import pool_all, reasons_of, summarise, summarise_tally
from gistmeter.core.statistics.tally import Tally, add_up, count_reasons, hash_of, pooled

__all__ = [
    "Clustered", "NeedsValues", "Resample", "Tally", "add_up", "bootstrap_weights", "bounds_of",
    "codes", "count_reasons", "hash_of", "intervals", "item_weights", "percentile_interval",
    "pool_all", "pooled", "reasons_of", "resampled", "summarise", "summarise_tally",
]  # fmt: skip
