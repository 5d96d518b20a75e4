"""The digest of an item's texts, by which labels find their items in any run.

A family says which columns of its rows people judge (`View.rated`): what should have been, and
what was made of it. Two systems that said the same of the same share a digest, and so a label. A
shape whose rows have no texts (a parse) is known by its ids and the digests of its input files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from gistmeter.core.family import family_of
from gistmeter.people.ledger import LedgerContent, ledger_folders, read_ledgers

if TYPE_CHECKING:
    from gistmeter.core.run import Run
    from gistmeter.people.records import DecisionRecord, LabelRecord


def text_key(*texts: str | None) -> str:
    """The digest of some texts in their order; a missing one is not an empty one.

    >>> text_key("a", None)[:8], text_key("a", "")[:8]
    ('aebb0474', '58a281f6')
    """
    spelled = json.dumps(texts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(spelled.encode()).hexdigest()


def item_keys(run: Run) -> list[str | None]:
    """The digest of every row of a run; None for a row that is no item to look at."""
    rows, view = run.measured, family_of(run.command).view()
    columns = [rows.texts[name] for name in view.rated if name in rows.texts]
    if columns:
        return [
            text_key(*cells) if cells[-1] is not None else None
            for cells in zip(*columns, strict=True)
        ]
    inputs = sorted(run.inputs.values())
    return [
        text_key(run.command, *keys, *inputs)
        for keys in zip(rows.keys["id"], rows.keys["group"], rows.keys["system"], strict=True)
    ]


def said_of(run: Run, top: Path | None = None) -> LedgerContent:
    """All that people said in the folders that a run sees, none above `top`, of whatever items."""
    return read_ledgers(ledger_folders(run.path, top) if run.path else [])


def labels_of(run: Run, top: Path | None = None) -> list[LabelRecord]:
    """The labels that stand of a run's items."""
    keys = {key for key in item_keys(run) if key}
    return [
        label
        for label in said_of(run, top).labels
        if {label.item, label.other or label.item} <= keys
    ]


def decisions_of(
    run: Run, also: Collection[str] = (), top: Path | None = None
) -> list[DecisionRecord]:
    """The decisions that stand on findings of a run's items, and of further digests."""
    keys = {*item_keys(run), *also}
    return [decision for decision in said_of(run, top).decisions if decision.item in keys]
