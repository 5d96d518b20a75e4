"""What the network is punished for."""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch.nn import functional

from gistmeter.models.judge.network import BACKWARD, CHANGED, DEGREE, FORWARD, SURVIVES
from training.corpus import Batch

WEIGHTS = {
    "label": 1.0,
    "backward": 1.0,
    "survives": 1.5,
    "degree": 1.5,
    "changed": 0.5,
    "rank": 0.6,
    "degree rank": 0.6,
}
SLOPE = 2.0  # of the ranking losses on logits
MOST_RANKS = 200  # pairs of rows of one batch that are ranked
SMOOTHING = 0.03  # of labels
NEVER_SURE = 0.02  # targets of survives and changed keep this far from 0 and 1


def total(outputs: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """The weighted sum, and its parts for the log."""
    inputs, count = batch.inputs, len(outputs)
    whole, parts = outputs.new_zeros(()), {}

    def add(name: str, part: torch.Tensor, share: float) -> None:
        nonlocal whole
        whole = whole + WEIGHTS[name] * share * part
        parts[name] = float(part.detach())

    for name, columns in (("label", FORWARD), ("backward", BACKWARD)):
        known = inputs[name] >= 0
        if known.any():
            part = entailment_loss(outputs[known][:, columns], inputs[name][known])
            add(name, part, int(known.sum()) / count)
    for name, column in (("survives", SURVIVES), ("degree", DEGREE), ("changed", CHANGED)):
        known = inputs[name].isfinite()
        if known.any():
            target = inputs[name][known].float().clamp(NEVER_SURE, 1 - NEVER_SURE)
            part = functional.binary_cross_entropy_with_logits(outputs[known, column], target)
            add(name, part, int(known.sum()) / count)
    for name, column, pairs in (
        ("rank", SURVIVES, batch.ranks),
        ("degree rank", DEGREE, batch.degrees),
    ):
        if pairs:
            add(name, ranking_loss(outputs[:, column], pairs), min(1.0, len(pairs) / count))
    return whole, parts


def ranking_loss(values: torch.Tensor, pairs: Sequence[tuple[int, int]]) -> torch.Tensor:
    chance = random.Random(len(pairs))
    high, low = torch.tensor(chance.sample(pairs, min(MOST_RANKS, len(pairs)))).T
    return functional.softplus(1.0 - SLOPE * (values[high] - values[low])).mean()


def entailment_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy; `not_entailment` (3) is neutral or contradiction, whichever."""
    chances = logits.log_softmax(-1)
    either = torch.logsumexp(chances[:, 1:], dim=-1)
    every = torch.cat([chances, either.unsqueeze(1)], dim=1)
    hit = every.gather(1, labels.unsqueeze(1)).squeeze(1)
    return -((1 - SMOOTHING) * hit + SMOOTHING * chances.mean(-1)).mean()
