"""Scoring parses: seven scores from lemma to semantic class, and their mean."""

from gistmeter.parse.metrics.accuracy import ParseAccuracy
from gistmeter.parse.metrics.points import SEVEN

__all__ = ["SEVEN", "ParseAccuracy"]
