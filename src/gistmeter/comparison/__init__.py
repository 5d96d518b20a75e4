"""Paired comparison of systems: is the difference real, how large is it, who is ahead?"""

from gistmeter.comparison.findings import findings, gather
from gistmeter.comparison.gates import loss
from gistmeter.comparison.opponents import Contender, contenders, shared_scores
from gistmeter.comparison.paired import compare
from gistmeter.comparison.results import Comparison, Options
from gistmeter.comparison.tables import read_scores, systems_of

__all__ = [
    "Comparison", "Contender", "Options", "compare", "contenders", "findings", "gather", "loss",
    "read_scores", "shared_scores", "systems_of",
]  # fmt: skip
