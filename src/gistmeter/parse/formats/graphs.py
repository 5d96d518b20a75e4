"""Enhanced dependencies: the graph of the column DEPS, its empty nodes folded away.

A cell holds `head:relation|head:relation`; a head is a word, 0 for the root, or an empty node
(7.1), which stands for what the sentence leaves unsaid. Two annotators may put the same empty node
in two places, so the shared tasks of IWPT 2020 and 2021 (Bouma et al.) fold them away: an edge from
an empty node is replaced by one from each word (or the root) from which a path leads to that node,
and its relation spells the path. If 7.1 is `conj` of 3, and 9 is `nsubj` of 7.1, then 9 is
`conj>nsubj` of 3. A path visits no empty node twice; an empty node without a head passes nothing
on, and one without dependents leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.parse.formats.treebank import (
    EMPTY,
    NODE,
    WORD,
    Bools,
    Codes,
    Ints,
    Treebank,
    Vocabulary,
    compose,
)
from gistmeter.parse.formats.trees import parents_of

STEP = ">"  # between the relations of a path
TYPES = (
    "as in the basic tree", "with case or conjunction", "through an empty node", "relative clause",
    "subject of a controlled verb", "head shared by conjuncts", "dependent shared by conjuncts",
    "other",
)  # fmt: skip
PATHS = 1_000  # to one empty node; a graph with more is no grammar
Edge = tuple[str, str]  # head and relation, as they are written


@dataclass(frozen=True, slots=True, eq=False)
class EnhancedGraph:
    """Edges, none twice: a word of the file, its head there (-1 for the root), their relation."""

    word: Ints
    head: Ints
    relation: Codes


def read_graph(treebank: Treebank, relations: Vocabulary) -> EnhancedGraph:
    """The folded graph of a treebank; relations are numbered by a vocabulary that others share."""
    edges = _Edges(treebank)
    word, head, relation = edges.between_words(relations)
    folded = list(edges.folded())
    word = np.concatenate([word, np.asarray([one for one, _, _ in folded], np.int64)])
    head = np.concatenate([head, np.asarray([one for _, one, _ in folded], np.int64)])
    paths = relations.codes([compose(path) for _, _, path in folded])
    relation = np.concatenate([relation, paths])
    table = np.stack([word, head, relation.astype(np.int64)])
    once = table[:, np.unique(number_columns(table), return_index=True)[1]]
    return EnhancedGraph(once[0], once[1], once[2].astype(np.int32))


def number_columns(table: Ints) -> Ints:
    """For each column of a table a number that equal columns, and only those, share."""
    order = np.lexsort(table)
    new = (np.diff(table[:, order], axis=1) != 0).any(axis=0)
    found = np.zeros(len(order), np.int64)
    found[order[1:]] = np.cumsum(new)
    return found


def universal_path(path: str) -> str:
    """A relation, or a path of them, without subtypes: conj:and>obl:in is conj>obl."""
    return STEP.join(step.partition(":")[0] for step in path.split(STEP))


def edge_types(graph: EnhancedGraph, treebank: Treebank, relations: Vocabulary) -> Ints:
    """Which of `TYPES` each edge is, by the basic tree beside it: the first that fits."""
    parents, strings = parents_of(treebank), treebank.vocabularies["DEPREL"].strings
    numbers: dict[str, int] = {}
    whole, plain = (
        [
            np.asarray([numbers.setdefault(spell(one), len(numbers)) for one in names], np.int64)
            for names in (relations.strings, strings)
        ]
        for spell in (compose, universal_path)
    )
    deprel = treebank.columns["DEPREL"]
    same_head = graph.head == parents[graph.word]
    above = np.maximum(graph.head, 0)

    def relation(names: tuple[str, ...], words: Ints) -> Bools:
        """Whether words hang by one of some universal relations in the basic tree."""
        fits = np.asarray([universal_path(one) in names for one in strings], np.bool_)
        return fits[deprel[words]]

    def label(test: Callable[[str], bool]) -> Bools:
        return relations.flags(test)[graph.relation]

    equal = plain[0][graph.relation] == plain[1][deprel[graph.word]]
    has_head = graph.head >= 0
    back = has_head & (parents[above] == graph.word) & relation(("acl",), above)
    subject = label(lambda one: universal_path(one) in ("nsubj", "csubj"))
    types = [
        same_head & (whole[0][graph.relation] == whole[1][deprel[graph.word]]),
        same_head & equal,
        label(lambda one: STEP in one),
        back | label(lambda one: one == "ref"),
        has_head & subject & relation(("xcomp",), above),
        relation(("conj",), graph.word),
        has_head & equal & relation(("conj",), above),
    ]
    return np.select(types, np.arange(len(types)), len(types)).astype(np.int64)


class _Edges:
    """The cells of a treebank, each distinct one taken apart once."""

    def __init__(self, treebank: Treebank) -> None:
        self.treebank = treebank
        self.cells = treebank.columns["DEPS"]
        strings = treebank.vocabularies["DEPS"].strings
        used = np.unique(np.concatenate([self.cells, treebank.nodes.columns["DEPS"]])).tolist()
        self.parsed: dict[int, list[Edge]] = {}
        for code in used:
            edges = parse_cell(strings[code])
            if edges is None:
                raise self._error(f"'{strings[code][:60]}' is not head:relation|…", code)
            self.parsed[code] = edges

    def between_words(self, relations: Vocabulary) -> tuple[Ints, Ints, Codes]:
        """The edges whose head is a word or the root."""
        size = max(self.parsed, default=-1) + 1
        plain = {
            code: [(int(head), relation) for head, relation in edges if WORD.fullmatch(head)]
            for code, edges in self.parsed.items()
        }
        lengths, starts = np.zeros(size, np.int64), np.zeros(size, np.int64)
        flat: list[tuple[int, str]] = []
        for code, edges in plain.items():
            lengths[code], starts[code] = len(edges), len(flat)
            flat += edges
        counts = lengths[self.cells]
        word = np.repeat(np.arange(len(self.cells)), counts)
        inside = np.arange(len(word)) - np.repeat(np.cumsum(counts) - counts, counts)
        place = np.repeat(starts[self.cells], counts) + inside
        numbers = np.asarray([head for head, _ in flat], np.int64)[place]
        codes = relations.codes([compose(relation) for _, relation in flat])[place]
        return word, self._heads(word, numbers), codes

    def _heads(self, word: Ints, number: Ints) -> Ints:
        """Heads as places in the file, from their numbers in the sentence; -1 for the root."""
        offsets = self.treebank.offsets
        sizes = np.diff(offsets)
        outside = np.flatnonzero(number > np.repeat(sizes, sizes)[word])
        if len(outside):
            at = int(outside[0])
            raise self.treebank.error(
                f"the head {number[at]} is not a word of the sentence", int(word[at]), "DEPS"
            )
        start = np.repeat(offsets[:-1], sizes)[word]
        return np.where(number == 0, -1, start + number - 1)

    def folded(self) -> Iterator[tuple[int, int, str]]:
        """Word, head and path of the edges that lead through empty nodes."""
        through = np.zeros(max(self.parsed, default=-1) + 1, np.bool_)
        for code, edges in self.parsed.items():
            through[code] = any(not WORD.fullmatch(head) for head, _ in edges)
        words = np.flatnonzero(through[self.cells]).tolist()
        offsets = self.treebank.offsets
        known: tuple[int, Mapping[str, list[Edge]]] = (-1, {})
        ways: dict[str, set[Edge]] = {}
        for word in words:
            sentence = self.treebank.sentence_of(word)
            if known[0] != sentence:
                known, ways = (sentence, self._nodes_of(sentence)), {}
            begin, size = int(offsets[sentence]), int(offsets[sentence + 1] - offsets[sentence])
            for node, relation in self.parsed[int(self.cells[word])]:
                if WORD.fullmatch(node):
                    continue
                if node not in known[1]:
                    raise self.treebank.error(f"there is no empty node {node}", word, "DEPS")
                if node not in ways:
                    ways[node] = self._ways_to(node, known[1], size, word)
                for top, path in ways[node]:
                    yield word, begin + int(top) - 1 if int(top) else -1, f"{path}{STEP}{relation}"

    def _nodes_of(self, sentence: int) -> dict[str, list[Edge]]:
        """The empty nodes of a sentence with the edges that lead to each."""
        nodes = self.treebank.nodes
        first, last = np.searchsorted(nodes.sentence, [sentence, sentence + 1]).tolist()
        names = self.treebank.vocabularies["ID"].strings
        return {
            names[int(nodes.columns["ID"][at])]: self.parsed[int(nodes.columns["DEPS"][at])]
            for at in range(first, last)
        }

    def _ways_to(
        self, node: str, nodes: Mapping[str, list[Edge]], size: int, word: int
    ) -> set[Edge]:
        """The words above an empty node, each with the path that leads from it to the node."""
        found: set[Edge] = set()
        open_ways: list[tuple[tuple[str, ...], str]] = [((node,), "")]
        for _ in range(PATHS):
            if not open_ways:
                return found
            passed, path = open_ways.pop()
            for head, relation in nodes[passed[-1]]:
                longer = f"{relation}{STEP}{path}" if path else relation
                if WORD.fullmatch(head) and int(head) <= size:
                    found.add((head, longer))
                elif head not in nodes:
                    raise self.treebank.error(
                        f"the empty node {passed[-1]}, to which it leads, has the head {head}, "
                        "which is not a node of the sentence",
                        word,
                        "DEPS",
                    )
                elif head not in passed:
                    open_ways.append(((*passed, head), longer))
        raise self.treebank.error(
            f"more than {PATHS:,} paths lead to the empty node {node}", word, "DEPS"
        )

    def _error(self, message: str, code: int) -> FormatError:
        """An error about a cell, at the first line that has it."""
        words = np.flatnonzero(self.cells == code)
        if len(words):
            return self.treebank.error(message, int(words[0]), "DEPS")
        node = np.flatnonzero(self.treebank.nodes.columns["DEPS"] == code)[0]
        return self.treebank.node_error(message, int(node), "DEPS")


def parse_cell(cell: str) -> list[Edge] | None:
    """The edges of a cell; None where it is none.

    >>> parse_cell("3:nsubj|7.1:conj:and")
    [('3', 'nsubj'), ('7.1', 'conj:and')]
    """
    if cell in EMPTY:
        return []
    edges = []
    for part in cell.split("|"):
        head, colon, relation = part.partition(":")
        if not (colon and relation and (WORD.fullmatch(head) or NODE.fullmatch(head))):
            return None
        edges.append((head if NODE.fullmatch(head) else str(int(head)), relation))
    return edges
