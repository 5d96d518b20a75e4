"""Slices: a run by the values of a column of its input, such as a category or a language.

Each slice is a run of its own, with scores and intervals of its items alone. The paired tests of
all slices of a column are corrected together, for their number: with twenty slices one would look
real by chance. A system that is ahead of another overall may be behind it in a slice, and that is
said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gistmeter.core.comparison import (
    Comparison,
    Findings,
    Options,
    PairedDifference,
    compare,
    contenders,
    known_scores,
)
from gistmeter.core.comparison.answer import Standing, answer, say
from gistmeter.core.comparison.significance import correct
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.family import family_of
from gistmeter.core.item_columns import BY, COLUMNS, LANGUAGE, column_named, columns_of
from gistmeter.core.repeats import Repeats, repeats_of
from gistmeter.core.rows import Rows
from gistmeter.core.statistics import count_reasons, summarise
from gistmeter.core.types import Score
from gistmeter.core.views import shown
from gistmeter.core.wording import count, gap, listed, probability

if TYPE_CHECKING:
    from gistmeter.core.run import Run

NONE = "(none)"  # the slice of items without a value
MOST = 40  # slices of a column
TOLD = 6  # reversals that are named


@dataclass(frozen=True, slots=True)
class Reversal:
    """A slice in which a system is behind one that it is ahead of overall."""

    label: str
    winner: str  # overall
    loser: str
    difference: float  # by which the loser is ahead in the slice
    pair: PairedDifference
    shown_overall: bool  # whether the winner's lead overall is shown to be real


@dataclass(frozen=True, slots=True)
class Slices:
    """The runs of a column's values, and their comparisons on the score to judge by."""

    column: str
    score: str
    parts: Mapping[str, Run]
    comparisons: Mapping[str, Comparison]  # by value; corrected together
    overall: Comparison | None = None

    def __getitem__(self, label: str) -> Run:
        if label not in self.parts:
            raise UnknownName(f"value of {self.column}", label, self.parts)
        return self.parts[label]

    @property
    def scores(self) -> dict[str, dict[str, Score]]:
        """The score to judge by, of each system in each slice that it has items in."""
        return {
            label: {
                system: held.scores[self.score]
                for system, held in part.systems.items()
                if self.score in held.scores
            }
            for label, part in self.parts.items()
        }

    @property
    def systems(self) -> list[str]:
        """All systems, the best overall first."""
        known = dict.fromkeys(system for held in self.scores.values() for system in held)
        return list(dict.fromkeys([*(self.overall.ranking.order if self.overall else ()), *known]))

    def size(self, label: str) -> int:
        """How many items a slice has."""
        rows = self.parts[label].measured
        return len(set(zip(rows.keys["id"], rows.keys["group"], strict=True)))

    def reversals(self) -> list[Reversal]:
        """Where a system is behind one that it is ahead of overall, the largest first."""
        found, excluded = [], self.overall.ranking.excluded if self.overall else {}
        for whole in self.overall.pairs if self.overall else ():
            for label, comparison in self.comparisons.items():
                pair = comparison.between(whole.a, whole.b)
                if pair is None or not pair.is_real or {whole.a, whole.b} & {*excluded}:
                    continue
                sign = 1.0 if pair.a == whole.a else -1.0
                if whole.difference * sign * pair.difference >= 0:
                    continue
                ahead = (whole.difference > 0) == comparison.higher_is_better
                winner, loser = (whole.a, whole.b) if ahead else (whole.b, whole.a)
                size = abs(pair.difference)
                found.append(Reversal(label, winner, loser, size, pair, whole.is_real))
        return sorted(found, key=lambda one: -one.difference)

    def answers(self) -> dict[str, str]:
        """Who is ahead in each slice, in the words of the whole run's answer."""
        said = {}
        for label, part in self.parts.items():
            held = self.comparisons.get(label)
            standing = Standing(part, family_of(part.command).view(), Findings())
            said[label] = say(held, standing) if held else answer(standing)
        return said

    def sentences(self) -> list[str]:
        """A sentence per slice, and then where the order turns around."""
        lines = [
            f"{self.column} {shown(label, 60)} ({count(self.size(label), 'item')}): {said}"
            for label, said in self.answers().items()
        ]
        turned: dict[tuple[str, str, bool], list[Reversal]] = {}
        for one in self.reversals():
            turned.setdefault((one.winner, one.label, one.shown_overall), []).append(one)
        lines += map(self._told, [*turned.values()][:TOLD])
        if rest := sum(map(len, [*turned.values()][TOLD:])):
            lines.append(f"Pairs that turn around in a slice, beside these: {rest:,}.")
        if not turned and len(self.comparisons) > 1:
            lines.append(f"No {self.column} is shown to turn the overall order of two systems.")
        return lines

    def _told(self, turned: Sequence[Reversal]) -> str:
        """One system's reversals in a slice, the largest first."""
        most, unit = turned[0], self.overall.unit if self.overall else ""
        them, upto, size = "it", "", gap(most.difference, unit)
        if len(turned) > 1:
            them, upto, size = "them", "at most ", f"{gap(turned[-1].difference, unit)} to {size}"
        losers = listed([shown(one.loser, 60) for one in turned])
        ahead = "is ahead of" if most.shown_overall else "is not shown to differ from"
        p = probability(max(one.pair.p_corrected for one in turned))
        return (
            f"{shown(most.winner, 60)} {ahead} {losers} overall, but is behind {them} by {size} "
            f"where {self.column} is {shown(most.label, 60)} (p {upto}{p} after correction for all "
            "slices)."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "score": self.score,
            "slices": {
                label: {
                    "items": self.size(label),
                    "systems": {name: own.to_dict() for name, own in self.scores[label].items()},
                    "pairs": [pair.to_dict() for pair in self.comparisons[label].pairs]
                    if label in self.comparisons else [],
                }
                for label in self.parts
            },
            "sentences": self.sentences(),
        }  # fmt: skip


