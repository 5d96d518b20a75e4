"""Scoring parses: seven scores from lemma to semantic class, and their mean."""

from gistmeter.metrics.parsing.accuracy import ParseAccuracy
from gistmeter.metrics.parsing.points import SEVEN
from gistmeter.metrics.parsing.weights import ParseWeights, estimate

__all__ = ["SEVEN", "ParseAccuracy", "ParseWeights", "estimate"]
