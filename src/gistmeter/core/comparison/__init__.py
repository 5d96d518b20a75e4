"""Paired comparison of systems: is the difference real, how large is it, who is ahead?"""

from gistmeter.core.comparison.findings import compare_all, compare_tallies, findings, gather
from gistmeter.core.comparison.opponents import Contender, contenders, shared_scores
from gistmeter.core.comparison.paired import compare
from gistmeter.core.comparison.results import Comparison, Findings, Options, PairedDifference, loss

__all__ = [
    "Comparison", "Contender", "Findings", "Options", "PairedDifference", "compare", "compare_all",
    "compare_tallies", "contenders", "findings", "gather", "loss", "shared_scores",
]  # fmt: skip
