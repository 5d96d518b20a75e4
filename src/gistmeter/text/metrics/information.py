"""S_Info, how much of a reference's content is carried without padding; and Recovery.

    S_Info = BP · P_ROUGE-L

P_ROUGE-L = LCS(prediction, reference) / c is the precision of ROUGE-L (Lin 2004): the longest
common subsequence of words over the prediction's length c. BP is BLEU's brevity penalty (Papineni
et al. 2002): 1 where the prediction is longer than the reference's length r, else exp(1 − r/c),
which keeps a single right word from scoring 1. Words are the language's own. OrderProbe (He et al.
2026) counts characters: P is then the share of the prediction's different characters that the
reference has, whatever their order, and lengths are in characters.

Recovery is the share of scrambled items whose form was restored exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gistmeter.core.rows import Pool, Rows, Value
from gistmeter.core.types import Pair, ScoreInfo, is_original
from gistmeter.core.wiring import given, readers_of, setting
from gistmeter.languages.normal_forms import normal_form
from gistmeter.metrics.missing import NO_PREDICTION, Missing, counted
from gistmeter.text import RECOVERED
from gistmeter.text.metrics.comparisons import (
    AGGREGATES,
    Against,
    Aggregate,
    Comparisons,
    TextReader,
    assign_readers,
    normal_words,
    require_known,
    shown_texts,
)

NOT_SCRAMBLED = "the form was not scrambled"
Unit = Literal["words", "characters"]
ANSWERS = {
    "true": 1.0, "yes": 1.0, "1": 1.0, "1.0": 1.0,
    "false": 0.0, "no": 0.0, "0": 0.0, "0.0": 0.0,
}  # fmt: skip


def information(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """S_Info of two lists of words. Range [0, 1]; NaN where either is empty."""
    from rapidfuzz.distance import LCSseq

    if not prediction or not reference:
        return math.nan
    precision = LCSseq.similarity(prediction, reference) / len(prediction)
    shortfall = len(reference) / len(prediction)
    return float(precision * _brevity(shortfall))


def _brevity(shortfall: float) -> float:
    """BLEU's penalty, of the reference's length over the prediction's."""
    return 1.0 if shortfall < 1 else math.exp(1 - shortfall)


def character_information(prediction: str, reference: str) -> float:
    """S_Info as OrderProbe counts it: characters as sets. Range [0, 1]; NaN where one is empty.

    >>> character_information("abab", "abc")
    1.0
    """
    if not prediction or not reference:
        return math.nan
    said = set(prediction)
    precision = len(said & set(reference)) / len(said)
    return precision * _brevity(len(reference) / len(prediction))


@dataclass(frozen=True, slots=True)
class Information:
    """S_Info. Range [0, 1], higher is better; identical texts score 1; an empty one is unscored."""

    languages: Mapping[str, TextReader] = given(readers_of)  # an item without one takes the first
    aggregate: Aggregate = setting("max")
    missing: Missing = setting("unscored", "missing_prediction")
    unit: Unit = setting("words", "information_unit")
    against: Against = setting("references")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("s_info"),)

    def __post_init__(self) -> None:
        require_known("Aggregation", self.aggregate, AGGREGATES)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        texts = Comparisons.of(pairs, self.against)
        readers = assign_readers(pairs, self.languages)
        values = [
            self._compare(readers[owner], candidate, reference)
            for owner, candidate, reference in zip(
                texts.owner.tolist(), texts.candidates, texts.references, strict=True
            )
        ]
        column = texts.aggregate(values, self.aggregate)
        rows = Rows.of(pairs).with_numbers({"s_info": column}).with_texts(shown_texts(pairs))
        rows = rows.with_reasons("s_info", texts.without_value(column, {}))
        return counted(rows, ["s_info"], self.missing)

    def _compare(self, reader: TextReader, candidate: str, reference: str) -> float:
        if self.unit == "characters":
            return character_information(candidate, reference)
        return information(normal_words(reader, candidate), normal_words(reader, reference))

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"s_info": rows.mean("s_info")}


@dataclass(frozen=True, slots=True)
class Recovery:
    """The share of scrambled items whose form was restored exactly: [0, 1], higher is better.

    The column `Recovered` holds the form that a system restored, compared with the item's id, or
    says true or false. An item without it is unscored, and so is the unscrambled original, in
    which there is nothing to restore.
    """

    missing: Missing = setting("unscored", "missing_prediction")

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("recovery"),)

    def applies(self, items: Sequence[Pair]) -> bool:
        """Only where restored forms are given."""
        return any(item.fields.get(RECOVERED) for item in items)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        column = np.asarray([recovered(pair) for pair in pairs], dtype=np.float64)
        missing = np.flatnonzero(np.isnan(column)).tolist()
        rows = Rows.of(pairs).with_numbers({"recovery": column})
        rows = rows.with_reasons("recovery", {at: _why(pairs[at]) for at in missing})
        return counted(rows, ["recovery"], self.missing)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"recovery": rows.mean("recovery")}


def recovered(pair: Pair) -> float:
    """1 where the form was restored, 0 where not, NaN where nothing is said."""
    given = pair.fields.get(RECOVERED, "").strip()
    if not given or is_original(pair.arrangement):
        return math.nan
    if given.lower() in ANSWERS:
        return ANSWERS[given.lower()]
    return float(_folded(given) == _folded(pair.id))


def _why(pair: Pair) -> str:
    if is_original(pair.arrangement):
        return NOT_SCRAMBLED
    return "no restored form" if pair.candidate else NO_PREDICTION


def _folded(form: str) -> str:
    return "".join(normal_form("NFKC", form).split())
