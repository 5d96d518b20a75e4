"""The shapes of training data: a row is a pair and its targets, a group stays together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

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
    label: int = UNKNOWN  # of the second text, given the first
    degree: float = math.nan  # the share of the meaning that is kept, as people gave it, 0 to 1
    changed: float = math.nan  # 1 where a fact differs, 0 where none does
    kind: str = ""
    backward: int = UNKNOWN  # of the first text, given the second
    survives: float = math.nan  # 1 where all of the meaning is kept, 0 where it is another

    def turned(self) -> Row:
        """The same pair read the other way round."""
        return replace(
            self, first=self.second, second=self.first, label=self.backward, backward=self.label
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share texts and stay in one batch.

    `ranks` are (higher, lower) rows in survives, `degrees` are (higher, lower) rows in degree.
    """

    source: str
    rows: tuple[Row, ...]
    ranks: tuple[tuple[int, int], ...] = ()
    degrees: tuple[tuple[int, int], ...] = ()