def slice_run(run: Run, column: str, score: str = "", options: Options | None = None) -> Slices:
    """A run by the values of a column, compared on a score (the one to judge by)."""
    rows = run.measured
    name = column_named(column, rows)
    places: dict[str, list[int]] = {}
    for at, label in enumerate(rows.labels(name)):
        places.setdefault(label.strip() or NONE, []).append(at)
    items = len(set(rows.keys["id"]))
    if len(places) > MOST:
        raise InputError(
            f"The column '{name}' has {len(places):,} values for {count(items, 'item')}; at most "
            f"{MOST} make slices. Choose a column with fewer values, such as a category"
        )
    parts = {label: _part(run, rows.take(at)) for label, at in sorted(places.items())}
    lead = score or leading(run)
    comparisons = {}
    options = options or Options(confidence=run.confidence)
    for label, part in parts.items():
        if found := _compared(part, lead, options):
            comparisons[label] = found
    slices = Slices(
        name, lead, parts, _corrected(comparisons, options), _compared(run, lead, options)
    )
    for label, said in slices.answers().items() if not score else ():
        if label in comparisons:  # a slice by itself says the same
            found = replace(slices.comparisons[label], answer=said)
            parts[label]._findings.append(Findings((found,)))
    return slices


def sliced(run: Run) -> list[Slices]:
    """The slices that a run asks for, and its languages where there are several."""
    asked = columns_of(run.notes, BY)
    rows = run.rows
    languages = set(filter(None, rows.texts.get(LANGUAGE, ()))) if rows is not None else set()
    # The languages of a run that is too large to be held are sliced when they are asked for.
    if len(languages) > 1 and run.excerpt is None:
        asked.append(LANGUAGE)
    return [slice_run(run, name) for name in dict.fromkeys(asked)]


def _part(run: Run, rows: Rows) -> Run:
    systems = summarise(
        run.metrics, rows, signatures=run.signatures,
        seed=run.seed, resamples=run.resamples, confidence=run.confidence,
    )  # fmt: skip
    notes = {key: run.notes[key] for key in (LANGUAGE, COLUMNS) if key in run.notes}
    return replace(
        run, systems=systems, rows=rows, unscored=count_reasons(rows), notes=notes, path=None,
        excerpt=None,
    )  # fmt: skip


def repeated(run: Run) -> list[Repeats]:
    """What several answers to one item say, by the score to judge by."""
    return repeats_of(run, leading(run))


def leading(run: Run) -> str:
    """The score to judge by: the first that has a value."""
    scores = [held.scores for held in run.systems.values()]
    names = list(dict.fromkeys([*run.headline, *(name for held in scores for name in held)]))
    known = [name for name in names if any(name in held for held in scores)]
    for name in known:
        if any(np.isfinite(held[name].value) for held in scores if name in held):
            return name
    return known[0] if known else ""


def _compared(run: Run, score: str, options: Options) -> Comparison | None:
    """The systems of a run on one score; None where no two have it."""
    among = [system for system in contenders([run]) if len(system.rows)]
    known = len(among) > 1 and score in known_scores(among)
    known = known and options.baseline in {"", *(system.name for system in among)}
    return compare(among, [score], options, force=True)[0] if known else None


def _corrected(comparisons: Mapping[str, Comparison], options: Options) -> dict[str, Comparison]:
    """The same with p-values corrected for the pairs of all slices."""
    pairs = [pair for comparison in comparisons.values() for pair in comparison.pairs]
    values = iter(correct([pair.p_value for pair in pairs], options.correction))
    found = {}
    for label, comparison in comparisons.items():
        found[label] = comparison.corrected([next(values) for _ in comparison.pairs])
    return found
