"""The fitted model of `gist`: a small network that can rise only where meaning was kept.

    gist = 1 / (1 + exp(−(c + d·x + o·tanh(b + W·x))))

over what is known of a pair (`pair_evidence.py`). Whatever speaks for the meaning (`rising`: the
judge's share of it, entailment, cosine …) has weights of at least 0 in W and d, whatever speaks
against it (`falling`: contradiction, a changed fact, alarms) of at most 0, and o is at least 0: no
answer can be nonsense. What only says of what kind a pair is (`context`: shared letters, lengths)
may have any sign, and is cut to the range that the fit saw.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.core.signature import digest

Floats = npt.NDArray[np.float64]
LARGEST = 30.0  # of a logit: beyond it there is nothing to tell
NUMBERS = ("inside", "bias", "outside", "direct", "intercept")


@lru_cache(maxsize=1)
def fitted() -> Mapping[str, Any]:
    """What was fitted, by kind of pair."""
    file = resources.files("gistmeter.metrics.gist").joinpath("data", "gist.json")
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class GistModel:
    """A fitted network, as it is stored."""

    stored: Mapping[str, Any]

    @cached_property
    def id(self) -> str:
        kept = {name: value for name, value in self.stored.items() if name != "cross_validation"}
        return digest(kept)[:8]

    @cached_property
    def parts(self) -> dict[str, Floats]:
        return {name: np.asarray(self.stored[name]) for name in NUMBERS}

    def answer(self, measured: Mapping[str, Floats]) -> Floats:
        """gist of pairs, from what was measured of them."""
        names = [*self.stored["rising"], *self.stored["falling"], *self.stored["context"]]
        ranges = self.stored["ranges"]
        columns = [np.clip(measured[name], *ranges.get(name, (-np.inf, np.inf))) for name in names]
        table = np.column_stack(columns)
        # Sums row by row: a product of matrices rounds by how many rows there are.
        inside = self.parts["bias"] + (table[:, :, None] * self.parts["inside"]).sum(axis=1)
        logits = (table * self.parts["direct"]).sum(axis=1) + self.parts["intercept"]
        logits = logits + (np.tanh(inside) * self.parts["outside"]).sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -LARGEST, LARGEST))))


@lru_cache
def model_of(kind: str) -> GistModel:
    """The model of a kind of pair: text, source or speech."""
    return GistModel(fitted()[kind])
