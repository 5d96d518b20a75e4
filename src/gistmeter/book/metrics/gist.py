"""`gist` of an edition's sentence: the probability that what it says is in the original.

An abridged sentence says less than its source, so only one direction counts, from the passage to
the sentence:

    gist = 1 / (1 + exp(−(b + Σ wᵢ·xᵢ)))

over the evidence of a source (above its threshold, so that it means the same in every language),
what the judge says of the sentence, and whether a fact was found changed. The weights stand with
those of the other shapes and are fitted by `training/gist.py`: sentences of published abridgements,
as they are, with a fact changed, and beside sentences of other books.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gistmeter.book.metrics import facts
from gistmeter.book.metrics.comparison import Compared
from gistmeter.core.rows import Floats
from gistmeter.metrics.gist import probability
from gistmeter.models.protocols import JudgeModel

FEATURES = ("evidence", "follows", "contradicts", "differs", "changed")
FAR = 0.15  # evidence beyond the threshold that tells nothing more


def read(
    texts: tuple[Sequence[str], Sequence[str]],
    compared: Compared,
    looked: facts.Looked,
    judge: JudgeModel,
    language: str,
) -> tuple[dict[str, Floats], dict[int, str]]:
    """What the judge says of every sentence of source and summary, as columns, and why nothing.

    A sentence that is its source, or its source with words left out, follows from it; of one whose
    fact was found changed by rule that much is known, and one without a source is read beside the
    nearest passage.
    """
    source, summary = texts
    nearest = {
        at: int(compared.best.index[at, 0]) for at in np.flatnonzero(~compared.sourced).tolist()
    }
    strange = [
        one for one in facts.find(source, summary, nearest) if not facts.is_cut(one, language)
    ]
    judged = {**looked.judged, **facts.ask(strange, judge)}
    count = len(summary)
    columns = {
        "follows": np.ones(count),
        "contradicts": np.zeros(count),
        "differs": np.zeros(count),
    }
    told = [at for at in looked.changes if at not in judged]
    columns["follows"][told], columns["differs"][told] = 0.0, 1.0
    for at, said in judged.items():
        columns["follows"][at] = said.entailment
        columns["contradicts"][at] = said.contradiction
        columns["differs"][at] = said.changed
    return columns, {at: said.failure for at, said in judged.items() if said.failure}


def features(columns: Mapping[str, Floats], threshold: float) -> Floats:
    """The features of sentences from their columns."""
    above = np.clip(columns["evidence"] - threshold, -FAR, FAR) / FAR
    changed = np.nan_to_num(columns["changed"])  # a sentence without a source has none
    held = {**columns, "evidence": above, "changed": changed}
    return np.column_stack([held[name] for name in FEATURES])


def gist(columns: Mapping[str, Floats], threshold: float, weights: Mapping[str, float]) -> Floats:
    """The number of each sentence."""
    return probability(features(columns, threshold), weights, FEATURES)
