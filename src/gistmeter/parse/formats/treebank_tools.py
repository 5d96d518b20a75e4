"""Tools that look at every line of a treebank: validation, blind copies, vocabularies of tags.

Validation checks the number of columns and their encoding; IDs in sequence, ranges and empty nodes
in place; no empty cell; heads that are words of the sentence, one root, no cycle; features of the
form Category=Value, each category once; sentence names used once; and, against a vocabulary, tags.
What Universal Dependencies asks beyond form is left to its official validator, udtools.

A vocabulary has the tags that a treebank uses, by column, as JSON:

    {"UPOS": {"NOUN": 1234, …}, "FEATS": {"Case=Nom": 567, …}, "DEPREL": {…}, …}

SEMarkup's own `train_vocab.json` is read too: its names are `upos`, `deprels`, `semslots` …, and
its features are lists by category.
"""

from __future__ import annotations

import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.core.errors import FormatError, InputError, MissingDependency, UnknownName
from gistmeter.parse.formats.blocks import read_blocks
from gistmeter.parse.formats.treebank import (
    CONLLU,
    EMPTY,
    NODE,
    RANGE,
    SEMARKUP,
    WORD,
    Layout,
    by_width,
    declared_by,
    is_semarkup,
)
from gistmeter.parse.formats.treebank_reader import read_treebank
from gistmeter.parse.formats.trees import Problem, check_heads

KEPT = ("ID", "FORM")  # of a blind copy
TAGS = ("UPOS", "XPOS", "FEATS", "DEPREL", "SEMSLOT", "SEMCLASS")
THEIRS = {"DEPRELS": "DEPREL", "SEMSLOTS": "SEMSLOT", "SEMCLASSES": "SEMCLASS"}  # SEMarkup's names
TagCounts = Mapping[str, Mapping[str, int]]
Known = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class TreebankLine:
    """A line and its number, counted from 1; `decoded` is False where bytes had to be replaced."""

    number: int
    text: str
    decoded: bool = True

    @property
    def is_comment(self) -> bool:
        return self.text.startswith("#")

    @property
    def is_token(self) -> bool:
        return bool(self.text) and not self.is_comment

    @property
    def cells(self) -> list[str]:
        return self.text.split("\t")

    @property
    def comment(self) -> tuple[str, str]:
        """A comment's key and value; the value is empty where there is none."""
        key, _, value = self.text[1:].partition("=")
        return key.strip(), value.strip()


def read_lines(path: Path) -> Iterator[TreebankLine]:
    """All lines, without blanks at their ends."""
    for block in read_blocks(path):
        pieces = block.content.split(b"\n")
        for at, piece in enumerate(pieces[:-1] if pieces[-1] == b"" else pieces):
            bare = piece.rstrip(b" ") if piece.strip(b" \t") else b""
            try:
                yield TreebankLine(block.line + at, bare.decode("utf-8"))
            except UnicodeDecodeError:
                yield TreebankLine(block.line + at, bare.decode("utf-8", "replace"), decoded=False)


def find_layout(path: Path, lines: list[TreebankLine]) -> Layout:
    """The layout that the lines declare, or that most of them have."""
    for line in lines:
        try:
            layout = declared_by(line.text) if line.is_comment else None
        except InputError as error:
            raise FormatError(str(error), path=path, row=line.number) from None
        if layout is not None:
            return layout
    cells = [line.cells for line in lines if line.is_token]
    if not cells:
        raise FormatError("has no sentence", path=path)
    width = Counter(map(len, cells)).most_common(1)[0][0]
    try:
        layout = by_width(width)
    except InputError as error:
        raise FormatError(str(error), path=path) from None
    ninth = [row[8] for row in cells if len(row) == width] if layout is CONLLU else []
    return SEMARKUP if is_semarkup(ninth) else layout


def erase(path: Path, layout: Layout | None = None) -> str:
    """The file with `_` in every cell but ID and FORM; comments and empty lines stay."""
    lines = list(read_lines(path))
    layout = layout or find_layout(path, lines)
    copy = []
    for line in lines:
        if not line.decoded:
            raise FormatError("is not UTF-8", path=path, row=line.number)
        if not line.is_token:
            copy.append(line.text)
            continue
        cells = line.cells
        if len(cells) != len(layout):
            message = f"{len(cells)} columns where {layout} is expected"
            raise FormatError(message, path=path, row=line.number)
        named = zip(layout.columns, cells, strict=True)
        copy.append("\t".join(cell if name in KEPT else "_" for name, cell in named))
    return "\n".join(copy).rstrip("\n") + "\n\n"


def build_vocabulary(paths: Sequence[Path], layout: Layout | None = None) -> TagCounts:
    """How often each tag occurs, most frequent first."""
    vocabulary: dict[str, Counter[str]] = {}
    for path in paths:
        treebank = read_treebank(path, columns=TAGS, layout=layout)
        for column in filter(treebank.columns.__contains__, TAGS):
            tags = vocabulary.setdefault(column, Counter())
            counts = np.bincount(treebank.columns[column]).tolist()
            for cell, count in zip(treebank.vocabularies[column].strings, counts, strict=False):
                for tag in tags_of(column, cell):
                    tags[tag] += count
    return {
        column: dict(sorted(tags.items(), key=lambda entry: (-entry[1], entry[0])))
        for column, tags in vocabulary.items()
    }


