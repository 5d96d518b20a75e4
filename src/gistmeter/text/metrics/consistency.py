"""Does a system explain an idiom equally well whichever way it is put? Made from rows of S_Acc.

Over the arrangements p of a system (the unscrambled `original` is not one of them), with S_p the
mean S_Acc of arrangement p, M their mean and S_ip the S_Acc of idiom i in it:

    E_perf = sqrt(mean_ip (S_ip − mean_p S_ip)²)    how far an explanation moves with the order
    R_sens = M − min_p S_p                          what the worst order costs
    S_Cons = M·(1 − E_perf)·(1 − R_sens)

so that a system is consistent where it explains every idiom equally *well*: one that always gives
the same nonsense has an M, and so an S_Cons, near 0. OrderProbe (He et al. 2026, arXiv:2601.08626)
has another definition (`by="idioms"`), with S_max the *highest* S_Acc of any idiom in p under
maximum over references, and S_mean the mean under mean over references:

    E_perf = mean_p (S_max − S_mean)     R_sens = max_p (S_max − S_mean)
    S_Cons = (1 − E_perf)·(1 − R_sens)

It punishes a system that explains some idioms better than others, whatever their order.

With S_orig the S_Acc of the predictions for the unscrambled form and S_p that of arrangement p:

    MDR = mean_p (S_orig − S_p)/S_orig   MDA = max_p (S_orig − S_p)/S_orig
    S_seq = 1 − (0.5·MDR + 0.5·MDA)

With μ_k the mean S_Acc of structure class k, over all rows of the class:

    S_struct = max(0, 1 − σ(μ)/mean(μ))  the population standard deviation of the classes' means,
                                         normalised by their mean (coefficient of variation), or
    S_struct = 1 − σ(μ)/(max(μ)−min(μ))  by their range, as OrderProbe does (1 without a range)
    S_Rob = harmonic mean of S_seq and S_struct

S_Acc is the run's own, or by `on` that under mean or maximum over references. An idiom may have
several classes; it counts in each.

MDR and MDA fall below 0, and S_seq rises above 1, for a system that does better scrambled; nothing
is cut off. Without its inputs a score is undefined and says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gistmeter.core.rows import Floats, Pool, Rows, Value, divide
from gistmeter.core.types import ORIGINAL, Pair, ScoreInfo, is_original
from gistmeter.core.wiring import Wiring, given, setting
from gistmeter.text import BETWEEN, HAS_ORIGINAL, STRUCTURE
from gistmeter.text.metrics.comparisons import mean_of_defined

STRUCTURED = "has_structure"  # a column: 1 where an item has a structure class
CLASS = "structure="  # what the columns of structure classes begin with
SCRAMBLED = "s_acc_scrambled"  # a column: 1 where a scrambled form has an S_Acc
SQUARE = "s_acc_square"
By = Literal["orders", "idioms"]
Spread = Literal["variation", "range"]
On = Literal["aggregate", "mean", "max"]
COLUMN: Mapping[On, str] = {"aggregate": "s_acc", "mean": "s_acc_mean", "max": "s_acc_max"}
NO_ORIGINAL = "no predictions for the unscrambled form"


def missing_from_accuracy(wiring: Wiring) -> tuple[str, ...]:
    """The components that the run's S_Acc lacks."""
    partial: Mapping[str, tuple[str, ...]] = getattr(wiring.made["s_acc"], "partial", {})
    return partial.get("s_acc", ())


@dataclass(frozen=True, slots=True)
class _FromAccuracy:
    """Scores made from S_Acc, which are as partial as it is."""

    missing: tuple[str, ...] = given(missing_from_accuracy, ())  # what S_Acc lacks
    scores: ClassVar[tuple[ScoreInfo, ...]] = ()
    derives: ClassVar[tuple[str, ...]] = ("s_acc",)

    def applies(self, items: Sequence[Pair]) -> bool:
        """Only where texts come in several arrangements."""
        return any(item.arrangement for item in items)

    @property
    def partial(self) -> dict[str, tuple[str, ...]]:
        return {info.name: self.missing for info in self.scores} if self.missing else {}


