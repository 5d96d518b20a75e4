"""Enhanced dependencies and empty nodes, as F1: right / mean of the gold's and the system's count.

    elas    edges of the enhanced graph with the right head and the whole relation (conj:and)
    eulas   the same with universal relations (conj)
    empty_nodes            empty nodes that the system has in the same place: after the same word
    empty_nodes_labelled   those that also have the gold's semantic slot and class

ELAS and EULAS are those of the shared tasks of IWPT 2020 and 2021 (Bouma et al. 2020, "Overview of
the IWPT 2020 Shared Task on Parsing into Enhanced Universal Dependencies"): empty nodes are folded
into the relations of their dependents (`formats/graphs.py`), so that their place does not
matter. An empty node without dependents, as CoBaLD has for what is left out of a sentence, leaves
no trace there; the last two scores are for it.

Where a word has two edges to one head that differ in their subtypes alone, the tasks' script counts
each pair of them for EULAS, which can give more than 1; here each edge can be right once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gistmeter.core.rows import Counts, Floats, Pool, Rows, Value
from gistmeter.core.types import ScoreInfo
from gistmeter.core.wiring import setting
from gistmeter.parse.formats.graphs import (
    TYPES,
    EnhancedGraph,
    edge_types,
    number_columns,
    read_graph,
    universal_path,
)
from gistmeter.parse.formats.pairs import Match, ParsePairs, Segment
from gistmeter.parse.formats.treebank import EMPTY, SEMANTIC, Bools, Ints, Treebank, Vocabulary
from gistmeter.parse.metrics.breakdown import precision_recall
from gistmeter.parse.metrics.conll18 import official_scores
from gistmeter.parse.metrics.parsing import explained, without_unfit

BOTH = {
    "elas": "enhanced_edges", "eulas": "enhanced_edges",
    "empty_nodes": "enhanced_nodes", "empty_nodes_labelled": "enhanced_nodes",
}  # fmt: skip
BY_TYPE = "by_enhancement"
NO_NODES = "neither the gold nor the system has an empty node"


@dataclass(frozen=True, slots=True)
class EnhancedDependencies:
    """ELAS, EULAS and empty nodes, each in [0, 1], higher is better.

    Identical files score 1. Without enhanced dependencies in the gold or in the system, `elas` and
    `eulas` are undefined; without empty nodes in both, so are the other two.
    """

    wanted: bool = setting(True, "enhanced", signed=False)
    scores: ClassVar[tuple[ScoreInfo, ...]] = tuple(
        ScoreInfo(score, basis=f"enhanced_{score}") for score in BOTH
    )

    def applies(self, items: Sequence[Any]) -> bool:  # noqa: ARG002
        return self.wanted

    def requires(self, items: Sequence[Any]) -> str:  # noqa: ARG002
        """The option, for it decides how files are read."""
        return "" if self.wanted else "The scores of enhanced dependencies need the option enhanced"

    def measure(self, items: Sequence[Any]) -> Rows:
        """One row per item: what is right, and the mean of the gold's and the system's count."""
        pairs = ParsePairs.of(items)
        return Rows.concat(self._segment(pairs, segment) for segment in pairs.segments())

    def documents(self, rows: Rows, items: Sequence[Any]) -> dict[str, Any]:
        """Precision and recall of edges, in all and by type, for each system that has any."""
        del items
        found: dict[str, Any] = {}
        for system, own in rows.by("system").items():
            right, gold, theirs, plain = (
                float(np.nansum(own.values(f"enhanced_{name}")))
                for name in ("elas", "edges_gold", "edges_system", "eulas")
            )
            if gold and theirs:
                found[system] = {"official": {
                    "ELAS": official_scores(right, gold, theirs, 0),
                    "EULAS": official_scores(plain, gold, theirs, 0),
                }}  # fmt: skip
            if gold and theirs and BY_TYPE in own.counts:
                found[system]["by_type"] = precision_recall(own.labelled(BY_TYPE))
        return {"enhanced.json": found}

    def pool(self, rows: Pool) -> Mapping[str, Value]:
        return {score: rows.ratio(f"enhanced_{score}", both) for score, both in BOTH.items()}

    def explain(self, name: str, rows: Rows) -> str:  # noqa: ARG002 - nodes alone come here
        """Why a score of a system is undefined although its sentences have counts."""
        return NO_NODES

    def _segment(self, pairs: ParsePairs, segment: Segment) -> Rows:
        match = segment.match
        counts, absent, types = pairs.derive(
            f"enhanced columns of {match.name}",
            lambda: (_counts(pairs, match), _absent(pairs, match), _types(pairs, match)),
        )
        part = ParsePairs.of(pairs[segment.row : segment.row + segment.size])
        rows = Rows(part.keys(), segment.row + np.arange(segment.size)).with_numbers(
            {name: column[segment.first : segment.last] for name, column in counts.items()}
        )
        for score, why in absent.items():
            rows = explained(rows, f"enhanced_{score}", why)
        if types is not None:
            part_types = types.take(np.arange(segment.first, segment.last))
            rows = rows.with_counts({BY_TYPE: part_types})
        return without_unfit(rows, segment)


def _absent(pairs: ParsePairs, match: Match) -> dict[str, str]:
    """The scores that do not exist for a system, and why."""
    sides = {"gold": pairs.gold, "system": match.system}
    bare = [name for name, bank in sides.items() if not _has_edges(bank)]
    flat = [name for name, bank in sides.items() if any(one not in bank for one in SEMANTIC)]
    why = {
        score: f"the {bare[0]} has no enhanced dependencies" for score in ("elas", "eulas") if bare
    }
    if flat:
        why["empty_nodes_labelled"] = f"the {flat[0]} has no semantic slots and classes"
    return why


def _has_edges(treebank: Treebank) -> bool:
    if "DEPS" not in treebank:
        return False
    used = np.unique(treebank.columns["DEPS"]).tolist()
    strings = treebank.vocabularies["DEPS"].strings
    return any(strings[code] not in EMPTY for code in used)


def _counts(pairs: ParsePairs, match: Match) -> dict[str, Floats]:
    """All columns of a system, worked out once for all slices of its items."""
    absent, size = _absent(pairs, match), pairs.size
    counted = _edges(pairs, match) if "elas" not in absent else {}
    counted |= _nodes(pairs, match, labelled="empty_nodes_labelled" not in absent)
    none = np.full(size, np.nan)
    names = (
        *(f"enhanced_{score}" for score in BOTH), *dict.fromkeys(BOTH.values()),
        "enhanced_edges_gold", "enhanced_edges_system",
    )  # fmt: skip
    return {name: counted.get(name, none) for name in names}


def _gold_words(pairs: ParsePairs, match: Match) -> Ints:
    """For each word of the system the gold's, -2 where there is none."""
    found = np.full(match.system.words, -2, np.int64)
    words = np.arange(pairs.gold.words) if match.words is None else match.words
    aligned = words >= 0
    found[words[aligned]] = np.flatnonzero(aligned)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Graphs:
    """The gold's graph, the system's, and the system's edges between words of the gold."""

    relations: Vocabulary
    gold: EnhancedGraph
    system: EnhancedGraph
    stands: Bools  # which of the system's edges are between words that stand for gold words
    moved: EnhancedGraph  # those, with the gold's words

    @classmethod
    def of(cls, pairs: ParsePairs, match: Match) -> _Graphs:
        relations = pairs.derive("enhanced relations", Vocabulary)
        gold = pairs.derive("enhanced gold", lambda: read_graph(pairs.gold, relations))
        system = read_graph(match.system, relations)
        word = _gold_words(pairs, match)
        head = np.where(system.head < 0, -1, word[system.head])
        stands = (word[system.word] >= 0) & (head > -2)
        moved = EnhancedGraph(word[system.word][stands], head[stands], system.relation[stands])
        return cls(relations, gold, system, stands, moved)


