"""Small runs for the tests of comparison and validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.run import Run
from gistmeter.core.types import Metric, Score, ScoreInfo, SystemScores


@dataclass(frozen=True)
class MeanAndRatio:
    """`accuracy` is a mean, `errors` a ratio of sums in percent."""

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("accuracy"),
        ScoreInfo("errors", higher_is_better=False, unit="%", basis="words"),
    )

    def measure(self, items: Sequence[Any]) -> Rows:
        raise NotImplementedError

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        found: dict[str, Value] = {"accuracy": rows.mean("accuracy")}
        if "words" in rows:
            found["errors"] = 100 * rows.ratio("wrong", "words")
        return found


def make_rows(
    system: str,
    columns: Mapping[str, npt.ArrayLike],
    *,
    ids: Sequence[str] = (),
    clusters: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> Rows:
    size = len(np.asarray(next(iter(columns.values()))))
    names = list(ids) or [f"item-{at}" for at in range(size)]
    keys = {
        "id": names, "system": [system] * size,
        "group": list(groups) or [""] * size, "cluster": list(clusters) or names,
    }  # fmt: skip
    return Rows(keys, np.arange(size)).with_numbers(columns)


def make_run(
    *parts: Rows,
    metric: Metric | None = None,
    path: Path | None = None,
    signature: str = "m|mode:a",
) -> Run:
    metric = metric or MeanAndRatio()
    directions = {info.name: info for info in metric.scores}
    rows = Rows.concat(parts)
    systems = {
        system: SystemScores(
            {
                name: Score(
                    name, float(np.asarray(value)), n=len(own),
                    higher_is_better=directions[name].higher_is_better, unit=directions[name].unit,
                )
                for name, value in metric.pool(own).items()
            }
        )
        for system, own in rows.by("system").items()
    }  # fmt: skip
    return Run(
        "text", signature, systems, rows=rows, path=path, signatures={"m": signature},
        metrics={"m": metric},
    )  # fmt: skip
