"""Everything that is wrong with a treebank, line by line.

Checked: the number of columns and their encoding; IDs in sequence, ranges and empty nodes in place;
no empty cell; heads that are words of the sentence, one root, no cycle; features of the form
Category=Value, each category once; sentence names used once; and, against a vocabulary, tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gistmeter.parse.formats import forest
from gistmeter.parse.formats.layout import Layout
from gistmeter.parse.formats.text import Line, find_layout, read_lines
from gistmeter.parse.formats.treebank import NODE, RANGE, WORD
from gistmeter.parse.formats.vocabularies import TAGS, tags_of

Known = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A token line whose number of cells is right."""

    line: int
    cells: Mapping[str, str]

    @property
    def id(self) -> str:
        return self.cells["ID"]


def find_problems(
    path: Path, layout: Layout | None = None, known: Known | None = None
) -> list[Problem]:
    """All problems of a file, in the order of its lines."""
    lines = list(read_lines(path))
    layout = layout or find_layout(path, lines)
    problems: list[Problem] = []
    names: dict[str, int] = {}
    for sentence in _sentences(lines):
        rows = []
        for line in sentence:
            if not line.decoded:
                problems.append(Problem(line.number, "is not UTF-8"))
            if line.is_comment:
                problems += _check_name(line, names)
            elif len(line.cells) != len(layout):
                problems.append(
                    Problem(line.number, f"{len(line.cells)} columns, not {len(layout)}")
                )
            else:
                rows.append(_Row(line.number, dict(zip(layout.columns, line.cells, strict=True))))
        problems += _check_sentence(rows)
        for row in rows:
            problems += _check_cells(row, known or {})
    return sorted(problems)


def _sentences(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines between blank ones."""
    gathered: list[Line] = []
    for line in lines:
        if line.text:
            gathered.append(line)
        elif gathered:
            yield gathered
            gathered = []
    if gathered:
        yield gathered


def _check_name(line: Line, names: dict[str, int]) -> Iterator[Problem]:
    key, value = line.comment
    if key == "sent_id":
        first = names.setdefault(value, line.number)
        if first != line.number:
            yield Problem(line.number, f"sent_id '{value}' was used on line {first} already")


def _check_cells(row: _Row, known: Known) -> Iterator[Problem]:
    for column, cell in row.cells.items():
        if not cell:
            yield Problem(row.line, f"{column} is empty; write _ for nothing")
        if column in TAGS and column in known:
            unknown = [tag for tag in tags_of(column, cell) if tag not in known[column]]
            if unknown:
                yield Problem(row.line, f"{column} '{'|'.join(unknown)}' is not in the vocabulary")
    yield from _check_features(row)


def _check_features(row: _Row) -> Iterator[Problem]:
    seen: set[str] = set()
    for feature in tags_of("FEATS", row.cells.get("FEATS", "_")):
        category, equals, value = feature.partition("=")
        if not (category and equals and value):
            yield Problem(row.line, f"FEATS '{feature}' is not of the form Category=Value")
        elif category in seen:
            yield Problem(row.line, f"FEATS has '{category}' twice")
        seen.add(category)


def _check_sentence(rows: Sequence[_Row]) -> Iterator[Problem]:
    words = [row for row in rows if WORD.fullmatch(row.id)]
    size = len(words)
    for row in rows:
        if RANGE.fullmatch(row.id):
            continue
        if not WORD.fullmatch(row.id) and not NODE.fullmatch(row.id):
            yield Problem(row.line, f"ID '{row.id}' is no number, range (1-2) or empty node (1.1)")
        elif NODE.fullmatch(row.id) and int(row.id.partition(".")[0]) > size:
            yield Problem(row.line, f"ID '{row.id}': there is no such word before it")
    yield from _check_ranges(rows, size)
    for expected, row in enumerate(words, start=1):
        if int(row.id) != expected:
            yield Problem(row.line, f"ID {row.id} where {expected} is due")
            return  # heads cannot be judged then
    if words and "HEAD" in words[0].cells:
        yield from _check_heads(words)


def _check_ranges(rows: Sequence[_Row], size: int) -> Iterator[Problem]:
    reached = 0
    for row in rows:
        match = RANGE.fullmatch(row.id)
        if match:
            first, last = int(match[1]), int(match[2])
            if not 1 <= first < last <= size:
                yield Problem(
                    row.line, f"ID '{row.id}' is no range of this sentence's {size} words"
                )
            elif first <= reached:
                yield Problem(row.line, f"ID '{row.id}' overlaps the range before it")
            reached = max(reached, min(last, size))


def _check_heads(words: Sequence[_Row]) -> Iterator[Problem]:
    parents: list[int] = []
    for row in words:
        head = row.cells["HEAD"]
        good = bool(WORD.fullmatch(head)) and int(head) <= len(words)
        if not good:
            message = f"HEAD '{head}' is no word of the sentence (0 to {len(words)})"
            yield Problem(row.line, message)
        parents.append(int(head) - 1 if good else -1)
    roots = [row for row in words if row.cells["HEAD"].strip("0") == "" and row.cells["HEAD"]]
    if len(roots) != 1:
        where = f" (lines {', '.join(str(row.line) for row in roots[:10])})" if roots else ""
        yield Problem(words[0].line, f"the sentence has {len(roots)} roots{where}, expected one")
    yield from _check_cycles(words, parents)


def _check_cycles(words: Sequence[_Row], parents: list[int]) -> Iterator[Problem]:
    reported: set[int] = set()
    for lost, depth in enumerate(forest.depths(parents).tolist()):
        if depth < 0:
            ring = forest.cycle(parents, lost)
            if reported.isdisjoint(ring):
                first = ring.index(min(ring))
                way = [words[at].id for at in [*ring[first:], *ring[: first + 1]]]
                yield Problem(words[min(ring)].line, f"HEAD: a cycle, {' → '.join(way)}")
            reported.update(ring)
