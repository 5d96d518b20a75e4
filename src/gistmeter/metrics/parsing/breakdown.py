"""Where points are lost: by part of speech, relation, feature and label; in which sentences.

Three documents go beside a run: `breakdown.json` (scores of the gold's parts of speech and
relations, precision and recall of features and labels), `confusions.json` (which label was given
for which) and `sentences.json` (the sentences that lose most, word by word).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.formats.conllu.pairs import ParsePairs
from gistmeter.formats.conllu.treebank import EMPTY, Codes, Ints, Treebank
from gistmeter.formats.taxonomy import Taxonomy
from gistmeter.metrics.parsing import labels
from gistmeter.metrics.parsing.points import Comparison, feature_sets

Floats = npt.NDArray[np.float64]

WORST = 20  # sentences shown
LISTED = 200  # labels and confusions listed, the most frequent first
LABELLED = {"semslot": "SEMSLOT", "semclass": "SEMCLASS"}
CONFUSED = ("UPOS", "DEPREL", "SEMSLOT", "SEMCLASS")
COMPARED = {
    "lemma": "LEMMA",
    "upos": "UPOS",
    "feats": "FEATS",
    "uas": "HEAD",
    "las": "DEPREL",
    "semslot": "SEMSLOT",
    "semclass": "SEMCLASS",
}


@dataclass(frozen=True, slots=True, eq=False)
class SystemPoints:
    """What one system earned, word by word and item by item."""

    pairs: ParsePairs
    comparison: Comparison
    earned: Mapping[str, Floats]
    lemma_worth: Floats
    numbers: Mapping[str, Floats]

    @property
    def name(self) -> str:
        return self.comparison.segment.match.name

    @property
    def system(self) -> Treebank:
        return self.comparison.segment.match.system

    def possible(self, score: str) -> Floats:
        return self.lemma_worth if score == "lemma" else np.ones(self.comparison.size)


def documents(
    results: Sequence[SystemPoints], parts: Sequence[str], taxonomy: Taxonomy | None
) -> dict[str, Any]:
    """The three documents, by system."""
    return {
        "breakdown.json": {one.name: breakdown(one) for one in results},
        "confusions.json": {one.name: confusions(one) for one in results},
        "sentences.json": {one.name: worst_sentences(one, parts, taxonomy) for one in results},
    }


def breakdown(result: SystemPoints) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for title, column in (("by_pos", "UPOS"), ("by_relation", "DEPREL")):
        if column in result.pairs.gold:
            found[title] = _by_label(result, column)
    if not result.comparison.missing("feats"):
        found["by_feature"] = _by_feature(result)
    found["labels"] = {
        score: _labels(result, column)
        for score, column in LABELLED.items()
        if not result.comparison.missing(score)
    }
    return found


def _by_label(result: SystemPoints, column: str) -> dict[str, dict[str, float]]:
    """Every score over the words that carry each label in the gold."""
    gold = result.pairs.gold
    codes = gold.columns[column][result.comparison.gold]
    strings = gold.vocabularies[column].strings
    counts = np.bincount(codes, minlength=len(strings))
    shares = {
        score: np.bincount(codes, points, minlength=len(strings))
        / np.maximum(np.bincount(codes, result.possible(score), minlength=len(strings)), 1e-300)
        for score, points in result.earned.items()
    }
    return {
        strings[code]: {
            "words": int(counts[code]),
            **{s: float(v[code]) for s, v in shares.items()},
        }
        for code in np.argsort(-counts, kind="stable").tolist()
        if counts[code]
    }


def _by_feature(result: SystemPoints) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each category's values."""
    sets = feature_sets(result.pairs)
    size = len(sets.categories)
    gold, system = result.comparison.codes("FEATS")
    matched = result.comparison.matched
    if matched is not None:
        gold, system = gold[matched], system[matched]
    pairs, counts = _count_pairs(gold, system)
    found = sets.hits(pairs[0], pairs[1])
    weights = counts[found.pair] * found.hit
    right = np.bincount(sets.category[found.atom], weights, minlength=size)
    totals = [_category_counts(result.pairs.gold, sets), _category_counts(result.system, sets)]
    return {
        name: _precision_recall(right[at], totals[0][at], totals[1][at])
        for at, name in sorted(enumerate(sets.categories), key=lambda one: -totals[0][one[0]])
    }


def _category_counts(treebank: Treebank, sets: Any) -> Floats:
    cells = np.bincount(treebank.columns["FEATS"], minlength=len(sets.sizes))
    spread = np.repeat(cells, sets.sizes).astype(np.float64)
    counts = np.bincount(sets.category[sets.atoms], spread, minlength=len(sets.categories))
    return counts.astype(np.float64)


def _labels(result: SystemPoints, column: str) -> dict[str, Any]:
    pairs, segment = result.pairs, result.comparison.segment
    found = labels.occurrences(pairs, segment, column).counts()
    spelling = pairs.spelling(column)
    name = dict(zip(spelling.tolist(), pairs.gold.vocabularies[column].strings, strict=True))
    order = np.argsort(-(found.gold + found.system), kind="stable")[:LISTED]
    return {
        "macro_f1": found.macro_f1,
        "distinct": int(np.count_nonzero(found.used)),
        "each": {
            name[at]: _precision_recall(found.right[at], found.gold[at], found.system[at])
            for at in order.tolist()
            if found.used[at]
        },
    }


