"""One calibrated number for whether the meaning survived."""

from gistmeter.metrics.gist.features import FEATURES, Baselines, Evidence, gather
from gistmeter.metrics.gist.metric import Gist, explain, probability, weights_of

__all__ = [
    "FEATURES",
    "Baselines",
    "Evidence",
    "Gist",
    "explain",
    "gather",
    "probability",
    "weights_of",
]
