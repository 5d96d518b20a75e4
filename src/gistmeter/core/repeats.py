"""Several answers of a system to each item: how much of the score is the items', how much chance.

In the one-way random model (Searle, Casella and McCulloch 1992) the value of answer j to item i is
mean + item_i + chance_ij, and with k_i answers to item i

    variance between samples  = mean over items of the variance of an item's answers
    variance between items    = variance of the items' means − mean over items of (its variance/k_i)

so that the squared standard error of a system's mean over n items is (items + samples/k)/n. The
items are the unit: intervals and tests draw whole items, with all their answers. Stability is the
items' share of the variance (the intraclass correlation): 1 where every answer to an item is worth
the same, 0 where the answers to one item differ as much as those to different items.

Best of k takes for each item the answer with the best value, worst of k that with the worst; both
are pooled as the score itself is. Samples are worth having until the standard error is within
`CLOSE` of what endless samples would leave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.rows import Floats, Rows, has_repeats
from gistmeter.core.statistics import summarise
from gistmeter.core.types import Score, defined
from gistmeter.core.views import shown
from gistmeter.core.wording import figure, gap

if TYPE_CHECKING:
    from gistmeter.core.run import Run

CLOSE = 0.05  # the share by which a standard error may exceed that of endless samples
LARGEST = 20  # samples, from which on further items help about as much


@dataclass(frozen=True, slots=True)
class Repeats:
    """One system's answers, several to an item."""

    system: str
    score: str
    items: int
    samples: float  # of an item, on the average
    mean: Score
    best: Score
    worst: Score
    between_items: float  # variances
    between_samples: float
    range: tuple[int, int]  # the fewest and most samples of an item

    @property
    def stability(self) -> float:
        total = self.between_items + self.between_samples
        return self.between_items / total if total else 1.0

    @property
    def worth(self) -> int:
        """The number of samples from which on further ones add little."""
        if self.between_samples == 0:
            return 1
        if self.between_items == 0:
            return LARGEST
        needed = self.between_samples / self.between_items / ((1 + CLOSE) ** 2 - 1)
        return min(LARGEST, max(1, math.ceil(needed)))

    def sentence(self) -> str:
        unit = self.mean.unit
        spread = gap(math.sqrt(self.between_samples), unit)
        sentence = (
            f"{shown(self.system, 60)}: the answers to one item scatter by {spread} (standard "
            f"deviation); best of {self.samples:g} {figure(self.best.value, unit)}, worst "
            f"{figure(self.worst.value, unit)}; stability {self.stability:.2f}. "
        )
        fewest, most = self.range
        if fewest < most:
            sentence += f"Items have {fewest} to {most} answers, and those with more count more. "
        if self.worth >= LARGEST:
            return sentence + (
                "Its answers differ mostly by chance: a further sample helps almost as much as a"
                " further item."
            )
        if self.worth <= self.samples:
            return sentence + f"{self.worth} would do: more items help more than more samples."
        return sentence + f"{self.worth} samples would be worth having."

    def to_dict(self) -> dict[str, Any]:
        plain = {key: value for key, value in asdict(self).items() if isinstance(value, float)}
        scores = {"mean": self.mean, "best": self.best, "worst": self.worst}
        return {
            "score": self.score,
            "items": self.items,
            **{key: defined(value) for key, value in plain.items()},
            **{key: score.to_dict() for key, score in scores.items()},
            "stability": self.stability,
            "worth": self.worth,
        }


def repeats_of(run: Run, score: str) -> list[Repeats]:
    """What repeated answers say of each system; none where no item was answered twice."""
    rows = run.rows
    if rows is None or score not in rows or not has_repeats(rows):
        return []
    own = rows.by("system")
    held = {name: run.systems[name].scores[score] for name in own}
    order = run.findings.ranking(score, held).order
    found = [_of_system(run, own[system], score) for system in order]
    return [one for one in found if one is not None]


def _of_system(run: Run, rows: Rows, score: str) -> Repeats | None:
    values = rows.values(score)
    answers: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(rows.keys["id"], rows.keys["group"], strict=True)):
        if math.isfinite(values[at]):
            answers.setdefault(key, []).append(at)
    several = [places for places in answers.values() if len(places) > 1]
    if len(several) < 2:
        return None
    held = run.systems[rows.keys["system"][0]].scores[score]
    sign = 1.0 if held.higher_is_better else -1.0
    best = [max(own, key=lambda at: sign * values[at]) for own in answers.values()]
    worst = [min(own, key=lambda at: sign * values[at]) for own in answers.values()]
    items, samples = variances([values[places] for places in several])
    sizes = sorted(map(len, answers.values()))
    return Repeats(
        rows.keys["system"][0], score, len(answers),
        sum(sizes) / len(sizes), held,
        _pooled(run, rows, best, score), _pooled(run, rows, worst, score), items, samples,
        (sizes[0], sizes[-1]),
    )  # fmt: skip


def variances(answers: Sequence[Floats]) -> tuple[float, float]:
    """The variance between items and that between the answers to one, of two answers or more each.

    >>> variances([np.array([0.0, 0.2]), np.array([1.0, 1.2])])
    (0.49, 0.02)
    """
    own = np.asarray([values.var(ddof=1) for values in answers])
    sizes = np.asarray([len(values) for values in answers])
    means = np.asarray([values.mean() for values in answers])
    items = max(0.0, float(means.var(ddof=1)) - float((own / sizes).mean()))
    return round(items, 12), round(float(own.mean()), 12)


def _pooled(run: Run, rows: Rows, places: Sequence[int], score: str) -> Score:
    (scored,) = summarise(
        run.metrics, rows.take(sorted(places)), signatures=run.signatures,
        seed=run.seed, resamples=run.resamples, confidence=run.confidence,
    ).values()  # fmt: skip
    return scored.scores[score]
