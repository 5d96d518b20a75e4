"""Where points are lost: by part of speech, relation, feature and label; by length, arc and depth.

Each item keeps its counts by label. From the rows of a whole run two documents are made that go
beside it: `breakdown.json` (scores of the words of a kind, precision and recall of features and
labels) and `confusions.json` (which label was given for which).

Words are told apart by the gold alone: by their part of speech and relation, the length of their
sentence, how far from their head, on which side of it and how deep below the root they stand,
whether the arc from the head is projective (the head is above all words in between), and, where a
training treebank was given, whether their form and their lemma occur in it.

Not every word has a semantic slot or class: `_` is no label. With right, gold and system the counts
of a label,

    micro F1 = Σ 2·right / Σ (gold + system)         over labels
    macro F1 = mean of 2·right / (gold + system)     over labels that gold or system use

Counts by label make both exact for any sentences put together, and for each resample of them. Yet
macro F1 gives a label seen once the weight of one seen a thousand times: where labels are rare, its
value depends on which of them were met at all, which resampling cannot show (of 150 nominal 95%
intervals 87 to 93% held the truth where the median label occurred 20 times or more, 58% at 8 times,
30% at twice). So there is no interval then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gistmeter.core.rows import Counts, Floats, Labelled, Rows, Value, divide
from gistmeter.parse.formats import forest
from gistmeter.parse.formats.pairs import ParsePairs, Segment
from gistmeter.parse.formats.treebank import EMPTY, Codes, Ints, compose
from gistmeter.parse.formats.trees import parents_of
from gistmeter.parse.metrics.points import SEVEN, WordPairs, feature_sets

NO_TREE = "on a cycle"
RARE = 10  # occurrences of the median label below which macro F1 has no honest interval
COUNTED = ("right", "gold", "system")
LISTED = 200  # labels and confusions listed, the most frequent first
SCORED = {"by_pos": "UPOS", "by_relation": "DEPREL"}
SEEN = {"by_form": "FORM", "by_lemma": "LEMMA"}
LENGTHS = {1: "1–10 words", 11: "11–20", 21: "21–30", 31: "31–40", 41: "41 and more"}
ARCS = {0: "root", 1: "1 word", 2: "2", 3: "3–6", 7: "7–10", 11: "11 and more"}
DEPTHS = {0: "root", 1: "1 below", 2: "2", 3: "3", 4: "4", 5: "5–7", 8: "8 and more"}
SIDES = ("root", "head to the left", "head to the right")
KINDS: Mapping[str, Sequence[str]] = {
    "by_length": tuple(LENGTHS.values()),
    "by_arc_length": tuple(ARCS.values()),
    "by_direction": SIDES,
    "by_depth": (*DEPTHS.values(), NO_TREE),
    "by_projectivity": ("projective", "non-projective", NO_TREE),
    "by_form": ("seen in training", "unseen"),
    "by_lemma": ("seen in training", "unseen"),
}  # labels in their order
OF_ARCS = ("by_arc_length", "by_direction", "by_depth", "by_projectivity")
LABELLED = {"semslot": "SEMSLOT", "semclass": "SEMCLASS"}
CONFUSED = ("UPOS", "DEPREL", "SEMSLOT", "SEMCLASS")
BETWEEN = "\t"  # the gold's label and the system's; no cell has one


def count(words: WordPairs, earned: Mapping[str, Floats], worth: Floats) -> dict[str, Counts]:
    """All counts by label of a segment's items; none for a column that is not there."""
    gold, system = words.pairs.gold, words.segment.match.system
    item = words.pairs.gold_items(words.segment)
    points = {"lemma_possible": worth, **earned}
    found = {
        title: _count_points(
            words, item, gold.columns[column][words.gold], gold.vocabularies[column].strings, points
        )
        for title, column in SCORED.items()
        if column in gold
    }
    for title, kind in word_kinds(words.pairs).items():
        names = ("uas", "las") if title in OF_ARCS else tuple(points)
        some = {name: points[name] for name in names if name in points}
        found[title] = _count_points(words, item, kind[words.gold], KINDS[title], some)
    if not words.missing("feats"):
        found["by_feature"] = _count_features(words, item)
    for score, column in LABELLED.items():
        if not words.missing(score):
            found[f"by_{score}"] = _count_labels(words.pairs, words.segment, column)
    for column in CONFUSED:
        if column in gold and column in system:
            found[f"confused_{column.lower()}"] = _count_confusions(words, item, column)
    return found


