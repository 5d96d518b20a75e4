"""Paired comparison of systems: is the difference real, how large is it, who is ahead?"""

from gistmeter.core.comparison.findings import findings, gather
from gistmeter.core.comparison.gates import loss
from gistmeter.core.comparison.opponents import Contender, contenders, shared_scores
from gistmeter.core.comparison.paired import compare
from gistmeter.core.comparison.results import Comparison, Options
from gistmeter.core.comparison.tables import read_scores, systems_of

__all__ = [
    "Comparison", "Contender", "Options", "compare", "contenders", "findings", "gather", "loss",
    "read_scores", "shared_scores", "systems_of",
]  # fmt: skip
