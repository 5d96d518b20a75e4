"""The tags that a treebank uses, by column, as a JSON file for `parse validate`.

{"UPOS": {"NOUN": 1234, …}, "FEATS": {"Case=Nom": 567, …}, "DEPREL": {…}, …}

SEMarkup's own `train_vocab.json` is read too: its names are `upos`, `deprels`, `semslots` …, and
its features are lists by category.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gistmeter.core.errors import FormatError
from gistmeter.parse.formats.blocks import read_blocks
from gistmeter.parse.formats.layout import Layout
from gistmeter.parse.formats.reading import read_treebank
from gistmeter.parse.formats.treebank import EMPTY

TAGS = ("UPOS", "XPOS", "FEATS", "DEPREL", "SEMSLOT", "SEMCLASS")
THEIRS = {"DEPRELS": "DEPREL", "SEMSLOTS": "SEMSLOT", "SEMCLASSES": "SEMCLASS"}  # SEMarkup's names
TagCounts = Mapping[str, Mapping[str, int]]


def build(paths: Sequence[Path], layout: Layout | None = None) -> TagCounts:
    """How often each tag occurs, most frequent first."""
    found: dict[str, dict[str, int]] = {}
    for path in paths:
        treebank = read_treebank(path, columns=TAGS, layout=layout)
        for column in TAGS:
            if column in treebank:
                counts = np.bincount(treebank.columns[column])
                cells = zip(treebank.vocabularies[column].strings, counts.tolist(), strict=False)
                _add(found.setdefault(column, {}), column, cells)
    return {
        column: dict(sorted(tags.items(), key=lambda one: (-one[1], one[0])))
        for column, tags in found.items()
    }


def _add(tags: dict[str, int], column: str, cells: Iterable[tuple[str, int]]) -> None:
    for cell, count in cells:
        for tag in tags_of(column, cell):
            tags[tag] = tags.get(tag, 0) + count


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
    found = {THEIRS.get(name.upper(), name.upper()): tags for name, tags in document.items()}
    found.pop("HEADS", None)  # of no use: a head is a number
    found["FEATS"] = [f"{name}={value}" for name, values in feats.items() for value in values]
    return found