def _count_points(
    words: WordPairs, item: Ints, label: Codes, labels: Sequence[str], points: Mapping[str, Floats]
) -> Counts:
    """What the gold words with each label earn."""
    return Counts.of(words.items, item, label, labels, {"words": np.ones(words.size), **points})


def word_kinds(pairs: ParsePairs) -> dict[str, Codes]:
    """For each gold word its place among the labels of every kind that can be told."""
    return pairs.derive("kinds of words", lambda: _word_kinds(pairs))


def _word_kinds(pairs: ParsePairs) -> dict[str, Codes]:
    gold = pairs.gold
    sizes = np.diff(gold.offsets)
    found = {"by_length": _binned(np.repeat(sizes, sizes), LENGTHS)}
    if "HEAD" in gold:
        parents = parents_of(gold)
        away = np.where(parents < 0, 0, np.arange(gold.words) - parents)
        depth = forest.depths(parents)
        straight = forest.covered(parents)
        found |= {
            "by_arc_length": _binned(np.abs(away), ARCS),
            "by_direction": np.where(away > 0, 1, np.where(away < 0, 2, 0)),
            "by_depth": np.where(depth < 0, len(DEPTHS), _binned(depth, DEPTHS)),
            "by_projectivity": np.where(depth < 0, 2, np.where(straight, 0, 1)),
        }
    for title, column in SEEN.items():
        if column in pairs.training and column in gold:
            found[title] = np.where(pairs.training[column][gold.columns[column]], 0, 1)
    return {title: kind.astype(np.int32) for title, kind in found.items()}


def _binned(numbers: Ints, starts: Mapping[int, str]) -> Ints:
    return np.maximum(np.searchsorted(list(starts), numbers, side="right") - 1, 0)


def _count_features(words: WordPairs, item: Ints) -> Counts:
    """Values of each category: in the gold, in the system, and in both."""
    sets, match = feature_sets(words.pairs), words.segment.match
    gold, system = (np.maximum(cells, 0).astype(np.int64) for cells in words.codes("FEATS"))
    word, atom = sets.members(gold)
    right = (gold == system)[word]
    unequal = np.flatnonzero(gold != system)
    right[~right] = sets.hits(gold[unequal], system[unequal]).hit
    if words.matched is not None:
        right &= words.matched[word]
    cells = match.system.columns["FEATS"][words.pairs.system_words(words.segment)]
    other, theirs = sets.members(cells.astype(np.int64))
    system_item = words.pairs.system_items(words.segment)
    nothing = np.zeros(len(other), np.bool_)
    return Counts.of(
        words.items,
        np.concatenate([item[word], system_item[other]]),
        sets.category[np.concatenate([atom, theirs])],
        sets.categories,
        {
            "right": np.concatenate([right, nothing]),
            "gold": np.arange(len(word) + len(other)) < len(word),
            "system": np.arange(len(word) + len(other)) >= len(word),
        },
    )


def _count_labels(pairs: ParsePairs, segment: Segment, column: str) -> Counts:
    """How often each label is right, in the gold and in the system, in each item."""
    vocabulary, match = pairs.gold.vocabularies[column], segment.match
    key = f"{column} {len(vocabulary)}"
    names = pairs.derive(f"labels {key}", lambda: [compose(one) for one in vocabulary.strings])
    empty = pairs.derive(f"empty {key}", lambda: vocabulary.flags(lambda one: one in EMPTY))
    spelling = pairs.spelling(column)
    gold_slice = pairs.gold_words(segment)
    gold = pairs.gold.columns[column][gold_slice]
    system = match.system.columns[column][pairs.system_words(segment)]
    gold_item, system_item = pairs.gold_items(segment), pairs.system_items(segment)
    place = np.arange(gold_slice.start, gold_slice.stop)
    place = place if match.words is None else match.words[gold_slice]
    paired = np.flatnonzero(~empty[gold] & (place >= 0))
    theirs = match.system.columns[column][place[paired]]
    right = paired[spelling[gold[paired]] == spelling[theirs]]
    parts = [
        (gold_item[right], gold[right]),
        (gold_item[~empty[gold]], gold[~empty[gold]]),
        (system_item[~empty[system]], system[~empty[system]]),
    ]
    kind = np.repeat(np.arange(len(parts)), [len(item) for item, _ in parts])
    return Counts.of(
        segment.size,
        np.concatenate([item for item, _ in parts]),
        np.concatenate([label for _, label in parts]),
        names,
        {name: kind == at for at, name in enumerate(COUNTED)},
    )


