"""Scoring parses: seven scores from lemma to semantic class, and their mean."""

from gistmeter.metrics.parsing.accuracy import ParseAccuracy
from gistmeter.metrics.parsing.points import SEVEN

__all__ = ["SEVEN", "ParseAccuracy"]
