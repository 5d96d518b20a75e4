"""From which similarity on a sentence counts as supported, by model.

Cosines of one model mean nothing for another, so a threshold exists only for models it was
calibrated for, on gold alignments of English novels with their published abridgements (AbLit, the
dev chapters). Each is the threshold that best tells two kinds of sentences apart (Youden's J):

coverage   the best similarity of abridged sentences with their own chapter, against that of
           abridged sentences of other novels with the same chapter;
support    the similarity of source sentences with the summary sentences beside them on the path,
           for those that the abridgement kept, against those that it dropped.

`benchmarks/book.py` computes them again, with error rates of novels left out of the calibration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    coverage: float  # of a summary sentence with its best source
    support: float  # of a source sentence with the summary beside it on the path


# The beginning of a model's id -> its thresholds by language, "" for all others
CALIBRATED: Mapping[str, Mapping[str, Thresholds]] = {
    "e5-small": {"": Thresholds(coverage=0.89, support=0.88)},
}


def thresholds_for(model: str, languages: Iterable[str]) -> dict[str, Thresholds]:
    """The calibrated thresholds of a model, by its id, for some languages; empty without any."""
    for name, known in CALIBRATED.items():
        if model.startswith(name):
            return {code: known.get(code.partition("-")[0], known[""]) for code in languages}
    return {}
