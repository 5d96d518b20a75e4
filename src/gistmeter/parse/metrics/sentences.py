"""The sentences that lose most, word by word, as the gold and as the system have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gistmeter.core.rows import Floats
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.formats.treebank import EMPTY, Treebank
from gistmeter.parse.metrics.points import WordPairs

COMPARED = {
    "lemma": "LEMMA",
    "upos": "UPOS",
    "feats": "FEATS",
    "uas": "HEAD",
    "las": "DEPREL",
    "semslot": "SEMSLOT",
    "semclass": "SEMCLASS",
}


def describe(
    words: WordPairs, earned: Mapping[str, Floats], worth: Floats, taxonomy: Taxonomy | None
) -> dict[str, Any]:
    """One item: where it stands in both files, and its words."""
    pairs, system, unit = words.pairs, words.segment.match.system, words.segment.first
    first = int(pairs.units[unit])
    units = words.segment.match.units
    other = first if units is None else int(units[unit])
    lost = {
        score: points < (worth if score == "lemma" else 1)
        for score, points in earned.items()
        if score != "las"  # a relation to the wrong head is not wrong by itself
    }
    return {
        "id": pairs.name(unit),
        "gold_line": int(pairs.gold.sentence_lines[first]),
        "system_line": int(system.sentence_lines[min(other, len(system) - 1)]),
        "tokens": [
            _token(words, at, [COMPARED[score].lower() for score in lost if lost[score][at]],
                   taxonomy, related="las" in earned)
            for at in range(words.size)
        ],
    }  # fmt: skip


def _token(
    words: WordPairs, at: int, wrong: list[str], taxonomy: Taxonomy | None, *, related: bool
) -> dict[str, Any]:
    gold, match = words.pairs.gold, words.segment.match
    word = words.gold.start + at
    other = word if match.words is None else int(match.words[word])
    columns = [column for column in COMPARED.values() if column in gold]
    token: dict[str, Any] = {
        "id": gold.text("ID", word),
        "sentence": _sentence_of(gold, word),
        "form": gold.form(word),
        "gold": {column.lower(): gold.text(column, word) for column in columns},
        "system": None,
        "wrong": wrong,
    }
    if other >= 0:
        system = match.system
        token["system"] = {column.lower(): system.text(column, other) for column in columns}
        token["system_id"] = system.text("ID", other)
        token["system_sentence"] = _sentence_of(system, other)
        if related and token["system"]["deprel"] != token["gold"]["deprel"]:
            token["wrong"].append("deprel")
        path = _class_path(gold.text("SEMCLASS", word), system.text("SEMCLASS", other), taxonomy)
        if path:
            token["class_path"] = path
    return token


def _sentence_of(treebank: Treebank, word: int) -> int:
    """Ids start again in each sentence, and an item of --conll18 may have several."""
    return int(np.searchsorted(treebank.offsets, word, side="right"))


def _class_path(ours: str, theirs: str, taxonomy: Taxonomy | None) -> str:
    """The way from the gold's class to the system's: DOG → CANINAE → ANIMAL."""
    if taxonomy is None or ours == theirs or {ours, theirs} & {*EMPTY}:
        return ""
    way = taxonomy.path(ours, theirs)
    return " → ".join(way) if way else f"{ours} and {theirs} are in different trees or unknown"
