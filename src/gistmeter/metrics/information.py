"""S_Info, how much of a reference's content is carried without padding; and Recovery.

    S_Info = BP · P_ROUGE-L

P_ROUGE-L = LCS(prediction, reference) / c is the precision of ROUGE-L (Lin 2004): the longest
common subsequence of words over the prediction's length c. BP is BLEU's brevity penalty (Papineni
et al. 2002): 1 where the prediction is longer than the reference's length r, else exp(1 − r/c),
which keeps a single right word from scoring 1. Words are the language's own.

Recovery is the share of items whose scrambled form was restored exactly.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gistmeter.errors import InputError
from gistmeter.metrics.reader import TextReader, normal_words, readers_of
from gistmeter.metrics.references import AGGREGATES, Aggregate, Comparisons, shown
from gistmeter.rows import Pool, Rows, Value
from gistmeter.types import Pair, ScoreInfo

RECOVERED = "recovered"
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
    return float(precision * (1.0 if shortfall < 1 else math.exp(1 - shortfall)))


@dataclass(frozen=True, slots=True)
class Information:
    """S_Info. Range [0, 1], higher is better; identical texts score 1; an empty one is unscored."""

    languages: Mapping[str, TextReader]  # by code; an item without one takes the first
    aggregate: Aggregate = "max"

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("s_info"),)

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise InputError(f"'{self.aggregate}' is none of {', '.join(AGGREGATES)}")

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        texts = Comparisons.of(pairs)
        readers = readers_of(pairs, self.languages)
        values = [
            information(
                normal_words(readers[owner], candidate), normal_words(readers[owner], reference)
            )
            for owner, candidate, reference in zip(
                texts.owner.tolist(), texts.candidates, texts.references, strict=True
            )
        ]
        column = texts.aggregate(values, self.aggregate)
        missing = np.flatnonzero(np.isnan(column)).tolist()
        reasons = {
            at: texts.reasons.get(at, "no words in prediction or reference") for at in missing
        }
        rows = Rows.of(pairs).with_numbers({"s_info": column}).with_texts(shown(pairs))
        return rows.with_reasons("s_info", reasons)

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"s_info": rows.mean("s_info")}


@dataclass(frozen=True, slots=True)
class Recovery:
    """The share of items whose form was restored exactly. Range [0, 1], higher is better.

    The column `Recovered` holds the form that a system restored, compared with the item's id, or
    says true or false. An item without it is unscored.
    """

    scores: ClassVar[tuple[ScoreInfo, ...]] = (ScoreInfo("recovery"),)

    def measure(self, pairs: Sequence[Pair]) -> Rows:
        column = np.asarray([recovered(pair) for pair in pairs], dtype=np.float64)
        missing = np.flatnonzero(np.isnan(column)).tolist()
        rows = Rows.of(pairs).with_numbers({"recovery": column})
        return rows.with_reasons("recovery", dict.fromkeys(missing, "no restored form"))

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {"recovery": rows.mean("recovery")}


def recovered(pair: Pair) -> float:
    """1 where the form was restored, 0 where not, NaN where nothing is said."""
    given = pair.fields.get(RECOVERED, "").strip()
    if not given:
        return math.nan
    if given.lower() in ANSWERS:
        return ANSWERS[given.lower()]
    return float(_folded(given) == _folded(pair.id))


def _folded(form: str) -> str:
    return "".join(unicodedata.normalize("NFKC", form).split())
