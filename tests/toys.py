"""Metrics small enough to check by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gistmeter.core.errors import ModelError
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo


@dataclass(frozen=True, slots=True)
class Length:
    """Characters kept, as a mean of shares and as a ratio of sums."""

    limit: float = 1.0
    fail_on: str = ""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("kept"),
        ScoreInfo("loss_rate", higher_is_better=False, highest=100.0, unit="%", basis="lost"),
    )

    def measure(self, items: Sequence[Pair]) -> Rows:
        if any(self.fail_on and self.fail_on in (item.candidate or "") for item in items):
            raise ModelError("the model is out of order")
        wanted = np.asarray(
            [len(item.references[0]) if item.references else np.nan for item in items]
        )
        got = np.asarray([len(item.candidate or "") for item in items], dtype=np.float64)
        rows = Rows.of(items).with_numbers(
            {"kept": np.minimum(got / wanted, self.limit), "lost": wanted - got, "wanted": wanted}
        )
        missing = dict.fromkeys(np.flatnonzero(np.isnan(wanted)).tolist(), "no reference")
        rows = rows.with_texts({"prediction": [item.candidate for item in items]})
        return rows.with_reasons("kept", missing).with_reasons("lost", missing)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"kept": rows.mean("kept"), "loss_rate": 100 * rows.ratio("lost", "wanted")}


@dataclass(frozen=True, slots=True)
class Median:
    """A pool that needs the column itself."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("median", basis="size"),)

    def measure(self, items: Sequence[Pair]) -> Rows:
        return Rows.of(items).with_numbers({"size": [len(item.candidate or "") for item in items]})

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"median": float(np.median(rows.values("size")))}


def pairs(count: int, system: str = "a", arrangements: Sequence[str] = ("",)) -> list[Pair]:
    """Pairs whose candidates lose a few characters, the same in every call."""
    random = np.random.default_rng(7)
    made = []
    for number in range(count):
        for arrangement in arrangements:
            length = int(random.integers(5, 30))
            kept = int(random.integers(0, length + 1))
            made.append(Pair(f"item{number}", "x" * kept, ("x" * length,), system, arrangement))
    return made
