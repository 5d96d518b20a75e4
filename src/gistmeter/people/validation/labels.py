"""People's judgements, read from a table and put beside a run's rows.

Columns: an id (`id`, `idiom`, `file`, `item`…), the judgement (`human`, `label`, `score`…), and,
where the run has several, `system` and `group` (`arrangement`). A row of labels without a system
counts for every system's output of that item only when the run has one system. Several judgements
of the same item are averaged, and kept apart for the agreement of people with each other: by the
column `annotator`, by several columns of judgements (`human_1`, `rater A` …), else by their order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.rows import Floats, Rows
from gistmeter.core.table import Table, read_table

YES = {"yes", "y", "true", "correct", "pass", "good", "ok"}
NO = {"no", "n", "false", "incorrect", "wrong", "fail", "bad"}
ID = ("idiom", "item", "file", "title", "sent_id", "sentence", "name")
ANNOTATOR = ("rater", "judge", "worker", "coder", "annotator_id", "rater_id", "worker_id")
_JUDGE = re.compile(r"(?:human|rater|annotator|judge|coder|expert)[\s_-]*\w{1,20}", re.IGNORECASE)
MOST_JUDGED = 20_000_000  # annotators beside outputs: a table of 160 MB
HUMAN = ("label", "score", "rating", "judgement", "judgment", "gold", "similarity", "quality")


@dataclass(frozen=True, slots=True)
class Labels:
    """A judgement for each row of a run, NaN where people gave none."""

    values: Floats
    binary: bool  # yes/no, here 1 and 0
    unmatched: int  # judgements of items that the run does not have
    repeated: int  # items judged more than once, averaged
    annotators: Mapping[str, Floats] = field(default_factory=dict)  # each one's judgements
    named: bool = False  # whether annotators are known, or only their judgements' order


def read_labels(path: Path, rows: Rows, columns: Mapping[str, str] | None = None) -> Labels:
    """The judgements in a file, matched to rows by id, and by system and group where given."""
    table = read_table(path)
    judges = _columns_of_judges(table, columns)
    named = {
        "id": table.need("id", ID, columns),
        "annotator": table.find("annotator", ANNOTATOR, columns),
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
    places = set(zip(*(rows.keys[key] for key in ("system", "id", "group")), strict=True))
    if "group" not in cells and len({place[:2] for place in places}) < len(places):
        groups = ", ".join(list(dict.fromkeys(rows.keys["group"]))[:8])
        raise FormatError(
            f"items of the run stand in several groups ({groups}), so the labels need a column "
            "'group'",
            path=path,
        )
    keys = [key for key in ("id", "system", "group") if key in cells]
    found: dict[tuple[str, ...], dict[str, float]] = {}
    judgements = {column: table.column(column) for column in judges}
    words = False
    for at, line in enumerate(table.lines):
        key = tuple((cells[name][at] or "").strip() for name in keys)
        for column, told in judgements.items():
            value, word = _judgement(told[at], path, line, column)
            if math.isnan(value):
                continue
            words |= word
            own = found.setdefault(key, {})
            judge = (cells["annotator"][at] or "").strip() if "annotator" in cells else ""
            judge = judge or (column if len(judges) > 1 else str(len(own) + 1))
            if judge in own:
                raise FormatError(f"'{judge}' judges '{key[0]}' twice", path=path, row=line)
            own[judge] = value
    known = "annotator" in cells or len(judges) > 1
    return _matched(found, rows, keys, words=words, path=path, named=known)


def _columns_of_judges(table: Table, columns: Mapping[str, str] | None) -> list[str]:
    """The column of judgements, or the columns of several annotators."""
    several = [name for name in table.columns if _JUDGE.fullmatch(name.strip())]
    if len(several) > 1 and table.find("human", (), columns) is None:
        return several
    return [table.need("human", HUMAN, columns)]


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
    found: Mapping[tuple[str, ...], Mapping[str, float]],
    rows: Rows,
    keys: Sequence[str],
    *,
    words: bool,
    path: Path,
    named: bool,
) -> Labels:
    values = np.full(len(rows), np.nan)
    judges = sorted({judge for own in found.values() for judge in own})
    if len(judges) * len(rows) > MOST_JUDGED:
        raise InputError(
            f"{path}: {len(judges):,} annotators beside {len(rows):,} outputs are more than can be"
            f" compared ({MOST_JUDGED:,} pairs). Leave the annotators' column out, or average first"
        )
    apart = {judge: np.full(len(rows), np.nan) for judge in judges}
    used: set[tuple[str, ...]] = set()
    for at in range(len(rows)):
        key = tuple(rows.keys[name][at].strip() for name in keys)
        if key in found:
            used.add(key)
            values[at] = float(np.mean(list(found[key].values())))
            for judge, value in found[key].items():
                apart[judge][at] = value
    if not used:
        some = ", ".join(list(dict.fromkeys(rows.keys["id"]))[:3])
        raise InputError(
            f"{path}: no label fits an item of the run; the run's ids are like: {some}"
        )
    distinct = {value for judged in found.values() for value in judged.values()}
    return Labels(
        values,
        binary=words or (distinct <= {0.0, 1.0} and len(distinct) == 2),
        unmatched=len(found) - len(used),
        repeated=sum(1 for judged in found.values() if len(judged) > 1),
        annotators=apart if len(apart) > 1 else {},
        named=named,
    )
