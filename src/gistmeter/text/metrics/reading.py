"""S_Acc and S_Logic read together.

                 S_Logic high                  S_Logic low
    S_Acc high   reliable                      similar but inconsistent
    S_Acc low    consistent but dissimilar     unreliable

"High" is at or above a threshold of each score. Similar but inconsistent is the case to look at:
the words are right, and the meaning is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.core.wiring import setting

RELIABLE = "reliable"
INCONSISTENT = "similar but inconsistent"
DISSIMILAR = "consistent but dissimilar"
UNRELIABLE = "unreliable"
READINGS = (RELIABLE, INCONSISTENT, DISSIMILAR, UNRELIABLE)


@dataclass(frozen=True, slots=True)
class Reading:
    """The column `reading`: what S_Acc and S_Logic say of an item together; no score of its own."""

    high_accuracy: float = setting(0.8)
    high_logic: float = setting(0.8)

    scores: ClassVar[tuple[ScoreInfo, ...]] = ()
    derives: ClassVar[tuple[str, ...]] = ("s_acc", "s_logic")

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        return Rows.of(pairs)

    def pool(self, rows: Pool) -> Mapping[str, Value]:  # noqa: ARG002
        return {}

    def derive(self, rows: Rows) -> Rows:
        """Rows with the reading of each; None where either score is undefined."""
        if "s_acc" not in rows or "s_logic" not in rows:
            return rows
        accuracy, logic = rows.values("s_acc"), rows.values("s_logic")
        chosen = 2 * (accuracy < self.high_accuracy) + (logic < self.high_logic)
        names = [READINGS[at] for at in chosen.astype(int).tolist()]
        known = ~(np.isnan(accuracy) | np.isnan(logic))
        reading = [name if seen else None for name, seen in zip(names, known.tolist(), strict=True)]
        return rows.with_texts({"reading": reading})


def count_readings(rows: Rows) -> dict[str, dict[str, int]]:
    """How often each reading occurs, by system."""
    counts: dict[str, dict[str, int]] = {}
    for system, reading in zip(rows.keys["system"], rows.texts.get("reading", []), strict=False):
        own = counts.setdefault(system, dict.fromkeys(READINGS, 0))
        if reading is not None:
            own[reading] += 1
    return counts
