"""Which component adds what: weights refitted to people, beside those in use.

Non-negative least squares (Lawson and Hanson 1974) of people's judgement on the components,
weights then divided by their sum. Agreement is measured out of fold: items are dealt into folds by
cluster, and each fold is predicted with weights fitted on the others, so that a refit is not
praised for what it has seen. What a component adds is the agreement lost by refitting without it.
The result is shown, and never used silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gistmeter.core.rows import Floats
from gistmeter.core.statistics import bootstrap_weights
from gistmeter.people.validation.agreement import pearson, spearman

FOLDS = 5
RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a weighted score."""

    name: str
    given: float  # weight in use, among the components present
    fitted: float
    low: float
    high: float
    adds: float  # Pearson's r, out of fold, lost without it


@dataclass(frozen=True, slots=True)
class Refit:
    """Weights in use beside weights fitted, and how each agrees with people."""

    components: tuple[Component, ...]
    given_pearson: float
    given_spearman: float
    fitted_pearson: float  # out of fold
    fitted_spearman: float
    n: int


def refit(
    columns: Mapping[str, Floats],
    human: Floats,
    clusters: npt.NDArray[np.int64],
    given: Mapping[str, float],
    *,
    seed: int,
    confidence: float = 0.95,
) -> Refit | None:
    """Refit weights to people; None for fewer than two components or too few items."""
    names = list(columns)
    table = np.column_stack([columns[name] for name in names]) if names else np.zeros((0, 0))
    if len(names) < 2 or len(np.unique(clusters)) < 2 * FOLDS or not np.ptp(human) > 0:
        return None
    folds = _folds(clusters, seed)
    whole = _fit(table, human)
    low, high = _interval(table, human, clusters, seed, confidence)
    predicted = _out_of_fold(table, human, folds)
    fitted = _agreement(predicted, human)
    used = np.asarray([given.get(name, 0.0) for name in names])
    used = used / used.sum() if used.sum() > 0 else np.full(len(names), 1 / len(names))
    now = _agreement(table @ used, human)
    components = []
    for at, name in enumerate(names):
        others = _out_of_fold(np.delete(table, at, axis=1), human, folds)
        lost = fitted[0] - _agreement(others, human)[0]
        components.append(
            Component(name, float(used[at]), float(whole[at]), low[at], high[at], lost)
        )
    return Refit(tuple(components), now[0], now[1], fitted[0], fitted[1], len(human))


def _fit(table: Floats, human: Floats, weight: Floats | None = None) -> Floats:
    """Weights that sum to 1, none below 0; even ones where nothing helps."""
    scale = np.ones(len(table)) if weight is None else np.sqrt(weight)
    total = float((scale**2).sum())
    centre = table - (scale[:, None] ** 2 * table).sum(axis=0) / total
    aim = human - float((scale**2 * human).sum()) / total
    found = non_negative(centre * scale[:, None], aim * scale)
    total = float(found.sum())
    return found / total if total > 0 else np.full(table.shape[1], 1 / table.shape[1])


def non_negative(table: Floats, aim: Floats) -> Floats:
    """The weights x >= 0 for which |table @ x - aim| is least.

    Weights enter one by one, the one that helps most first; one that would fall below 0 leaves
    again (Lawson and Hanson 1974, chapter 23).
    """
    size = table.shape[1]
    found, inside = np.zeros(size), np.zeros(size, np.bool_)
    least = (
        10 * np.finfo(np.float64).eps * max(table.shape) * float(np.abs(table).sum(axis=0).max())
    )
    for _ in range(3 * size):
        gain = table.T @ (aim - table @ found)
        if not np.any(~inside & (gain > least)):
            break
        inside[np.argmax(np.where(inside, -np.inf, gain))] = True
        wanted = _solve(table, aim, inside)
        while np.any(wanted[inside] <= 0):
            falling = inside & (wanted <= 0)
            step = float(np.min(found[falling] / (found[falling] - wanted[falling])))
            found = found + step * (wanted - found)
            inside &= ~(falling & (found <= found[falling].min()))
            found = np.where(inside, found, 0.0)
            wanted = _solve(table, aim, inside)
        found = wanted
    return found


def _solve(table: Floats, aim: Floats, inside: npt.NDArray[np.bool_]) -> Floats:
    """Least squares with some of the weights, the others being 0."""
    found = np.zeros(len(inside))
    found[inside] = np.linalg.lstsq(table[:, inside], aim, rcond=None)[0]
    return found


def _folds(clusters: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """The fold of each item, whole clusters together."""
    names, inverse = np.unique(clusters, return_inverse=True)
    dealt = np.random.default_rng(seed).permutation(len(names)) % FOLDS
    return np.asarray(dealt[inverse], dtype=np.int64)


def _out_of_fold(table: Floats, human: Floats, folds: npt.NDArray[np.int64]) -> Floats:
    predicted = np.zeros(len(human))
    for fold in range(FOLDS):
        inside = folds == fold
        predicted[inside] = table[inside] @ _fit(table[~inside], human[~inside])
    return predicted


def _agreement(predicted: Floats, human: Floats) -> tuple[float, float]:
    once = np.ones((1, len(human)), dtype=np.float32)
    return float(pearson(predicted, human, once)[0]), float(spearman(predicted, human, once)[0])


def _interval(
    table: Floats, human: Floats, clusters: npt.NDArray[np.int64], seed: int, confidence: float
) -> tuple[list[float], list[float]]:
    """Intervals of the fitted weights, by bootstrap over clusters."""
    names, inverse = np.unique(clusters, return_inverse=True)
    found = np.stack(
        [
            _fit(table, human, drawn[inverse])
            for weights in bootstrap_weights(len(names), RESAMPLES, seed)
            for drawn in weights
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail], axis=0)
    return low.tolist(), high.tolist()
