"""From which similarity on a sentence counts as supported, by model.

Cosines of one model mean nothing for another, so a threshold exists only for models it was
calibrated for, on gold alignments of English novels with their published abridgements (AbLit, the
dev chapters). Each is the threshold that best tells two kinds of sentences apart (Youden's J):

coverage   the best similarity of abridged sentences with their own chapter, against that of
           abridged sentences of other novels with the same chapter;
support    the similarity of source sentences with the summary sentences beside them on the path,
           for those that the abridgement kept, against those that it dropped.

For other languages there is no such gold, and the same model's cosines lie elsewhere: they are
carried over with sentence pairs that people rated (STS). Where the pairs are translations of the
English ones (zh, ru, ko), to the similarity below which the same share of pairs lies; for Japanese,
by how much the threshold that best tells rated pairs apart differs from the English one. A language
that has none in its pack takes the English thresholds.

`benchmarks/book.py calibrate` computes them again, with error rates of novels left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gistmeter import languages as packs


@dataclass(frozen=True, slots=True)
class Thresholds:
    coverage: float  # evidence that a summary sentence has a source
    support: float  # evidence that a source sentence is in the summary beside it
    words: float = 0.0  # what shared words count in the evidence
    alpha: float = 10.0  # sharpness of the weights in scs


# The beginning of a model's id -> its thresholds; those of other languages are in their packs
CALIBRATED: Mapping[str, Thresholds] = {
    "e5-small": Thresholds(coverage=0.89, support=0.85, words=0.1, alpha=40.0)
}


def thresholds_for(model: str, languages: Iterable[str]) -> dict[str, Thresholds]:
    """The calibrated thresholds of a model, by its id, for some languages; empty without any."""
    for name, english in CALIBRATED.items():
        if model.startswith(name):
            own = {code: packs.get(code).thresholds.get(name) for code in languages}
            return {
                code: replace(english, coverage=held[0], support=held[1]) if held else english
                for code, held in own.items()
            }
    return {}