def tags_of(column: str, cell: str) -> list[str]:
    """The tags of a cell: features one by one, `_` none."""
    if cell in EMPTY:
        return []
    return cell.split("|") if column == "FEATS" else [cell]


def read_vocabulary(path: Path) -> dict[str, frozenset[str]]:
    """Known tags by column, from an object of objects or of lists."""
    content = b"".join(block.content for block in read_blocks(path))
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error})", path=path) from None
    document = _from_semarkup(document)
    shape = isinstance(document, dict) and all(
        isinstance(tags, dict | list) and all(isinstance(tag, str) for tag in tags)
        for tags in document.values()
    )
    if not shape or not document:
        raise FormatError('expected tags by column, such as {"UPOS": ["NOUN", "VERB"]}', path=path)
    return {column.upper(): frozenset(tags) for column, tags in document.items()}


def _from_semarkup(document: Any) -> Any:
    """A vocabulary as SEMarkup writes it in our form; any other document as it is."""
    if not isinstance(document, dict) or not {"upos", "deprels"} <= document.keys():
        return document
    feats = document.get("feats", {})
    if not isinstance(feats, dict):
        return document
    ours = {THEIRS.get(name.upper(), name.upper()): tags for name, tags in document.items()}
    ours.pop("HEADS", None)  # of no use: a head is a number
    ours["FEATS"] = [f"{name}={value}" for name, values in feats.items() for value in values]
    return ours


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
                message = f"{len(line.cells)} columns, not {len(layout)}"
                problems.append(Problem(line.number, message))
            else:
                rows.append(_Row(line.number, dict(zip(layout.columns, line.cells, strict=True))))
        problems += _check_sentence(rows)
        for row in rows:
            problems += _check_cells(row, known or {})
    return sorted(problems)


def find_official_problems(path: Path, language: str, level: int) -> list[Problem]:
    """What the official validator of Universal Dependencies finds, in the order of the lines.

    Levels: 1 and 2 form, 3 the guidelines of all languages, 4 and 5 those of the language; `ud`
    stands for no language, and its highest level is 3.
    """
    try:
        from udtools import Validator
    except ImportError:
        purpose = "Validation by the rules of Universal Dependencies"
        raise MissingDependency("udtools", "ud", purpose) from None
    layout = find_layout(path, list(read_lines(path)))
    if layout is not CONLLU:
        raise InputError(f"{path}: the official validator reads CoNLL-U, and this is {layout}")
    validator = Validator(
        lang=language, level=level if language != "ud" else min(level, 3), output=None
    )
    if language not in (*validator.data.deprel, "ud"):
        raise UnknownName("language", language, [*validator.data.deprel, "ud"])
    text = b"".join(block.content for block in read_blocks(path)).decode("utf-8", "replace")
    state = validator.validate_file_handle(io.StringIO(text))
    validator.validate_end(state)
    return sorted(
        Problem(
            int(found.lineno),
            f"{'' if found.is_error() else 'warning: '}{found.message} "
            f"[level {found.level}, {found.testid}]",
            is_error=found.is_error(),
        )
        for found in state.error_tracker
    )


def _sentences(lines: Sequence[TreebankLine]) -> Iterator[list[TreebankLine]]:
    """Lines between blank ones."""
    for is_text, group in itertools.groupby(lines, key=lambda line: bool(line.text)):
        if is_text:
            yield list(group)


def _check_name(line: TreebankLine, names: dict[str, int]) -> Iterator[Problem]:
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
            yield Problem(
                row.line, f"ID '{row.id}' is not a number, range (1-2) or empty node (1.1)"
            )
        elif NODE.fullmatch(row.id) and int(row.id.partition(".")[0]) > size:
            yield Problem(row.line, f"ID '{row.id}': there is no such word before it")
    yield from _check_ranges(rows, size)
    for expected, row in enumerate(words, start=1):
        if int(row.id) != expected:
            yield Problem(row.line, f"ID {row.id} where {expected} is due")
            return  # heads cannot be judged then
    if words and "HEAD" in words[0].cells:
        yield from check_heads([row.cells["HEAD"] for row in words], [row.line for row in words])


def _check_ranges(rows: Sequence[_Row], size: int) -> Iterator[Problem]:
    reached = 0
    for row in rows:
        match = RANGE.fullmatch(row.id)
        if match:
            first, last = int(match[1]), int(match[2])
            if not 1 <= first < last <= size:
                yield Problem(
                    row.line, f"ID '{row.id}' is not a range of this sentence's {size} words"
                )
            elif first <= reached:
                yield Problem(row.line, f"ID '{row.id}' overlaps the range before it")
            reached = max(reached, min(last, size))
