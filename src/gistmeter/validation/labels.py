"""People's judgements, read from a table and put beside a run's rows.

Columns: an id (`id`, `idiom`, `file`, `item`…), the judgement (`human`, `label`, `score`…), and,
where the run has several, `system` and `group` (`arrangement`). A row of labels without a system
counts for every system's output of that item only when the run has one system. Several judgements
of the same item are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gistmeter.errors import FormatError, InputError
from gistmeter.formats.table import read_table
from gistmeter.rows import Floats, Rows

YES = {"yes", "y", "true", "correct", "pass", "good", "ok"}
NO = {"no", "n", "false", "incorrect", "wrong", "fail", "bad"}
ID = ("idiom", "item", "file", "title", "sent_id", "sentence", "name")
HUMAN = ("label", "score", "rating", "judgement", "judgment", "gold", "similarity", "quality")


@dataclass(frozen=True, slots=True)
class Labels:
    """A judgement for each row of a run, NaN where people gave none."""

    values: Floats
    binary: bool  # yes/no, here 1 and 0
    unmatched: int  # judgements of items that the run does not have
    repeated: int  # items judged more than once, averaged


def read_labels(path: Path, rows: Rows, columns: Mapping[str, str] | None = None) -> Labels:
    """The judgements in a file, matched to rows by id, and by system and group where given."""
    table = read_table(path)
    named = {
        "id": table.need("id", ID, columns),
        "human": table.need("human", HUMAN, columns),
        "system": table.find("system", ("model", "recognizer", "provider"), columns),
        "group": table.find("group", ("arrangement",), columns),
    }
    cells = {key: table.column(name) for key, name in named.items() if name is not None}
    systems = dict.fromkeys(rows.keys["system"])
    if "system" not in cells and len(systems) > 1:
        raise FormatError(
            f"the run has several systems ({', '.join(list(systems)[:8])}), so the labels need a "
            "column 'system'",
            path=path,
        )
    if "group" not in cells and _repeat(rows):
        groups = ", ".join(list(dict.fromkeys(rows.keys["group"]))[:8])
        raise FormatError(
            f"items of the run stand in several groups ({groups}), so the labels need a column "
            "'group'",
            path=path,
        )
    keys = [key for key in ("id", "system", "group") if key in cells]
    found: dict[tuple[str, ...], list[float]] = {}
    words = False
    for at, line in enumerate(table.lines):
        value, word = _judgement(cells["human"][at], path, line, named["human"] or "human")
        if math.isnan(value):
            continue
        words |= word
        key = tuple((cells[name][at] or "").strip() for name in keys)
        found.setdefault(key, []).append(value)
    return _matched(found, rows, keys, words=words, path=path)


def _repeat(rows: Rows) -> bool:
    """Whether a system has an item in several groups."""
    keys = ("system", "id", "group")
    whole = set(zip(*(rows.keys[key] for key in keys), strict=True))
    return len({(system, item) for system, item, _ in whole}) < len(whole)


def _judgement(cell: str | None, path: Path, line: int, column: str) -> tuple[float, bool]:
    """A judgement as a number, and whether it was a word; NaN for an empty cell."""
    text = (cell or "").strip().casefold()
    if not text:
        return math.nan, False
    if text in YES or text in NO:
        return float(text in YES), True
    try:
        return float(text), False
    except ValueError:
        raise FormatError(
            f"'{text[:40]}' is neither a number nor a yes or no", path=path, row=line, column=column
        ) from None


def _matched(
    found: Mapping[tuple[str, ...], list[float]],
    rows: Rows,
    keys: Sequence[str],
    *,
    words: bool,
    path: Path,
) -> Labels:
    values = np.full(len(rows), np.nan)
    used: set[tuple[str, ...]] = set()
    for at in range(len(rows)):
        key = tuple(rows.keys[name][at].strip() for name in keys)
        if key in found:
            used.add(key)
            values[at] = float(np.mean(found[key]))
    if not used:
        some = ", ".join(list(dict.fromkeys(rows.keys["id"]))[:3])
        raise InputError(
            f"{path}: no label fits an item of the run; the run's ids are like: {some}"
        )
    distinct = {value for judged in found.values() for value in judged}
    return Labels(
        values,
        binary=words or (distinct <= {0.0, 1.0} and len(distinct) == 2),
        unmatched=len(found) - len(used),
        repeated=sum(1 for judged in found.values() if len(judged) > 1),
    )
