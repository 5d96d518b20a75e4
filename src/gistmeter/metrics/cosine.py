"""The cosine of sentence embeddings, for many pairs at once; each text is embedded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.models.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Cosines:
    """One of each for every pair; a model's failure is the pair's."""

    values: npt.NDArray[np.float64]
    unseen: npt.NDArray[np.float64]  # the larger share of the two
    failures: Mapping[int, str]


def cosines(embedder: Embedder, first: Sequence[str], second: Sequence[str]) -> Cosines:
    place: dict[str, int] = {}
    left = [place.setdefault(text, len(place)) for text in first]
    right = [place.setdefault(text, len(place)) for text in second]
    if not left:
        return Cosines(np.zeros(0), np.zeros(0), {})
    answer = embedder.embed(list(place))
    vectors = np.asarray(answer.vectors)
    sides = (vectors[side].astype(np.float64) for side in (left, right))
    failures = {
        at: answer.failures.get(one) or answer.failures[other]
        for at, (one, other) in enumerate(zip(left, right, strict=True))
        if one in answer.failures or other in answer.failures
    }
    unseen = np.fmax(answer.unseen[left], answer.unseen[right])
    return Cosines(np.einsum("ij,ij->i", *sides), unseen, failures)
