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
        at: answer.failures.get(first_at) or answer.failures[second_at]
        for at, (first_at, second_at) in enumerate(zip(left, right, strict=True))
        if first_at in answer.failures or second_at in answer.failures
    }
    unseen = np.fmax(answer.unseen[left], answer.unseen[right])
    return Cosines(np.einsum("ij,ij->i", *sides), unseen, failures)
