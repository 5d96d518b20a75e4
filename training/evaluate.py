"""Figures of a network on the dev sets, while it trains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from scipy.stats import rankdata, spearmanr

from training import corpus, devsets
from training.network import Judge
from training.rows import Row


@torch.no_grad()
def predict(network: Judge, rows: Sequence[Row], tokens: corpus.Tokens) -> np.ndarray:
    """Outputs as probabilities (rows, 5), and the cosine last."""
    order = sorted(
        range(len(rows)),
        key=lambda at: len(tokens.content(rows[at].first)) + len(tokens.content(rows[at].second)),
    )
    found = np.zeros((len(rows), 6))
    for start in range(0, len(order), 32):
        part = order[start : start + 32]
        outputs = network(corpus.tensors([rows[at] for at in part], tokens))
        found[part, :3] = outputs[:, :3].softmax(-1)
        found[part, 3:5] = outputs[:, 3:].sigmoid()
        found[part, 5] = network.cosine
    return found


def auc(high: np.ndarray, low: np.ndarray) -> float:
    """The share of (high, low) pairs in the right order; a tie counts half."""
    ranks = rankdata(np.concatenate([high, low]))
    return float(
        (ranks[: len(high)].sum() - len(high) * (len(high) + 1) / 2) / (len(high) * len(low))
    )


def calibration_error(chances: np.ndarray, labels: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error of the most likely label, in equal-width bins."""
    sure, right = chances.max(1), chances.argmax(1) == labels
    places = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(
        abs(sure[places == at].mean() - right[places == at].mean()) * (places == at).mean()
        for at in range(bins)
        if (places == at).any()
    )


def figures(network: Judge, tokens: corpus.Tokens, data: Path, limit: int) -> dict[str, float]:
    """Every figure, on at most `limit` rows a set (the same rows each time)."""
    network.eval()
    found: dict[str, float] = {}
    for name, every in devsets.similarity_sets(data).items():
        rows = thin(every, limit)
        made = predict(network, rows, tokens)
        truth = [row.similarity for row in rows]
        found[f"sts {name} cosine"] = 100 * float(spearmanr(made[:, 5], truth).statistic)
        found[f"sts {name}"] = 100 * float(spearmanr(made[:, 3], truth).statistic)
    for name, every in devsets.entailment_sets(data).items():
        rows = thin(every, limit)
        made = predict(network, rows, tokens)
        labels = np.asarray([row.label for row in rows])
        found[f"nli {name}"] = 100 * float((made[:, :3].argmax(1) == labels).mean())
        found[f"nli {name} calibration"] = calibration_error(made[:, :3], labels)
    for name, every in devsets.contrast_sets(data).items():
        rows = thin(every, limit)
        made = predict(network, rows, tokens)
        bad = np.asarray([row.changed == 1 for row in rows])
        for column, at, sign in (
            ("similarity", 3, 1),
            ("changed", 4, -1),
            ("contradiction", 2, -1),
            ("cosine", 5, 1),
        ):
            found[f"contrast {name} {column}"] = auc(sign * made[~bad, at], sign * made[bad, at])
        unseen = np.asarray([row.kind == "date" for row in rows])
        if unseen.sum() >= 10:
            found[f"contrast {name} date changed"] = auc(-made[~bad, 4], -made[unseen, 4])
    network.train()
    return found


def thin(rows: list[Row], limit: int) -> list[Row]:
    step = max(1, len(rows) / limit)
    return [rows[int(at * step)] for at in range(min(limit, len(rows)))]
