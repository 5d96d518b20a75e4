"""Paired comparison of systems: is the difference real, how large is it, who is ahead?"""

from gistmeter.core.comparison.findings import compare_all, compare_tallies, findings_of, gather
from gistmeter.core.comparison.opponents import Contender, contenders, known_scores, shared_scores
from gistmeter.core.comparison.paired import compare
from gistmeter.core.comparison.ranking import Ranking
from gistmeter.core.comparison.results import (
    RANKS,
    Comparison,
    Findings,
    Options,
    PairedDifference,
    loss,
)

__all__ = [
    "RANKS", "Comparison", "Contender", "Findings", "Options", "PairedDifference", "Ranking",
    "compare", "compare_all", "compare_tallies", "contenders", "findings_of", "gather",
    "known_scores", "loss", "shared_scores",
]  # fmt: skip