def _edges(pairs: ParsePairs, match: Match) -> dict[str, Floats]:
    graphs = pairs.derive(f"enhanced graphs of {match.name}", lambda: _Graphs.of(pairs, match))
    gold, moved, whole = graphs.gold, graphs.moved, pairs.whole(match)
    item, theirs = pairs.gold_items(whole), pairs.system_items(whole)
    spellings = {
        "elas": np.arange(len(graphs.relations)),
        "eulas": graphs.relations.classes(universal_path).astype(np.int64),
    }
    found = {}
    for score, spelled in spellings.items():
        left = np.stack([gold.word, gold.head, spelled[gold.relation]])
        right = np.stack([moved.word, moved.head, spelled[moved.relation]])
        found[f"enhanced_{score}"] = _shared(left, right, item, pairs.size)
    ours = np.bincount(item[gold.word], minlength=pairs.size).astype(np.float64)
    other = np.bincount(theirs[graphs.system.word], minlength=pairs.size).astype(np.float64)
    return found | {
        "enhanced_edges": (ours + other) / 2,
        "enhanced_edges_gold": ours,
        "enhanced_edges_system": other,
    }


def _types(pairs: ParsePairs, match: Match) -> Counts | None:
    """The edges of each item by type; one that is right has the type it has in the gold."""
    needed = ("HEAD", "DEPREL")
    lacking = any(name not in bank for name in needed for bank in (pairs.gold, match.system))
    if "elas" in _absent(pairs, match) or lacking:
        return None
    graphs = pairs.derive(f"enhanced graphs of {match.name}", lambda: _Graphs.of(pairs, match))
    gold, moved, whole = graphs.gold, graphs.moved, pairs.whole(match)
    ours = edge_types(gold, pairs.gold, graphs.relations)
    theirs = edge_types(graphs.system, match.system, graphs.relations)
    sides = [np.stack([one.word, one.head, one.relation]) for one in (gold, moved)]
    number = number_columns(np.concatenate(sides, axis=1).astype(np.int64))
    left, right = number[: len(gold.word)], number[len(gold.word) :]
    type_of = np.full(len(number) + 1, -1, np.int64)
    type_of[left] = ours
    known = type_of[right]
    places = np.flatnonzero(graphs.stands)
    theirs[places] = np.where(known >= 0, known, theirs[places])
    size, other = len(left), len(theirs)
    return Counts.of(
        pairs.size,
        np.concatenate(
            [pairs.gold_items(whole)[gold.word], pairs.system_items(whole)[graphs.system.word]]
        ),
        np.concatenate([ours, theirs]),
        TYPES,
        {
            "right": np.concatenate([np.isin(left, right), np.zeros(other, np.bool_)]),
            "gold": np.arange(size + other) < size,
            "system": np.arange(size + other) >= size,
        },
    )


