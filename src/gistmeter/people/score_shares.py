"""A run's score as the judge that stands in for people: between 0 and 1, higher is better."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.rows import Floats
from gistmeter.core.types import ScoreInfo

if TYPE_CHECKING:
    from gistmeter.core.run import Run


def chosen_score(run: Run, name: str = "") -> str:
    """The score named, else `gist`, else the first to judge by that items have."""
    rows = run.measured
    if name:
        if name not in rows.numbers:
            raise UnknownName("score of items", name, rows.names)
        return name
    scores = [score for held in run.systems.values() for score in held.scores]
    for score in ("gist", *run.headline, *scores):
        if score in rows.numbers and np.isfinite(rows.values(score)).any():
            return score
    raise InputError("This run has no score of single items, so no sample can be drawn by it")


def score_shares(run: Run, name: str) -> Floats:
    """The score of every row between 0 and 1, 1 being best; NaN where it is undefined.

    A score with a declared range is put on it, one without on the range of its values.
    """
    values = np.asarray(run.measured.values(name), np.float64)
    info = next(
        (one for one in _declared(run) if one.name == name), ScoreInfo(name, highest=np.inf)
    )
    low, high = info.lowest, 100.0 if info.unit == "%" else info.highest
    known = values[np.isfinite(values)]
    if len(known) and not (np.isfinite(high) and low <= known.min() and known.max() <= high):
        low, high = (low if np.isfinite(low) else known.min()), known.max()
        low = min(low, known.min())
    shares = np.clip((values - low) / (high - low), 0, 1) if high > low else values * 0 + 0.5
    return np.asarray(shares if info.higher_is_better else 1 - shares)


def _declared(run: Run) -> Iterable[ScoreInfo]:
    return (info for metric in run.metrics.values() for info in metric.scores)