@dataclass(frozen=True, slots=True)
class Consistency(_FromAccuracy):
    """E_perf, R_sens (lower is better) and S_Cons, from the rows of S_Acc.

    By orders (ours) it needs two arrangements; by idioms (OrderProbe's) one will do.
    """

    by: By = setting("orders", "consistency")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("s_cons", basis="s_acc"),
        ScoreInfo("e_perf", higher_is_better=False, basis="s_acc"),
        ScoreInfo("r_sens", higher_is_better=False, basis="s_acc"),
    )

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        return Rows.of(pairs)

    def derive(self, rows: Rows) -> Rows:
        if "s_acc" not in rows or self.by == "idioms":
            return rows
        original = np.asarray([is_original(name) for name in rows.keys["group"]], dtype=bool)
        values = np.where(original, np.nan, rows.values("s_acc"))
        ones = np.where(np.isnan(values), np.nan, 1.0)
        return rows.with_numbers({SCRAMBLED: ones, SQUARE: values**2})

    def explain(self, name: str, rows: Rows) -> str:  # noqa: ARG002 - the same of all three
        """Why the scores are undefined, for all rows of a system."""
        groups = {name for name in rows.keys["group"] if not is_original(name)}
        least = 2 if self.by == "orders" else 1
        if len(groups) < least:
            return "fewer than two arrangements" if least == 2 else "no scrambled arrangement"
        return "S_Acc is unscored"

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        groups = rows.by("group")
        scrambled = [part for name, part in groups.items() if not is_original(name)]
        if self.by == "idioms":
            return self._by_idioms(scrambled or list(groups.values()))
        if len(scrambled) < 2 or SCRAMBLED not in rows:
            return dict.fromkeys(("s_cons", "e_perf", "r_sens"), np.nan)
        means = np.asarray([part.ratio("s_acc", SCRAMBLED) for part in scrambled])
        level, error = mean_of_defined(means), self._movement(rows)
        worst = level + highest_over(-means)
        return {"s_cons": level * (1 - error) * (1 - worst), "e_perf": error, "r_sens": worst}

    def _movement(self, rows: Pool) -> Value:
        """How far the S_Acc of an idiom is from its own mean, root of the mean square."""
        parts = list(rows.by("id").values())
        means = np.asarray([part.ratio("s_acc", SCRAMBLED) for part in parts])
        counts = np.asarray([part.sum(SCRAMBLED) for part in parts])
        between = np.where(counts > 0, counts * np.nan_to_num(means) ** 2, 0.0).sum(axis=0)
        spread = rows.mean(SQUARE) - divide(between, counts.sum(axis=0))
        moved: Value = np.sqrt(np.maximum(spread, 0.0))
        return moved

    def _by_idioms(self, parts: Sequence[Pool]) -> Mapping[str, Value]:
        # The highest is no sum, so the columns themselves are asked for.
        best = [highest_over(np.asarray(part.values("s_acc_max"))) for part in parts]
        means = [part.mean("s_acc_mean") for part in parts]
        gaps = np.asarray([top - mean for top, mean in zip(best, means, strict=True)])
        error, worst = mean_of_defined(gaps), highest_over(gaps)
        return {"s_cons": (1 - error) * (1 - worst), "e_perf": error, "r_sens": worst}


@dataclass(frozen=True, slots=True)
class SequenceRobustness(_FromAccuracy):
    """MDR, MDA (lower is better) and S_seq: what scrambling costs, against the original."""

    on: On = setting("aggregate", "robustness_on")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("mdr", higher_is_better=False, lowest=-np.inf, basis=ORIGINAL),
        ScoreInfo("mda", higher_is_better=False, lowest=-np.inf, basis=ORIGINAL),
        ScoreInfo("s_seq", highest=np.inf, basis=ORIGINAL),
    )

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        there = [pair.fields.get(HAS_ORIGINAL) == "yes" for pair in pairs]
        rows = Rows.of(pairs).with_numbers({ORIGINAL: np.where(there, 1.0, np.nan)})
        # Said once per system and not of every row: no item is unscored because of it.
        first = {
            at: NO_ORIGINAL
            for at, pair in enumerate(pairs)
            if pair.fields.get(HAS_ORIGINAL) == "no"
        }
        return rows.with_reasons(ORIGINAL, first)

    def derive(self, rows: Rows) -> Rows:
        return only_scored(rows, ORIGINAL)

    def explain(self, name: str, rows: Rows) -> str:  # noqa: ARG002 - the same of all three
        """Why the scores are undefined, for all rows of a system."""
        groups = {is_original(name) for name in rows.keys["group"]}
        if True not in groups:
            return NO_ORIGINAL
        if False not in groups:
            return "no predictions for a scrambled form"
        return "S_Acc of the unscrambled form is 0 or unscored"

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        drop, worst = self._drops(rows)
        return {"mdr": drop, "mda": worst, "s_seq": 1 - (0.5 * drop + 0.5 * worst)}

    def _drops(self, rows: Pool) -> tuple[Value, Value]:
        groups = rows.by("group")
        originals = [part for name, part in groups.items() if is_original(name)]
        scrambled = [part for name, part in groups.items() if not is_original(name)]
        if not originals or not scrambled:
            return np.nan, np.nan
        column = COLUMN[self.on]
        original = originals[0].mean(column)
        drops = np.asarray([divide(original - part.mean(column), original) for part in scrambled])
        return mean_of_defined(drops), highest_over(drops)


