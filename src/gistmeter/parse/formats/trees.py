"""Are the heads of a sentence a tree: words of the sentence, one root, no cycle?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.parse.formats import forest
from gistmeter.parse.formats.treebank import WORD, Ints, Treebank

SHOWN = 20  # words of a cycle


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    line: int
    message: str
    is_error: bool = True  # else a warning


def parents_of(treebank: Treebank) -> Ints:
    """The head of each word as a place in the file; -1 for roots and heads that are no word."""
    heads, sizes = treebank.heads(), np.diff(treebank.offsets)
    inside = (heads > 0) & (heads <= np.repeat(sizes, sizes))
    return np.where(inside, np.repeat(treebank.offsets[:-1], sizes) + heads - 1, -1)


def not_trees(treebank: Treebank) -> list[int]:
    """The sentences whose heads form no tree."""
    if "HEAD" not in treebank:
        return []
    heads, parents = treebank.heads(), parents_of(treebank)
    sizes = np.diff(treebank.offsets)
    sentence = np.repeat(np.arange(len(sizes)), sizes)
    wrong = np.bincount(sentence[heads == 0], minlength=len(sizes)) != 1
    wrong[sentence[((heads != 0) & (parents < 0)) | (forest.depths(parents) < 0)]] = True
    return [int(at) for at in np.flatnonzero(wrong & (sizes > 0))]


def tree_parents(treebank: Treebank) -> Ints:
    """The head of each word as a place in the file, -1 for roots; what is no tree is an error."""
    for sentence in not_trees(treebank)[:1]:
        problem = problems_of(treebank, sentence)[0]
        raise FormatError(problem.message, path=treebank.path, row=problem.line)
    return parents_of(treebank)


def problems_of(treebank: Treebank, sentence: int) -> list[Problem]:
    """What is wrong with the heads of a sentence."""
    words = range(*treebank.offsets[sentence : sentence + 2].tolist())
    heads = [treebank.text("HEAD", word) for word in words]
    return list(check_heads(heads, [int(treebank.lines[word]) for word in words]))


def check_heads(heads: Sequence[str], lines: Sequence[int]) -> Iterator[Problem]:
    """The problems of the heads of a sentence's words, which stand on these lines."""
    parents: list[int] = []
    for head, line in zip(heads, lines, strict=True):
        good = bool(WORD.fullmatch(head)) and int(head) <= len(heads)
        if not good:
            message = f"HEAD '{head[:40]}' is not a word of the sentence (0 to {len(heads)})"
            yield Problem(line, message)
        parents.append(int(head) - 1 if good else -1)
    roots = [line for head, line in zip(heads, lines, strict=True) if head and not head.strip("0")]
    if len(roots) != 1:
        where = f" (lines {', '.join(map(str, roots[:10]))})" if roots else ""
        yield Problem(lines[0], f"the sentence has {len(roots)} roots{where}, expected one")
    for ring in forest.cycles(parents):
        way = [str(at + 1) for at in ring[:SHOWN]]
        more = f"({len(ring) - SHOWN:,} more)" if len(ring) > SHOWN else ""
        way += filter(None, (more, way[0]))
        yield Problem(lines[ring[0]], f"HEAD: a cycle, {' → '.join(way)}")