def _nodes(pairs: ParsePairs, match: Match, *, labelled: bool) -> dict[str, Floats]:
    whole = pairs.whole(match)
    item, theirs = pairs.gold_items(whole), pairs.system_items(whole)
    ours, other = _places(pairs.gold), _places(match.system)
    word = _gold_words(pairs, match)
    left, right = ours.copy(), other.copy()
    right[0] = word[other[0]]
    keys: dict[str, tuple[Ints, Ints]] = {"empty_nodes": (left, right)}
    if labelled:
        keys["empty_nodes_labelled"] = (
            np.concatenate([left, _labels(pairs, pairs.gold)]),
            np.concatenate([right, _labels(pairs, match.system)]),
        )
    found = {
        f"enhanced_{score}": _shared(gold, system[:, system[0] >= 0], item, pairs.size)
        for score, (gold, system) in keys.items()
    }
    both = np.bincount(item[ours[0]], minlength=pairs.size)
    both = both + np.bincount(theirs[other[0]], minlength=pairs.size)
    return found | {"enhanced_nodes": both / 2}


def _places(treebank: Treebank) -> Ints:
    """The word after which each empty node stands, or, before all words, the first; and which."""
    nodes = treebank.nodes
    sizes = np.diff(treebank.offsets)[nodes.sentence]
    outside = np.flatnonzero((nodes.after > sizes) | (sizes == 0))
    if len(outside):
        raise treebank.node_error("there is no such word before it", int(outside[0]))
    first = nodes.after == 0
    word = treebank.offsets[nodes.sentence] + np.maximum(nodes.after - 1, 0)
    return np.stack([word, first.astype(np.int64)])


def _labels(pairs: ParsePairs, treebank: Treebank) -> Ints:
    """The semantic slot and class of each empty node."""
    columns = [pairs.spelling(name)[treebank.nodes.columns[name]] for name in SEMANTIC]
    return np.stack(columns).astype(np.int64).reshape(len(SEMANTIC), -1)


def _shared(gold: Ints, system: Ints, item: Ints, size: int) -> Floats:
    """By item, how many columns (a word, then what it has) both have, each as often as both do."""
    table = np.concatenate([gold, system], axis=1)
    number = number_columns(table)
    kinds = int(number.max(initial=-1)) + 1
    ours = np.bincount(number[: gold.shape[1]], minlength=kinds)
    theirs = np.bincount(number[gold.shape[1] :], minlength=kinds)
    word = np.zeros(kinds, np.int64)
    word[number] = table[0]
    return np.bincount(item[word], np.minimum(ours, theirs), size).astype(np.float64)
