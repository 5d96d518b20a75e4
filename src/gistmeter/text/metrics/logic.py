"""S_Logic, logical validity: does one text follow from the other?

    S_Logic = P_NLI(premise ⇒ hypothesis)

from a model of natural language inference. The premise is the explanation and the hypothesis the
reference (`prediction-to-reference`: e ⇒ r, the paper's formula, so that who leaves something out
does not score high), or the other way round (what its code asks), or both: two texts say the same
where each follows from the other, so "both" gives the minimum of the two, for each reference by
itself. Several references are aggregated by maximum or mean; under the maximum, `neutral` and
`contradiction` are those of the reference that entails most, so that the three still sum to 1.

A system's value is the mean over its arrangements' means, so that every arrangement counts alike,
or the mean over items.

Read together, S_Acc and S_Logic say of an item:

                 S_Logic high                  S_Logic low
    S_Acc high   reliable                      similar but inconsistent
    S_Acc low    consistent but dissimilar     unreliable

"High" is at or above a cut of each score, fitted by language for the embedded models. Similar but
inconsistent is the case to look at: the words are right, and the meaning is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gistmeter.core.item_columns import LANGUAGE
from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo
from gistmeter.core.wiring import Wiring, given, role, setting
from gistmeter.metrics.gist import cuts_of
from gistmeter.metrics.gist.fitted_model import fitted
from gistmeter.metrics.missing import Missing, counted
from gistmeter.models.protocols import EntailmentModel, Judgements, JudgeModel
from gistmeter.text.metrics.comparisons import (
    AGGREGATES,
    Against,
    Aggregate,
    Comparisons,
    Floats,
    mean_of_defined,
    require_known,
    shown_texts,
)

Direction = Literal["reference-to-prediction", "prediction-to-reference", "both"]
DIRECTIONS: tuple[Direction, ...] = ("reference-to-prediction", "prediction-to-reference", "both")
Average = Literal["arrangements", "items"]
AVERAGES: tuple[Average, ...] = ("arrangements", "items")
LABELS = ("entailment", "neutral", "contradiction")
HIGH = 0.8  # the paper's, where none was fitted
READINGS = ("reliable", "similar but inconsistent", "consistent but dissimilar", "unreliable")


@dataclass(frozen=True, slots=True)
class LogicalValidity:
    """S_Logic. Range [0, 1], higher is better; a missing text is unscored.

    Rows hold `s_logic`, and `entailment`, `neutral`, `contradiction`, with the direction's name
    before them where both were asked.
    """

    nli: EntailmentModel = role("nli", required=True)
    direction: Direction = setting("prediction-to-reference")
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
        require_known("Direction", self.direction, DIRECTIONS)
        require_known("Aggregation", self.aggregate, AGGREGATES)
        require_known("Average", self.average, AVERAGES)

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
        rows = Rows.of(pairs).with_numbers(columns).with_texts(shown_texts(pairs))
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
        return mean_of_defined([part.mean(name) for part in rows.by("group").values()])

    def _ask(self, texts: Comparisons, direction: Direction) -> Judgements:
        pairs = list(zip(texts.references, texts.candidates, strict=True))
        if direction == "reference-to-prediction":
            return self.nli.classify(pairs)
        if not isinstance(self.nli, JudgeModel):
            return self.nli.classify([(hypothesis, premise) for premise, hypothesis in pairs])
        said = self.nli.judge(pairs)  # one reading answers for both directions
        rest = 1 - said.entails - said.opposes
        return Judgements(said.entails, rest, said.opposes, said.unseen, said.failures)

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


def reading_cuts_of(wiring: Wiring) -> dict[str, Mapping[str, float]]:
    """The fitted cuts of S_Acc and S_Logic by language; none with other models."""
    model = wiring.model("nli")
    if model is None or model.id != fitted()["judge"]:
        return {}
    return {code: cuts_of(code) for code in wiring.languages}


@dataclass(frozen=True, slots=True)
class Reading:
    """The column `reading`: what S_Acc and S_Logic say of an item together; no score of its own."""

    high_accuracy: float | None = setting(None)
    high_logic: float | None = setting(None)
    cuts: Mapping[str, Mapping[str, float]] = given(reading_cuts_of, factory=dict, shared=True)

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
        codes = rows.texts.get(LANGUAGE) or [next(iter(self.cuts), "")] * len(rows)
        high_accuracy = self._cuts(codes, self.high_accuracy, "s_acc")
        high_logic = self._cuts(codes, self.high_logic, "s_logic")
        chosen = 2 * (accuracy < high_accuracy) + (logic < high_logic)
        names = [READINGS[at] for at in chosen.astype(int).tolist()]
        known = ~(np.isnan(accuracy) | np.isnan(logic))
        reading = [name if seen else None for name, seen in zip(names, known.tolist(), strict=True)]
        return rows.with_texts({"reading": reading})

    def _cuts(self, codes: Sequence[str | None], given: float | None, name: str) -> Floats:
        """From which value on a score of each row is high."""
        if given is not None:
            return np.full(len(codes), given)
        return np.asarray([self.cuts.get(code or "", {}).get(name, HIGH) for code in codes])


def count_readings(rows: Rows) -> dict[str, dict[str, int]]:
    """How often each reading occurs, by system."""
    counts: dict[str, dict[str, int]] = {}
    for system, reading in zip(rows.keys["system"], rows.texts.get("reading", []), strict=False):
        own = counts.setdefault(system, dict.fromkeys(READINGS, 0))
        if reading is not None:
            own[reading] += 1
    return counts
