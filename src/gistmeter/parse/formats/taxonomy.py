"""Semantic classes as a forest: each class is a more specific kind of its parent.

A taxonomy is a CSV file in one of two layouts: ID, ParentID, Depth, Name, TypeID, IsHyperonym (the
last two may be missing), or child, parent names. Depth is computed, not read.

The first is that of CoBaLD's semantic hierarchy, which has no header and writes NULL for no parent.
It is read as its own scorer does: nodes whose TypeID is not 0 are no semantic classes and are left
out, a node named `_` is only a place in the tree, and of a name used twice the last node counts.

In the second, roots may be listed with an empty parent; if none is, a parent that is never a child
is a root.

The distance of two classes is the length of the path between them, infinite across trees.
"""

from __future__ import annotations

import csv
import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from gistmeter.core.cache import Cache, keys
from gistmeter.core.errors import FormatError
from gistmeter.parse.formats import forest
from gistmeter.parse.formats.blocks import read_blocks
from gistmeter.parse.formats.forest import Floats, Ints
from gistmeter.parse.formats.treebank import compose

UNNAMED = "_"
NO_CLASS = -1
NO_PARENT = ("", UNNAMED, "NULL")
HEADERS = {
    "id": "id", "parentid": "parent", "parent_id": "parent", "name": "name", "typeid": "type",
}  # fmt: skip
WITHOUT_HEADER = {"id": 0, "parent": 1, "name": 3}  # and Depth is the third
TYPE = 4  # its place where a file has all six columns
SEMANTIC_TYPE = "0"
PAIR_HEADERS = {("child", "parent"), ("name", "parent"), ("class", "parent"), ("node", "parent")}
COMPILED = 2  # version of the compiled form


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """A forest of classes. `id` names its content, for signatures."""

    id: str
    names: Sequence[str]  # of every node
    parents: Ints
    depths: Ints
    table: Ints  # of binary lifting
    numbers: Mapping[str, int]  # of the nodes that are classes

    @classmethod
    def build(cls, names: Sequence[str], parents: Ints, identity: str) -> Self:
        """From nodes without cycles; of those with one name, the last is the class."""
        depth = forest.depths(parents)
        numbers = {name: at for at, name in enumerate(names) if name != UNNAMED}
        return cls(identity, names, parents, depth, forest.lifting_table(parents, depth), numbers)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def repeated(self) -> list[str]:
        """The names that several nodes have."""
        return [
            name for name, count in Counter(self.names).items() if count > 1 and name != UNNAMED
        ]

    def find(self, classes: Iterable[str]) -> Ints:
        """The node of each class, NO_CLASS for what the taxonomy does not know."""
        return np.fromiter((self.numbers.get(compose(one), NO_CLASS) for one in classes), np.int64)

    def distances(self, left: Ints, right: Ints) -> Floats:
        """Path lengths between nodes, pair by pair; infinite across trees."""
        return forest.path_lengths(self.table, self.depths, left, right)

    def path(self, left: str, right: str) -> list[str]:
        """The names on the way from one class to another; empty where there is none."""
        start, goal = self.find([left, right]).tolist()
        if NO_CLASS in (start, goal):
            return []
        ends = np.asarray([start]), np.asarray([goal])
        top = int(forest.common_ancestors(self.table, self.depths, *ends)[0])
        if top < 0:
            return []
        up, down = self._climb(start, top), self._climb(goal, top)
        return [self.names[node] for node in [*up, *reversed(down[:-1])]]

    def _climb(self, node: int, top: int) -> list[int]:
        way = [node]
        while node != top:
            node = int(self.parents[node])
            way.append(node)
        return way

    def to_bytes(self) -> bytes:
        """A compiled form that loads at once: names and parents, nothing that is executed."""
        stream = io.BytesIO()
        names = "\n".join(self.names).encode("utf-8")
        np.savez(
            stream,
            version=np.asarray([COMPILED]),
            names=np.frombuffer(names, np.uint8),
            parents=self.parents.astype("<i4"),
        )
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, identity: str) -> Self | None:
        """The taxonomy that `to_bytes` wrote; None if it is damaged or of another version."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                if stored["version"].tolist() != [COMPILED]:
                    return None
                names = stored["names"].tobytes().decode("utf-8").split("\n")
                parents = stored["parents"].astype(np.int64)
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
            return None
        inside = (parents >= -1) & (parents < len(parents))
        if len(names) != len(parents) or not inside.all() or (forest.depths(parents) < 0).any():
            return None
        return cls.build(names, parents, identity)


def read_taxonomy(path: Path, cache: Cache | None = None) -> Taxonomy:
    """Read a taxonomy; what is wrong in it is an error with its line.

    With a cache its compiled form is kept, so that a large one is parsed only once.
    """
    content = b"".join(block.content for block in read_blocks(path))
    digest = hashlib.sha256(content).hexdigest()
    identity = f"{path.name}@{digest[:12]}"  # the name that stands in signatures
    if cache is None:
        return parse_taxonomy(path, content, identity)
    (key,) = keys("taxonomy", [digest])
    stored = cache.get_many([key]).get(key)
    taxonomy = Taxonomy.from_bytes(stored, identity) if stored else None
    if taxonomy is None:
        taxonomy = parse_taxonomy(path, content, identity)
        cache.put_many({key: taxonomy.to_bytes()})
    return taxonomy


def parse_taxonomy(path: Path, content: bytes, identity: str) -> Taxonomy:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError("is not UTF-8", path=path, row=line) from None
    table = _rows(path, text)
    nodes = _by_identifier(table, places) if (places := _places(table)) else _by_name(table)
    _refuse_cycles(path, nodes)
    return Taxonomy.build(nodes.names, nodes.parents, identity)


@dataclass(frozen=True, slots=True)
class _Table:
    path: Path
    rows: list[list[str]]
    lines: list[int]

    def skip_header(self) -> _Table:
        return _Table(self.path, self.rows[1:], self.lines[1:])

    def only(self, wanted: Callable[[list[str]], bool]) -> _Table:
        kept = [at for at, row in enumerate(self.rows) if wanted(row)]
        return _Table(self.path, [self.rows[at] for at in kept], [self.lines[at] for at in kept])

    def error(self, message: str, at: int, column: str | None = None) -> FormatError:
        """An error about a row, with its line."""
        return FormatError(message, path=self.path, row=self.lines[at], column=column)


@dataclass(frozen=True, slots=True)
class _Nodes:
    names: list[str]
    parents: Ints
    lines: list[int]


def _rows(path: Path, text: str) -> _Table:
    head = text.partition("\n")[0]
    delimiter = next((mark for mark in ",\t;" if mark in head), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, lines = [], []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(f"is not CSV ({error})", path=path, row=reader.line_num) from error
    if not rows:
        raise FormatError("has no class", path=path)
    return _Table(path, rows, lines)


def _places(table: _Table) -> dict[str, int]:
    """Where the columns of the first layout are; empty for the second."""
    first = [cell.strip() for cell in table.rows[0]]
    known = {HEADERS.get(cell.lower(), ""): at for at, cell in enumerate(first)}
    if {"id", "parent", "name"} <= known.keys():
        return known
    if len(first) < 4 or not all(map(str.isdigit, (first[0], first[2]))):
        return {}
    return {**WITHOUT_HEADER, "type": TYPE} if len(first) > TYPE else WITHOUT_HEADER


def _by_identifier(table: _Table, places: Mapping[str, int]) -> _Nodes:
    table = table if table.rows[0][places["id"]].strip().isdigit() else table.skip_header()
    width = max(places.values()) + 1
    for at, row in enumerate(table.rows):
        if len(row) < width:
            raise table.error(f"{len(row)} cells, expected {width}", at)
    if "type" in places:
        table = table.only(lambda row: row[places["type"]].strip() in ("", SEMANTIC_TYPE))
    identifiers = [row[places["id"]].strip() for row in table.rows]
    names = [compose(row[places["name"]].strip()) or UNNAMED for row in table.rows]
    numbers = _number(table, identifiers, "ID")
    parents = np.full(len(names), -1, dtype=np.int64)
    for at, row in enumerate(table.rows):
        parent = row[places["parent"]].strip()
        if "\n" in names[at]:
            raise table.error("a name spans lines", at, "Name")
        if parent not in NO_PARENT:
            if parent not in numbers:
                node = f"'{identifiers[at]}' ({names[at]})"
                raise table.error(
                    f"the parent '{parent}' of {node} is not a node here", at, "ParentID"
                )
            parents[at] = numbers[parent]
    return _Nodes(names, parents, table.lines)


def _by_name(table: _Table) -> _Nodes:
    if tuple(cell.strip().lower() for cell in table.rows[0][:2]) in PAIR_HEADERS:
        table = table.skip_header()
    for at, row in enumerate(table.rows):
        if any(cell.strip() for cell in row[2:]):
            raise table.error(
                f"{len(row)} cells. Expected the columns ID, ParentID, Depth, Name, with numbers "
                "as IDs or their names on the first line, or two: child, parent",
                at,
            )
    names = [compose(row[0].strip()) for row in table.rows]
    above = [compose(row[1].strip()) if len(row) > 1 else "" for row in table.rows]
    numbers = _number(table, names, "child")
    roots_listed = any(parent in ("", UNNAMED) for parent in above)
    lines = [*table.lines]
    for at, parent in enumerate(above):
        if parent not in ("", UNNAMED) and parent not in numbers:
            if roots_listed:
                raise table.error(
                    f"the parent '{parent}' of '{names[at]}' is not a class of this taxonomy. List "
                    "it with an empty parent if it is a root",
                    at,
                    "parent",
                )
            numbers[parent] = len(names)
            names.append(parent)
            lines.append(table.lines[at])
    parents = np.full(len(names), -1, dtype=np.int64)
    parents[: len(above)] = [numbers.get(parent, -1) for parent in above]
    return _Nodes(names, parents, lines)


def _number(table: _Table, names: Sequence[str], column: str) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for at, name in enumerate(names):
        if not name or "\n" in name:
            raise table.error("a name is empty or spans lines", at, column)
        if numbers.setdefault(name, at) != at:
            first = table.lines[numbers[name]]
            raise table.error(f"'{name}' is there twice; first on line {first}", at, column)
    return numbers


def _refuse_cycles(path: Path, nodes: _Nodes) -> None:
    if not nodes.names:
        raise FormatError("has no class", path=path)
    ring = next(forest.cycles(nodes.parents), [])
    if ring:
        way = " → ".join(nodes.names[node] for node in [*ring[:10], ring[0]])
        line = min(nodes.lines[node] for node in ring)
        raise FormatError(f"a class is its own ancestor: {way}", path=path, row=line)