@dataclass(frozen=True, slots=True)
class StructuralRobustness(_FromAccuracy):
    """S_struct: how even S_Acc is over structure classes; S_Rob joins it with S_seq."""

    spread: Spread = setting("variation", "structure_spread")
    on: On = setting("aggregate", "robustness_on")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (
        ScoreInfo("s_struct", basis=STRUCTURED),
        ScoreInfo("s_rob", basis=STRUCTURED, highest=np.inf),
    )

    def applies(self, items: Sequence[Pair]) -> bool:
        """Only where structure classes are known."""
        return any(item.fields.get(STRUCTURE) for item in items)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        named = [pair.fields.get(STRUCTURE, "").strip() for pair in pairs]
        classes = [{part.strip() for part in name.split(BETWEEN.strip())} - {""} for name in named]
        columns = {STRUCTURED: np.where([bool(names) for names in classes], 1.0, np.nan)}
        for name in sorted(set().union(*classes)):
            columns[f"{CLASS}{name}"] = np.where([name in names for names in classes], 1.0, np.nan)
        texts = {STRUCTURE: [name or None for name in named]}
        return Rows.of(pairs).with_numbers(columns).with_texts(texts)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        columns = [name for name in rows.names if name.startswith(CLASS)]
        # A ratio to a column of ones is the mean over the rows where that column is defined.
        evenness = self._evenness([rows.ratio(COLUMN[self.on], name) for name in columns])
        sequence = SequenceRobustness(on=self.on).pool(rows)["s_seq"]
        harmonic: Value = divide(2 * sequence * evenness, sequence + evenness)
        return {"s_struct": evenness, "s_rob": harmonic}

    def derive(self, rows: Rows) -> Rows:
        return only_scored(rows, STRUCTURED)

    def explain(self, name: str, rows: Rows) -> str:
        """Why a score is undefined, for all rows of a system."""
        columns = [column for column in rows.names if column.startswith(CLASS)]
        if not columns:
            return "no structure classes"
        scored = [column for column in columns if not np.isnan(rows.ratio("s_acc", column))]
        if len(scored) < 2:
            return "fewer than two structure classes"
        if name == "s_rob":
            return SequenceRobustness().explain(name, rows)
        return "S_Acc is 0 in all structure classes"

    def _evenness(self, means: Sequence[Value]) -> Value:
        if not means:
            return np.nan
        stacked = np.asarray(means)
        center = mean_of_defined(stacked)
        spread = np.sqrt(mean_of_defined((stacked - center) ** 2))
        classes = np.count_nonzero(~np.isnan(stacked), axis=0)
        if self.spread == "range":
            reach = highest_over(stacked) + highest_over(-stacked)
            normal = np.where(np.asarray(reach) > 0, divide(spread, reach), 0.0)
        else:
            normal = divide(spread, center)
        evenness = np.maximum(0.0, 1 - normal)
        return np.where(classes > 1, evenness, np.nan)


def only_scored(rows: Rows, column: str) -> Rows:
    """A column of ones without the rows that have no S_Acc, for the reasons that S_Acc has."""
    if "s_acc" not in rows:
        return rows
    unscored = np.isnan(rows.values("s_acc"))
    reasons = {at: why for at, why in rows.reasons.get("s_acc", {}).items() if unscored[at]}
    ones = np.where(unscored, np.nan, rows.values(column))
    return rows.with_numbers({column: ones}).with_reasons(column, reasons)


def highest_over(stacked: Floats) -> Value:
    """The highest of the groups that have a value; NaN where none has."""
    highest = np.where(np.isnan(stacked), -np.inf, stacked).max(axis=0)
    return np.where(np.isfinite(highest), highest, np.nan)