def _count_confusions(words: WordPairs, item: Ints, column: str) -> Counts:
    """The labels that were given in place of others."""
    gold, system = words.codes(column)
    spelling = words.pairs.spelling(column)
    wrong = spelling[gold] != spelling[system]
    if words.matched is not None:
        wrong &= words.matched
    pairs, place = _distinct(gold[wrong], system[wrong])
    strings = words.pairs.gold.vocabularies[column].strings
    names = [f"{strings[ours]}{BETWEEN}{strings[theirs]}" for ours, theirs in pairs]
    return Counts.of(words.items, item[wrong], place, names, {"count": np.ones(len(place))})


def _distinct(gold: Codes, system: Codes) -> tuple[list[tuple[int, int]], Ints]:
    """Distinct pairs of cells, and which of them each pair is."""
    width = int(max(gold.max(initial=0), system.max(initial=0))) + 1
    keys, place = np.unique(gold.astype(np.int64) * width + system, return_inverse=True)
    return [divmod(key, width) for key in keys.tolist()], place


def macro_f1(found: Labelled) -> Value:
    """The mean F1 of the labels that are used; NaN where none is, and in resamples of rare ones."""
    if found.whole is not None and are_rare(found.whole):
        return float("nan")
    both = found["gold"] + found["system"]
    f1 = np.divide(2 * found["right"], both, out=np.zeros_like(both), where=both > 0)
    mean: Value = divide(f1.sum(axis=-1), np.count_nonzero(both, axis=-1))
    return mean


def are_rare(found: Labelled) -> bool:
    """Whether half of the labels occur seldom."""
    both = found["gold"] + found["system"]
    return bool(both.any()) and float(np.median(both[both > 0])) / 2 < RARE


def breakdown(rows: Rows) -> dict[str, Any]:
    """Scores and counts by label, of one system's rows."""
    found: dict[str, Any] = {
        title: _scores(rows.labelled(title), KINDS.get(title, ()))
        for title in (*SCORED, *KINDS)
        if _known(rows, title)
    }
    if _known(rows, "by_feature"):
        found["by_feature"] = precision_recall(rows.labelled("by_feature"))
    found["labels"] = {}
    for score in LABELLED:
        if _known(rows, f"by_{score}"):
            counted = rows.labelled(f"by_{score}")
            each = precision_recall(counted)
            found["labels"][score] = {
                "macro_f1": macro_f1(counted),
                "distinct": len(each),
                "each": dict(list(each.items())[:LISTED]),
            }
    return found


def _known(rows: Rows, name: str) -> bool:
    """Whether there are such counts for any of the rows."""
    return name in rows.counts and bool(rows.counts[name].known.any())


def _scores(found: Labelled, labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """Every score over the words of each label; in the order of the labels, or by frequency."""
    words = found["words"]
    places = {label: at for at, label in enumerate(found.labels)}
    frequent = [found.labels[at] for at in np.argsort(-words, kind="stable").tolist()]
    possible = {"lemma": found["lemma_possible"]} if "lemma" in found.numbers else {}
    return {
        label: {
            "words": int(words[places[label]]),
            **{
                score: float(
                    found[score][places[label]]
                    / max(possible.get(score, words)[places[label]], 1e-300)
                )
                for score in SEVEN
                if score in found.numbers
            },
        }
        for label in labels or frequent
        if label in places and words[places[label]]
    }


def precision_recall(found: Labelled) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each label that is used, the most frequent first."""
    both = found["gold"] + found["system"]
    table = np.column_stack([found[name] for name in COUNTED]).tolist()
    return {
        found.labels[at]: {
            "gold": int(gold),
            "system": int(system),
            "right": int(right),
            "precision": right / system if system else float("nan"),
            "recall": right / gold if gold else float("nan"),
            "f1": 2 * right / (gold + system),
        }
        for at in np.argsort(-both, kind="stable").tolist()
        for right, gold, system in [table[at]]
        if gold + system
    }


def confusions(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """For each column the labels given in place of others, most frequent first."""
    found = {}
    for column in CONFUSED:
        name = f"confused_{column.lower()}"
        if not _known(rows, name):
            continue
        counted = rows.labelled(name)
        order = np.argsort(-counted["count"], kind="stable")[:LISTED].tolist()
        labels = [(*counted.labels[at].split(BETWEEN), counted["count"][at]) for at in order]
        found[column] = [
            {"gold": gold, "system": system, "count": int(times)}
            for gold, system, times in labels
            if times
        ]
    return found