def _precision_recall(right: float, gold: float, system: float) -> dict[str, float]:
    both = gold + system
    return {
        "gold": int(gold),
        "system": int(system),
        "right": int(right),
        "precision": float(right / system) if system else float("nan"),
        "recall": float(right / gold) if gold else float("nan"),
        "f1": float(2 * right / both) if both else float("nan"),
    }


def _count_pairs(gold: Codes, system: Codes) -> tuple[tuple[Ints, Ints], Ints]:
    """Distinct pairs of cells and how often each occurs."""
    width = int(max(gold.max(initial=0), system.max(initial=0))) + 1
    keys, counts = np.unique(gold.astype(np.int64) * width + system, return_counts=True)
    return (keys // width, keys % width), counts


def confusions(result: SystemPoints) -> dict[str, list[dict[str, Any]]]:
    """For each column the labels given in place of others, most frequent first."""
    found = {}
    for column in CONFUSED:
        if column not in result.pairs.gold or column not in result.system:
            continue
        gold, system = result.comparison.codes(column)
        spelling = result.pairs.spelling(column)
        wrong = spelling[gold] != spelling[system]
        if result.comparison.matched is not None:
            wrong &= result.comparison.matched
        pairs, counts = _count_pairs(gold[wrong], system[wrong])
        strings = result.pairs.gold.vocabularies[column].strings
        found[column] = [
            {
                "gold": strings[int(pairs[0][at])],
                "system": strings[int(pairs[1][at])],
                "count": int(counts[at]),
            }
            for at in np.argsort(-counts, kind="stable")[:LISTED].tolist()
        ]
    return found


def worst_sentences(
    result: SystemPoints, parts: Sequence[str], taxonomy: Taxonomy | None
) -> list[dict[str, Any]]:
    """The items that lose most points of the total, with their words in both versions."""
    lost = np.zeros(result.comparison.segment.last - result.comparison.segment.first)
    for score in parts:
        possible = result.numbers["lemma_possible" if score == "lemma" else "words"]
        lost = lost + np.nan_to_num(possible - result.numbers[f"{score}_points"])
    order = np.argsort(-lost, kind="stable")[:WORST].tolist()
    return [_sentence(result, at, float(lost[at]), taxonomy) for at in order if lost[at] > 0]


def _sentence(
    result: SystemPoints, unit: int, lost: float, taxonomy: Taxonomy | None
) -> dict[str, Any]:
    pairs, gold = result.pairs, result.pairs.gold
    units = result.comparison.segment.match.units
    first = int(pairs.units[unit])
    other = first if units is None else int(units[unit])
    words = range(*gold.offsets[pairs.units[unit : unit + 2]].tolist())
    return {
        "id": pairs.name(unit),
        "gold_line": int(gold.sentence_lines[first]),
        "system_line": int(result.system.sentence_lines[min(other, len(result.system) - 1)]),
        "lost": lost,
        "scores": {score: float(result.numbers[score][unit]) for score in ("total", *COMPARED)},
        "tokens": [_token(result, word, taxonomy) for word in words],
    }


def _token(result: SystemPoints, word: int, taxonomy: Taxonomy | None) -> dict[str, Any]:
    gold, match = result.pairs.gold, result.comparison.segment.match
    other = word if match.words is None else int(match.words[word])
    columns = [column for column in COMPARED.values() if column in gold]
    at = word - result.comparison.gold.start
    token: dict[str, Any] = {
        "id": gold.text("ID", word),
        "sentence": _sentence_of(gold, word),
        "form": gold.form(word),
        "gold": {column.lower(): gold.text(column, word) for column in columns},
        "system": None,
        "wrong": [
            COMPARED[score].lower()
            for score, points in result.earned.items()
            if points[at] < (result.lemma_worth[at] if score == "lemma" else 1) and score != "las"
        ],
    }
    if other >= 0:
        token["system"] = {column.lower(): result.system.text(column, other) for column in columns}
        token["system_id"] = result.system.text("ID", other)
        token["system_sentence"] = _sentence_of(result.system, other)
        # A relation to the wrong head is not wrong by itself.
        if "las" in result.earned and token["system"]["deprel"] != token["gold"]["deprel"]:
            token["wrong"].append("deprel")
        path = _class_path(result, word, other, taxonomy)
        if path:
            token["class_path"] = path
    return token


def _sentence_of(treebank: Treebank, word: int) -> int:
    """Ids begin anew in each sentence, and an item of --conll18 may have several."""
    return int(np.searchsorted(treebank.offsets, word, side="right"))


def _class_path(result: SystemPoints, word: int, other: int, taxonomy: Taxonomy | None) -> str:
    """The way from the gold's class to the system's: DOG → CANINAE → ANIMAL."""
    ours, theirs = result.pairs.gold.text("SEMCLASS", word), result.system.text("SEMCLASS", other)
    if taxonomy is None or ours == theirs or {ours, theirs} & {*EMPTY}:
        return ""
    way = taxonomy.path(ours, theirs)
    return " → ".join(way) if way else f"{ours} and {theirs} are in different trees or unknown"
