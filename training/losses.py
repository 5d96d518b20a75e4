"""What the network is punished for."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

WEIGHTS = {"label": 1.0, "similarity": 1.5, "changed": 0.5, "rank": 0.4}
SLOPE = 2.0  # of the ranking loss on similarity logits
SMOOTHING = 0.03


def total(
    outputs: torch.Tensor,
    inputs: dict[str, Any],
    ranks: tuple[tuple[int, int], ...],
    *,
    changed: bool = True,
) -> tuple[torch.Tensor, dict[str, float]]:
    """The weighted sum, and its parts for the log."""
    parts: dict[str, torch.Tensor] = {}
    known = inputs["label"] >= 0
    if known.any():
        parts["label"] = entailment_loss(outputs[known, :3], inputs["label"][known])
    for name, column in (("similarity", 3), ("changed", 4)):
        if name == "changed" and not changed:
            continue
        target = inputs[name]
        known = target.isfinite()
        if known.any():
            parts[name] = functional.binary_cross_entropy_with_logits(
                outputs[known, column], target[known].float()
            )
    if ranks:
        high, low = torch.tensor(ranks).T
        apart = outputs[high, 3] - outputs[low, 3]
        parts["rank"] = functional.softplus(1.0 - SLOPE * apart).mean()
    share = len(inputs["label"])
    counts = {
        "label": int((inputs["label"] >= 0).sum()),
        "similarity": int(inputs["similarity"].isfinite().sum()),
        "changed": int(inputs["changed"].isfinite().sum()),
        "rank": len(ranks),
    }
    whole = sum(WEIGHTS[name] * part * counts[name] / share for name, part in parts.items())
    assert isinstance(whole, torch.Tensor)
    return whole, {name: float(part.detach()) for name, part in parts.items()}


def entailment_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy; `not_entailment` (3) is neutral or contradiction, whichever."""
    chances = logits.log_softmax(-1)
    either = torch.logsumexp(chances[:, 1:], dim=-1)
    every = torch.cat([chances, either.unsqueeze(1)], dim=1)
    hit = every.gather(1, labels.unsqueeze(1)).squeeze(1)
    return -((1 - SMOOTHING) * hit + SMOOTHING * chances.mean(-1)).mean()
