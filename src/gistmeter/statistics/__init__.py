"""One weighted pool, and what stands on it: intervals, summaries, tests, agreement."""

from gistmeter.statistics.bootstrap import (
    bootstrap_weights,
    intervals,
    item_weights,
    percentile_interval,
    resampled,
)
from gistmeter.statistics.pool import Clustered, NeedsValues, Resample, codes
from gistmeter.statistics.summary import count_reasons, pool_all, score_info, summarise

__all__ = [
    "Clustered",
    "NeedsValues",
    "Resample",
    "bootstrap_weights",
    "codes",
    "count_reasons",
    "intervals",
    "item_weights",
    "percentile_interval",
    "pool_all",
    "resampled",
    "score_info",
    "summarise",
]
