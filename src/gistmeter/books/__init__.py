"""Books from Python: `evaluate_corpus` for many, `evaluate_alignment` for one.

>>> from gistmeter import align_sentences
>>> align_sentences([[0.9, 0.1, 0.2], [0.1, 0.2, 0.8]])
[(0, 0), (1, 2)]
"""

from gistmeter.books.config import EvaluationConfig
from gistmeter.books.reports import BookReport
from gistmeter.books.scoring import evaluate_alignment, evaluate_corpus
from gistmeter.metrics.alignment.paths import align_sentences

__all__ = [
    "BookReport",
    "EvaluationConfig",
    "align_sentences",
    "evaluate_alignment",
    "evaluate_corpus",
]
