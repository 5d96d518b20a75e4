"""The shapes of training data: a row is a pair and its targets, a group stays together."""

from __future__ import annotations

import math
from dataclasses import dataclass

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT, UNKNOWN = 0, 1, 2, 3, -1
LABELS = {
    "entailment": ENTAILMENT,
    "neutral": NEUTRAL,
    "contradiction": CONTRADICTION,
    "not_entailment": NOT_ENTAILMENT,
}


@dataclass(frozen=True, slots=True)
class Row:
    """A pair of texts with what is known of it."""

    first: str
    second: str
    label: int = UNKNOWN
    similarity: float = math.nan  # as people gave it, 0 to 1
    changed: float = math.nan  # 1 where a fact differs, 0 where the meaning is the same
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share texts and stay in one batch; `ranks` are (higher, lower) in similarity."""

    source: str
    rows: tuple[Row, ...]
    ranks: tuple[tuple[int, int], ...] = ()
