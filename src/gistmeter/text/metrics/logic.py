"""S_Logic, logical validity: does one text follow from the other?

    S_Logic = P_NLI(premise ⇒ hypothesis)

from a model of natural language inference. The premise is the reference and the hypothesis the
explanation (`reference-to-prediction`), or the other way round, or both: two texts say the same
where each follows from the other, so "both" gives the minimum of the two, for each reference by
itself. Several references are
aggregated by maximum or mean; under the maximum, `neutral` and `contradiction` are those of the
reference that entails most, so that the three still sum to 1.

A system's value is the mean over its arrangements' means, so that every arrangement counts alike,
or the mean over items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.rows import Pool, Rows, Value, divide
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.core.wiring import role, setting
from gistmeter.models.protocols import EntailmentModel, Judgements
from gistmeter.text.metrics.references import (
    AGGREGATES,
    Against,
    Aggregate,
    Comparisons,
    Floats,
    Missing,
    counted,
    shown,
)

Direction = Literal["reference-to-prediction", "prediction-to-reference", "both"]
DIRECTIONS: tuple[Direction, ...] = ("reference-to-prediction", "prediction-to-reference", "both")
Average = Literal["arrangements", "items"]
AVERAGES: tuple[Average, ...] = ("arrangements", "items")
LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True)
class LogicalValidity:
    """S_Logic. Range [0, 1], higher is better; a missing text is unscored.

    Rows hold `s_logic`, and `entailment`, `neutral`, `contradiction`, with the direction's name
    before them where both were asked.
    """

    nli: EntailmentModel = role("nli", required=True)
    direction: Direction = setting("reference-to-prediction")
    aggregate: Aggregate = setting("max")
    average: Average = setting("arrangements")
    missing: Missing = setting("unscored", "missing_prediction")
    against: Against = setting("references")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("s_logic", title="S_Logic"),
        ScoreInfo("s_logic_reference_to_prediction", basis="s_logic"),
        ScoreInfo("s_logic_prediction_to_reference", basis="s_logic"),
    )

    companions: ClassVar[tuple[str, ...]] = ("reading",)

    def __post_init__(self) -> None:
        for value, allowed in (
            (self.direction, DIRECTIONS),
            (self.aggregate, AGGREGATES),
            (self.average, AVERAGES),
        ):
            if value not in allowed:
                raise InputError(f"'{value}' is none of {', '.join(allowed)}")

    @property
    def directions(self) -> tuple[Direction, ...]:
        return DIRECTIONS[:2] if self.direction == "both" else (self.direction,)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        comparisons = Comparisons.of(pairs, self.against)
        columns: dict[str, Floats] = {}
        reasons = dict(comparisons.reasons)
        unseen = np.zeros(len(comparisons))
        sides: list[Floats] = []
        for direction in self.directions:
            answer = self._ask(comparisons, direction)
            columns |= self._columns(comparisons, direction, answer)
            reasons |= comparisons.blame(answer.failures)
            unseen = np.fmax(unseen, answer.unseen)
            sides.append(np.asarray(answer.entailment, dtype=np.float64))
        columns["s_logic"] = comparisons.aggregate(np.minimum.reduce(sides), self.aggregate)
        columns["unseen_by_nli"] = comparisons.aggregate(unseen, "max")
        missing = np.flatnonzero(np.isnan(columns["s_logic"])).tolist()
        rows = Rows.of(pairs).with_numbers(columns).with_texts(shown(pairs))
        rows = rows.with_reasons("s_logic", {at: reasons[at] for at in missing})
        return counted(rows, ["s_logic"], self.missing)

    def derive(self, rows: Rows) -> Rows:
        """Rows whose `unseen`, the share of a text that some model did not see, counts this one."""
        if "unseen_by_nli" not in rows:
            return rows
        known = rows.values("unseen") if "unseen" in rows else np.full(len(rows), np.nan)
        return rows.with_numbers({"unseen": np.fmax(known, rows.values("unseen_by_nli"))})

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        values = {"s_logic": self._average(rows, "s_logic")}
        if self.direction == "both":
            for direction in self.directions:
                name = f"s_logic_{direction.replace('-', '_')}"
                values[name] = self._average(rows, f"{self._head(direction)}entailment")
        return values

    def _average(self, rows: Pool, name: str) -> Value:
        if self.average == "items":
            return rows.mean(name)
        means = np.asarray([part.mean(name) for part in rows.by("group").values()])
        seen = ~np.isnan(means)
        value: Value = divide(np.where(seen, means, 0.0).sum(axis=0), seen.sum(axis=0))
        return value

    def _ask(self, texts: Comparisons, direction: Direction) -> Judgements:
        sides = (texts.references, texts.candidates)
        forward = direction == "reference-to-prediction"
        premises, hypotheses = sides if forward else sides[::-1]
        return self.nli.classify(list(zip(premises, hypotheses, strict=True)))

    def _columns(
        self, texts: Comparisons, direction: Direction, answer: Judgements
    ) -> dict[str, Floats]:
        given = {label: np.asarray(getattr(answer, label), dtype=np.float64) for label in LABELS}
        if self.aggregate == "mean":
            columns = {label: texts.aggregate(values, "mean") for label, values in given.items()}
        else:
            best = texts.best(given["entailment"])
            columns = {
                label: np.append(values, np.nan)[best] for label, values in given.items()
            }  # -1, no comparison, finds the NaN at the end
        return {f"{self._head(direction)}{label}": column for label, column in columns.items()}

    def _head(self, direction: Direction) -> str:
        """What a direction's columns begin with."""
        return f"{direction.replace('-', '_')}_" if self.direction == "both" else ""
